/* PPCNT: counters of a port, which are those of `dpadev stats` (device/counters). */
#include <stdlib.h>
#include <string.h>

#include "device/counters/counters.h"
#include "private.h"

/* Groups. There are no counters by priority or traffic class. */
enum { IEEE_802_3 = 0, RFC_2863 = 1, RFC_2819 = 2, RFC_3635 = 3 };
enum { PHYSICAL_LAYER = 0x12, PHYSICAL_STATISTICS = 0x16, ALL_GROUPS = 0x3f };
#define PPCNT_SIZE 0x100
#define COUNTERS   8 /* offset of the first counter */
static const struct register_field ppcnt_fields[] = {
    {"grp", 0, 0, 6},           {"port_type", 0, 8, 4},
    {"lp_msb", 0, 12, 2},       {"pnat", 0, 14, 2},
    {"local_port", 0, 16, 8},   {"swid", 0, 24, 8},
    {"clr", 4, 31, 1},          {"link_down_events", 0xc8, 0, 32},
    {"raw_ber", 0x68, 0, 16},   {"effective_ber", 0x6c, 0, 16},
    {"symbol_ber", 0x70, 0, 16}};

/* Where a counter of the device stands: a number of 64 bits. The device does not count frames by
 * address, and counts all as unicast. */
static const struct place {
    unsigned group, offset;
    enum dpk_counter counter;
} places[] = {
    {IEEE_802_3, 0x08, DPK_WIRE_OUT},         /* a_frames_transmitted_ok */
    {IEEE_802_3, 0x10, DPK_WIRE_IN},          /* a_frames_received_ok */
    {IEEE_802_3, 0x28, DPK_WIRE_OUT_BYTES},   /* a_octets_transmitted_ok */
    {IEEE_802_3, 0x30, DPK_WIRE_IN_BYTES},    /* a_octets_received_ok */
    {RFC_2863, 0x08, DPK_WIRE_IN_BYTES},      /* if_in_octets */
    {RFC_2863, 0x10, DPK_WIRE_IN},            /* if_in_ucast_pkts */
    {RFC_2863, 0x18, DPK_DROP_OUT_OF_BUFFER}, /* if_in_discards */
    {RFC_2863, 0x30, DPK_WIRE_OUT_BYTES},     /* if_out_octets */
    {RFC_2863, 0x38, DPK_WIRE_OUT},           /* if_out_ucast_pkts */
    {RFC_2863, 0x40, DPK_DROP_WIRE_FULL},     /* if_out_discards */
    {RFC_2819, 0x08, DPK_DROP_OUT_OF_BUFFER}, /* ether_stats_drop_events */
    {RFC_2819, 0x10, DPK_WIRE_IN_BYTES},      /* ether_stats_octets */
    {RFC_2819, 0x18, DPK_WIRE_IN},            /* ether_stats_pkts */
};

static void put_number(struct register_call *call, unsigned offset, uint64_t value)
{
    dpk_store_be32(call->data + offset, (uint32_t)(value >> 32));
    dpk_store_be32(call->data + offset + 4, (uint32_t)value);
}

static enum dpk_status open_counters(struct register_call *call, struct dpk_counters **out,
                                     struct dpk_error *err)
{
    char directory[PATH_MAX];
    enum dpk_status status = dpk_device_directory(call->registers->device, directory, err);
    return status == DPK_OK ? dpk_counters_open(directory, out, err) : status;
}

/* Reads the counters of the device. Another port, and a device that this user can only read, have
 * none. */
static void read_counters(struct register_call *call, const struct registers_port *port,
                          uint64_t out[DPK_COUNTERS])
{
    struct dpk_counters *counters = NULL;
    struct dpk_counters_seen *seen = calloc(1, sizeof *seen);
    memset(out, 0, DPK_COUNTERS * sizeof *out);
    if (seen && port->number == 1 && open_counters(call, &counters, NULL) == DPK_OK) {
        dpk_counters_read(counters, false, seen);
        memcpy(out, seen->port, sizeof seen->port);
        dpk_counters_close(counters);
    }
    free(seen);
}

/* ---- The physical layer ---- No bit is lost on a wire: the rates of errors are as small as can be. */

#define NO_ERRORS (255u << 8 | 15u) /* 15 * 10^-255 */

/* Returns the milliseconds since counters were cleared, or since the boot of the card. */
static uint64_t since_clear(struct register_call *call, const struct registers_port *port)
{
    struct dpk_device_boot boot = {0};
    uint64_t moment = dpk_port_get(port->settings, DPK_PORT_CLEARED);
    if (moment == 0 && dpk_device_last_boot(call->registers->device, &boot, NULL) == DPK_OK)
        moment = (uint64_t)boot.time * 1000;
    const uint64_t now = dpk_real_time_ns() / 1000000;
    return now > moment ? now - moment : 0;
}

static void put_physical(struct register_call *call, const struct registers_port *port,
                         unsigned group, const uint64_t counters[DPK_COUNTERS])
{
    put_number(call, COUNTERS, since_clear(call, port));
    if (group == PHYSICAL_LAYER) {
        register_put(call, "link_down_events",
                     (uint32_t)dpk_port_get(port->settings, DPK_PORT_DOWNS));
    } else {
        put_number(call, 0x10, counters[DPK_WIRE_IN_BYTES] * 8); /* phy_received_bits */
        register_put(call, "raw_ber", NO_ERRORS);
        register_put(call, "effective_ber", NO_ERRORS);
        register_put(call, "symbol_ber", NO_ERRORS);
    }
}

/* ---- PPCNT ---- */

static bool has_group(unsigned group)
{
    return group <= RFC_3635 || group == PHYSICAL_LAYER || group == PHYSICAL_STATISTICS;
}

/* Clears all counters of the port, of whatever group. */
static enum dpk_register_status clear(struct register_call *call, const struct registers_port *port,
                                      struct dpk_error *err)
{
    struct dpk_counters *counters = NULL;
    struct dpk_counters_seen *seen = calloc(1, sizeof *seen);
    enum dpk_status status = seen ? open_counters(call, &counters, err) : dpk_fail_nomem(err);
    enum dpk_register_status result = registers_status(status);
    if (result == DPK_REGISTER_OK)
        result = registers_log_port(call, err, "counters cleared by PPCNT");
    if (result == DPK_REGISTER_OK) {
        dpk_counters_read(counters, true, seen);
        dpk_port_set(port->settings, DPK_PORT_DOWNS, 0);
        dpk_port_set(port->settings, DPK_PORT_CLEARED, dpk_real_time_ns() / 1000000);
    }
    dpk_counters_close(counters);
    free(seen);
    return result;
}

/* Checks the numbers that name a group and a port. */
static enum dpk_register_status check(struct register_call *call, bool all, struct dpk_error *err)
{
    const unsigned group = register_get(call, "grp"), swid = register_get(call, "swid");
    if ((has_group(group) || (all && group == ALL_GROUPS)) && swid == 0 &&
        register_get(call, "port_type") == 0 && register_get(call, "pnat") <= 1)
        return DPK_REGISTER_OK;
    (void)dpk_fail(err, DPK_ERR_USAGE, "no counters of group 0x%x, swid %u", group, swid);
    return DPK_REGISTER_BAD_PARAMETER;
}

static void put_counters(struct register_call *call, const struct registers_port *port)
{
    uint64_t counters[DPK_COUNTERS];
    const unsigned group = register_get(call, "grp");
    read_counters(call, port, counters);
    for (size_t i = 0; i < COUNT(places); i++)
        if (places[i].group == group)
            put_number(call, places[i].offset, counters[places[i].counter]);
    if (group == PHYSICAL_LAYER || group == PHYSICAL_STATISTICS)
        put_physical(call, port, group, counters);
}

/* A get that clears shows what it clears. */
static enum dpk_register_status get_ppcnt(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    enum dpk_register_status status = check(call, false, err);
    if (status == DPK_REGISTER_OK)
        status = registers_answer_port(call, COUNTERS, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    put_counters(call, &port);
    return register_get(call, "clr") && port.number == 1 ? clear(call, &port, err) : status;
}

/* Only clears: counters cannot be set. */
static enum dpk_register_status set_ppcnt(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    if (!register_get(call, "clr")) {
        (void)dpk_fail(err, DPK_ERR_USAGE, "counters can only be cleared: clr is 0");
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_register_status status = check(call, true, err);
    if (status == DPK_REGISTER_OK)
        status = registers_answer_port(call, COUNTERS, &port, err);
    return status == DPK_REGISTER_OK ? clear(call, &port, err) : status;
}

static const struct register_layout layouts[] = {
    {"PPCNT", 0x5008, PPCNT_SIZE, ppcnt_fields, COUNT(ppcnt_fields), get_ppcnt, set_ppcnt},
};
const struct register_group registers_counters = {layouts, COUNT(layouts)};
