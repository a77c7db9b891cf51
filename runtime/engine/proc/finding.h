/* finding: reports of checkers about programs that continue, on standard error. */
#ifndef DPK_ENGINE_PROC_FINDING_H
#define DPK_ENGINE_PROC_FINDING_H

#include "engine/proc/process.h"

/* Prints one line. It replaces, in `text`, characters that could control a terminal. */
void finding_tell(const struct dpk_process *p, char *text);

#endif
