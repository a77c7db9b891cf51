/* Progress engines: they give contexts their turns, and have a handle that signals work. */
#include <doca_pe.h>
#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/doca/core/core.h"
#include "line.h"
#include "pe.h"

#define LOOK_US 1000u /* interval in which the watch checks waiting tasks */

struct dpk_pe {
    struct dpk_object object;
    struct dpk_line line;   /* its contexts, except parked contexts */
    struct dpk_ctx *poller; /* the last polled context; NULL: unknown, it may be gone */
    atomic_uint notes;      /* counts events that may have made work */
    atomic_uint quiet;      /* `notes` when all contexts were found idle */
    enum doca_pe_event_mode mode;
    int handle;            /* an epoll of the following descriptors; -1: nobody asked for it */
    int signal;            /* an eventfd */
    int source;            /* a context's descriptor that the handle watches; -1: none */
    atomic_bool armed;     /* the next notification signals the handle */
    atomic_bool signalled; /* the signal may have to be cleared */
    bool watched;          /* a thread checks waiting tasks; with the lock */
    bool ends;             /* the thread must end */
    pthread_t watch;
    pthread_cond_t wanted; /* wakes the thread when the engine is armed; with the lock */
    pid_t watched_by;      /* the process that has the thread; a child of fork() does not have it */
};

/* The engine that this thread polls for. Work that it finds does not have to wake the thread. */
static _Thread_local struct dpk_pe *polls_for;
static _Thread_local bool found_some;

static void pe_left(void *object)
{
    struct dpk_pe *p = object;
    pthread_mutex_lock(&p->object.lock);
    const bool watched = p->watched;
    p->ends = true;
    pthread_cond_signal(&p->wanted);
    pthread_mutex_unlock(&p->object.lock);
    if (watched && p->watched_by == getpid())
        pthread_join(p->watch, NULL);
}

static void pe_release(void *object)
{
    struct dpk_pe *p = object;
    if (p->handle >= 0) {
        close(p->handle);
        close(p->signal);
    }
    free(p); /* does not destroy `wanted`: in a child of fork() that would wait for the watch */
}
static const struct dpk_kind pe_kind = {.left = pe_left, .release = pe_release};

doca_error_t doca_pe_create(struct doca_pe **pe)
{
    if (!pe)
        return dpk_doca_no_object(__func__);
    struct dpk_pe *p = calloc(1, sizeof *p);
    if (p) {
        p->handle = p->signal = p->source = -1;
        atomic_init(&p->quiet, UINT_MAX);
        pthread_cond_init(&p->wanted, NULL);
    }
    *pe = p ? dpk_object_enter(p, &pe_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *pe ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
    return dpk_doca_destroy(pe, &pe_kind, __func__);
}

/* ---- Contexts ---- */

/* Puts a context at the end of the line. With the lock of `p` held. */
static void append(struct dpk_pe *p, struct dpk_ctx *c)
{
    dpk_line_add(&p->line, c);
    atomic_fetch_add(&p->notes, 1);
}

static doca_error_t connect_locked(struct dpk_pe *p, struct dpk_ctx *c)
{
    if (c->object.gone)
        return DOCA_ERROR_INVALID_VALUE;
    if (atomic_load(&c->state) != DOCA_CTX_STATE_IDLE)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                                dpk_ctx_state_name(c));
    if (c->pe)
        return dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                "the context is connected to a progress engine already");
    dpk_object_use(p);
    c->pe = p;
    pthread_mutex_lock(&p->object.lock);
    append(p, c);
    pthread_mutex_unlock(&p->object.lock);
    return DOCA_SUCCESS;
}

void dpk_pe_stopped(struct dpk_pe *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->object.lock);
    if (p->source >= 0)
        epoll_ctl(p->handle, EPOLL_CTL_DEL, p->source, NULL);
    p->source = -1;
    pthread_mutex_unlock(&p->object.lock);
}

doca_error_t dpk_ctx_connect(struct dpk_ctx *ctx, struct doca_pe *pe)
{
    struct dpk_pe *p = dpk_object_pin(pe, &pe_kind);
    if (!p)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&ctx->object.lock);
    doca_error_t result = connect_locked(p, ctx);
    pthread_mutex_unlock(&ctx->object.lock);
    dpk_object_drop(p);
    return result;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    doca_error_t result = c ? dpk_ctx_connect(c, pe) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(pe, __func__, result);
}

void dpk_pe_disconnect(struct dpk_ctx *ctx)
{
    struct dpk_pe *p = ctx->pe;
    if (!p)
        return;
    pthread_mutex_lock(&p->object.lock);
    dpk_line_remove(&p->line, ctx);
    if (p->poller == ctx)
        p->poller = NULL;
    pthread_mutex_unlock(&p->object.lock);
    ctx->pe = NULL;
    dpk_object_unuse(p);
}

void dpk_pe_rejoin(struct dpk_ctx *ctx)
{
    struct dpk_pe *p = ctx->pe;
    if (!p || !atomic_load(&ctx->parked))
        return;
    pthread_mutex_lock(&p->object.lock);
    if (atomic_load(&ctx->parked))
        append(p, ctx);
    pthread_mutex_unlock(&p->object.lock);
}

/* ---- Progress ---- */

static bool is_polled(const struct dpk_ctx *c)
{
    return c->ops->poll && dpk_ctx_is_running(c);
}

/* Returns the next context in line, pinned, or NULL if there is none among the next *left, which is
 * counted down. With `all`, it may have no work. */
static struct dpk_ctx *next_in_line(struct dpk_pe *p, bool all, unsigned *left)
{
    struct dpk_ctx *found = NULL;
    pthread_mutex_lock(&p->object.lock);
    if (*left > p->line.length)
        *left = p->line.length;
    while (!found && *left > 0) {
        struct dpk_ctx *c = dpk_line_turn(&p->line);
        --*left;
        if (c && (all || !is_polled(c) || dpk_ctx_has_work(c)))
            dpk_object_hold(found = c); /* still referenced: it is in the line */
    }
    pthread_mutex_unlock(&p->object.lock);
    return found;
}

/* Lets one context, if any can, poll for all. */
static void poll_once(struct dpk_pe *p)
{
    pthread_mutex_lock(&p->object.lock);
    struct dpk_ctx *c = p->poller;
    if (!c || !is_polled(c))
        for (c = p->line.polled > 0 ? p->line.first : NULL; c && !is_polled(c); c = c->next_in_pe)
            ;
    if ((p->poller = c))
        dpk_object_hold(c);
    pthread_mutex_unlock(&p->object.lock);
    if (c) {
        polls_for = p;
        c->ops->poll(c);
        polls_for = NULL;
    }
    dpk_object_drop(c);
}

/* Wakes the program if it is about to sleep although there is more work. */
static void tell_of_more(struct dpk_pe *p)
{
    unsigned left = UINT_MAX;
    struct dpk_ctx *c = atomic_load(&p->armed) ? next_in_line(p, false, &left) : NULL;
    if (c)
        dpk_pe_notify(p);
    dpk_object_drop(c);
}

static bool progress(struct dpk_pe *p)
{
    bool done = false, any = false;
    unsigned left = UINT_MAX;
    struct dpk_ctx *c;
    found_some = false;
    poll_once(p);
    const bool tells = found_some;                 /* saved: callbacks may poll, too */
    const unsigned notes = atomic_load(&p->notes); /* read before contexts are checked for work */
    if (notes == atomic_load(&p->quiet))
        return false;
    while (!done && (c = next_in_line(p, false, &left))) {
        any = true;
        done = dpk_ctx_progress(c);
        dpk_object_drop(c);
    }
    if (!any)
        atomic_store(&p->quiet, notes);
    if (tells)
        tell_of_more(p);
    return done;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
    struct dpk_pe *p = dpk_object_pin(pe, &pe_kind);
    const bool done = p && progress(p);
    dpk_object_drop(p);
    return done;
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
    struct dpk_pe *p = num_inflight_tasks ? dpk_object_pin(pe, &pe_kind) : NULL;
    if (!p)
        return dpk_doca_no_object(__func__);
    *num_inflight_tasks = 0;
    pthread_mutex_lock(&p->object.lock);
    for (const struct dpk_ctx *c = p->line.first; c; c = c->next_in_pe)
        *num_inflight_tasks += atomic_load(&c->submitted);
    pthread_mutex_unlock(&p->object.lock);
    dpk_object_drop(p);
    return DOCA_SUCCESS;
}

/* ---- Notifications ---- */

void dpk_ctx_notify(struct dpk_ctx *ctx)
{
    dpk_pe_notify(ctx->pe); /* the engine exists until the context is idle */
}

void dpk_pe_note(struct dpk_pe *p)
{
    if (p)
        atomic_fetch_add(&p->notes, 1);
}

void dpk_pe_notify(struct dpk_pe *p)
{
    dpk_pe_note(p);
    if (p && p == polls_for) {
        found_some = true;
        return;
    }
    if (!p || !atomic_exchange(&p->armed, false))
        return;
    eventfd_write(p->signal, 1);
    atomic_store(&p->signalled, true); /* last: a clear in between causes one more wakeup */
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode)
{
    if (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
        event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__, "%u is not a mode",
                                    (unsigned)event_mode);
    struct dpk_pe *p = dpk_object_pin(pe, &pe_kind);
    if (!p)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&p->object.lock);
    p->mode = event_mode;
    pthread_mutex_unlock(&p->object.lock);
    dpk_object_drop(p);
    return DOCA_SUCCESS;
}

static bool watch_too(const struct dpk_pe *p, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(p->handle, EPOLL_CTL_ADD, fd, &event) == 0 || errno == EEXIST;
}

/* Call this with the lock. */
static void make_handle(struct dpk_pe *p)
{
    if (p->handle >= 0)
        return;
    p->signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->handle = epoll_create1(EPOLL_CLOEXEC);
    if (p->handle >= 0 && p->signal >= 0 && watch_too(p, p->signal))
        return;
    if (p->handle >= 0)
        close(p->handle);
    if (p->signal >= 0)
        close(p->signal);
    p->handle = p->signal = -1;
}

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle)
{
    struct dpk_pe *p = handle ? dpk_object_pin(pe, &pe_kind) : NULL;
    if (!p)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&p->object.lock);
    make_handle(p);
    *handle = p->handle;
    pthread_mutex_unlock(&p->object.lock);
    dpk_object_drop(p);
    return dpk_doca_end(pe, __func__, *handle >= 0 ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM);
}

static doca_error_t no_handle(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                            "the engine has no handle, as by doca_pe_get_notification_handle");
}

static doca_error_t clear(struct dpk_pe *p)
{
    eventfd_t count;
    if (!atomic_exchange(&p->signalled, false))
        return DOCA_SUCCESS;
    return eventfd_read(p->signal, &count) == 0 || errno == EAGAIN ? DOCA_SUCCESS
                                                                   : DOCA_ERROR_OPERATING_SYSTEM;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
    struct dpk_pe *p = dpk_object_pin(pe, &pe_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    (void)handle; /* 0 on Linux */
    if (p) {
        pthread_mutex_lock(&p->object.lock);
        result = p->handle >= 0 ? clear(p) : no_handle();
        pthread_mutex_unlock(&p->object.lock);
    }
    dpk_object_drop(p);
    return dpk_doca_end(pe, __func__, result);
}

/* Watches the descriptor that a context may have. */
static void rest(struct dpk_pe *p, struct dpk_ctx *c)
{
    const int fd = c->ops->rest(c, p);
    pthread_mutex_lock(&p->object.lock);
    if (p->source >= 0 && p->source != fd)
        epoll_ctl(p->handle, EPOLL_CTL_DEL, p->source, NULL);
    if (p->source != fd)
        p->source = fd >= 0 && watch_too(p, fd) ? fd : -1;
    pthread_mutex_unlock(&p->object.lock);
}

/* Result of a pass over the contexts of an engine. */
enum found { NOTHING, WAITING, WORK };

static enum found look(struct dpk_pe *p, bool at_tasks)
{
    enum found found = NOTHING;
    unsigned left = UINT_MAX;
    bool rests = !at_tasks;
    struct dpk_ctx *c;
    while (found != WORK && (c = next_in_line(p, rests, &left))) {
        if (rests && c->ops->rest) {
            rest(p, c);
            rests = false;
        }
        if (dpk_ctx_has_work(c) || (at_tasks && dpk_ctx_is_ready(c)))
            found = WORK;
        else if (dpk_ctx_waits(c))
            found = WAITING;
        dpk_object_drop(c);
    }
    return found;
}

/* Checks tasks that wait without a notification, for example for sync events of other processes,
 * while the engine is armed. */
static void *watch(void *object)
{
    struct dpk_pe *p = object;
    pthread_mutex_lock(&p->object.lock);
    while (!p->ends) {
        if (!atomic_load(&p->armed)) {
            pthread_cond_wait(&p->wanted, &p->object.lock);
            continue;
        }
        pthread_mutex_unlock(&p->object.lock);
        if (look(p, true) == WORK)
            dpk_pe_notify(p);
        usleep(LOOK_US);
        pthread_mutex_lock(&p->object.lock);
    }
    pthread_mutex_unlock(&p->object.lock);
    return NULL;
}

/* Call this with the lock. */
static doca_error_t begin_watch(struct dpk_pe *p)
{
    if (!p->watched && !p->ends) {
        p->watched = dpk_pthread_start(&p->watch, watch, p) == 0;
        p->watched_by = getpid();
    }
    return p->watched ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

static doca_error_t arm(struct dpk_pe *p)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&p->object.lock);
    if (p->handle < 0)
        result = no_handle();
    else if (p->mode == DOCA_PE_EVENT_MODE_PROGRESS_ALL)
        result = clear(p);
    if (result == DOCA_SUCCESS) {
        atomic_store(&p->armed, true);
        pthread_cond_signal(&p->wanted);
    }
    pthread_mutex_unlock(&p->object.lock);
    if (result != DOCA_SUCCESS)
        return result;
    const enum found found = look(p, false); /* after arming: later work signals */
    if (found == WORK)
        dpk_pe_notify(p);
    if (found != WAITING)
        return DOCA_SUCCESS;
    pthread_mutex_lock(&p->object.lock);
    result = begin_watch(p);
    pthread_mutex_unlock(&p->object.lock);
    return result;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
    struct dpk_pe *p = dpk_object_pin(pe, &pe_kind);
    doca_error_t result = p ? arm(p) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(p);
    return dpk_doca_end(pe, __func__, result);
}
