/* The device's log gets the first change of each kind at once, and totals at the end, however many
 * packets come. */
#include "engine/proc/debug_policy.h"

#include <inttypes.h>
#include <string.h>

/* An answer of the device stays valid for this time, for a debugger that only reads: each question
 * takes a millisecond, and GDB reads a lot. Each change asks again. */
#define ANSWER_AGE 100000000u /* nanoseconds */

static enum dpk_status record(const struct dpk_process *p, const struct debug_policy *policy,
                              const char *action, const char *result, const char *detail,
                              struct dpk_error *err)
{
    return dpk_debug_record(p->image, &policy->permit, action, result, detail, err);
}

/* Asks the device again. It may take rights away. New rights apply only to later debuggers.
 * `action` is for the log. */
static void ask(const struct dpk_process *p, struct debug_policy *policy, const char *action)
{
    const enum dpk_debug_rights before = policy->permit.rights;
    if (before == DPK_DEBUG_NONE)
        return;
    enum dpk_status status = dpk_debug_ask(p->image, &policy->permit, &policy->why);
    policy->asked = dpk_now_ns();
    if (policy->permit.rights > before)
        policy->permit.rights = before;
    if (status != DPK_OK) {
        (void)record(p, policy, action, "NOT_ALLOWED", "", NULL);
    } else if (policy->permit.rights != before) {
        dpk_fail(&policy->why, DPK_ERR_REFUSED,
                 "%s has DPA_AUTHENTICATION on and is in its production life cycle: debuggers may "
                 "look, and change nothing",
                 dpk_image_device(p->image));
        if (policy->there)
            (void)record(p, policy, action, "READ_ONLY", "may look from now on", NULL);
    }
}

static enum dpk_status state(const struct debug_policy *policy, struct dpk_error *err)
{
    return policy->permit.rights != DPK_DEBUG_NONE
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_REFUSED, "%s", policy->why.message);
}

enum dpk_status proc_debug_admit(const struct dpk_process *p, struct debug_policy *policy,
                                 struct dpk_error *err)
{
    *policy = (struct debug_policy){.permit.rights = DPK_DEBUG_ALL};
    ask(p, policy, "attach");
    return state(policy, err);
}

enum dpk_debug_rights proc_debug_rights(const struct dpk_process *p, struct debug_policy *policy)
{
    if (dpk_now_ns() - policy->asked >= ANSWER_AGE)
        ask(p, policy, "debug");
    return policy->permit.rights;
}

enum dpk_status proc_debug_begin(const struct dpk_process *p, struct debug_policy *policy,
                                 struct dpk_error *err)
{
    ask(p, policy, "attach");
    enum dpk_status status = state(policy, err);
    if (status != DPK_OK)
        return status;
    policy->there = true;
    return record(p, policy, "attach", "OK",
                  policy->permit.rights == DPK_DEBUG_ALL ? "may change everything" : "may look",
                  err);
}

enum dpk_status proc_debug_end(const struct dpk_process *p, struct debug_policy *policy,
                               struct dpk_error *err)
{
    char detail[160];
    policy->there = false;
    snprintf(detail, sizeof detail,
             "%" PRIu64 " writes to code, %" PRIu64 " bytes; %" PRIu64 " jumps; %" PRIu64
             " changes refused",
             policy->code_writes, policy->code_bytes, policy->jumps, policy->refused);
    (void)record(p, policy, "detach", "OK", detail, NULL);
    return state(policy, err);
}

static bool refuse(const struct dpk_process *p, struct debug_policy *policy, const char *what)
{
    if (policy->refused++ == 0 && policy->permit.rights != DPK_DEBUG_NONE)
        (void)record(p, policy, "debug", "READ_ONLY", what, NULL);
    return false;
}

/* Counts a change that a locked device would refuse. Returns false if the change cannot be logged
 * and so must not be made. */
static bool tell(const struct dpk_process *p, const struct debug_policy *policy, uint64_t *count,
                 const char *what)
{
    if (*count == 0 && record(p, policy, "debug", "OK", what, NULL) != DPK_OK)
        return false;
    ++*count;
    return true;
}

static bool touches_code(const struct dpk_process *p, uint64_t address, uint64_t size)
{
    const uint64_t end = address + size;
    for (uint64_t at = address; at < end; at = (at / RV64_PAGE + 1) * RV64_PAGE)
        if (rv64_memory_at(p->memory, at, 1, RV64_X))
            return true;
    return false;
}

bool proc_debug_may_write(const struct dpk_process *p, struct debug_policy *policy,
                          uint64_t address, uint64_t size)
{
    char what[80];
    ask(p, policy, "debug");
    snprintf(what, sizeof what, "write of %" PRIu64 " bytes of %s at 0x%" PRIx64, size,
             touches_code(p, address, size) ? "code" : "memory", address);
    if (policy->permit.rights != DPK_DEBUG_ALL)
        return refuse(p, policy, what);
    if (!touches_code(p, address, size))
        return true;
    if (!tell(p, policy, &policy->code_writes, what))
        return false;
    policy->code_bytes += size;
    return true;
}

bool proc_debug_may_set(const struct dpk_process *p, struct debug_policy *policy, uint64_t from,
                        uint64_t to)
{
    char what[80];
    ask(p, policy, "debug");
    snprintf(what, sizeof what, "registers, pc from 0x%" PRIx64 " to 0x%" PRIx64, from, to);
    if (policy->permit.rights != DPK_DEBUG_ALL)
        return refuse(p, policy, what);
    return from == to || tell(p, policy, &policy->jumps, what);
}
