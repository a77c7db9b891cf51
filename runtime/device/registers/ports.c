/* Registers of ports and modules. Port 1 is the function's own: its link is up if a wire is plugged into it. Nothing is
 * ever plugged into the other ports that MGIR counts. All ports are Ethernet, with four lanes of 25 Gb/s. */
#include <string.h>

#include "private.h"

enum { LANES = 4 };
#define RATE_GBPS 100

/* The port of an access: its wire, "none" if nothing is plugged in. */
struct port {
    unsigned number; /* from 1 */
    char wire[DPK_DEVICE_WIRE_MAX];
    bool up;
};

static enum dpk_register_status find_port(struct register_call *call, unsigned number,
                                          struct port *port, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    *port = (struct port){.number = number, .wire = "none"};
    if (number < 1 || number > DPK_SHOWN_PORTS) {
        (void)dpk_fail(err, DPK_ERR_USAGE, "no port %u", number);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_status status = registers_need_device(call->registers, &device, err);
    if (status == DPK_OK && number == 1)
        status = dpk_device_wire(device, port->wire, err);
    port->up = strcmp(port->wire, "none") != 0;
    return registers_status(status);
}

/* Finds the port that an access names, and clears the register from the offset `answer` on. */
static enum dpk_register_status answer_port(struct register_call *call, size_t answer,
                                            struct port *port, struct dpk_error *err)
{
    const unsigned number = register_get(call, "lp_msb") << 8 | register_get(call, "local_port");
    const enum dpk_register_status status = find_port(call, number, port, err);
    if (status == DPK_REGISTER_OK)
        memset(call->data + answer, 0, call->size - answer);
    return status;
}

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
    struct port port;
    const enum dpk_register_status status = answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "width", LANES);
    for (uint32_t i = 0; i < LANES; i++) {
        register_put(call, modules[i], port.number - 1);
        register_put(call, lanes[i], i);
    }
    return DPK_REGISTER_OK;
}

/* ---- PTYS: speeds ---- */

enum { ETHERNET = 4 }; /* a bit of proto_mask and proto_active */
enum {
    EXTENDED_100G = 1 << 9, /* CAUI-4, 100GBASE-CR4 */
    LEGACY_100G = 1 << 20   /* 100GBASE-CR4 */
};
enum { NEGOTIATED = 1, NOT_NEGOTIATED_DOWN = 4 }; /* an_status */
enum { DIRECT_ATTACH = 7 };
static const struct register_field ptys_fields[] = {{"proto_mask", 0, 0, 3},
                                                    {"lp_msb", 0, 12, 2},
                                                    {"local_port", 0, 16, 8},
                                                    {"data_rate_oper", 4, 0, 16},
                                                    {"max_port_rate", 4, 16, 12},
                                                    {"an_status", 4, 28, 4},
                                                    {"ext_eth_proto_capability", 0x08, 0, 32},
                                                    {"eth_proto_capability", 0x0c, 0, 32},
                                                    {"ext_eth_proto_admin", 0x14, 0, 32},
                                                    {"eth_proto_admin", 0x18, 0, 32},
                                                    {"ext_eth_proto_oper", 0x20, 0, 32},
                                                    {"eth_proto_oper", 0x24, 0, 32},
                                                    {"connector_type", 0x2c, 0, 4}};

static enum dpk_register_status get_ptys(struct register_call *call, struct dpk_error *err)
{
    struct port port;
    const enum dpk_register_status status = answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "proto_mask", ETHERNET);
    register_put(call, "max_port_rate", RATE_GBPS);
    register_put(call, "data_rate_oper", port.up ? RATE_GBPS * 10 : 0); /* in 100 Mb/s */
    register_put(call, "an_status", port.up ? NEGOTIATED : NOT_NEGOTIATED_DOWN);
    register_put(call, "ext_eth_proto_capability", EXTENDED_100G);
    register_put(call, "eth_proto_capability", LEGACY_100G);
    register_put(call, "ext_eth_proto_admin", EXTENDED_100G);
    register_put(call, "eth_proto_admin", LEGACY_100G);
    register_put(call, "ext_eth_proto_oper", port.up ? EXTENDED_100G : 0);
    register_put(call, "eth_proto_oper", port.up ? LEGACY_100G : 0);
    register_put(call, "connector_type", port.up ? DIRECT_ATTACH : 0);
    return DPK_REGISTER_OK;
}

/* ---- PAOS and PMAOS: states of a port and of a module ---- dpadev wire changes the state: no register does. */

enum { PORT_UP = 1, PORT_DOWN = 2 };        /* oper_status, admin_status */
enum { PHYSICAL_POLLING = 2, LINK_UP = 5 }; /* physical_state_status */
static const struct register_field paos_fields[] = {
    {"oper_status", 0, 0, 4}, {"admin_status", 0, 8, 4}, {"lp_msb", 0, 12, 2},
    {"local_port", 0, 16, 8}, {"swid", 0, 24, 8},        {"physical_state_status", 4, 4, 4}};

static enum dpk_register_status get_paos(struct register_call *call, struct dpk_error *err)
{
    struct port port;
    if (register_get(call, "swid") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    const enum dpk_register_status status = answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "oper_status", port.up ? PORT_UP : PORT_DOWN);
    register_put(call, "admin_status", PORT_UP);
    register_put(call, "physical_state_status", port.up ? LINK_UP : PHYSICAL_POLLING);
    return DPK_REGISTER_OK;
}

enum { PLUGGED_ENABLED = 1, UNPLUGGED = 2 };
enum { MODULE_ENABLED = 1 };
static const struct register_field pmaos_fields[] = {{"oper_status", 0, 0, 4},
                                                     {"admin_status", 0, 8, 4},
                                                     {"module", 0, 16, 8},
                                                     {"slot_index", 0, 24, 4}};

static enum dpk_register_status get_pmaos(struct register_call *call, struct dpk_error *err)
{
    struct port port;
    if (register_get(call, "slot_index") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    const enum dpk_register_status status =
        find_port(call, register_get(call, "module") + 1, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    memset(call->data + 4, 0, call->size - 4);
    register_put(call, "oper_status", port.up ? PLUGGED_ENABLED : UNPLUGGED);
    register_put(call, "admin_status", MODULE_ENABLED);
    return DPK_REGISTER_OK;
}

/* ---- PDDR: what is known of a link ---- */

#define PDDR_PAGE 8
/* page_select; other pages have events, and no event has happened */
enum { OPERATION_INFO, TROUBLESHOOTING, MODULE_INFO = 3, PAGES = 10 };
enum { BY_CLAUSE_73 = 2 };                /* neg_mode_active */
enum { AN_DETECTS = 2, AN_GOOD = 6 };     /* eth_an_fsm_state */
enum { PHY_POLLING = 2, PHY_ACTIVE = 3 }; /* phy_mngr_fsm_state */
enum { COPPER_UNEQUALIZED = 0xa0 };       /* SFF-8636, byte 147 */
enum { PASSIVE_COPPER = 3, CABLE_UNPLUGGED = 4 };
enum { MONITOR_OPCODES, ADVANCED_OPCODES }; /* group_opcode */
enum { NO_ISSUE = 0, CABLE_IS_UNPLUGGED = 1024 };
#define TEXT_BITS(bytes) ((bytes)*8)
static const struct register_field pddr_fields[] = {
    {"port_type", 0, 4, 4},
    {"lp_msb", 0, 12, 2},
    {"local_port", 0, 16, 8},
    {"pnat", 0, 14, 2},
    {"page_select", 4, 0, 8},
    /* operational info */
    {"neg_mode_active", PDDR_PAGE, 16, 4},
    {"proto_active", PDDR_PAGE, 20, 4},
    {"eth_an_fsm_state", PDDR_PAGE + 4, 16, 8},
    {"phy_mngr_fsm_state", PDDR_PAGE + 4, 24, 8},
    {"phy_manager_link_enabled", PDDR_PAGE + 8, 0, 32},
    {"core_to_phy_link_enabled", PDDR_PAGE + 0xc, 0, 32},
    {"cable_proto_cap", PDDR_PAGE + 0x10, 0, 32},
    {"link_active", PDDR_PAGE + 0x14, 0, 32},
    /* troubleshooting */
    {"group_opcode", PDDR_PAGE, 0, 16},
    {"monitor_opcode", PDDR_PAGE + 4, 0, 16},
    {"status_message", PDDR_PAGE + 0xc, 0, TEXT_BITS(0xec)},
    /* module info */
    {"cable_technology", PDDR_PAGE, 24, 8},
    {"cable_type", PDDR_PAGE + 4, 28, 4},
    {"vendor_name", PDDR_PAGE + 0x14, 0, TEXT_BITS(16)},
    {"vendor_pn", PDDR_PAGE + 0x24, 0, TEXT_BITS(16)},
    {"vendor_sn", PDDR_PAGE + 0x3c, 0, TEXT_BITS(16)},
};

static void put_operation_info(struct register_call *call, const struct port *port)
{
    register_put(call, "proto_active", ETHERNET);
    register_put(call, "neg_mode_active", port->up ? BY_CLAUSE_73 : 0);
    register_put(call, "eth_an_fsm_state", port->up ? AN_GOOD : AN_DETECTS);
    register_put(call, "phy_mngr_fsm_state", port->up ? PHY_ACTIVE : PHY_POLLING);
    register_put(call, "phy_manager_link_enabled", EXTENDED_100G);
    register_put(call, "core_to_phy_link_enabled", EXTENDED_100G);
    register_put(call, "cable_proto_cap", port->up ? EXTENDED_100G : 0);
    register_put(call, "link_active", port->up ? EXTENDED_100G : 0);
}

static void put_troubleshooting(struct register_call *call, const struct port *port)
{
    const char *message = port->up ? "No issue was observed" : "Cable is unplugged";
    register_put(call, "monitor_opcode", port->up ? NO_ISSUE : CABLE_IS_UNPLUGGED);
    register_put_bytes(call, "status_message", message, strlen(message));
}

/* A text of a module: spaces follow it. */
static void put_module_text(struct register_call *call, const char *field, const char *text,
                            size_t length)
{
    char padded[16];
    memset(padded, ' ', sizeof padded);
    memcpy(padded, text, length < sizeof padded ? length : sizeof padded);
    register_put_bytes(call, field, padded, sizeof padded);
}

/* The wire is the cable: its kind is the part, and what it leads to the serial number. */
static void put_module_info(struct register_call *call, const struct port *port)
{
    const size_t kind = strcspn(port->wire, ":");
    register_put(call, "cable_type", port->up ? PASSIVE_COPPER : CABLE_UNPLUGGED);
    if (!port->up)
        return;
    register_put(call, "cable_technology", COPPER_UNEQUALIZED);
    put_module_text(call, "vendor_name", "dpakit", strlen("dpakit"));
    put_module_text(call, "vendor_pn", port->wire, kind);
    const char *end = port->wire + kind + (port->wire[kind] == ':');
    put_module_text(call, "vendor_sn", end, strlen(end));
}

static enum dpk_register_status get_pddr(struct register_call *call, struct dpk_error *err)
{
    struct port port;
    const unsigned page = register_get(call, "page_select");
    if (register_get(call, "port_type") != 0 || register_get(call, "pnat") > 1 || page >= PAGES ||
        (page == TROUBLESHOOTING && register_get(call, "group_opcode") > ADVANCED_OPCODES)) {
        (void)dpk_fail(err, DPK_ERR_USAGE, "page %u, port %u of type %u and number type %u", page,
                       register_get(call, "local_port"), register_get(call, "port_type"),
                       register_get(call, "pnat"));
        return DPK_REGISTER_BAD_PARAMETER;
    }
    const enum dpk_register_status status = answer_port(call, PDDR_PAGE, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    if (page == OPERATION_INFO)
        put_operation_info(call, &port);
    else if (page == TROUBLESHOOTING)
        put_troubleshooting(call, &port);
    else if (page == MODULE_INFO)
        put_module_info(call, &port);
    return DPK_REGISTER_OK;
}

/* ---- SLRG and SLTP: how well a lane receives, and how it sends ---- A card measures and sets lanes; the emulated card
 * has only their number, and their technology, which tools ask for. */

enum { INVALID = 0 }; /* status */
static const struct register_field slrg_fields[] = {{"lane", 0, 8, 4},
                                                    {"lp_msb", 0, 12, 2},
                                                    {"local_port", 0, 16, 8},
                                                    {"version", 0, 24, 4},
                                                    {"status", 0, 28, 4}};
static const struct register_field sltp_fields[] = {{"lane", 0, 8, 4},
                                                    {"local_port", 0, 16, 8},
                                                    {"version", 0, 24, 4},
                                                    {"status", 0, 28, 4},
                                                    {"lp_msb", 0, 30, 2}};

static enum dpk_register_status get_lane(struct register_call *call, struct dpk_error *err)
{
    struct port port;
    if (register_get(call, "lane") >= LANES)
        return DPK_REGISTER_BAD_PARAMETER;
    const enum dpk_register_status status = answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "version", REGISTER_7NM);
    register_put(call, "status", INVALID);
    return DPK_REGISTER_OK;
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
    {"PTYS", 0x5004, 0x40, ptys_fields, COUNT(ptys_fields), get_ptys, NULL},
    {"PAOS", 0x5006, 0x10, paos_fields, COUNT(paos_fields), get_paos, NULL},
    {"PMAOS", 0x5012, 0x10, pmaos_fields, COUNT(pmaos_fields), get_pmaos, NULL},
    {"SLTP", 0x5027, 0x4c, sltp_fields, COUNT(sltp_fields), get_lane, NULL},
    {"SLRG", 0x5028, 0x28, slrg_fields, COUNT(slrg_fields), get_lane, NULL},
    {"PDDR", 0x5031, 0x100, pddr_fields, COUNT(pddr_fields), get_pddr, NULL},
    {"PCAM", 0x507f, 0x48, pcam_fields, COUNT(pcam_fields), get_pcam, NULL},
};
const struct register_group registers_ports = {layouts, COUNT(layouts)};
