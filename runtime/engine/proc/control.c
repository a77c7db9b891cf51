#include "engine/proc/control.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/peers/peers.h"
#include "engine/debug/debug.h"
#include "engine/proc/inspect.h"
#include "engine/proc/stall.h"

struct control {
    const struct list *processes;
    struct dpk_listener listener;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t alone; /* clients became 0 */
    unsigned clients;
};

struct client {
    struct control *control;
    int fd;
};

/* ---- list ---- */

/* Writes a JSON string: cleans control characters, escapes quotes and backslashes. */
static void put_string(struct dpk_buf *b, const char *name, const char *value)
{
    char text[PATH_MAX];
    snprintf(text, sizeof text, "%s", value);
    dpk_text_clean(text);
    dpk_put_format(b, "\"%s\":\"", name);
    for (const char *c = text; *c; c++)
        dpk_put_format(b, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    dpk_put_u8(b, '"');
}

static void put_process(struct dpk_buf *b, struct dpk_process *p,
                        const struct dpk_thread_info *threads, size_t count)
{
    dpk_put_format(b, "{\"pid\":%ld,", (long)getpid());
    put_string(b, "device", p->device);
    dpk_put_u8(b, ',');
    put_string(b, "directory", p->directory);
    dpk_put_u8(b, ',');
    put_string(b, "program", dpk_image_app(p->image));
    dpk_put_u8(b, ',');
    put_string(b, "state", p->failed != DPK_OK ? p->failure : p->debugger ? "debugged" : "runs");
    dpk_put_format(b, ",\"instructions\":%" PRIu64 ",\"threads\":[", p->group.instructions);
    for (size_t i = 0; i < count; i++) {
        const struct dpk_thread_info *t = &threads[i];
        dpk_put_format(b, "%s{\"id\":%u,\"rank\":%u,\"instructions\":%" PRIu64 ",",
                       i == 0 ? "" : ",", t->id, t->rank, t->instructions);
        put_string(b, "state", t->state);
        dpk_put_u8(b, ',');
        put_string(b, "does", t->rpc ? "RPC" : "kernel");
        dpk_put_u8(b, ',');
        put_string(b, "function", t->function ? t->function : "?");
        dpk_put_u8(b, '}');
    }
    dpk_put_format(b, "],\"waits\":[");
    proc_stalls_put(b, p, "\"", ",", "\"");
    dpk_put_format(b, "]}\n");
}

static void list_processes(const struct control *s, int fd)
{
    struct dpk_buf b = {0};
    struct dpk_thread_info *threads = calloc(HARTS_MAX, sizeof *threads);
    sched_lock();
    for (struct list *n = s->processes->next; threads && n != s->processes; n = n->next) {
        struct dpk_process *p = owner_of(n, struct dpk_process, in_device);
        put_process(&b, p, threads, proc_process_threads(p, threads, HARTS_MAX));
    }
    sched_unlock();
    if (threads && !b.failed)
        dpk_peer_say(fd, (const char *)b.data, b.size);
    free(threads);
    dpk_buf_free(&b);
}

/* ---- find and debug ---- */

/* With the lock. `directory`: the device's. */
static struct dpk_process *find_process(const struct control *s, uint64_t token,
                                        const char *directory)
{
    for (struct list *n = s->processes->next; n != s->processes; n = n->next) {
        struct dpk_process *p = owner_of(n, struct dpk_process, in_device);
        if (token != 0 && p->token == token && strcmp(p->directory, directory) == 0)
            return p;
    }
    return NULL;
}

static void debug(const struct control *s, int fd, uint64_t token, const char *directory)
{
    struct dpk_debugger *d = NULL;
    struct dpk_error err = {0};
    const struct timeval forever = {0};
    sched_lock();
    struct dpk_process *p = find_process(s, token, directory);
    if (p)
        sched_group_enter(&p->group); /* the process stays until we are done */
    sched_unlock();
    if (!p || dpk_debugger_create(p, &d, &err) != DPK_OK) {
        const char *why = p ? err.message : "no process with this token";
        dpk_peer_say(fd, why, strlen(why));
        dpk_peer_say(fd, "\n", 1);
    } else if (dpk_peer_say(fd, "yes\n", 4)) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
        dpk_debugger_serve(d, fd, fd, true, &err);
    }
    dpk_debugger_destroy(d);
    sched_lock();
    if (p)
        sched_group_leave(&p->group);
    sched_unlock();
}

/* ---- Clients ---- */

static void answer(const struct control *s, int fd)
{
    char line[PATH_MAX + 32], word[8], digits[17];
    int directory = 0;
    if (!dpk_peer_line(fd, line, sizeof line))
        return;
    if (strcmp(line, "list") == 0) {
        list_processes(s, fd);
    } else if (sscanf(line, "%7s %16[0-9a-f] %n", word, digits, &directory) == 2 &&
               line[directory] == '/') {
        uint64_t token = strtoull(digits, NULL, 16);
        sched_lock();
        bool there = find_process(s, token, line + directory) != NULL;
        sched_unlock();
        if (strcmp(word, "debug") == 0)
            debug(s, fd, token, line + directory);
        else if (strcmp(word, "find") == 0)
            dpk_peer_say(fd, there ? "yes\n" : "no\n", there ? 4 : 3);
    }
}

static void *serve_client(void *context)
{
    struct client *c = context;
    struct control *s = c->control;
    answer(s, c->fd);
    close(c->fd);
    free(c);
    pthread_mutex_lock(&s->lock);
    if (--s->clients == 0)
        pthread_cond_signal(&s->alone);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void begin_client(struct control *s, int fd)
{
    const struct timeval patience = {.tv_sec = 2};
    struct client *c = malloc(sizeof *c);
    pthread_t thread;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    pthread_mutex_lock(&s->lock);
    if (c) {
        *c = (struct client){.control = s, .fd = fd};
        if (pthread_create(&thread, NULL, serve_client, c) == 0) {
            pthread_detach(thread);
            s->clients++;
            fd = -1;
        } else {
            free(c);
        }
    }
    pthread_mutex_unlock(&s->lock);
    if (fd >= 0)
        close(fd);
}

static void *serve(void *context)
{
    struct control *s = context;
    int fd;
    while ((fd = dpk_accept(&s->listener, NULL, NULL)) >= 0)
        begin_client(s, fd);
    return NULL;
}

/* ---- Life ---- */

struct control *proc_control_start(const struct list *processes, struct dpk_error *err)
{
    char directory[PATH_MAX], path[PATH_MAX + 32];
    struct control *s = calloc(1, sizeof *s);
    if (!s) {
        dpk_fail_nomem(err);
        return NULL;
    }
    s->processes = processes;
    if (dpk_runtime_directory(directory, sizeof directory, err) != DPK_OK)
        goto failed;
    snprintf(path, sizeof path, "%s/%ld.dpa", directory, (long)getpid());
    if (dpk_listen(path, &s->listener, err) != DPK_OK)
        goto failed;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->alone, NULL);
    if (dpk_pthread_start(&s->thread, serve, s) == 0)
        return s;
    dpk_fail_nomem(err);
    dpk_listener_close(&s->listener);
    pthread_cond_destroy(&s->alone);
    pthread_mutex_destroy(&s->lock);
failed:
    free(s);
    return NULL;
}

void proc_control_stop(struct control *s)
{
    if (!s)
        return;
    shutdown(s->listener.fd, SHUT_RDWR); /* ends accept */
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&s->lock);
    while (s->clients > 0)
        pthread_cond_wait(&s->alone, &s->lock);
    pthread_mutex_unlock(&s->lock);
    dpk_listener_close(&s->listener);
    pthread_cond_destroy(&s->alone);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
