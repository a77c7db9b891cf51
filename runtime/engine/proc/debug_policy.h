/* debug_policy: what the device allows a debugger to do with a process, and the entries that the
 * device's log gets about it. Call all functions without the lock. */
#ifndef DPK_ENGINE_PROC_DEBUG_POLICY_H
#define DPK_ENGINE_PROC_DEBUG_POLICY_H

#include "engine/debug/debug.h"
#include "engine/proc/process.h"

struct debug_policy {
    struct dpk_debug_permit permit;
    struct dpk_error why; /* why the device does not allow everything */
    uint64_t asked;       /* last time that the device was asked (dpk_now_ns) */
    bool there;           /* a client is connected */
    uint64_t refused, code_writes, code_bytes, jumps; /* counts for the log */
};

/* Initializes *policy with the device's rules. Errors: DPK_ERR_REFUSED if the device does not allow
 * a debugger. */
enum dpk_status proc_debug_admit(const struct dpk_process *p, struct debug_policy *policy,
                                 struct dpk_error *err);
/* Logs that a client has connected. Errors: DPK_ERR_REFUSED if the device no longer allows it;
 * other errors if the log could not be written. Do not serve the client after an error. */
enum dpk_status proc_debug_begin(const struct dpk_process *p, struct debug_policy *policy,
                                 struct dpk_error *err);
/* Logs that the client is gone, with the counts. Errors: DPK_ERR_REFUSED as above. */
enum dpk_status proc_debug_end(const struct dpk_process *p, struct debug_policy *policy,
                               struct dpk_error *err);
/* Returns what the client may do now. The answer is at most 100 ms old. Rights can only be
 * removed. */
enum dpk_debug_rights proc_debug_rights(const struct dpk_process *p, struct debug_policy *policy);
/* These return whether the client may change this memory, or move pc from `from` to `to` when it
 * changes registers. Both ask the device again. */
bool proc_debug_may_write(const struct dpk_process *p, struct debug_policy *policy,
                          uint64_t address, uint64_t size);
bool proc_debug_may_set(const struct dpk_process *p, struct debug_policy *policy, uint64_t from,
                        uint64_t to);

#endif
