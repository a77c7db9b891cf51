/* debug_policy: what the device lets a debugger do with a process, and what its log is told. All
 * without the lock. */
#ifndef DPK_PROC_DEBUG_POLICY_H
#define DPK_PROC_DEBUG_POLICY_H

#include "debug/debug.h"
#include "proc/process.h"
struct debug_policy {
    struct dpk_debug_permit permit;
    struct dpk_error why; /* it does not allow everything */
    uint64_t asked;       /* when */
    bool there;           /* a client */
    uint64_t refused, code_writes, code_bytes, jumps;
};
/* DPK_ERR_REFUSED: no debugger may come. */
enum dpk_status debug_admit(const struct dpk_process *p, struct debug_policy *policy,
                            struct dpk_error *err);
/* A client is there, and is gone. DPK_ERR_REFUSED: the device does not want it any more, or that it
 * came cannot be logged, and must be. */
enum dpk_status debug_begin(const struct dpk_process *p, struct debug_policy *policy,
                            struct dpk_error *err);
enum dpk_status debug_end(const struct dpk_process *p, struct debug_policy *policy,
                          struct dpk_error *err);
/* What the client may do now: as the device said a moment ago at most, and no more than before. */
enum dpk_debug_rights debug_rights(const struct dpk_process *p, struct debug_policy *policy);
/* Whether memory, and registers with pc, may be changed so: as the device says now. */
bool debug_may_write(const struct dpk_process *p, struct debug_policy *policy, uint64_t address,
                     uint64_t size);
bool debug_may_set(const struct dpk_process *p, struct debug_policy *policy, uint64_t from,
                   uint64_t to);

#endif
