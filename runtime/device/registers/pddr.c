/* PDDR: what is known of a link. */
#include <string.h>
#include <strings.h>

#include "private.h"

#define PDDR_PAGE 8
/* page_select; other pages have events, and no event has happened */
enum { OPERATION_INFO, TROUBLESHOOTING, MODULE_INFO = 3, PAGES = 10 };
enum { BY_CLAUSE_73 = 2 };                                  /* neg_mode_active */
enum { AN_DETECTS = 2, AN_GOOD = 6 };                       /* eth_an_fsm_state */
enum { PHY_DISABLED = 0, PHY_POLLING = 2, PHY_ACTIVE = 3 }; /* phy_mngr_fsm_state */
enum { COPPER_UNEQUALIZED = 0xa0 };                         /* SFF-8636, byte 147 */
enum { PASSIVE_COPPER = 3, CABLE_UNPLUGGED = 4 };
enum { MONITOR_OPCODES, ADVANCED_OPCODES }; /* group_opcode */
enum { NO_ISSUE = 0, CLOSED_BY_COMMAND = 1, NO_PARTNER = 2, CABLE_IS_UNPLUGGED = 1024 };
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
    {"loopback_mode", PDDR_PAGE + 0x18, 0, 12},
    {"fec_mode_request", PDDR_PAGE + 0x1c, 0, 16},
    {"fec_mode_active", PDDR_PAGE + 0x1c, 16, 16},
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

static void put_operation_info(struct register_call *call, const struct registers_port *port)
{
    const uint32_t offers = dpk_port_offers(port->settings);
    register_put(call, "proto_active", REGISTERS_ETHERNET);
    register_put(call, "eth_an_fsm_state", port->link ? AN_GOOD : AN_DETECTS);
    register_put(call, "phy_mngr_fsm_state",
                 port->link                            ? PHY_ACTIVE
                 : dpk_port_is_enabled(port->settings) ? PHY_POLLING
                                                       : PHY_DISABLED);
    register_put(call, "phy_manager_link_enabled", offers);
    register_put(call, "core_to_phy_link_enabled", offers);
    register_put(call, "cable_proto_cap", port->plugged ? dpk_port_protocols(false) : 0);
    register_put(call, "loopback_mode", dpk_port_loops(port->settings) ? DPK_PORT_LOCAL : 0);
    if (!port->link)
        return;
    if (dpk_port_get(port->settings, DPK_PORT_FORCED) != 1)
        register_put(call, "neg_mode_active", BY_CLAUSE_73);
    register_put(call, "link_active", port->link->protocol);
    register_put(call, "fec_mode_request", registers_fec(port));
    register_put(call, "fec_mode_active",
                 (uint32_t)ffs((int)registers_fec(port)) - 1); /* a number */
}

/* Why a link is down. */
struct trouble {
    uint32_t code;
    const char *text;
};
static struct trouble trouble_of(const struct registers_port *port)
{
    if (port->link)
        return (struct trouble){NO_ISSUE, "No issue was observed"};
    if (dpk_port_get(port->settings, DPK_PORT_ADMIN) == DPK_PORT_DOWN)
        return (struct trouble){CLOSED_BY_COMMAND, "The port is closed by command (PAOS)"};
    if (!dpk_port_is_enabled(port->settings))
        return (struct trouble){CLOSED_BY_COMMAND, "The module is disabled by command (PMAOS)"};
    if (!port->plugged)
        return (struct trouble){CABLE_IS_UNPLUGGED, "Cable is unplugged"};
    return (struct trouble){NO_PARTNER, "The other end is disabled, or has no speed in common"};
}

static void put_troubleshooting(struct register_call *call, const struct registers_port *port)
{
    const struct trouble trouble = trouble_of(port);
    register_put(call, "monitor_opcode", trouble.code);
    register_put_bytes(call, "status_message", trouble.text, strlen(trouble.text));
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
static void put_module_info(struct register_call *call, const struct registers_port *port)
{
    const size_t kind = strcspn(port->wire, ":");
    register_put(call, "cable_type", port->plugged ? PASSIVE_COPPER : CABLE_UNPLUGGED);
    if (!port->plugged)
        return;
    register_put(call, "cable_technology", COPPER_UNEQUALIZED);
    put_module_text(call, "vendor_name", "dpakit", strlen("dpakit"));
    put_module_text(call, "vendor_pn", port->wire, kind);
    const char *end = port->wire + kind + (port->wire[kind] == ':');
    put_module_text(call, "vendor_sn", end, strlen(end));
}

static enum dpk_register_status get_pddr(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const unsigned page = register_get(call, "page_select");
    if (register_get(call, "port_type") != 0 || register_get(call, "pnat") > 1 || page >= PAGES ||
        (page == TROUBLESHOOTING && register_get(call, "group_opcode") > ADVANCED_OPCODES)) {
        (void)dpk_fail(err, DPK_ERR_USAGE, "page %u, port %u of type %u and number type %u", page,
                       register_get(call, "local_port"), register_get(call, "port_type"),
                       register_get(call, "pnat"));
        return DPK_REGISTER_BAD_PARAMETER;
    }
    const enum dpk_register_status status = registers_answer_port(call, PDDR_PAGE, &port, err);
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

static const struct register_layout layouts[] = {
    {"PDDR", 0x5031, 0x100, pddr_fields, COUNT(pddr_fields), get_pddr, NULL},
};
const struct register_group registers_pddr = {layouts, COUNT(layouts)};
