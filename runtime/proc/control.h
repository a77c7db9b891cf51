/* control: the socket at which other processes of this user ask which DPA processes are here, and
 * debuggers come with a token (debug.h, "Finding processes"). */
#ifndef DPK_PROC_CONTROL_H
#define DPK_PROC_CONTROL_H

#include "base/base.h"

struct list;

/* Answers about the processes in that list, which sched's lock guards. NULL: it cannot, and `err`
 * says why; nothing else is lost. Both without the lock. */
struct control *control_start(const struct list *processes, struct dpk_error *err);
void control_stop(struct control *c);

#endif
