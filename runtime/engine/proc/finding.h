/* finding: reports of checkers about programs that continue, on standard error. */
#ifndef DPK_ENGINE_PROC_FINDING_H
#define DPK_ENGINE_PROC_FINDING_H

#include "engine/proc/process.h"

/* Writes the line of an instruction's source, or the address `pc` of the instruction if the image has no lines. `out`
 * has `size` bytes; 100 are always enough. */
void proc_finding_place(const struct dpk_process *p, uint64_t pc, char *out, size_t size);
/* Prints one line. It replaces, in `text`, characters that could control a terminal. */
void proc_finding_tell(const struct dpk_process *p, char *text);

#endif
