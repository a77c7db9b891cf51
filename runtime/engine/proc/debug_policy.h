/* debug_policy: what the device allows a debugger to do with a process, and the entries that the
 * device's log gets about it. All without the lock. */
#ifndef DPK_ENGINE_PROC_DEBUG_POLICY_H
#define DPK_ENGINE_PROC_DEBUG_POLICY_H

#include "engine/debug/debug.h"
#include "engine/proc/process.h"

struct debug_policy {
    struct dpk_debug_permit permit;
    struct dpk_error why; /* why the device does not allow everything */
    uint64_t asked;       /* when the device was asked last (dpk_now_ns) */
    bool there;           /* a client is connected */
    uint64_t refused, code_writes, code_bytes, jumps; /* counts for the log */
};

/* Initializes *policy with what the device allows. DPK_ERR_REFUSED: it allows no debugger. */
enum dpk_status debug_admit(const struct dpk_process *p, struct debug_policy *policy,
                            struct dpk_error *err);
/* Logs that a client has connected. DPK_ERR_REFUSED: the device does not allow it any more. Other
 * errors: the log could not be written, so the client must not be served. */
enum dpk_status debug_begin(const struct dpk_process *p, struct debug_policy *policy,
                            struct dpk_error *err);
/* Logs that the client is gone, with the counts. DPK_ERR_REFUSED: as above. */
enum dpk_status debug_end(const struct dpk_process *p, struct debug_policy *policy,
                          struct dpk_error *err);
/* What the client may do now. The answer is 100 ms old at most; rights are only ever taken away. */
enum dpk_debug_rights debug_rights(const struct dpk_process *p, struct debug_policy *policy);
/* Whether the client may change this memory, or the registers with a pc that goes `from` `to`. Both
 * ask the device anew. */
bool debug_may_write(const struct dpk_process *p, struct debug_policy *policy, uint64_t address,
                     uint64_t size);
bool debug_may_set(const struct dpk_process *p, struct debug_policy *policy, uint64_t from,
                   uint64_t to);

#endif
