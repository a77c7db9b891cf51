/* RPCs: a hart carries out a function, if possible on the caller's thread. */
#include "engine/proc/failure.h"
#include "engine/proc/launch.h"
#include "engine/proc/recorded.h"
#include "engine/proc/trace.h"

struct rpc {
    struct launch launch;
    bool done;
    uint64_t result;
};

static void rpc_ended(struct launch *l, uint64_t result)
{
    struct rpc *r = owner_of(l, struct rpc, launch);
    r->result = result;
    proc_recorded_result(l->process, result);
    r->done = true;
}

static void start(struct rpc *r, struct sched_waiter *w)
{
    struct dpk_process *p = r->launch.process;
    if (sched_may_call(&p->group) && proc_launch_fits(&r->launch)) {
        struct hart *h = proc_launch_hart(&r->launch, 0);
        if (h)
            sched_call(&h->sched, w);
        else
            proc_process_fail(p, DPK_ERR_NOMEM, "out of memory for the thread of a call");
    } else {
        proc_launch_start(&r->launch);
    }
    if (!r->done && !sched_start_workers())
        proc_process_fail(p, DPK_ERR_NOMEM, "the host gives no thread to run on");
}

enum dpk_status dpk_process_call(struct dpk_process *p, const struct dpk_call *call,
                                 const void *args, size_t size, uint64_t *result,
                                 struct dpk_error *err)
{
    enum dpk_status status = proc_launch_check(call, size, err);
    if (status != DPK_OK)
        return status;
    struct rpc r = {0};
    struct sched_waiter w;
    proc_launch_init(&r.launch, p, call, rpc_ended);
    r.launch.rpc = true;
    r.launch.args = (void *)args; /* only read */
    r.launch.args_size = size;
    sched_lock();
    status = proc_process_state(p, err);
    if (status == DPK_OK) {
        sched_waiter_begin(&w, &p->group);
        if (tracing())
            proc_trace_launch(&r.launch, 'b');
        start(&r, &w);
        while (!r.done && (p->failed == DPK_OK || r.launch.started))
            sched_waiter_work(&w);
        proc_launch_forget(&r.launch);
        if (tracing())
            proc_trace_launch(&r.launch, 'e');
        status = proc_process_state(p, err);
        if (result)
            *result = status == DPK_OK ? r.result : 0;
        sched_waiter_end(&w);
    }
    sched_unlock();
    return status;
}
