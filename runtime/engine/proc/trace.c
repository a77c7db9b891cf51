#include "engine/proc/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_DEFAULT (UINT64_C(1) << 30) /* bytes; viewers hardly read more */

struct dpk_trace *proc_process_trace;
static uint64_t ids; /* the id of the last launch */

static unsigned track_of(const struct hart *h)
{
    return h->sched.unit == SCHED_NO_UNIT ? DPK_TRACK_CALL + h->id : h->sched.unit;
}

static const char *name_at(const struct dpk_process *p, uint64_t function)
{
    return dpk_image_function_at(p->image, function, NULL);
}

/* Reads a number of bytes, with an optional K, M or G for KiB, MiB or GiB. */
static bool read_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMG";
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    *size = (uint64_t)n << shift;
    return !errno && n <= UINT64_MAX >> shift && end[unit != NULL] == '\0' &&
           *size >= DPK_TRACE_MIN;
}

enum dpk_status proc_trace_begin(struct dpk_error *err)
{
    const char *path = getenv("DPAKIT_TRACE"), *max = getenv("DPAKIT_TRACE_MAX");
    uint64_t size = TRACE_DEFAULT;
    if (proc_process_trace || !path || !*path)
        return DPK_OK;
    if (max && *max && !read_size(max, &size))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_TRACE_MAX=%s is not a size from 256K on, such as 64M", max);
    return dpk_trace_open(path, size, &proc_process_trace, err);
}

void proc_trace_slices(const struct hart *h)
{
    const struct dpk_trace_event e = {
        .phase = 'X',
        .category = h->thread ? "activation"
                    : h->rpc  ? "RPC"
                              : "kernel",
        .name = name_at(h->process, h->function),
        .track = track_of(h),
        .begin = h->began,
        .argument = "instructions", /* of the hart so far */
        .value = h->sched.retired,
    };
    dpk_trace_put(proc_process_trace, &e);
    if (h->regs.misaligned == h->misaligned)
        return;
    const struct dpk_trace_event misaligned = {
        .phase = 'i',
        .category = "memory",
        .name = "misaligned",
        .track = track_of(h),
        .argument = "accesses", /* of the hart so far */
        .value = h->regs.misaligned,
    };
    dpk_trace_put(proc_process_trace, &misaligned);
}

void proc_trace_launch(struct launch *l, char phase)
{
    if (phase == 'b')
        l->trace_id = ++ids;
    if (l->trace_id == 0) /* the launch began before the trace */
        return;
    const struct dpk_trace_event e = {
        .phase = phase,
        .category = l->rpc ? "RPC" : "kernel",
        .name = name_at(l->process, l->call.function),
        .track = DPK_TRACK_HOST,
        .id = l->trace_id,
        .argument = phase == 'b' ? "threads" : NULL,
        .value = l->threads,
    };
    dpk_trace_put(proc_process_trace, &e);
}

void proc_trace_message(const struct hart *h, uint64_t size)
{
    const struct dpk_trace_event e = {.phase = 'i',
                                      .category = "message",
                                      .name = "message",
                                      .track = track_of(h),
                                      .argument = "bytes",
                                      .value = size};
    dpk_trace_put(proc_process_trace, &e);
}

void proc_trace_event(uint64_t value)
{
    const struct dpk_trace_event e = {.phase = 'i',
                                      .category = "event",
                                      .name = "event",
                                      .track = DPK_TRACK_HOST,
                                      .argument = "value",
                                      .value = value};
    dpk_trace_put(proc_process_trace, &e);
}

void proc_trace_failure(const struct dpk_process *p)
{
    const struct dpk_trace_event e = {.phase = 'i',
                                      .category = "fault",
                                      .name = "fault",
                                      .track = p->culprit ? track_of(p->culprit) : DPK_TRACK_HOST,
                                      .text = p->failure};
    dpk_trace_put(proc_process_trace, &e);
    dpk_trace_flush(proc_process_trace);
}

void proc_trace_flush(void)
{
    if (tracing())
        dpk_trace_flush(proc_process_trace);
}
