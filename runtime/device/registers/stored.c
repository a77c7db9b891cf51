/* Registers of the card that are stored and shown: its LED, and the acceleration of RoCE. */
#include <string.h>

#include "private.h"

/* ---- MLCR: the LED of a port blinks for a while ---- */

enum { ENDLESS = 0xffff };
static const struct register_field mlcr_fields[] = {
    {"led_type", 0, 0, 4}, {"operation", 0, 12, 4},       {"local_port", 0, 16, 8},
    {"lp_msb", 0, 24, 2},  {"beacon_duration", 4, 0, 16}, {"beacon_remain", 8, 0, 16}};

static int64_t now(void)
{
    return (int64_t)(dpk_real_time_ns() / UINT64_C(1000000000));
}

/* The setting: the duration in seconds, and when it began. */
#define DURATION(word) ((uint32_t)((word)&0xffff))
#define START(word)    ((int64_t)((word) >> 16))

/* Port 0 is the function's own: mstreg names no port when it reads this register. */
static enum dpk_register_status find_led(struct register_call *call, struct registers_port *port,
                                         struct dpk_error *err)
{
    const unsigned number = register_get(call, "lp_msb") << 8 | register_get(call, "local_port");
    if (register_get(call, "led_type") != 0 || register_get(call, "operation") != 0) {
        (void)dpk_fail(err, DPK_ERR_RANGE, "no such LED or operation");
        return DPK_REGISTER_BAD_PARAMETER;
    }
    return registers_find_port(call, number ? number : 1, port, err);
}

static enum dpk_register_status get_mlcr(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = find_led(call, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint64_t word = dpk_port_get(port.settings, STORED_BEACON);
    const int64_t passed = now() - START(word);
    const bool blinks = DURATION(word) == ENDLESS || (passed >= 0 && passed < DURATION(word));
    memset(call->data + 4, 0, call->size - 4);
    register_put(call, "beacon_duration", DURATION(word));
    if (blinks)
        register_put(call, "beacon_remain",
                     DURATION(word) == ENDLESS ? ENDLESS : DURATION(word) - (uint32_t)passed);
    return DPK_REGISTER_OK;
}

/* Only the LED of the port blinks, and it only blinks as a beacon. */
static enum dpk_register_status set_mlcr(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t duration = register_get(call, "beacon_duration");
    enum dpk_register_status status = find_led(call, &port, err);
    if (status == DPK_REGISTER_OK)
        status = registers_log_port(call, err, "LED blinks for %u s by MLCR", duration);
    if (status != DPK_REGISTER_OK)
        return status;
    dpk_port_set(port.settings, STORED_BEACON, (uint64_t)now() << 16 | duration);
    return get_mlcr(call, err);
}

/* ---- ROCE_ACCL: how RoCE sends again and how fast it starts ---- Queue pairs of this emulation lose no packet. A bit of
 * the first dword selects the feature of the same bit in the second. */

#define FEATURES 7 /* bits */
static const struct register_field roce_accl_fields[] = {{"field_select", 0, 0, FEATURES},
                                                         {"features", 4, 0, FEATURES}};

static enum dpk_register_status get_roce_accl(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = registers_find_port(call, 1, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    memset(call->data, 0, call->size);
    register_put(call, "field_select", (1u << FEATURES) - 1); /* what the card has */
    register_put(call, "features", (uint32_t)dpk_port_get(port.settings, STORED_ROCE));
    return DPK_REGISTER_OK;
}

static enum dpk_register_status set_roce_accl(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const uint32_t selected = register_get(call, "field_select"),
                   features = register_get(call, "features");
    enum dpk_register_status status = registers_find_port(call, 1, &port, err);
    if (status == DPK_REGISTER_OK)
        status = registers_log_port(call, err, "ROCE_ACCL 0x%x of 0x%x stored", features, selected);
    if (status != DPK_REGISTER_OK)
        return status;
    const uint64_t before = dpk_port_get(port.settings, STORED_ROCE);
    dpk_port_set(port.settings, STORED_ROCE,
                 (before & ~(uint64_t)selected) | (features & selected));
    return get_roce_accl(call, err);
}

static const struct register_layout layouts[] = {
    {"ROCE_ACCL", 0x402c, 8, roce_accl_fields, COUNT(roce_accl_fields), get_roce_accl,
     set_roce_accl},
    {"MLCR", 0x902b, 0xc, mlcr_fields, COUNT(mlcr_fields), get_mlcr, set_mlcr},
};
const struct register_group registers_stored = {layouts, COUNT(layouts)};
