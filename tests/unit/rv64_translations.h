/* For tests of translated code: whether there is any. */
#ifndef RV64_TRANSLATIONS_H
#define RV64_TRANSLATIONS_H

#include "engine/rv64/block.h"

/* How many places of the core's code, as it is now, have a translation. */
static inline uint64_t count_translations(const struct rv64_core *core)
{
    uint64_t count = 0;
    if (core == NULL || core->cache == NULL || core->cache->entries == NULL)
        return 0;
    for (uint64_t i = 0; i < core->cache->entries->size / 2; i++)
        count += core->cache->entries->at[i] != NULL;
    return count;
}

#endif
