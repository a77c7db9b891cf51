/* Memory for rings, and UARs. */
#include <doca_dpa.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/doca/dpa/dpa.h"
#include "api/verbs/verbs.h"
#include "memory.h"

/* Samples of DOCA close a device before umems and UARs of it, or leave these to the end of the process: the device
 * stays open for them. */
struct umem {
    struct dpk_object object;
    struct dpk_dev *dev;           /* a reference; NULL: DPA memory */
    struct dpk_dpa *dpa;           /* a reference; NULL: memory of this process or of a GPU */
    struct dpk_gpu *gpu;           /* a reference; NULL: not of a GPU */
    struct mlx5dv_devx_umem *devx; /* of this process or of a GPU */
    uint64_t address, size;
};

struct uar {
    struct dpk_object object;
    struct dpk_dev *dev; /* a reference */
    struct mlx5dv_devx_uar *devx;
    bool of_dpa;
};

/* ---- Memory ---- */

static void umem_left(void *object)
{
    struct umem *u = object;
    if (u->devx)
        dpk_emulated_11.devx_umem_dereg(u->devx);
}

static void umem_release(void *object)
{
    struct umem *u = object;
    dpk_object_drop(u->dev);
    dpk_object_drop(u->dpa);
    dpk_object_drop(u->gpu);
    free(u);
}
static const struct dpk_kind umem_kind = {.left = umem_left, .release = umem_release};

/* Registers memory that this process reaches at `at`. `gpu`: whose memory it is, or NULL. */
static doca_error_t umem_new(struct dpk_dev *d, struct dpk_gpu *gpu, void *address, void *at,
                             size_t size, uint32_t access_flags, struct doca_umem **out)
{
    struct umem *u = calloc(1, sizeof *u);
    if (!u)
        return DOCA_ERROR_NO_MEMORY;
    errno = 0;
    u->devx = dpk_emulated_11.devx_umem_reg(
        d->context, at, size,
        access_flags & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE ? IBV_ACCESS_LOCAL_WRITE : 0);
    u->address = (uintptr_t)address;
    u->size = size;
    if (gpu)
        dpk_object_hold(u->gpu = gpu);
    dpk_object_hold(u->dev = d);
    if (!u->devx) {
        const int why = errno;
        umem_left(u);
        umem_release(u);
        return dpk_doca_because(DOCA_ERROR_DRIVER,
                                "the memory %p, %zu bytes, could not be registered: %s", address,
                                size, strerror(why));
    }
    *out = dpk_object_enter(u, &umem_kind);
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_umem_create(const struct doca_dev *dev, void *address, size_t size,
                              uint32_t access_flags, struct doca_umem **umem)
{
    if (umem)
        *umem = NULL;
    struct dpk_dev *d = umem && address && size > 0 ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    const doca_error_t result = d ? umem_new(d, NULL, address, address, size, access_flags, umem)
                                  : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_umem_gpu_create(struct doca_gpu *gpu, struct doca_dev *dev, void *address,
                                  size_t size, uint32_t access_flags, struct doca_umem **umem)
{
    if (umem)
        *umem = NULL;
    struct dpk_gpu *g = address && size > 0 && umem ? dpk_object_pin(gpu, &dpk_gpu_kind) : NULL;
    struct dpk_dev *d = g ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (d && !g->ops->has(address, size))
        dpk_doca_because(result, "%p, %zu bytes, is not one allocation of GPU memory", address,
                         size);
    else if (d)
        result = umem_new(d, g, address, g->ops->bus(address), size, access_flags, umem);
    dpk_object_drop(d);
    dpk_object_drop(g);
    return dpk_doca_end(gpu, __func__, result);
}

doca_error_t doca_umem_dpa_create(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t address, size_t size,
                                  uint32_t access_flags, struct doca_umem **umem)
{
    uint8_t byte;
    struct dpk_dpa_call c;
    (void)access_flags; /* ignored: the DPA may access its own memory */
    if (umem)
        *umem = NULL;
    if (!umem || address == 0 || size == 0 || size - 1 > UINT64_MAX - address)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "the result, the address or the size is 0");
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    struct umem *u = NULL;
    if (dpk_copy_out(c.process, &byte, address, 1, NULL) != DPK_OK ||
        dpk_copy_out(c.process, &byte, address + size - 1, 1, NULL) != DPK_OK)
        result = DOCA_ERROR_INVALID_VALUE;
    else if (!(u = calloc(1, sizeof *u)))
        result = DOCA_ERROR_NO_MEMORY;
    if (u) {
        u->address = address;
        u->size = size;
        dpk_object_hold(u->dpa = c.dpa);
        if (!(*umem = dpk_object_enter(u, &umem_kind)))
            result = DOCA_ERROR_NO_MEMORY;
    }
    dpk_dpa_end(&c);
    if (result == DOCA_ERROR_INVALID_VALUE)
        dpk_doca_because(result, "0x%llx, %zu bytes, is not memory of the DPA",
                         (unsigned long long)address, size);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t doca_umem_destroy(struct doca_umem *umem)
{
    return dpk_doca_destroy(umem, &umem_kind, __func__);
}

bool dpk_umem_has(const struct doca_umem *umem, const struct dpk_dpa *base, uint64_t offset,
                  uint64_t size)
{
    struct umem *u = dpk_object_pin(umem, &umem_kind);
    const bool has = u && u->dpa && dpk_dpa_base(u->dpa) == base && offset <= u->size &&
                     size <= u->size - offset;
    dpk_object_drop(u);
    return has;
}

bool dpk_umem_find(const struct doca_umem *umem, uint64_t offset, uint64_t size,
                   struct dpk_umem_place *out)
{
    struct umem *u = dpk_object_pin(umem, &umem_kind);
    const bool has = u && !u->dpa && offset <= u->size && size <= u->size - offset;
    if (has)
        *out = (struct dpk_umem_place){.address = u->address + offset,
                                       .bytes = (uint8_t *)dpk_gpu_bus(dpk_pointer(u->address)) +
                                                offset};
    dpk_object_drop(u);
    return has;
}

struct dpk_dpa *dpk_umem_base(const struct doca_umem *umem)
{
    struct umem *u = dpk_object_pin(umem, &umem_kind);
    struct dpk_dpa *base = u && u->dpa ? dpk_dpa_base(u->dpa) : NULL;
    if (base)
        dpk_object_hold(base);
    dpk_object_drop(u);
    return base;
}

doca_error_t doca_umem_get_address(const struct doca_umem *umem, void **address)
{
    struct umem *u = address ? dpk_object_pin(umem, &umem_kind) : NULL;
    if (u)
        *address = dpk_pointer(u->address);
    dpk_object_drop(u);
    return dpk_doca_end(umem, __func__, u ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_umem_get_size(const struct doca_umem *umem, uint32_t *size)
{
    struct umem *u = size ? dpk_object_pin(umem, &umem_kind) : NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (u)
        result = u->size > UINT32_MAX
                     ? dpk_doca_because(DOCA_ERROR_TOO_BIG, "the size exceeds 32 bits")
                     : DOCA_SUCCESS;
    if (result == DOCA_SUCCESS)
        *size = (uint32_t)u->size;
    dpk_object_drop(u);
    return dpk_doca_end(umem, __func__, result);
}

doca_error_t doca_umem_get_id(const struct doca_umem *umem, uint32_t *umem_id)
{
    struct umem *u = umem_id ? dpk_object_pin(umem, &umem_kind) : NULL;
    if (u)
        *umem_id = u->devx ? u->devx->umem_id : 0;
    dpk_object_drop(u);
    return dpk_doca_end(umem, __func__, u ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

/* ---- UARs ---- */

static void uar_left(void *object)
{
    struct uar *u = object;
    if (u->devx)
        dpk_emulated_11.devx_free_uar(u->devx);
}

static void uar_release(void *object)
{
    struct uar *u = object;
    dpk_object_drop(u->dev);
    free(u);
}
static const struct dpk_kind uar_kind = {.left = uar_left, .release = uar_release};

static doca_error_t uar_new(struct dpk_dev *d, uint32_t type, bool of_dpa, struct doca_uar **uar)
{
    struct uar *u = calloc(1, sizeof *u);
    if (!u)
        return DOCA_ERROR_NO_MEMORY;
    u->of_dpa = of_dpa;
    dpk_object_hold(u->dev = d);
    if (!(u->devx = dpk_emulated_11.devx_alloc_uar(d->context, type))) {
        uar_left(u);
        uar_release(u);
        return DOCA_ERROR_NO_MEMORY;
    }
    *uar = dpk_object_enter(u, &uar_kind);
    return *uar ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_uar_create(const struct doca_dev *dev,
                             enum doca_uar_allocation_type allocation_type, struct doca_uar **uar)
{
    if (uar)
        *uar = NULL;
    if (!uar || allocation_type < DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME ||
        allocation_type > DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED)
        return dpk_doca_end(dev, __func__, DOCA_ERROR_INVALID_VALUE);
    const uint32_t type = allocation_type == DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME
                              ? MLX5DV_UAR_ALLOC_TYPE_BF
                              : MLX5DV_UAR_ALLOC_TYPE_NC;
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    const doca_error_t result = d ? uar_new(d, type, false, uar) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar)
{
    if (uar)
        *uar = NULL;
    struct dpk_dpa *d = uar ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    const doca_error_t result =
        d ? uar_new(d->dev, MLX5DV_UAR_ALLOC_TYPE_NC, true, uar) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(d);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t doca_uar_destroy(struct doca_uar *uar)
{
    return dpk_doca_destroy(uar, &uar_kind, __func__);
}

bool dpk_is_uar(const struct doca_uar *uar)
{
    struct uar *u = dpk_object_pin(uar, &uar_kind);
    dpk_object_drop(u);
    return u != NULL;
}

void *dpk_uar_use(const struct doca_uar *uar, void **reg)
{
    struct uar *u = dpk_object_pin(uar, &uar_kind);
    const bool fits = u && !u->of_dpa;
    if (fits) {
        dpk_object_use(u);
        *reg = u->devx->reg_addr;
    }
    dpk_object_drop(u);
    return fits ? u : NULL;
}

doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id)
{
    struct uar *u = id ? dpk_object_pin(uar, &uar_kind) : NULL;
    if (u)
        *id = u->devx->page_id;
    dpk_object_drop(u);
    return dpk_doca_end(uar, __func__, u ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

/* Gets the address of a UAR's page, or of its register. */
static doca_error_t uar_address(const struct doca_uar *uar, bool reg, void **out)
{
    struct uar *u = out ? dpk_object_pin(uar, &uar_kind) : NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (u)
        result = u->of_dpa ? dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                              "the host does not reach a UAR of the DPA")
                           : DOCA_SUCCESS;
    if (result == DOCA_SUCCESS)
        *out = reg ? u->devx->reg_addr : u->devx->base_addr;
    dpk_object_drop(u);
    return result;
}

doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page)
{
    return dpk_doca_end(uar, __func__, uar_address(uar, false, page));
}

doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg)
{
    return dpk_doca_end(uar, __func__, uar_address(uar, true, reg));
}

doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id)
{
    struct dpk_dpa *d = uar_id ? dpk_object_lock(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return dpk_doca_end(dpa, __func__, DOCA_ERROR_INVALID_VALUE);
    d->free_uar = dpk_emulated_11.devx_free_uar;
    if (!d->uar && !d->object.gone)
        d->uar = dpk_emulated_11.devx_alloc_uar(d->dev->context, MLX5DV_UAR_ALLOC_TYPE_NC);
    if (d->uar)
        *uar_id = d->uar->page_id;
    return dpk_doca_end(dpa, __func__,
                        dpk_object_unlock(d, d->uar ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY));
}
