/* trace: what a trace is told (DPAKIT_TRACE=FILE). With sched's lock. */
#ifndef DPK_PROC_TRACE_H
#define DPK_PROC_TRACE_H

#include "proc/hart.h"
#include "proc/launch.h"

/* NULL: nobody wants one; from the first process to the end. */
extern struct dpk_trace *process_trace;

/* Ask this first. Without the lock. */
static inline bool tracing(void)
{
    return __builtin_expect(process_trace != NULL, 0);
}
enum dpk_status trace_begin(struct dpk_error *err);
/* `h` has left its processor, where it came at h->began. */
void trace_slices(const struct hart *h);
void trace_launch(struct launch *l, char phase);         /* 'b' or 'e' */
void trace_message(const struct hart *h, uint64_t size); /* without the lock */
void trace_event(uint64_t value);
void trace_failure(const struct dpk_process *p);
/* What was told is in the file. Without the lock, or with it. */
void trace_flush(void);

#endif
