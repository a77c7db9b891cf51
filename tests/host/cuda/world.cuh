/* What the programs of GPUNetIO share: a device, its GPU, and registered memory. */
#pragma once
#include <doca_dev.h>
#include <doca_gpunetio.h>
#include <doca_mmap.h>
#include <string.h>
#include <unistd.h>

#include "check.cuh"

#define DONE(call)                                                                                 \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, doca_error_get_name(result_));    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Opens the device mlx5_0 and the first GPU. */
static inline void open_device(struct doca_dev **dev, struct doca_gpu **gpu)
{
    struct doca_devinfo **list;
    uint32_t count;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE], pci[32];
    DONE(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !*dev; i++) {
        DONE(doca_devinfo_get_ibdev_name(list[i], name, sizeof name));
        if (strcmp(name, "mlx5_0") == 0)
            DONE(doca_dev_open(list[i], dev));
    }
    DONE(doca_devinfo_destroy_list(list));
    OK(cudaDeviceGetPCIBusId(pci, sizeof pci, 0));
    DONE(doca_gpu_create(pci, gpu));
}

/* Returns a started map of new memory of the GPU. */
static inline struct doca_mmap *gpu_map_new(struct doca_gpu *gpu, struct doca_dev *dev, size_t size,
                                            uint32_t permissions, void **at)
{
    struct doca_mmap *map;
    int file;
    DONE(doca_gpu_mem_alloc(gpu, size, 4096, DOCA_GPU_MEM_TYPE_GPU, at, NULL));
    DONE(doca_gpu_dmabuf_fd(gpu, *at, size, &file));
    DONE(doca_mmap_create(&map));
    DONE(doca_mmap_add_dev(map, dev));
    DONE(doca_mmap_set_dmabuf_memrange(map, file, *at, 0, size));
    DONE(doca_mmap_set_permissions(map, permissions));
    DONE(doca_mmap_start(map));
    close(file);
    return map;
}
