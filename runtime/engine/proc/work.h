/* work: what a call of the program works on, which counts as its instructions do. */
#ifndef DPK_ENGINE_PROC_WORK_H
#define DPK_ENGINE_PROC_WORK_H

#include "engine/proc/hart.h"

/* Around a call that this thread carries out for `h`: how many bytes dpk_call_worked was told of, and
 * whether the run-time limit has passed inside of it. */
void work_begin(const struct hart *h);
uint64_t work_end(bool *overran);

#endif
