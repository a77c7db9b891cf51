/* Numbers of entries for frames: by a hash, by bits of fields, at random or in turn. */
#include <string.h>

#include "steering.h"

static uint32_t hash_of(const uint8_t mask[DPK_MATCH_BYTES], const uint8_t headers[DPK_MATCH_BYTES])
{
    struct words m, h;
    uint64_t hash = 0;
    memcpy(&m, mask, sizeof m);
    memcpy(&h, headers, sizeof h);
    for (size_t i = 0; i < MATCH_WORDS; i++)
        if (m.at[i])
            hash = queues_rules_mix(hash ^ (h.at[i] & m.at[i]));
    return (uint32_t)hash;
}

/* The masked bits one after another; the last of them are the lowest. */
static uint32_t bits_of(const uint8_t mask[DPK_MATCH_BYTES], const uint8_t headers[DPK_MATCH_BYTES])
{
    uint32_t bits = 0;
    for (size_t i = 0; i < DPK_MATCH_BYTES; i++)
        for (unsigned bit = 0x80; mask[i] && bit > 0; bit >>= 1)
            if (mask[i] & bit)
                bits = bits << 1 | ((headers[i] & bit) != 0);
    return bits;
}

uint32_t dpk_flow_spread_hash(const struct dpk_flow_spread *spread,
                              const uint8_t headers[DPK_MATCH_BYTES])
{
    return spread->kind == DPK_SPREAD_IDENTITY ? bits_of(spread->mask, headers)
                                               : hash_of(spread->mask, headers);
}

uint32_t queues_spread_choose(struct dpk_flow_spread *spread, const struct words *headers)
{
    const uint64_t turn = spread->frames++;
    switch (spread->kind) {
    case DPK_SPREAD_RANDOM:
        return (uint32_t)(queues_rules_mix(turn + 1) % spread->count);
    case DPK_SPREAD_ROUND_ROBIN:
        return (uint32_t)(turn % spread->count);
    default:
        return dpk_flow_spread_hash(spread, (const uint8_t *)headers) % spread->count;
    }
}
