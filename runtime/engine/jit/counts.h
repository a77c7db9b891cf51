/* Private to jit: counts what the translator does, for jit_stats. Any thread may call these. */
#ifndef DPK_ENGINE_JIT_COUNTS_H
#define DPK_ENGINE_JIT_COUNTS_H

#include "engine/jit/jit.h"

/* A region of so many instructions was translated, in so much time. */
void jit_count_translated(uint64_t instructions, uint64_t nanoseconds);
/* One was taken from the files of earlier runs. */
void jit_count_cached(void);
/* So much code of the host is there to be run. */
void jit_count_code(uint64_t bytes);
/* One was not translated. */
void jit_count_refused(const char *reason);


#endif
