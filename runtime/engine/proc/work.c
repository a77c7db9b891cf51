#include "engine/proc/work.h"

#include <time.h>

/* Bytes of work after which a long call reads the clock. */
#define LOOK_BYTES (4u << 20)

/* The call that this thread carries out. */
static _Thread_local struct {
    const struct hart *hart; /* NULL outside of a call */
    uint64_t bytes, looked;  /* bytes so far, and bytes at the last reading of the clock */
    uint64_t began;          /* time of the first reading */
    bool overran;
} call;

bool dpk_call_worked(uint64_t bytes)
{
    call.bytes += bytes;
    if (!call.hart || call.bytes - call.looked < LOOK_BYTES)
        return !call.overran;
    const struct sched_hart *h = &call.hart->sched;
    const uint64_t now = dpk_thread_time_ns();
    call.looked = call.bytes;
    if (!call.began)
        call.began = now;
    call.overran = now - call.began > h->limit && !h->group->debugged;
    return !call.overran;
}

void proc_work_begin(const struct hart *h)
{
    call.hart = h;
    call.bytes = call.looked = call.began = 0;
    call.overran = false;
}

uint64_t proc_work_end(bool *overran)
{
    *overran = call.overran;
    call.hart = NULL;
    call.overran = false;
    return call.bytes;
}
