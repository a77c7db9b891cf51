/* Private to jit: counts what the translator does, for jit_stats. Any thread may call these. */
#ifndef DPK_ENGINE_JIT_COUNTS_H
#define DPK_ENGINE_JIT_COUNTS_H

#include "engine/jit/jit.h"

/* Counts a translated region: its guest instructions and the time of translation. */
void jit_count_translated(uint64_t instructions, uint64_t nanoseconds);
/* Counts a region whose code came from the files of earlier runs. */
void jit_count_cached(void);
/* Counts bytes of host code that can run. */
void jit_count_code(uint64_t bytes);
/* Counts a region that was not translated. */
void jit_count_refused(const char *reason);


#endif
