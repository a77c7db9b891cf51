/* The state of a process, and the handlers that it calls. */
#include <unistd.h>

#include "engine/proc/process.h"

enum dpk_status proc_process_state(const struct dpk_process *p, struct dpk_error *err)
{
    if (sched_is_forked())
        return dpk_fail(err, DPK_ERR_FAULT, "the DPA belongs to the process that forked this one");
    return p->failed == DPK_OK ? DPK_OK : dpk_fail(err, p->failed, "%s", p->failure);
}

enum dpk_status dpk_process_state(struct dpk_process *p, struct dpk_error *err)
{
    if (p->failed == DPK_OK && !sched_is_forked())
        return DPK_OK;
    sched_lock();
    enum dpk_status status = proc_process_state(p, err);
    sched_unlock();
    return status;
}

bool dpk_process_ended_itself(struct dpk_process *p)
{
    sched_lock();
    bool ended = p->ended_itself;
    sched_unlock();
    return ended;
}

uint64_t dpk_process_instructions(const struct dpk_process *p)
{
    return p->group.instructions;
}

const char *dpk_process_app(const struct dpk_process *p)
{
    return dpk_image_app(p->image);
}

enum dpk_status proc_process_start_workers(struct dpk_error *err)
{
    return sched_start_workers()
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_NOMEM, "the host gives no thread to run on");
}

/* ---- Standing still ---- */

void proc_process_hold(struct dpk_process *p)
{
    sched_group_enter(&p->group);
    sched_group_hold(&p->group);
    sched_group_await_still(&p->group);
}

void proc_process_release(struct dpk_process *p)
{
    sched_group_release(&p->group);
    sched_group_leave(&p->group);
}

void proc_process_wake_debugger(const struct dpk_process *p)
{
    const uint64_t one = 1;
    if (p->debugger_fd >= 0)
        (void)!write(p->debugger_fd, &one, sizeof one); /* if this fails, it is already readable */
}

/* ---- Handlers ---- */

void dpk_process_set_calls(struct dpk_process *p, unsigned family, dpk_device_call handler,
                           void *context)
{
    if (family >= DPA_SYS_FAMILY_FIRST && family < DPA_SYS_FAMILIES) {
        p->calls[family].handler = handler;
        p->calls[family].context = context;
    }
}

void dpk_process_set_sink(struct dpk_process *p, dpk_message_sink sink, void *context)
{
    pthread_mutex_lock(&p->sink_lock);
    p->sink = sink;
    p->sink_context = context;
    pthread_mutex_unlock(&p->sink_lock);
}
