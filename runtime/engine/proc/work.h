/* work: work of a program's call, which counts like instructions of the program. */
#ifndef DPK_ENGINE_PROC_WORK_H
#define DPK_ENGINE_PROC_WORK_H

#include "engine/proc/hart.h"

/* work_begin and work_end surround a call that this thread executes for `h`. work_end returns the
 * bytes that dpk_call_worked counted, and whether the run-time limit passed inside the call. */
void work_begin(const struct hart *h);
uint64_t work_end(bool *overran);

#endif
