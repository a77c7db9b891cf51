/* UARs: pages through which a host rings doorbells of queues. Queues of the DPA refer to a UAR by
 * its number (flexio_cq_attr and others). Stores to its page have no effect. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "context.h"

#define PAGE     4096u
#define BF_AT    0x800u /* offset of the doorbell register in a page */
#define TYPES    (MLX5DV_UAR_ALLOC_TYPE_BF | MLX5DV_UAR_ALLOC_TYPE_NC)
#define NO_PLACE DPK_VERBS_UARS

struct uar {
    struct mlx5dv_devx_uar dv; /* first: programs hold a pointer to it */
    struct dpk_verbs_device *device;
};

/* Takes a free number. Returns NO_PLACE if there is none. */
static uint32_t take_place(struct dpk_verbs_device *device, const struct uar *u)
{
    for (uint32_t place = 0; place < DPK_VERBS_UARS; place++) {
        const void *none = NULL;
        if (atomic_compare_exchange_strong(&device->uars[place], &none, &u->dv))
            return place;
    }
    return NO_PLACE;
}

struct mlx5dv_devx_uar *dpk_mlx5_devx_alloc_uar(struct ibv_context *context, uint32_t flags)
{
    if (!context || (flags & ~(uint32_t)TYPES)) {
        errno = context ? EOPNOTSUPP : EINVAL;
        return NULL;
    }
    struct dpk_verbs_device *device = &context_of(context)->device;
    struct uar *u = calloc(1, sizeof *u);
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint32_t place = u && page != MAP_FAILED ? take_place(device, u) : NO_PLACE;
    if (place == NO_PLACE) {
        if (page != MAP_FAILED)
            munmap(page, PAGE);
        free(u);
        errno = ENOMEM;
        return NULL;
    }
    u->device = device;
    u->dv = (struct mlx5dv_devx_uar){.reg_addr = (uint8_t *)page + BF_AT,
                                     .base_addr = page,
                                     .page_id = DPK_VERBS_FIRST_UAR + place,
                                     .mmap_off = DPK_VERBS_UAR_OFFSET};
    return &u->dv;
}

void dpk_mlx5_devx_free_uar(struct mlx5dv_devx_uar *devx_uar)
{
    struct uar *u = (struct uar *)devx_uar;
    if (!u)
        return;
    munmap(u->dv.base_addr, PAGE);
    atomic_store(&u->device->uars[u->dv.page_id - DPK_VERBS_FIRST_UAR], NULL);
    free(u);
}
