#include "engine/proc/external.h"

#include "engine/proc/window_cache.h"

struct access {
    struct hart *hart;
    bool found;
    void *pinned;
    char *reason;
};

static void *find_memory(void *context, uint64_t address, unsigned width, unsigned need)
{
    struct access *a = context;
    const struct dpk_external_memory *m = &a->hart->process->external;
    const bool passes = need == (RV64_R | RV64_W) || address % width != 0;
    if (a->hart->process->strict.memory && !passes)
        return proc_window_cache_at(a->hart, address, width, need == RV64_W, a->reason);
    if (a->hart->process->strict.memory)
        proc_window_cache_empty(a->hart);
    void *at = m->find(m->context, &a->hart->caller, address, width, (need & RV64_W) != 0,
                       &a->pinned, a->reason);
    a->found = at != NULL;
    return at;
}

bool proc_external_access(struct hart *h, char reason[DPK_FAULT_REASON_MAX])
{
    const struct dpk_process *p = h->process;
    struct access a = {.hart = h, .reason = reason};
    const struct rv64_external external = {.find = find_memory, .context = &a};
    reason[0] = '\0';
    if ((h->regs.fault != RV64_FAULT_LOAD && h->regs.fault != RV64_FAULT_STORE) ||
        h->regs.fault_address < RV64_EXTERNAL_BASE || !p->external.find)
        return false;
    bool done = rv64_step_external(p->core, &h->regs, &external) == RV64_STOP_BUDGET;
    if (a.found)
        p->external.release(p->external.context, a.pinned);
    return done;
}

void dpk_process_set_external_memory(struct dpk_process *p,
                                     const struct dpk_external_memory *memory)
{
    p->external = *memory;
}
