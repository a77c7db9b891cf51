/* Registers of sessions of debuggers, and of traces of the firmware. */
#include <string.h>

#include "private.h"

/* ---- MDSR: sessions ---- A debug token opens a session on a card, for a while. The emulated card has no debug
 * tokens: signed NV configurations say what debuggers may do (dpa-provisioning(7), "Debuggers"), so there is never a
 * session. */

enum { FAILED = 1, NO_TOKEN = 3 }; /* status */
enum { NO_SESSION = 1 };           /* additional_info */
static const struct register_field mdsr_fields[] = {{"status", 0, 0, 4},
                                                    {"additional_info", 0, 8, 6},
                                                    {"type_of_token", 0, 24, 8},
                                                    {"end", 4, 31, 1},
                                                    {"time_left", 8, 0, 32}};

static enum dpk_register_status access_mdsr(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    const bool ends = call->set && register_get(call, "end");
    memset(call->data, 0, call->size);
    register_put(call, "status", ends ? FAILED : NO_TOKEN);
    register_put(call, "additional_info", NO_SESSION);
    return DPK_REGISTER_OK;
}

/* ---- MTRC_CAP: traces ---- The firmware is this program, which writes no trace: there are no texts, and no tool becomes
 * the owner. */

static const struct register_field mtrc_cap_fields[] = {
    {"num_string_db", 0, 0, 4}, {"trace_to_memory", 0, 30, 1}, {"trace_owner", 0, 31, 1}};

static enum dpk_register_status access_mtrc_cap(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    memset(call->data, 0, call->size);
    return DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"MTRC_CAP", 0x9040, 0x84, mtrc_cap_fields, COUNT(mtrc_cap_fields), access_mtrc_cap,
     access_mtrc_cap},
    {"MDSR", 0x9110, 0x30, mdsr_fields, COUNT(mdsr_fields), access_mdsr, access_mdsr},
};
const struct register_group registers_debug = {layouts, COUNT(layouts)};
