/* Registers of flow control and priorities. They are stored and shown, and nothing acts on them: no
 * wire sends frames to stop the other end, and queues have no priorities. */
#include <string.h>

#include "private.h"

enum { PRIORITIES = 8 };

/* Stores a word of a port's own settings, and logs that a register changes it. */
static enum dpk_register_status store(struct register_call *call, struct registers_port *port,
                                      enum dpk_port_setting setting, uint64_t value,
                                      struct dpk_error *err)
{
    const enum dpk_register_status status = registers_log_port(
        call, err, "%s 0x%llx stored", call->layout->name, (unsigned long long)value);
    if (status == DPK_REGISTER_OK)
        dpk_port_set(port->settings, setting, value);
    return status;
}

/* ---- PFCC: pause frames, for a port or for each priority ---- */

static const struct register_field pfcc_fields[] = {
    {"lp_msb", 0, 12, 2},      {"pnat", 0, 14, 2},          {"local_port", 0, 16, 8},
    {"prio_mask_rx", 4, 0, 8}, {"prio_mask_tx", 4, 16, 8},  {"pfctx", 8, 16, 8},
    {"pptx_mask_n", 8, 29, 1}, {"aptx", 8, 30, 1},          {"pptx", 8, 31, 1},
    {"pfcrx", 0xc, 16, 8},     {"pprx_mask_n", 0xc, 29, 1}, {"aprx", 0xc, 30, 1},
    {"pprx", 0xc, 31, 1}};
/* The two directions. `shift`: where the stored word has the priorities of a direction; bit 16 + n has
 * the pause of direction n. */
static const struct direction {
    const char *pause, *keeps_pause, *active, *priorities, *mask;
    unsigned shift;
} directions[] = {{"pptx", "pptx_mask_n", "aptx", "pfctx", "prio_mask_tx", 0},
                  {"pprx", "pprx_mask_n", "aprx", "pfcrx", "prio_mask_rx", 8}};

static enum dpk_register_status get_pfcc(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint64_t stored = dpk_port_get(port.settings, STORED_PAUSE);
    for (unsigned i = 0; i < COUNT(directions); i++) {
        const uint32_t pause = stored >> (16 + i) & 1;
        register_put(call, directions[i].pause, pause);
        register_put(call, directions[i].active, pause);
        register_put(call, directions[i].priorities,
                     (uint32_t)(stored >> directions[i].shift) & 0xff);
    }
    return DPK_REGISTER_OK;
}

/* Changes the priorities of the masks, and the pause unless its mask keeps it. */
static enum dpk_register_status set_pfcc(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    uint64_t word = dpk_port_get(port.settings, STORED_PAUSE);
    for (unsigned i = 0; i < COUNT(directions); i++) {
        const struct direction *d = &directions[i];
        const uint64_t mask = (uint64_t)register_get(call, d->mask) << d->shift,
                       pause = UINT64_C(1) << (16 + i);
        word &= ~mask;
        word |= (uint64_t)register_get(call, d->priorities) << d->shift & mask;
        if (!register_get(call, d->keeps_pause))
            word = register_get(call, d->pause) ? word | pause : word & ~pause;
    }
    status = store(call, &port, STORED_PAUSE, word, err);
    return status == DPK_REGISTER_OK ? get_pfcc(call, err) : status;
}

/* ---- PPTB: the buffer of each priority ---- Linux sets priorities 4 to 7 by pm_msb, other tools by pm. */

enum { BUFFERS = 8, UNTAGGED = 8, CONTROL = 9, BUFFER_BITS = 4 };
static const struct register_field pptb_fields[] = {
    {"pm", 0, 0, 8},         {"um", 0, 8, 1},          {"cm", 0, 9, 1},
    {"lp_msb", 0, 12, 2},    {"local_port", 0, 16, 8}, {"mm", 0, 28, 2},
    {"prio0buff", 4, 0, 4},  {"prio1buff", 4, 4, 4},   {"prio2buff", 4, 8, 4},
    {"prio3buff", 4, 12, 4}, {"prio4buff", 4, 16, 4},  {"prio5buff", 4, 20, 4},
    {"prio6buff", 4, 24, 4}, {"prio7buff", 4, 28, 4},  {"untagged_buff", 8, 0, 4},
    {"ctrl_buff", 8, 4, 4},  {"pm_msb", 8, 24, 8}};
static const char *const buffers[] = {"prio0buff",     "prio1buff", "prio2buff", "prio3buff",
                                      "prio4buff",     "prio5buff", "prio6buff", "prio7buff",
                                      "untagged_buff", "ctrl_buff"};

static enum dpk_register_status get_pptb(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint64_t stored = dpk_port_get(port.settings, STORED_BUFFERS);
    for (unsigned i = 0; i < COUNT(buffers); i++)
        register_put(call, buffers[i], (uint32_t)(stored >> i * BUFFER_BITS) & (BUFFERS - 1));
    return DPK_REGISTER_OK;
}

/* Returns the entries that an access changes, as a mask. */
static uint32_t changed_buffers(const struct register_call *call)
{
    const uint32_t priorities =
        register_get(call, "pm") | (register_get(call, "pm_msb") << 4 & 0xf0);
    return priorities | register_get(call, "um") << UNTAGGED | register_get(call, "cm") << CONTROL;
}

static enum dpk_register_status set_pptb(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t changed = changed_buffers(call);
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    uint64_t word = dpk_port_get(port.settings, STORED_BUFFERS);
    for (unsigned i = 0; i < COUNT(buffers); i++) {
        const uint32_t buffer = register_get(call, buffers[i]);
        if (!(changed >> i & 1))
            continue;
        if (buffer >= BUFFERS) {
            (void)dpk_fail(err, DPK_ERR_RANGE, "%s: no buffer %u", buffers[i], buffer);
            return DPK_REGISTER_BAD_PARAMETER;
        }
        word &= ~(UINT64_C(0xf) << i * BUFFER_BITS);
        word |= (uint64_t)buffer << i * BUFFER_BITS;
    }
    status = store(call, &port, STORED_BUFFERS, word, err);
    return status == DPK_REGISTER_OK ? get_pptb(call, err) : status;
}

/* ---- QPTS: what tells the priority of a frame ---- */

enum { BY_PCP = 1, BY_DSCP = 2 };
static const struct register_field qpts_fields[] = {
    {"lp_msb", 0, 12, 2}, {"local_port", 0, 16, 8}, {"trust_state", 4, 0, 3}};

static enum dpk_register_status get_qpts(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "trust_state",
                 dpk_port_get(port.settings, STORED_TRUST) == BY_DSCP ? BY_DSCP : BY_PCP);
    return DPK_REGISTER_OK;
}

static enum dpk_register_status set_qpts(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t trust = register_get(call, "trust_state");
    if (trust != BY_PCP && trust != BY_DSCP) {
        (void)dpk_fail(err, DPK_ERR_RANGE, "trust_state %u is neither PCP nor DSCP", trust);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status == DPK_REGISTER_OK)
        status = store(call, &port, STORED_TRUST, trust, err);
    return status == DPK_REGISTER_OK ? get_qpts(call, err) : status;
}

/* ---- QTCT: the traffic class of a priority ---- Without any setting it has the number of the priority. */

enum { LOCAL_ADMIN = 0, OPERATION = 2 }; /* operation_type */
enum { CLASS_BITS = 4, CLASS_IS_SET = 8 };
static const struct register_field qtct_fields[] = {
    {"switch_prio", 0, 0, 4},      {"lp_msb", 0, 12, 2},         {"local_port", 0, 16, 8},
    {"cap_local_admin", 0, 29, 1}, {"operation_type", 0, 30, 2}, {"tclass", 4, 0, 4}};

static enum dpk_register_status get_qtct(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t priority = register_get(call, "switch_prio"),
                   type = register_get(call, "operation_type");
    if (priority >= PRIORITIES || (type != LOCAL_ADMIN && type != OPERATION)) {
        (void)dpk_fail(err, DPK_ERR_RANGE, "no priority %u of type %u", priority, type);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint32_t stored =
        (uint32_t)(dpk_port_get(port.settings, STORED_CLASSES) >> priority * CLASS_BITS);
    register_put(call, "cap_local_admin", 1);
    register_put(call, "tclass", stored & CLASS_IS_SET ? stored & (CLASS_IS_SET - 1) : priority);
    return DPK_REGISTER_OK;
}

static enum dpk_register_status set_qtct(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t priority = register_get(call, "switch_prio"),
                   tclass = register_get(call, "tclass");
    if (priority >= PRIORITIES || tclass >= PRIORITIES ||
        register_get(call, "operation_type") != LOCAL_ADMIN) {
        (void)dpk_fail(err, DPK_ERR_RANGE, "no traffic class %u for priority %u", tclass, priority);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    uint64_t word = dpk_port_get(port.settings, STORED_CLASSES);
    word &= ~(UINT64_C(0xf) << priority * CLASS_BITS);
    word |= (uint64_t)(tclass | CLASS_IS_SET) << priority * CLASS_BITS;
    status = store(call, &port, STORED_CLASSES, word, err);
    return status == DPK_REGISTER_OK ? get_qtct(call, err) : status;
}

/* ---- QCAM: which registers of priorities there are ---- */

static const struct register_field qcam_fields[] = {{"access_reg_group", 0, 0, 8},
                                                    {"feature_group", 0, 16, 8},
                                                    {"qos_access_reg_cap_mask", 8, 0, 128},
                                                    {"qos_feature_cap_mask", 0x28, 0, 128}};

static enum dpk_register_status get_qcam(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    if (register_get(call, "access_reg_group") != 0 || register_get(call, "feature_group") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    register_put_registers(call, "qos_access_reg_cap_mask", 0x4000);
    register_put_bits(call, "qos_feature_cap_mask", 0);
    return DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"QPTS", 0x4002, 8, qpts_fields, COUNT(qpts_fields), get_qpts, set_qpts},
    {"QTCT", 0x400a, 8, qtct_fields, COUNT(qtct_fields), get_qtct, set_qtct},
    {"QCAM", 0x4019, 0x48, qcam_fields, COUNT(qcam_fields), get_qcam, NULL},
    {"PFCC", 0x5007, 0x10, pfcc_fields, COUNT(pfcc_fields), get_pfcc, set_pfcc},
    {"PPTB", 0x500b, 0xc, pptb_fields, COUNT(pptb_fields), get_pptb, set_pptb},
};
const struct register_group registers_qos = {layouts, COUNT(layouts)};
