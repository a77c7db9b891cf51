/* The server that sets rates: its threads, and the programs that each thread serves. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "programs.h"

#define EVENTS_MAX 16
#define LINGER_NS  50000 /* how long a thread polls before it sleeps */

struct worker {
    struct dpk_rates_server *server;
    unsigned number;
    int wake;
    pthread_t thread;
    pthread_mutex_t lock; /* held while the worker uses its programs */
    struct programs programs;
};

struct dpk_rates_server {
    struct dpk_rates_options options;
    struct file *file;
    int folder, listener;
    pid_t owner;
    atomic_bool over; /* no more events are given */
    unsigned next;    /* number of the worker for the program that joins next */
    atomic_uint started;
    struct worker workers[DPK_RATES_WORKERS_MAX];
};

static void close_if(int fd)
{
    if (fd >= 0)
        close(fd);
}

static bool watch(int epoll, int fd, void *what)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = what};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

/* ---- The threads ---- */

static void set_over(struct dpk_rates_server *s)
{
    atomic_store(&s->over, true);
    for (unsigned i = 0; i < s->started; i++)
        eventfd_write(s->workers[i].wake, 1);
}

/* Gives a program that joins to the next worker. Call this with the lock of `w`. */
static void accept_one(struct worker *w)
{
    struct dpk_rates_server *s = w->server;
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    struct worker *to = &s->workers[s->next++ % s->options.workers];
    struct program *p = rings_peer_is_ours(fd) ? pacing_program_new(fd) : NULL;
    if (!p) {
        close(fd);
        return;
    }
    if (to != w)
        pthread_mutex_lock(&to->lock);
    TAILQ_INSERT_TAIL(&to->programs.list, p, link);
    if (atomic_load(&s->over) || !watch(to->programs.epoll, fd, p))
        pacing_program_free(&to->programs, p);
    if (to != w)
        pthread_mutex_unlock(&to->lock);
}

/* Returns the same values as pacing_programs_serve. */
static int hear(struct worker *w, const struct epoll_event *events, int count)
{
    eventfd_t woken;
    bool good = true;
    for (int i = 0; i < count; i++) {
        void *what = events[i].data.ptr;
        if (what == w)
            eventfd_read(w->wake, &woken);
        else if (what == w->server)
            accept_one(w);
        else if (!pacing_program_hear(&w->programs, what))
            good = pacing_program_end(&w->programs, what) && good;
    }
    return good ? count > 0 : -1;
}

/* Looks at all programs once. Returns whether any of them had work. */
static bool look(struct worker *w, int wait_ms)
{
    struct epoll_event events[EVENTS_MAX];
    const int n = epoll_wait(w->programs.epoll, events, EVENTS_MAX, wait_ms);
    pthread_mutex_lock(&w->lock);
    const int heard = hear(w, events, n);
    const int served = heard < 0 ? heard : pacing_programs_serve(&w->programs);
    pthread_mutex_unlock(&w->lock);
    if (served < 0)
        set_over(w->server);
    return heard != 0 || served != 0;
}

static void set_polled(struct worker *w, bool polled)
{
    pthread_mutex_lock(&w->lock);
    pacing_programs_poll(&w->programs, polled);
    pthread_mutex_unlock(&w->lock);
}

/* A sender needs no system call to wake a thread that still polls. */
static void *work(void *context)
{
    struct worker *w = context;
    uint64_t last = 0;
    bool polled = false;
    while (!atomic_load(&w->server->over)) {
        const bool any = look(w, polled ? 0 : -1);
        if (any)
            last = dpk_now_ns();
        const bool lingers = any || dpk_now_ns() - last < LINGER_NS;
        if (polled != lingers) {
            set_polled(w, polled = lingers);
            if (!polled && look(w, 0)) /* serves events that came before the rings were marked */
                set_polled(w, polled = true), last = dpk_now_ns();
        }
        if (polled && !any)
            sched_yield();
    }
    pthread_mutex_lock(&w->lock);
    pacing_programs_free(&w->programs);
    if (w->number == 0) {
        close(w->server->listener); /* this wakes processes that wait for a connection */
        w->server->listener = -1;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- Life ---- */

static enum dpk_status start_worker(struct dpk_rates_server *s, struct worker *w,
                                    struct dpk_error *err)
{
    *w = (struct worker){.server = s, .number = s->started, .wake = -1};
    w->programs = (struct programs){.options = &s->options, .worker = w->number, .file = s->file};
    TAILQ_INIT(&w->programs.list);
    w->programs.epoll = epoll_create1(EPOLL_CLOEXEC);
    w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&w->lock, NULL);
    if (w->programs.epoll >= 0 && w->wake >= 0 && watch(w->programs.epoll, w->wake, w)) {
        if ((errno = dpk_pthread_start(&w->thread, work, w)) == 0) {
            s->started++;
            return DPK_OK;
        }
    }
    enum dpk_status status = dpk_fail_errno(err, "no thread for congestion control");
    close_if(w->programs.epoll);
    close_if(w->wake);
    pthread_mutex_destroy(&w->lock);
    return status;
}

/* Replaces the socket that a killed process left. */
static enum dpk_status listen_in(struct dpk_rates_server *s, const char *directory,
                                 struct dpk_error *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    s->folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->folder < 0)
        return dpk_fail_errno(err, "%s", directory);
    snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" SOCKET, s->folder);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if ((unlinkat(s->folder, SOCKET, 0) != 0 && errno != ENOENT) || s->listener < 0 ||
        bind(s->listener, (const struct sockaddr *)&at, sizeof at) != 0 ||
        listen(s->listener, SOMAXCONN) != 0)
        return dpk_fail_errno(err, "%s/" SOCKET, directory);
    return DPK_OK;
}

static enum dpk_status start(struct dpk_rates_server *s, const char *directory,
                             struct dpk_error *err)
{
    enum dpk_status status = pacing_rates_map(directory, true, &s->file, err);
    if (status != DPK_OK || (status = listen_in(s, directory, err)) != DPK_OK)
        return status;
    pacing_statistics_clear(s->file);
    while (status == DPK_OK && s->started < s->options.workers)
        status = start_worker(s, &s->workers[s->started], err);
    if (status == DPK_OK && !watch(s->workers[0].programs.epoll, s->listener, s))
        status = dpk_fail_errno(err, "%s/" SOCKET, directory);
    if (status == DPK_OK)
        atomic_fetch_add(&s->file->generation, 1); /* from now on senders find this server */
    return status;
}

enum dpk_status dpk_rates_serve(const char *directory, const struct dpk_rates_options *options,
                                struct dpk_rates_server **out, struct dpk_error *err)
{
    struct dpk_rates_server *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return dpk_fail_nomem(err);
    s->options = *options;
    s->folder = s->listener = -1;
    s->owner = getpid();
    if (s->options.workers == 0)
        s->options.workers = 1;
    if (s->options.workers > DPK_RATES_WORKERS_MAX)
        s->options.workers = DPK_RATES_WORKERS_MAX;
    enum dpk_status status = start(s, directory, err);
    if (status == DPK_OK)
        *out = s;
    else
        dpk_rates_stop(s);
    return status;
}

void dpk_rates_stop(struct dpk_rates_server *s)
{
    if (!s || s->owner != getpid())
        return; /* a child of fork() does not have the threads */
    if (s->folder >= 0)
        unlinkat(s->folder, SOCKET, 0);
    set_over(s);
    for (unsigned i = 0; i < s->started; i++) {
        struct worker *w = &s->workers[i];
        pthread_join(w->thread, NULL);
        pacing_programs_free(&w->programs); /* programs that joined since the thread ended */
        close(w->programs.epoll);
        close(w->wake);
        pthread_mutex_destroy(&w->lock);
    }
    close_if(s->listener);
    close_if(s->folder);
    pacing_rates_unmap(s->file);
    free(s);
}

void dpk_rates_pause(struct dpk_rates_server *s)
{
    for (unsigned i = 0; s && i < s->started; i++)
        pthread_mutex_lock(&s->workers[i].lock);
}

void dpk_rates_resume(struct dpk_rates_server *s)
{
    for (unsigned i = 0; s && i < s->started; i++)
        pthread_mutex_unlock(&s->workers[i].lock);
}
