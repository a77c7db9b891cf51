#include "engine/proc/device.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/proc/affinity.h"
#include "engine/proc/control.h"
#include "engine/proc/place.h"
#include "engine/proc/profile.h"
#include "engine/proc/recorded.h"
#include "engine/proc/trace.h"

#define WORKERS_MAX 256

static struct {
    struct list processes;
    unsigned users;      /* processes, also those that are being created */
    bool closing;        /* the last process is gone, but not yet its threads */
    pthread_cond_t idle; /* signaled when the threads are gone */
    struct control *control;
    bool control_missed; /* a warning about it was given */
    bool watches_forks;
} device = {.processes = {&device.processes, &device.processes}, .idle = PTHREAD_COND_INITIALIZER};

struct list *proc_device_processes(void)
{
    return &device.processes;
}

bool proc_device_is_found(void)
{
    return device.control != NULL;
}

static enum dpk_status count_workers(unsigned *workers, struct dpk_error *err)
{
    const char *wanted = getenv("DPAKIT_WORKERS");
    if (wanted && *wanted) {
        uint64_t n;
        if (!dpk_number(wanted, 1, WORKERS_MAX, &n))
            return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_WORKERS=%s is not a number from 1 to %d",
                            wanted, WORKERS_MAX);
        *workers = (unsigned)n;
        return DPK_OK;
    }
    *workers = dpk_cores();
    if (*workers > WORKERS_MAX)
        *workers = WORKERS_MAX;
    return DPK_OK;
}

static enum dpk_status configure(struct dpk_error *err)
{
    unsigned workers = 0;
    enum dpk_status status = proc_trace_begin(err);
    if (status == DPK_OK)
        status = proc_profile_begin(err);
    if (status == DPK_OK)
        status = proc_recorded_begin(err);
    if (status == DPK_OK)
        status = count_workers(&workers, err);
    if (status == DPK_OK)
        status = proc_units_read(err);
    if (status == DPK_OK)
        sched_configure(proc_recording() ? 1 : workers);
    return status;
}

/* A child of fork() has no workers, and the state in which they were at the fork is unknown. */
static void forked_child(void)
{
    if (device.users > 0) {
        sched_forked();
        for (struct list *n = device.processes.next; n != &device.processes; n = n->next)
            proc_place_forked(owner_of(n, struct dpk_process, in_device));
    }
    sched_unlock();
}

/* Warns only once, because everything else works without it. */
static void start_control(void (*warn)(const char *text))
{
    struct dpk_error why = {0};
    struct control *control = proc_control_start(&device.processes, &why);
    char text[sizeof why.message + 64];
    sched_lock();
    device.control = control;
    bool tell = !control && warn && !device.control_missed;
    device.control_missed |= tell;
    sched_unlock();
    if (!tell)
        return;
    snprintf(text, sizeof text, "dpadev ps and dpa-gdbserver do not find this program: %s",
             why.message);
    warn(text);
}

enum dpk_status proc_device_enter(void (*warn)(const char *text), struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    sched_lock();
    if (!device.watches_forks)
        device.watches_forks = pthread_atfork(sched_lock, sched_unlock, forked_child) == 0;
    if (sched_is_forked()) {
        sched_unlock();
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "the DPA belongs to the process that forked this one");
    }
    while (device.closing)
        sched_wait(&device.idle, SCHED_NEVER);
    if (device.users == 0)
        status = configure(err);
    bool first = status == DPK_OK && device.users++ == 0;
    sched_unlock();
    if (first)
        start_control(warn);
    return status;
}

void proc_device_leave(void)
{
    sched_lock();
    device.closing = --device.users == 0;
    bool last = device.closing;
    sched_unlock();
    if (!last)
        return;
    proc_trace_flush();
    proc_profile_flush();
    proc_control_stop(device.control);
    device.control = NULL;
    sched_stop();
    sched_lock();
    device.closing = false;
    pthread_cond_broadcast(&device.idle);
    sched_unlock();
}
