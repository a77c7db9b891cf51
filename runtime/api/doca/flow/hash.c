/* Hash pipes: a frame gets the number of an entry, by which a rule of the pipe's table matches it. */
#include "flow.h"

enum {
    KNOWN = DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_HASH | DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_RANDOM |
            DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_IDENTITY |
            DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_ROUND_ROBIN |
            DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_FLOODING,
};

doca_error_t flow_hash_check(uint32_t algorithms)
{
    if (algorithms & DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_SELECT_ENABLED)
        return flow_cannot("the hash map algorithm SELECT_ENABLED");
    if (algorithms & ~(uint32_t)KNOWN)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "unknown hash map algorithms 0x%x",
                                algorithms);
    return DOCA_SUCCESS;
}

/* The fields to hash are those of the mask, or those of the match if there is no mask. */
static const struct doca_flow_match *fields_of(const struct flow_pipe_settings *s)
{
    return s->has_mask ? &s->mask : &s->match;
}

static enum dpk_spread_kind kind_of(const struct flow_pipe_settings *s, uint32_t algorithms)
{
    switch (algorithms & -algorithms) {
    case DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_RANDOM:
        return DPK_SPREAD_RANDOM;
    case DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_IDENTITY:
        return DPK_SPREAD_IDENTITY;
    case DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_ROUND_ROBIN:
        return DPK_SPREAD_ROUND_ROBIN;
    case DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_FLOODING:
        return DPK_SPREAD_FLOOD;
    default: /* a hash of a random number is one, too */
        return fields_of(s)->parser_meta.random ? DPK_SPREAD_RANDOM : DPK_SPREAD_HASH;
    }
}

doca_error_t flow_hash_spread(const struct flow_pipe_settings *s, uint32_t algorithms,
                              struct dpk_flow_spread *out)
{
    const uint32_t count = s->entries_max;
    *out = (struct dpk_flow_spread){.kind = kind_of(s, algorithms), .count = count};
    if (count == 0 || (count & (count - 1)) != 0 || count > FLOW_HASH_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a hash pipe with %u entries, which is not a power of 2 up to %u "
                                "(doca_flow_pipe_cfg_set_nr_entries)",
                                count, FLOW_HASH_MAX);
    if (out->kind == DPK_SPREAD_FLOOD && count > FLOW_FLOOD_MAX)
        return flow_cannot("flooding to more than %u entries", FLOW_FLOOD_MAX);
    const doca_error_t result = flow_fields_get(fields_of(s), s->sent, out->mask);
    if (result == DOCA_SUCCESS && flow_is_empty(out->mask, sizeof out->mask) &&
        (out->kind == DPK_SPREAD_HASH || out->kind == DPK_SPREAD_IDENTITY))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "match_mask names no field to hash (doca_flow_pipe_cfg_set_match)");
    return result;
}

doca_error_t flow_hash_open(struct flow_pipe *p)
{
    const struct flow_pipe_settings *s = &p->settings;
    static const struct dpk_match every;
    struct dpk_flow_spread spread;
    const doca_error_t result = flow_hash_spread(s, s->algorithms, &spread);
    if (result != DOCA_SUCCESS)
        return result;
    struct flow_hash *h = p->hash = calloc(1, sizeof *h + s->entries_max * sizeof *h->taken);
    if (!h)
        return DOCA_ERROR_NO_MEMORY;
    h->spread = spread;
    h->entrance =
        dpk_flow_table_new(p->port->steering, s->sent ? DPK_FLOW_TX : DPK_FLOW_RX, s->is_root);
    const struct dpk_flow_actions actions = {
        .targets = {{.kind = DPK_FLOW_SPREAD, .table = p->table, .spread = &h->spread}},
        .target_count = 1};
    if (h->entrance)
        h->rule = dpk_flow_rule_new(h->entrance, &every, 0, &actions);
    return h->rule ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

void flow_hash_close(struct flow_pipe *p)
{
    struct flow_hash *h = p->hash;
    if (!h)
        return;
    if (h->rule)
        dpk_flow_rule_free(h->rule);
    if (h->entrance)
        dpk_flow_table_free(h->entrance);
    free(h);
    p->hash = NULL;
}

struct dpk_match flow_hash_match(uint32_t number)
{
    struct dpk_match m = {.mask = {0}};
    memset(m.mask + DPK_MATCH_ENTRY, UINT8_MAX, sizeof number);
    dpk_store_be32(m.value + DPK_MATCH_ENTRY, number);
    return m;
}
