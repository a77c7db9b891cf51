/* trace: what proc writes to a trace (DPAKIT_TRACE=FILE). With sched's lock. */
#ifndef DPK_ENGINE_PROC_TRACE_H
#define DPK_ENGINE_PROC_TRACE_H

#include "engine/proc/hart.h"
#include "engine/proc/launch.h"

/* The trace, from the first process to the end of the program. NULL if it is not enabled. */
extern struct dpk_trace *proc_process_trace;

/* Returns true if there is a trace; a condition of proc_trace_slices to proc_trace_failure. Call this without
 * the lock. */
static inline bool tracing(void)
{
    return __builtin_expect(proc_process_trace != NULL, 0);
}
enum dpk_status proc_trace_begin(struct dpk_error *err);
/* Records that `h` ran from h->began until now. */
void proc_trace_slices(const struct hart *h);
void proc_trace_launch(struct launch *l, char phase);         /* 'b' or 'e' */
void proc_trace_message(const struct hart *h, uint64_t size); /* without the lock */
void proc_trace_event(uint64_t value);
void proc_trace_failure(const struct dpk_process *p);
/* Writes buffered data to the file. The lock may be held or not. */
void proc_trace_flush(void);

#endif
