/* Pools of buffers: memory of a map in pieces of one size. Each piece is free or has a buffer. */
#include <doca_buf_pool.h>

#include "buf.h"

struct pool {
    struct dpk_buf_source source;
    struct dpk_mmap *mmap; /* a reference */
    uint64_t offset, size; /* range in the map; size 0: the whole map */
    size_t element_size, alignment;
};

static void pool_release(void *object)
{
    struct pool *p = object;
    dpk_object_drop(p->mmap);
    free(p->source.free_ones);
    free(p);
}
static const struct dpk_kind pool_kind = {.release = pool_release};

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool)
{
    if (buf_pool)
        *buf_pool = NULL;
    struct dpk_mmap *m = dpk_object_pin(mmap, &dpk_mmap_kind);
    const bool good = buf_pool && m && num_elements > 0 && element_size > 0;
    struct pool *p = good ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        dpk_object_drop(m);
        return dpk_doca_end(mmap, __func__, good ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_INVALID_VALUE);
    }
    p->source.count = num_elements;
    p->mmap = m;
    p->element_size = element_size;
    p->alignment = 1;
    *buf_pool = dpk_object_enter(p, &pool_kind);
    return dpk_doca_end(mmap, __func__, *buf_pool ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
    return dpk_doca_destroy(buf_pool, &pool_kind, __func__);
}

/* Returns the bytes up to the next multiple of the alignment. */
static uint64_t padding(const struct pool *p, uint64_t n)
{
    return -n & (p->alignment - 1);
}

/* Finds the places of pieces. Errors: INITIALIZATION if the memory is too small. */
static doca_error_t lay_out(struct pool *p, const struct dpk_memory *memory)
{
    const uint64_t before = padding(p, memory->address), size = p->element_size;
    const uint64_t between = padding(p, size);
    if (before > memory->size || size > memory->size - before || between > UINT64_MAX - size ||
        p->source.count - 1 > (memory->size - before - size) / (size + between))
        return dpk_doca_because(DOCA_ERROR_INITIALIZATION,
                                "the map's %llu bytes are too few for %zu buffers of %zu bytes, "
                                "aligned to %zu",
                                (unsigned long long)memory->size, p->source.count, p->element_size,
                                p->alignment);
    uint64_t *list = reallocarray(p->source.free_ones, p->source.count, sizeof *list);
    if (!list)
        return DOCA_ERROR_NO_MEMORY;
    p->source.free_ones = list;
    for (size_t i = 0; i < p->source.count; i++) /* the first piece is taken first */
        list[p->source.count - 1 - i] = memory->address + before + i * (size + between);
    return DOCA_SUCCESS;
}

static doca_error_t prepare(struct dpk_buf_source *source)
{
    struct pool *p = (struct pool *)source;
    pthread_mutex_lock(&p->mmap->object.lock);
    const bool good = atomic_load(&p->mmap->started) && !p->mmap->stopping;
    struct dpk_memory memory = p->mmap->memory;
    pthread_mutex_unlock(&p->mmap->object.lock);
    if (!good)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map of the pool is not started");
    if (p->offset > memory.size || p->size > memory.size - p->offset)
        return dpk_doca_because(DOCA_ERROR_INITIALIZATION,
                                "the part of the map is outside of its %llu bytes",
                                (unsigned long long)memory.size);
    memory.address += p->offset;
    memory.size = p->size ? p->size : memory.size - p->offset;
    return lay_out(p, &memory);
}

doca_error_t dpk_buf_pool_set_stretch(struct doca_buf_pool *buf_pool, uint64_t offset,
                                      uint64_t size)
{
    struct pool *p = dpk_object_lock(buf_pool, &pool_kind);
    if (p) {
        p->offset = offset;
        p->size = size;
    }
    return dpk_object_unlock(p, DOCA_SUCCESS);
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
    return dpk_doca_end(
        buf_pool, __func__,
        dpk_buf_source_switch(dpk_object_lock(buf_pool, &pool_kind), true, prepare));
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
    return dpk_doca_end(buf_pool, __func__,
                        dpk_buf_source_switch(dpk_object_lock(buf_pool, &pool_kind), false, NULL));
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct pool *p = dpk_object_pin(buf_pool, &pool_kind);
    if (buf)
        *buf = NULL;
    if (p && buf)
        result =
            dpk_buf_new(&p->source, p->mmap, (struct dpk_buf_place){.len = p->element_size}, buf);
    dpk_object_drop(p);
    return dpk_doca_end(buf_pool, __func__, result);
}

/* ---- Properties ---- */

/* Returns the pool, locked. *result is an error if it cannot be changed now. */
static struct pool *begin_change(struct doca_buf_pool *buf_pool, doca_error_t *result)
{
    struct pool *p = dpk_object_lock(buf_pool, &pool_kind);
    *result = !p ? DOCA_ERROR_INVALID_VALUE
              : p->source.started
                  ? dpk_doca_because(DOCA_ERROR_BAD_STATE, "the pool is started, and must not be")
                  : DOCA_SUCCESS;
    return p;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data)
{
    doca_error_t result;
    struct pool *p = begin_change(buf_pool, &result);
    if (result == DOCA_SUCCESS)
        p->source.user_data = user_data;
    return dpk_doca_end(buf_pool, __func__, dpk_object_unlock(p, result));
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment)
{
    doca_error_t result;
    struct pool *p = begin_change(buf_pool, &result);
    if (element_alignment == 0 || (element_alignment & (element_alignment - 1)) != 0)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the alignment, %zu, is not a power of 2", element_alignment);
    if (result == DOCA_SUCCESS)
        p->alignment = element_alignment;
    return dpk_doca_end(buf_pool, __func__, dpk_object_unlock(p, result));
}

static struct pool *lock_if(const struct doca_buf_pool *buf_pool, const void *out)
{
    return out ? dpk_object_lock(buf_pool, &pool_kind) : NULL;
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements)
{
    struct pool *p = lock_if(buf_pool, num_of_elements);
    return dpk_doca_end(buf_pool, __func__,
                        dpk_buf_source_count(p ? &p->source : NULL, false, num_of_elements));
}

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements)
{
    struct pool *p = lock_if(buf_pool, num_of_free_elements);
    return dpk_doca_end(buf_pool, __func__,
                        dpk_buf_source_count(p ? &p->source : NULL, true, num_of_free_elements));
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data)
{
    struct pool *p = lock_if(buf_pool, user_data);
    if (p)
        *user_data = p->source.user_data;
    return dpk_doca_end(buf_pool, __func__, dpk_object_unlock(p, DOCA_SUCCESS));
}

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment)
{
    struct pool *p = lock_if(buf_pool, element_alignment);
    if (p)
        *element_alignment = p->alignment;
    return dpk_doca_end(buf_pool, __func__, dpk_object_unlock(p, DOCA_SUCCESS));
}
