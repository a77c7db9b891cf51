/* finding: what checkers of device code tell of programs that go on, on standard error. */
#ifndef DPK_ENGINE_PROC_FINDING_H
#define DPK_ENGINE_PROC_FINDING_H

#include "engine/proc/process.h"

/* Prints one line. Changes the text: what could control a terminal is replaced. */
void finding_tell(const struct dpk_process *p, char *text);

#endif
