/* control: the socket at which other processes of this user ask which DPA processes this process
 * has, and at which debuggers connect with a token (debug.h, "Finding processes"). */
#ifndef DPK_ENGINE_PROC_CONTROL_H
#define DPK_ENGINE_PROC_CONTROL_H

#include "base/base.h"

struct list;

/* proc_control_start opens the socket and answers from the list of processes, which sched's lock guards.
 * It returns NULL if that failed, and `err` says why; everything else works without the socket.
 * Call both functions without the lock. */
struct control *proc_control_start(const struct list *processes, struct dpk_error *err);
void proc_control_stop(struct control *c);

#endif
