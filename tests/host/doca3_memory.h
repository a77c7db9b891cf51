/* Maps, DPA memory and arrays of buffers, for tests of accesses to them. */
#ifndef TESTS_HOST_DOCA3_MEMORY_H
#define TESTS_HOST_DOCA3_MEMORY_H

#include <doca_buf_array.h>

#include "doca3_world.h"

#define ALL                                                                                        \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define NONE UINT64_MAX
enum { DONE = 0, WRITTEN = 1, RECEIVED = 2, RECEIVED_IMMEDIATE = 3, FAILED = 0xd };

/* A started map of host memory, or, with `dpa`, of memory of that context. */
static inline struct doca_mmap *map_of(struct doca_dpa *dpa, uint64_t address, size_t size)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_permissions(m, ALL) == OK);
    if (dpa)
        CHECK(doca_mmap_set_dpa_memrange(m, dpa, address, size) == OK);
    else
        CHECK(doca_mmap_set_memrange(m, (void *)(uintptr_t)address, size) == OK &&
              doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_start(m) == OK);
    return m;
}

static inline uint32_t map_handle(struct doca_mmap *m, struct doca_dev *device)
{
    doca_dpa_dev_mmap_t h = 0;
    CHECK(doca_mmap_dev_get_dpa_handle(m, device, &h) == OK && h != 0);
    return h;
}

static inline uint64_t memory_of(struct doca_dpa *dpa, size_t size)
{
    doca_dpa_dev_uintptr_t at = 0;
    CHECK(doca_dpa_mem_alloc(dpa, size, &at) == OK && doca_dpa_memset(dpa, at, 0, size) == OK);
    return at;
}

static inline uint64_t word_at(struct doca_dpa *dpa, uint64_t address)
{
    uint64_t word = 0;
    CHECK(doca_dpa_d2h_memcpy(dpa, &word, address, sizeof word) == OK);
    return word;
}

struct array {
    struct doca_buf_arr *array;
    uint64_t handle;
};

static inline struct array array_of(struct doca_dpa *dpa, struct doca_mmap *m, size_t count,
                                    size_t size, uint64_t offset)
{
    struct array a = {0};
    CHECK(doca_buf_arr_create(count, &a.array) == OK);
    CHECK(doca_buf_arr_set_params(a.array, m, size, offset) == OK);
    CHECK(doca_buf_arr_set_target_dpa(a.array, dpa) == OK && doca_buf_arr_start(a.array) == OK);
    CHECK(doca_buf_arr_get_dpa_handle(a.array, &a.handle) == OK && a.handle != 0);
    return a;
}

#endif
