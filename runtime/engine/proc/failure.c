#include "engine/proc/failure.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/proc/kernel.h"
#include "engine/proc/launch.h"
#include "engine/proc/recorded.h"
#include "engine/proc/trace.h"

static void error_handler_start(struct dpk_process *p)
{
    const uint64_t zero = 0;
    struct hart *h = p->error_handler.function ? proc_hart_take(p) : NULL;
    if (!h)
        return;
    proc_hart_reset(h, &p->error_handler, &zero, p->error_handler.argument_size);
    p->group.survivor = &h->sched;
    sched_hart_start(&h->sched, (struct dpk_units){0});
}

void proc_error_handler_end(struct dpk_process *p)
{
    p->error_handler.function = 0;
    if (p->group.survivor)
        sched_hart_stop(p->group.survivor);
}

/* ---- The message for the creator of the process ---- */

void proc_failure_tell(struct dpk_process *p)
{
    char text[sizeof p->failure + 128];
    if (!p->untold)
        return;
    p->untold = false;
    sched_timer_stop(&p->telling);
    snprintf(text, sizeof text, "program %.80s: %s", dpk_image_app(p->image), p->failure);
    void (*tell)(const char *) = p->tell_failure;
    sched_unlock(); /* printing may block, and the process may end */
    tell(dpk_text_clean(text));
    sched_lock();
}

static void tell_now(struct sched_timer *t)
{
    proc_failure_tell(owner_of(t, struct dpk_process, telling));
}

void proc_failure_init(struct dpk_process *p)
{
    sched_timer_init(&p->telling, tell_now);
}

/* Reports later, because the failing code is busy. The caller of an RPC gets the report itself. */
static void tell_soon(struct dpk_process *p)
{
    p->untold = p->tell_failure && !p->culprit->rpc && !p->ended_itself;
    if (p->untold)
        (void)sched_timer_start(&p->telling, dpk_now_ns()); /* otherwise dpk_process_destroy
                                                             * reports it */
}

void proc_process_fail(struct dpk_process *p, enum dpk_status status, const char *report)
{
    const uint64_t one = 1;
    if (p->failed != DPK_OK)
        return;
    p->failed = status;
    snprintf(p->failure, sizeof p->failure, "%s", report);
    dpk_text_clean(p->failure); /* it contains names of the program */
    if (tracing() && (p->culprit || status == DPK_ERR_NOMEM))
        proc_trace_failure(p);
    if (p->culprit)
        proc_recorded_failure(p);
    proc_kernels_forget(p);
    sched_group_end(&p->group);
    if (p->failure_fd >= 0)
        (void)!write(p->failure_fd, &one, sizeof one); /* if this fails, it is already readable */
    error_handler_start(p);
    proc_launches_admit(); /* its launch may have been first in line */
    sched_group_wake(&p->group);
    proc_process_wake_debugger(p);
}

void proc_process_fail_at(struct hart *h, enum dpk_status status, const char *report)
{
    if (h->process->failed != DPK_OK)
        return;
    h->process->culprit = h;
    proc_process_fail(h->process, status, report);
    tell_soon(h->process);
}

void dpk_process_end(struct dpk_process *p, const char *report)
{
    sched_lock();
    if (!sched_is_forked()) /* the threads to wake are not in this process */
        proc_process_fail(p, DPK_ERR_FAULT, report);
    sched_unlock();
}

enum dpk_status dpk_process_set_error_handler(struct dpk_process *p, const struct dpk_call *call,
                                              struct dpk_error *err)
{
    sched_lock();
    enum dpk_status status = proc_process_state(p, err);
    if (status == DPK_OK)
        status = proc_process_start_workers(err);
    if (status == DPK_OK)
        p->error_handler = call ? *call : (struct dpk_call){0};
    sched_unlock();
    return status;
}

int dpk_process_failure_fd(struct dpk_process *p)
{
    sched_lock();
    if (p->failure_fd < 0)
        p->failure_fd = eventfd(p->failed != DPK_OK, EFD_CLOEXEC | EFD_NONBLOCK);
    int fd = p->failure_fd;
    sched_unlock();
    return fd;
}
