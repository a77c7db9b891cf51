/* Registers of ports and modules. All ports are Ethernet, with four lanes of 25 Gb/s. */
#include <string.h>

#include "private.h"

enum { LANES = 4 };

/* ---- PMLP: which lanes of a module a port has ---- */

static const struct register_field pmlp_fields[] = {
    {"width", 0, 0, 8},       {"lp_msb", 0, 12, 2},    {"local_port", 0, 16, 8},
    {"module_0", 4, 0, 8},    {"lane_0", 4, 16, 4},    {"module_1", 8, 0, 8},
    {"lane_1", 8, 16, 4},     {"module_2", 0xc, 0, 8}, {"lane_2", 0xc, 16, 4},
    {"module_3", 0x10, 0, 8}, {"lane_3", 0x10, 16, 4}};

static enum dpk_register_status get_pmlp(struct register_call *call, struct dpk_error *err)
{
    static const char *const modules[LANES] = {"module_0", "module_1", "module_2", "module_3"},
                             *const lanes[LANES] = {"lane_0", "lane_1", "lane_2", "lane_3"};
    struct registers_port port;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "width", LANES);
    for (uint32_t i = 0; i < LANES; i++) {
        register_put(call, modules[i], port.number - 1);
        register_put(call, lanes[i], i);
    }
    return DPK_REGISTER_OK;
}

/* ---- PAOS: the state of a port ---- */

enum { UP = DPK_PORT_UP, DOWN = DPK_PORT_DOWN };          /* oper_status, admin_status */
enum { DISABLED = 3, PHYSICAL_POLLING = 2, LINK_UP = 5 }; /* physical_state_status */
static const struct register_field paos_fields[] = {
    {"oper_status", 0, 0, 4},           {"admin_status", 0, 8, 4}, {"lp_msb", 0, 12, 2},
    {"local_port", 0, 16, 8},           {"swid", 0, 24, 8},        {"e", 4, 0, 2},
    {"physical_state_status", 4, 4, 4}, {"ee", 4, 30, 1},          {"ase", 4, 31, 1}};

/* Returns the setting, or UP if nobody has set it. */
static uint32_t admin_of(const struct registers_port *port, enum dpk_port_setting setting)
{
    return dpk_port_get(port->settings, setting) == DOWN ? DOWN : UP;
}

static enum dpk_register_status get_paos(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    if (register_get(call, "swid") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "oper_status", port.link ? UP : DOWN);
    register_put(call, "admin_status", admin_of(&port, DPK_PORT_ADMIN));
    register_put(call, "e", (uint32_t)dpk_port_get(port.settings, STORED_PORT_EVENTS));
    register_put(call, "physical_state_status",
                 port.link                            ? LINK_UP
                 : dpk_port_is_enabled(port.settings) ? PHYSICAL_POLLING
                                                      : DISABLED);
    return DPK_REGISTER_OK;
}

/* Sets an administrative state and which events there are (nobody receives them), if the bits `ase`
 * and `ee` ask for that. */
static enum dpk_register_status set_admin(struct register_call *call,
                                          const struct registers_port *port,
                                          enum dpk_port_setting setting,
                                          enum dpk_port_setting events, struct dpk_error *err)
{
    const uint32_t admin = register_get(call, "admin_status");
    if (register_get(call, "ase")) {
        if (admin != UP && admin != DOWN) {
            (void)dpk_fail(err, DPK_ERR_RANGE, "admin_status %u is neither up nor down", admin);
            return DPK_REGISTER_BAD_PARAMETER;
        }
        const enum dpk_register_status status = registers_log_port(
            call, err, "%s %s by %s", setting == DPK_PORT_ADMIN ? "port" : "module",
            admin == UP ? "enabled" : "disabled", call->layout->name);
        if (status != DPK_REGISTER_OK)
            return status;
        dpk_port_set(port->settings, setting, admin);
    }
    if (register_get(call, "ee"))
        dpk_port_set(port->settings, events, register_get(call, "e"));
    return DPK_REGISTER_OK;
}

static enum dpk_register_status set_paos(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    if (register_get(call, "swid") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status == DPK_REGISTER_OK)
        status = set_admin(call, &port, DPK_PORT_ADMIN, STORED_PORT_EVENTS, err);
    return status == DPK_REGISTER_OK ? get_paos(call, err) : status;
}

/* ---- PMAOS: the state of a module ---- */

enum { PLUGGED_ENABLED = 1, UNPLUGGED = 2, PLUGGED_DISABLED = 4 }; /* oper_status */
static const struct register_field pmaos_fields[] = {
    {"oper_status", 0, 0, 4}, {"admin_status", 0, 8, 4}, {"module", 0, 16, 8},
    {"slot_index", 0, 24, 4}, {"rst", 0, 31, 1},         {"e", 4, 0, 2},
    {"ee", 4, 30, 1},         {"ase", 4, 31, 1}};

static enum dpk_register_status find_module(struct register_call *call, struct registers_port *port,
                                            struct dpk_error *err)
{
    if (register_get(call, "slot_index") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    return registers_find_port(call, register_get(call, "module") + 1, port, err);
}

static enum dpk_register_status get_pmaos(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = find_module(call, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint32_t admin = admin_of(&port, DPK_PORT_MODULE);
    memset(call->data + 4, 0, call->size - 4);
    register_put(call, "rst", 0);
    register_put(call, "oper_status",
                 !port.plugged ? UNPLUGGED
                 : admin == UP ? PLUGGED_ENABLED
                               : PLUGGED_DISABLED);
    register_put(call, "admin_status", admin);
    register_put(call, "e", (uint32_t)dpk_port_get(port.settings, STORED_MODULE_EVENTS));
    return DPK_REGISTER_OK;
}

/* Takes the link down and up. */
static enum dpk_register_status
reset_module(struct register_call *call, const struct registers_port *port, struct dpk_error *err)
{
    const enum dpk_register_status status = registers_log_port(call, err, "module reset by PMAOS");
    if (status != DPK_REGISTER_OK)
        return status;
    dpk_port_set(port->settings, DPK_PORT_MODULE, DOWN);
    dpk_port_set(port->settings, DPK_PORT_MODULE, UP);
    return DPK_REGISTER_OK;
}

static enum dpk_register_status set_pmaos(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    enum dpk_register_status status = find_module(call, &port, err);
    if (status == DPK_REGISTER_OK && register_get(call, "rst"))
        status = reset_module(call, &port, err);
    if (status == DPK_REGISTER_OK)
        status = set_admin(call, &port, DPK_PORT_MODULE, STORED_MODULE_EVENTS, err);
    return status == DPK_REGISTER_OK ? get_pmaos(call, err) : status;
}

/* ---- PMTU: the longest frame ---- */

static const struct register_field pmtu_fields[] = {
    {"i_e", 0, 4, 2},       {"lp_msb", 0, 12, 2},     {"local_port", 0, 16, 8},
    {"max_mtu", 4, 16, 16}, {"admin_mtu", 8, 16, 16}, {"oper_mtu", 0xc, 16, 16}};

static enum dpk_register_status get_pmtu(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "max_mtu", DPK_PORT_MTU_MAX);
    register_put(call, "admin_mtu", dpk_port_mtu(port.settings));
    register_put(call, "oper_mtu", dpk_port_mtu(port.settings));
    return DPK_REGISTER_OK;
}

/* Frames that arrive and that leave have the same maximum: i_e is 0. */
static enum dpk_register_status set_pmtu(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t mtu = register_get(call, "admin_mtu");
    if (mtu < DPK_PORT_MTU_MIN || mtu > DPK_PORT_MTU_MAX || register_get(call, "i_e") != 0) {
        (void)dpk_fail(err, DPK_ERR_RANGE, "MTU %u is not %u to %u, or not of both directions", mtu,
                       DPK_PORT_MTU_MIN, DPK_PORT_MTU_MAX);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status == DPK_REGISTER_OK)
        status = registers_log_port(call, err, "MTU %u by PMTU", mtu);
    if (status != DPK_REGISTER_OK)
        return status;
    dpk_port_set(port.settings, DPK_PORT_MTU, mtu);
    return get_pmtu(call, err);
}

/* ---- PPLR: loopback ---- */

static const struct register_field pplr_fields[] = {
    {"port_type", 0, 4, 4},   {"op_mod", 0, 8, 1}, {"lp_msb", 0, 12, 2},
    {"local_port", 0, 16, 8}, {"lb_en", 4, 0, 12}, {"lb_cap", 4, 16, 12}};

static enum dpk_register_status get_pplr(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    if (register_get(call, "port_type") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "lb_cap", DPK_PORT_LOCAL);
    register_put(call, "lb_en", dpk_port_loops(port.settings) ? DPK_PORT_LOCAL : 0);
    return DPK_REGISTER_OK;
}

static enum dpk_register_status set_pplr(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t mode = register_get(call, "lb_en");
    if ((mode != 0 && mode != DPK_PORT_LOCAL) || register_get(call, "port_type") != 0) {
        (void)dpk_fail(err, DPK_ERR_RANGE, "no loopback of mode %u", mode);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status == DPK_REGISTER_OK)
        status = registers_log_port(call, err, "loopback %s by PPLR", mode ? "on" : "off");
    if (status != DPK_REGISTER_OK)
        return status;
    dpk_port_set(port.settings, DPK_PORT_LOOPBACK, mode);
    return get_pplr(call, err);
}

/* ---- PPAOS: tests of a link's hardware ---- There are none, and tools ask whether there is a test. */

static const struct register_field ppaos_fields[] = {
    {"lp_msb", 0, 12, 2}, {"local_port", 0, 16, 8}, {"swid", 0, 24, 8}};

static enum dpk_register_status get_ppaos(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    if (register_get(call, "swid") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    return registers_answer_port(call, 4, &port, err);
}

/* ---- PCAM: which registers of ports there are ---- */

enum { EXTENDED_PROTOCOLS = 13 }; /* a feature: PTYS has the fields ext_eth_proto_* */
static const struct register_field pcam_fields[] = {{"access_reg_group", 0, 0, 8},
                                                    {"feature_group", 0, 16, 8},
                                                    {"port_access_reg_cap_mask", 8, 0, 128},
                                                    {"feature_cap_mask", 0x28, 0, 128}};

static enum dpk_register_status get_pcam(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    if (register_get(call, "access_reg_group") != 0 || register_get(call, "feature_group") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    register_put_registers(call, "port_access_reg_cap_mask", 0x5000);
    register_put_bits(call, "feature_cap_mask", 1u << EXTENDED_PROTOCOLS);
    return DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"PMLP", 0x5002, 0x40, pmlp_fields, COUNT(pmlp_fields), get_pmlp, NULL},
    {"PMTU", 0x5003, 0x10, pmtu_fields, COUNT(pmtu_fields), get_pmtu, set_pmtu},
    {"PAOS", 0x5006, 0x10, paos_fields, COUNT(paos_fields), get_paos, set_paos},
    {"PMAOS", 0x5012, 0x10, pmaos_fields, COUNT(pmaos_fields), get_pmaos, set_pmaos},
    {"PPLR", 0x5018, 8, pplr_fields, COUNT(pplr_fields), get_pplr, set_pplr},
    {"PPAOS", 0x5040, 0x10, ppaos_fields, COUNT(ppaos_fields), get_ppaos, NULL},
    {"PCAM", 0x507f, 0x48, pcam_fields, COUNT(pcam_fields), get_pcam, NULL},
};
const struct register_group registers_ports = {layouts, COUNT(layouts)};
