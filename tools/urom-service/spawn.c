/* Processes of workers: starts them, and reports their end. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service.h"

#define WORKER_FD 3

extern char **environ;

void service_refuse(struct dpk_urom_channel *c, doca_error_t error, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct dpk_buf *b = dpk_urom_begin(c, DPK_UROM_REFUSED);
    dpk_put_le32(b, (uint32_t)error);
    dpk_urom_put_text(b, text, n < 0 ? 0 : strlen(text));
    dpk_urom_end(c);
    printf("refused: %s\n", dpk_text_clean(text));
}

/* ---- Checks of a program's wishes ---- */

static struct process *find_process(const struct service *s, uint64_t id)
{
    struct process *p = s->processes;
    while (p && p->id != id)
        p = p->next;
    return p;
}

static bool has_cpus(const struct service *s, const struct dpk_urom_wish *wish)
{
    bool any = false;
    for (unsigned i = 0; i < DPK_UROM_CPUS * 8; i++) {
        const bool set = wish->cpus[i / 8] >> (i % 8) & 1;
        if (set && i >= s->processors)
            return false;
        any = any || set;
    }
    return any;
}

static bool may_have(const struct service *s, struct dpk_urom_channel *c,
                     const struct dpk_urom_wish *wish)
{
    const uint64_t all = s->plugin_count == 64 ? UINT64_MAX : (UINT64_C(1) << s->plugin_count) - 1;
    if (s->process_count >= s->max_workers)
        service_refuse(c, DOCA_ERROR_FULL, "the service has %u workers, and may have no more",
                       s->max_workers);
    else if (wish->plugins == 0 || wish->plugins & ~all)
        service_refuse(c, DOCA_ERROR_NOT_FOUND, "there are no plugins 0x%" PRIx64, wish->plugins);
    else if (wish->id != UINT64_MAX && find_process(s, wish->id))
        service_refuse(c, DOCA_ERROR_ALREADY_EXIST, "there is a worker %" PRIu64 " already",
                       wish->id);
    else if (wish->has_cpus && !has_cpus(s, wish))
        service_refuse(c, DOCA_ERROR_INVALID_VALUE, "the DPU has processors 0 to %u only",
                       s->processors - 1);
    else
        return true;
    return false;
}

/* ---- Start ---- */

/* The arguments and the environment of a process. */
struct start {
    char fd[16], id[32], size[16], parent[16], cpus[DPK_UROM_CPUS * 8 * 5];
    char *words[DPK_UROM_PLUGINS_MAX + 16];
    char *plugins[DPK_UROM_PLUGINS_MAX];
    size_t word_count, plugin_count;
    char **environment;
};

static void add_words(struct start *t, const char *option, char *value)
{
    t->words[t->word_count++] = (char *)option;
    t->words[t->word_count++] = value;
}

static void put_cpus(struct start *t, const struct dpk_urom_wish *wish)
{
    size_t at = 0;
    for (unsigned i = 0; i < DPK_UROM_CPUS * 8; i++)
        if (wish->cpus[i / 8] >> (i % 8) & 1)
            at += (size_t)snprintf(t->cpus + at, sizeof t->cpus - at, "%s%u", at ? "," : "", i);
    add_words(t, "--cpus", t->cpus);
}

static bool put_plugins(struct start *t, const struct service *s, const struct dpk_urom_wish *wish)
{
    for (size_t i = 0; i < s->plugin_count; i++) {
        const struct plugin *p = &s->plugins[i];
        if (!(wish->plugins & p->id))
            continue;
        if (asprintf(&t->plugins[t->plugin_count], "%" PRIu64 ":%s", p->id, p->path) < 0)
            return false;
        t->words[t->word_count++] = t->plugins[t->plugin_count++];
    }
    return true;
}

/* Makes the environment: the variables of the program, then those of the service. The first
 * variable of a name counts. */
static bool put_environment(struct start *t, const struct dpk_urom_wish *wish)
{
    size_t own = 0, given = 0, at = 0;
    while (environ[own])
        own++;
    for (size_t i = 0; i < wish->env_size; i++)
        given += wish->env[i] == 0;
    t->environment = calloc(own + given + 1, sizeof *t->environment);
    if (!t->environment)
        return false;
    for (size_t i = 0; i < wish->env_size; i += strlen((const char *)wish->env + i) + 1)
        t->environment[at++] = (char *)wish->env + i;
    const size_t first = at;
    for (size_t i = 0; i < own; i++) {
        const size_t name = strcspn(environ[i], "=");
        bool replaced = false;
        for (size_t k = 0; k < first; k++)
            replaced = replaced || (strncmp(t->environment[k], environ[i], name) == 0 &&
                                    t->environment[k][name] == '=');
        if (!replaced)
            t->environment[at++] = environ[i];
    }
    return true;
}

static bool prepare(struct start *t, const struct service *s, const struct dpk_urom_wish *wish,
                    uint64_t id)
{
    t->words[t->word_count++] = (char *)s->worker;
    snprintf(t->fd, sizeof t->fd, "%d", WORKER_FD);
    snprintf(t->id, sizeof t->id, "%" PRIu64, id);
    snprintf(t->size, sizeof t->size, "%u", wish->max_size);
    snprintf(t->parent, sizeof t->parent, "%d", (int)getpid());
    add_words(t, "--fd", t->fd);
    add_words(t, "--id", t->id);
    add_words(t, "--max-size", t->size);
    add_words(t, "--parent", t->parent);
    if (wish->has_cpus)
        put_cpus(t, wish);
    return put_plugins(t, s, wish) && put_environment(t, wish);
}

/* Returns 0 or an errno. */
static int start_process(const struct start *t, int fd, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, fd, WORKER_FD);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int failed =
        posix_spawn(pid, t->words[0], &actions, &attributes, t->words, t->environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static uint64_t free_id(struct service *s)
{
    while (find_process(s, s->next_id))
        s->next_id++;
    return s->next_id++;
}

bool service_spawn(struct service *s, struct dpk_urom_channel *c, const struct dpk_urom_wish *wish)
{
    struct start t = {0};
    if (!may_have(s, c, wish))
        return false;
    struct process *p = calloc(1, sizeof *p);
    const uint64_t id = wish->id == UINT64_MAX ? free_id(s) : wish->id;
    const bool good = p && prepare(&t, s, wish, id);
    const int failed = good ? start_process(&t, c->fd, &p->pid) : ENOMEM;
    for (size_t i = 0; i < t.plugin_count; i++)
        free(t.plugins[i]);
    free(t.environment);
    if (failed) {
        service_refuse(c, DOCA_ERROR_OPERATING_SYSTEM, "no process could be started: %s",
                       strerror(failed));
        free(p);
        return false;
    }
    p->fd = c->fd;
    p->id = id;
    p->has_gid = wish->has_gid;
    p->gid = wish->gid;
    p->next = s->processes;
    s->processes = p;
    s->process_count++;
    printf("worker %" PRIu64 ": process %d\n", id, (int)p->pid);
    return true;
}

/* ---- End ---- */

static void tell_end(const struct process *p, int status)
{
    char text[100];
    struct dpk_urom_channel c;
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, sizeof text, "exit code %d", WEXITSTATUS(status));
    printf("worker %" PRIu64 ": ended, %s\n", p->id, text);
    dpk_urom_open(&c, p->fd);
    dpk_urom_put_text(dpk_urom_begin(&c, DPK_UROM_EXITED), text, strlen(text));
    dpk_urom_end(&c);
    dpk_urom_close(&c);
}

void service_reap(struct service *s)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (struct process **at = &s->processes; *at; at = &(*at)->next)
            if ((*at)->pid == pid) {
                struct process *p = *at;
                *at = p->next;
                s->process_count--;
                tell_end(p, status);
                free(p);
                break;
            }
}
