/* control: the socket at which other processes of this user ask which DPA processes this one has,
 * and at which debuggers connect with a token (debug.h, "Finding processes"). */
#ifndef DPK_ENGINE_PROC_CONTROL_H
#define DPK_ENGINE_PROC_CONTROL_H

#include "base/base.h"

struct list;

/* Opens the socket and answers from the list of processes, which sched's lock guards. NULL: that
 * failed, and `err` says why; everything else works without it. Both without the lock. */
struct control *control_start(const struct list *processes, struct dpk_error *err);
void control_stop(struct control *c);

#endif
