/* Descriptors of memory maps and of sync events from a peer. The fuzzer sets their checksum, so
 * that they are parsed. */
#include <doca_mmap.h>
#include <doca_sync_event.h>
#include <stdlib.h>
#include <string.h>

#include "api/doca/core/core.h"

enum { SIZE = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct doca_dev *device(void)
{
    static struct doca_dev *dev; /* one device for all inputs */
    struct doca_devinfo **list;
    uint32_t count = 0;
    if (!dev && (doca_devinfo_create_list(&list, &count) != DOCA_SUCCESS || count == 0 ||
                 doca_dev_open(list[0], &dev) != DOCA_SUCCESS ||
                 doca_devinfo_destroy_list(list) != DOCA_SUCCESS))
        abort();
    return dev;
}

static void mend_sum(uint8_t *bytes)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < SIZE - 4; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    dpk_store_be32(bytes + SIZE - 4, hash);
}

/* Written again, a descriptor has the same bytes. */
static void check(const uint8_t *bytes, size_t size)
{
    struct descriptor d;
    struct dpk_buf again = {0};
    if (core_descriptor_read(bytes, size, &d) != DOCA_SUCCESS || size != SIZE)
        return;
    core_descriptor_write(&d, &again);
    if (!again.failed && (again.size != size || memcmp(again.data, bytes, size) != 0))
        abort();
    dpk_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct doca_mmap *map = NULL;
    struct doca_sync_event_remote_net *event = NULL;
    uint8_t bytes[SIZE];
    if (size == SIZE) {
        memcpy(bytes, data, SIZE);
        mend_sum(bytes);
        data = bytes;
    }
    check(data, size);
    if (doca_mmap_create_from_export(NULL, data, size, device(), &map) == DOCA_SUCCESS) {
        void *at;
        size_t length;
        doca_mmap_get_memrange(map, &at, &length);
        if (doca_mmap_destroy(map) != DOCA_SUCCESS)
            abort();
    }
    if (doca_sync_event_remote_net_create_from_export(device(), data, size, &event) ==
            DOCA_SUCCESS &&
        doca_sync_event_remote_net_destroy(event) != DOCA_SUCCESS)
        abort();
    return 0;
}
