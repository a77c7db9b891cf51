/* inspect: describes a process: its threads, a core file, a report. */
#ifndef DPK_ENGINE_PROC_INSPECT_H
#define DPK_ENGINE_PROC_INSPECT_H

#include "engine/proc/hart.h"

/* Like dpk_process_threads, but called with sched's lock. */
size_t proc_process_threads(const struct dpk_process *p, struct dpk_thread_info *out, size_t max);

#endif
