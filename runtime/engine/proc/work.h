/* work: work of a program's call, which counts like instructions of the program. */
#ifndef DPK_ENGINE_PROC_WORK_H
#define DPK_ENGINE_PROC_WORK_H

#include "engine/proc/hart.h"

/* proc_work_begin and proc_work_end surround a call that this thread executes for `h`. proc_work_end returns the
 * bytes that dpk_call_worked counted, and whether the run-time limit passed inside the call. */
void proc_work_begin(const struct hart *h);
uint64_t proc_work_end(bool *overran);

#endif
