/* Guest memory for fuzzers, with 4 GiB of inaccessible memory on both sides. */
#ifndef FUZZ_GUARDED_H
#define FUZZ_GUARDED_H

#include <stdlib.h>
#include <sys/mman.h>

#include "engine/rv64/rv64.h"

struct guarded {
    struct rv64_memory *mem;
    uintptr_t base; /* host address of guest address 0 */
};

/* Returns the host address of guest address 0. */
static inline uintptr_t base_of(struct rv64_memory *mem)
{
    if (!rv64_memory_map(mem, RV64_PAGE, RV64_PAGE, RV64_R))
        abort();
    uint8_t *page = rv64_memory_at(mem, RV64_PAGE, RV64_PAGE, RV64_R);
    if (!rv64_memory_map(mem, RV64_PAGE, RV64_PAGE, 0) || mprotect(page, RV64_PAGE, PROT_NONE) != 0)
        abort();
    return (uintptr_t)page - RV64_PAGE;
}

/* Makes three memories, and returns the one in the middle; the outer two stay unused. */
static inline struct guarded guarded_memory(void)
{
    static struct guarded all[3];
    for (int i = 0; i < 3; i++) {
        all[i].mem = rv64_memory_create(UINT64_C(1) << 32);
        if (all[i].mem == NULL)
            abort();
        all[i].base = base_of(all[i].mem);
    }
    for (int i = 0; i < 3; i++) /* sort: the order of host addresses is not defined */
        for (int j = 0; j < 2; j++)
            if (all[j].base > all[j + 1].base) {
                struct guarded later = all[j];
                all[j] = all[j + 1];
                all[j + 1] = later;
            }
    /* There is nothing between them except the guard areas of the memories. */
    const uintptr_t size = UINT64_C(1) << 32;
    for (int i = 0; i < 2; i++) {
        uintptr_t end = all[i].base + size, gap = all[i + 1].base - end;
        if (all[i + 1].base < end || gap > size)
            abort();
    }
    return all[1];
}

#endif
