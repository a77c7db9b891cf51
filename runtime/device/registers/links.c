/* Registers of links: speeds, error correction, lanes. */
#include <string.h>

#include "private.h"

enum { LANES = 4 };
enum { MBPS_OF_GBPS = 1000, MBPS_OF_RATE = 100 }; /* max_port_rate, data_rate_oper */

/* ---- PTYS: speeds ---- */

enum { NEGOTIATED = 1, FORCED_UP = 3, NOT_NEGOTIATED_DOWN = 4 }; /* an_status */
enum { DIRECT_ATTACH = 7 };
static const struct register_field ptys_fields[] = {{"proto_mask", 0, 0, 3},
                                                    {"lp_msb", 0, 12, 2},
                                                    {"local_port", 0, 16, 8},
                                                    {"an_disable_cap", 0, 29, 1},
                                                    {"an_disable_admin", 0, 30, 1},
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

/* Translates a mask of extended protocols into legacy protocols, or back. */
static uint32_t translate(uint32_t mask, bool to_legacy)
{
    uint32_t out = 0;
    for (size_t i = 0; i < DPK_PORT_SPEEDS; i++) {
        const struct dpk_port_speed *s = &dpk_port_speeds[i];
        if (mask & (to_legacy ? s->protocol : s->legacy))
            out |= to_legacy ? s->legacy : s->protocol;
    }
    return out;
}

static uint32_t status_of(const struct registers_port *port)
{
    if (!port->link)
        return NOT_NEGOTIATED_DOWN;
    return dpk_port_get(port->settings, DPK_PORT_FORCED) == 1 ? FORCED_UP : NEGOTIATED;
}

static enum dpk_register_status get_ptys(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint32_t offers = dpk_port_offers(port.settings);
    register_put(call, "proto_mask", REGISTERS_ETHERNET);
    register_put(call, "an_disable_cap", 1);
    register_put(call, "an_disable_admin", dpk_port_get(port.settings, DPK_PORT_FORCED) == 1);
    register_put(call, "max_port_rate", dpk_port_speeds[0].mbps / MBPS_OF_GBPS);
    register_put(call, "an_status", status_of(&port));
    register_put(call, "ext_eth_proto_capability", dpk_port_protocols(false));
    register_put(call, "eth_proto_capability", dpk_port_protocols(true));
    register_put(call, "ext_eth_proto_admin", offers);
    register_put(call, "eth_proto_admin", translate(offers, true));
    if (port.link) {
        register_put(call, "data_rate_oper", port.link->mbps / MBPS_OF_RATE);
        register_put(call, "ext_eth_proto_oper", port.link->protocol);
        register_put(call, "eth_proto_oper", port.link->legacy);
    }
    register_put(call, "connector_type", port.plugged ? DIRECT_ATTACH : 0);
    return DPK_REGISTER_OK;
}

/* Returns the protocols that an access asks for. A tool that reads the register and changes one of
 * the two masks writes both; the mask that differs from the present one counts, first the extended
 * mask. If both are 0, the port offers all. */
static uint32_t wanted(const struct register_call *call, const struct registers_port *port)
{
    const uint32_t now = dpk_port_offers(port->settings),
                   extended = register_get(call, "ext_eth_proto_admin"),
                   legacy = register_get(call, "eth_proto_admin");
    if (extended != 0 && (extended != now || legacy == 0))
        return extended;
    if (legacy != 0 && legacy != translate(now, true))
        return legacy & ~dpk_port_protocols(true) ? 0 : translate(legacy, false);
    return extended ? extended : legacy ? now : dpk_port_protocols(false);
}

static enum dpk_register_status set_ptys(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t forced = register_get(call, "an_disable_admin");
    if (register_get(call, "proto_mask") != REGISTERS_ETHERNET) {
        (void)dpk_fail(err, DPK_ERR_USAGE, "the port is Ethernet: proto_mask is not 4");
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint32_t protocols = wanted(call, &port);
    if (protocols == 0 || protocols & ~dpk_port_protocols(false)) {
        (void)dpk_fail(err, DPK_ERR_RANGE, "the port does not have all protocols of 0x%x",
                       protocols);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    status = registers_log_port(call, err, "protocols 0x%x%s by PTYS", protocols,
                                forced ? " without negotiation" : "");
    if (status != DPK_REGISTER_OK)
        return status;
    dpk_port_set(port.settings, DPK_PORT_PROTOCOLS, protocols);
    dpk_port_set(port.settings, DPK_PORT_FORCED, forced);
    return get_ptys(call, err);
}

/* ---- PPLM: forward error correction ---- No bit is lost on the wires of this emulation: the chosen code
 * is stored and shown, and corrects nothing. */

enum { NO_FEC = 1 << 0, FIRECODE = 1 << 1, REED_SOLOMON = 1 << 2 };
enum { FEC_BITS = 4 };
static const struct register_field pplm_fields[] = {
    {"port_type", 0, 8, 4},
    {"lp_msb", 0, 12, 2},
    {"local_port", 0, 16, 8},
    {"fec_mode_active", 0x0c, 0, 24},
    {"fec_override_cap_10g_40g", 0x10, 0, FEC_BITS},
    {"fec_override_cap_25g", 0x10, 4, FEC_BITS},
    {"fec_override_cap_50g", 0x10, 8, FEC_BITS},
    {"fec_override_cap_100g", 0x10, 12, FEC_BITS},
    {"fec_override_admin_10g_40g", 0x14, 0, FEC_BITS},
    {"fec_override_admin_25g", 0x14, 4, FEC_BITS},
    {"fec_override_admin_50g", 0x14, 8, FEC_BITS},
    {"fec_override_admin_100g", 0x14, 12, FEC_BITS},
};
/* Codes that there are at each speed, and the code without any choice. */
static const struct fec {
    const char *cap, *admin;
    uint32_t codes, automatic;
} fecs[] = {
    {"fec_override_cap_10g_40g", "fec_override_admin_10g_40g", NO_FEC | FIRECODE, NO_FEC},
    {"fec_override_cap_25g", "fec_override_admin_25g", NO_FEC | FIRECODE | REED_SOLOMON,
     REED_SOLOMON},
    {"fec_override_cap_50g", "fec_override_admin_50g", NO_FEC | FIRECODE | REED_SOLOMON,
     REED_SOLOMON},
    {"fec_override_cap_100g", "fec_override_admin_100g", NO_FEC | REED_SOLOMON, REED_SOLOMON},
};

/* Returns the codes that the setting chooses for a speed; 0: the port decides. */
static uint32_t choice(const struct registers_port *port, size_t speed)
{
    const uint64_t all = dpk_port_get(port->settings, STORED_FEC);
    return (uint32_t)(all >> speed * FEC_BITS) & fecs[speed].codes;
}

uint32_t registers_fec(const struct registers_port *port)
{
    const unsigned gbps = port->link->mbps / MBPS_OF_GBPS;
    const size_t speed = gbps == 100 ? 3 : gbps == 50 ? 2 : gbps == 25 ? 1 : 0;
    const uint32_t chosen = choice(port, speed);
    if (chosen == 0)
        return fecs[speed].automatic;
    return chosen & REED_SOLOMON ? REED_SOLOMON : chosen & FIRECODE ? FIRECODE : NO_FEC;
}

static enum dpk_register_status get_pplm(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    if (register_get(call, "port_type") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "fec_mode_active", port.link ? registers_fec(&port) : 0);
    for (size_t i = 0; i < COUNT(fecs); i++) {
        register_put(call, fecs[i].cap, fecs[i].codes);
        register_put(call, fecs[i].admin, choice(&port, i));
    }
    return DPK_REGISTER_OK;
}

static enum dpk_register_status set_pplm(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    uint64_t all = 0;
    if (register_get(call, "port_type") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    for (size_t i = 0; i < COUNT(fecs); i++) {
        const uint32_t codes = register_get(call, fecs[i].admin);
        if (codes & ~fecs[i].codes) {
            (void)dpk_fail(err, DPK_ERR_RANGE, "no code of 0x%x for %s", codes, fecs[i].admin);
            return DPK_REGISTER_BAD_PARAMETER;
        }
        all |= (uint64_t)codes << i * FEC_BITS;
    }
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status == DPK_REGISTER_OK)
        status = registers_log_port(call, err, "error correction 0x%x by PPLM", (unsigned)all);
    if (status != DPK_REGISTER_OK)
        return status;
    dpk_port_set(port.settings, STORED_FEC, all);
    return get_pplm(call, err);
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
    struct registers_port port;
    if (register_get(call, "lane") >= LANES)
        return DPK_REGISTER_BAD_PARAMETER;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "version", REGISTER_7NM);
    register_put(call, "status", INVALID);
    return DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"PTYS", 0x5004, 0x40, ptys_fields, COUNT(ptys_fields), get_ptys, set_ptys},
    {"PPLM", 0x5023, 0x50, pplm_fields, COUNT(pplm_fields), get_pplm, set_pplm},
    {"SLTP", 0x5027, 0x4c, sltp_fields, COUNT(sltp_fields), get_lane, NULL},
    {"SLRG", 0x5028, 0x28, slrg_fields, COUNT(slrg_fields), get_lane, NULL},
};
const struct register_group registers_links = {layouts, COUNT(layouts)};
