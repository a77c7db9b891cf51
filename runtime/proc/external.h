/* external: what device code finds at addresses outside of its process. */
#ifndef DPK_PROC_EXTERNAL_H
#define DPK_PROC_EXTERNAL_H

#include "proc/hart.h"

/* Whether the instruction that faulted is an access to external memory of its process; it is done
 * then. Without the lock. */
bool external_access(struct hart *h);

#endif
