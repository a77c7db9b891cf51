/* What tests of runtime/rdma/registered share: a domain, some host memory, and keys for it. */
#ifndef DPK_TEST_MEMORY_KEYS_H
#define DPK_TEST_MEMORY_KEYS_H

#include "dpa.h"
#include "rdma/registered/registered.h"

#define ALL                                                                                        \
    (DPK_MEMORY_READ | DPK_MEMORY_WRITE | DPK_MEMORY_REMOTE_READ | DPK_MEMORY_REMOTE_WRITE |       \
     DPK_MEMORY_REMOTE_ATOMIC | DPK_MEMORY_EXPORT_READ | DPK_MEMORY_EXPORT_WRITE)
#define BASE 0x1000u /* address of the first byte, as accesses name it */
#define SIZE 256u

static struct dpk_memory_domain ours;
static uint8_t bytes[SIZE] __attribute__((aligned(64)));

static inline uint32_t add(struct dpk_memory m)
{
    struct dpk_error err = {0};
    uint32_t key = 0;
    if (dpk_memory_add(&m, &key, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_true(key != 0 && key != UINT32_MAX);
    return key;
}

static inline uint32_t add_host(unsigned rights)
{
    return add((struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                   .rights = rights,
                                   .address = BASE,
                                   .size = SIZE,
                                   .host = bytes,
                                   .domains = {&ours}});
}

static inline struct dpk_memory_access whole(uint32_t key, unsigned rights)
{
    return (struct dpk_memory_access){key, rights, BASE, SIZE, &ours};
}

static inline bool can(struct dpk_memory_access a)
{
    const struct dpk_memory *m = dpk_memory_acquire(&a);
    if (m)
        dpk_memory_release(m);
    return m != NULL;
}

#endif
