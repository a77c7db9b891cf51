/* QETCR: bandwidth of traffic classes (ETS, IEEE 802.1Qaz). It is stored and shown, and nothing acts
 * on it. */
#include <string.h>

#include "private.h"

enum { CLASSES = 8, FIRST = 8, STRIDE = 8, PORT_LIMIT = 0x48 };
enum { PERCENT = 100 };
enum { NO_LIMIT = 0, UNIT_100_MBPS = 3, UNIT_GBPS = 4 }; /* max_bw_units */
static const struct register_field qetcr_fields[] = {
    {"local_port", 0, 16, 8}, {"cap_local_admin", 0, 29, 1}, {"operation_type", 0, 30, 2}};

/* The fields of a traffic class, or those of the port from `max_value` on: two dwords. */
struct entry {
    uint32_t bandwidth, group, limit, units; /* percent of the group; the limit of the rate */
    bool sets_group, sets_bandwidth, sets_limit;
};

static uint32_t dword(const struct register_call *call, size_t offset)
{
    struct dpk_reader r = dpk_reader(call->data + offset, 4);
    return dpk_read_be32(&r);
}

static struct entry read_entry(const struct register_call *call, size_t offset)
{
    const uint32_t first = dword(call, offset), second = dword(call, offset + 4);
    return (struct entry){.bandwidth = first & 0x7f,
                          .group = first >> 16 & 0xf,
                          .limit = second & 0xff,
                          .units = second >> 16 & 0xf,
                          .sets_limit = first >> 29 & 1,
                          .sets_bandwidth = first >> 30 & 1,
                          .sets_group = first >> 31};
}

static void put_entry(struct register_call *call, size_t offset, const struct entry *e)
{
    dpk_store_be32(call->data + offset, e->group << 16 | e->bandwidth);
    dpk_store_be32(call->data + offset + 4, e->units << 16 | e->limit);
}

/* An entry as a setting, which is never 0. Values of the file are not trusted. */
#define IS_SET (UINT64_C(1) << 63)
static uint64_t pack(const struct entry *e)
{
    return IS_SET | (uint64_t)e->bandwidth << 24 | e->group << 16 | e->units << 8 | e->limit;
}

/* Without any setting, each class has a group of its own and all of its bandwidth. */
static struct entry stored(const struct dpk_port *settings, unsigned number)
{
    const uint64_t word = dpk_port_get(settings, STORED_CLASS(number));
    if (!(word & IS_SET))
        return (struct entry){.bandwidth = number < CLASSES ? PERCENT : 0,
                              .group = number < CLASSES ? number : 0};
    return (struct entry){.bandwidth = word >> 24 & 0x7f,
                          .group = word >> 16 & 0xf,
                          .units = word >> 8 & 0xf,
                          .limit = word & 0xff};
}

/* Returns where an entry stands: that of a class, or that of the port (number CLASSES). */
static size_t offset_of(unsigned number)
{
    return number < CLASSES ? FIRST + number * STRIDE : PORT_LIMIT;
}

static enum dpk_register_status get_qetcr(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    const enum dpk_register_status status = registers_answer_port(call, 4, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    register_put(call, "cap_local_admin", 1);
    for (unsigned i = 0; i <= CLASSES; i++) {
        const struct entry e = stored(port.settings, i);
        put_entry(call, offset_of(i), &e);
    }
    return DPK_REGISTER_OK;
}

/* Changes what an access asks to change. Returns false if a value is impossible. */
static bool change(struct entry *e, const struct entry *wanted)
{
    if (wanted->sets_group)
        e->group = wanted->group;
    if (wanted->sets_bandwidth)
        e->bandwidth = wanted->bandwidth;
    if (wanted->sets_limit) {
        e->limit = wanted->limit;
        e->units = wanted->units;
    }
    return e->group < CLASSES && e->bandwidth <= PERCENT &&
           (e->units == NO_LIMIT || e->units == UNIT_100_MBPS || e->units == UNIT_GBPS);
}

/* The classes of a group share its bandwidth. */
static bool groups_are_full(const struct entry entries[CLASSES])
{
    uint32_t sums[CLASSES] = {0};
    bool used[CLASSES] = {false};
    for (unsigned i = 0; i < CLASSES; i++) {
        sums[entries[i].group] += entries[i].bandwidth;
        used[entries[i].group] = true;
    }
    for (unsigned g = 0; g < CLASSES; g++)
        if (used[g] && sums[g] != PERCENT)
            return false;
    return true;
}

static enum dpk_register_status set_qetcr(struct register_call *call, struct dpk_error *err)
{
    struct registers_port port;
    struct entry entries[CLASSES + 1];
    bool good = register_get(call, "operation_type") == 0; /* the local administration */
    enum dpk_register_status status = registers_named_port(call, &port, err);
    if (status != DPK_REGISTER_OK)
        return status;
    for (unsigned i = 0; i <= CLASSES; i++) {
        const struct entry wanted = read_entry(call, offset_of(i));
        entries[i] = stored(port.settings, i);
        good = change(&entries[i], &wanted) && good;
    }
    if (!good || !groups_are_full(entries)) {
        (void)dpk_fail(err, DPK_ERR_RANGE,
                       "the bandwidth of each group of classes is not 100%%, "
                       "or a group, a unit or the type does not exist");
        return DPK_REGISTER_BAD_PARAMETER;
    }
    status = registers_log_port(call, err, "QETCR stored");
    if (status != DPK_REGISTER_OK)
        return status;
    for (unsigned i = 0; i <= CLASSES; i++)
        dpk_port_set(port.settings, STORED_CLASS(i), pack(&entries[i]));
    return get_qetcr(call, err);
}

static const struct register_layout layouts[] = {
    {"QETCR", 0x4005, 0x50, qetcr_fields, COUNT(qetcr_fields), get_qetcr, set_qetcr},
};
const struct register_group registers_ets = {layouts, COUNT(layouts)};
