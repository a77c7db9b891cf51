/* Buffers, and the inventories that they come from. */
#include <doca_buf_inventory.h>

#include "buf.h"

pthread_mutex_t dpk_bufs_lock = PTHREAD_MUTEX_INITIALIZER;

struct inventory {
    struct dpk_object object;
    union doca_data user_data;
    size_t count, taken;
    bool started;
};

static void inventory_release(void *object)
{
    free(object);
}
static const struct dpk_kind inventory_kind = {.release = inventory_release};

static void buf_left(void *object)
{
    struct dpk_doca_buf *b = object;
    pthread_mutex_lock(&b->inventory->object.lock);
    b->inventory->taken--;
    pthread_mutex_unlock(&b->inventory->object.lock);
    dpk_object_end_use(b->mmap);
    dpk_object_end_use(b->inventory);
}

static void buf_release(void *object)
{
    struct dpk_doca_buf *b = object;
    dpk_object_drop(b->mmap);
    dpk_object_drop(b->inventory);
    free(b);
}
const struct dpk_kind dpk_buf_kind = {.left = buf_left, .release = buf_release};

/* ---- Inventories ---- */

doca_error_t doca_buf_inventory_create(size_t num_elements,
                                       struct doca_buf_inventory **buf_inventory)
{
    if (buf_inventory)
        *buf_inventory = NULL;
    if (!buf_inventory || num_elements == 0)
        return DOCA_ERROR_INVALID_VALUE;
    struct inventory *v = calloc(1, sizeof *v);
    if (!v)
        return DOCA_ERROR_NO_MEMORY;
    v->count = num_elements;
    *buf_inventory = dpk_object_enter(v, &inventory_kind);
    return *buf_inventory ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
    return dpk_object_destroy(inventory, &inventory_kind);
}

static doca_error_t inventory_switch(struct doca_buf_inventory *inventory, bool on)
{
    struct inventory *v = dpk_object_pin(inventory, &inventory_kind);
    doca_error_t result = DOCA_SUCCESS;
    if (!v)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&v->object.lock);
    if (v->started == on)
        result = DOCA_ERROR_BAD_STATE;
    else if (v->taken > 0)
        result = DOCA_ERROR_IN_USE;
    else
        v->started = on;
    pthread_mutex_unlock(&v->object.lock);
    dpk_object_drop(v);
    return result;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
    return inventory_switch(inventory, true);
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
    return inventory_switch(inventory, false);
}

static doca_error_t inventory_count(struct doca_buf_inventory *inventory, bool free_ones,
                                    uint32_t *out)
{
    struct inventory *v = out ? dpk_object_pin(inventory, &inventory_kind) : NULL;
    if (!v)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&v->object.lock);
    size_t n = v->count - (free_ones ? v->taken : 0);
    pthread_mutex_unlock(&v->object.lock);
    *out = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    dpk_object_drop(v);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements)
{
    return inventory_count(inventory, false, num_of_elements);
}

doca_error_t doca_buf_inventory_get_num_free_elements(struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements)
{
    return inventory_count(inventory, true, num_of_free_elements);
}

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data)
{
    struct inventory *v = dpk_object_pin(inventory, &inventory_kind);
    if (!v)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&v->object.lock);
    v->user_data = user_data;
    pthread_mutex_unlock(&v->object.lock);
    dpk_object_drop(v);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data)
{
    struct inventory *v = user_data ? dpk_object_pin(inventory, &inventory_kind) : NULL;
    if (!v)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&v->object.lock);
    *user_data = v->user_data;
    pthread_mutex_unlock(&v->object.lock);
    dpk_object_drop(v);
    return DOCA_SUCCESS;
}

/* ---- Taking buffers ---- */

/* A map that is used does not stop, nor change. False: it does just now. */
static bool use_map(struct dpk_mmap *m)
{
    pthread_mutex_lock(&m->object.lock);
    bool good = atomic_load(&m->started) && !m->stopping;
    if (good)
        dpk_object_use(m);
    pthread_mutex_unlock(&m->object.lock);
    return good;
}

static doca_error_t take(struct inventory *v, const struct dpk_memory *memory, uint64_t address,
                         uint64_t size)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&v->object.lock);
    if (!v->started)
        result = DOCA_ERROR_BAD_STATE;
    else if (address < memory->address || size > memory->size ||
             address - memory->address > memory->size - size)
        result = DOCA_ERROR_INVALID_VALUE;
    else if (v->taken == v->count)
        result = DOCA_ERROR_FULL;
    else
        v->taken++;
    pthread_mutex_unlock(&v->object.lock);
    return result;
}

static doca_error_t buf_get(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
                            void *address, size_t size, void *data, size_t data_len,
                            struct doca_buf **buf)
{
    const uint64_t before = (uintptr_t)data - (uintptr_t)address; /* more than size: before it */
    if (buf)
        *buf = NULL;
    struct inventory *v = dpk_object_pin(inventory, &inventory_kind);
    struct dpk_mmap *m = dpk_object_pin(mmap, &dpk_mmap_kind);
    struct dpk_doca_buf *b = NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (!v || !m || !buf || before > size || data_len > size - before)
        goto out;
    if (!(b = calloc(1, sizeof *b))) {
        result = DOCA_ERROR_NO_MEMORY;
        goto out;
    }
    if (!use_map(m)) {
        result = DOCA_ERROR_BAD_STATE;
        goto out;
    }
    if ((result = take(v, &m->memory, (uintptr_t)address, size)) != DOCA_SUCCESS) {
        dpk_object_unuse(m);
        goto out;
    }
    dpk_object_use(v);
    *b = (struct dpk_doca_buf){.inventory = v, .mmap = m, .holders = 1};
    b->head = (uintptr_t)address;
    b->len = size;
    b->data = (uintptr_t)data;
    b->data_len = data_len;
    *buf = dpk_object_enter(b, &dpk_buf_kind);
    b = NULL;
    result = *buf ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
out:
    free(b);
    dpk_object_drop(m);
    dpk_object_drop(v);
    return result;
}

doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                struct doca_buf **buf)
{
    return buf_get(inventory, mmap, addr, len, addr, 0, buf);
}

doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *data, size_t data_len,
                                                struct doca_buf **buf)
{
    return buf_get(inventory, mmap, data, data_len, data, data_len, buf);
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf)
{
    return buf_get(inventory, mmap, addr, len, data, data_len, buf);
}

/* ---- Holding and giving back ---- */

struct dpk_doca_buf *dpk_buf_begin(const struct doca_buf *buf)
{
    struct dpk_doca_buf *b = dpk_object_pin(buf, &dpk_buf_kind);
    if (!b)
        return NULL;
    pthread_mutex_lock(&dpk_bufs_lock);
    if (b->holders > 0)
        return b;
    pthread_mutex_unlock(&dpk_bufs_lock);
    dpk_object_drop(b);
    return NULL;
}

doca_error_t dpk_buf_end(struct dpk_doca_buf *b, doca_error_t result)
{
    if (!b)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&dpk_bufs_lock);
    dpk_object_drop(b);
    return result;
}

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    doca_error_t result = DOCA_SUCCESS;
    if (b && refcount)
        *refcount = b->holders;
    if (b && b->holders == UINT16_MAX)
        result = DOCA_ERROR_TOO_BIG;
    else if (b)
        b->holders++;
    return dpk_buf_end(b, result);
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    struct dpk_doca_buf *gone = NULL;
    if (b && refcount)
        *refcount = b->holders;
    if (b && b->chained)
        return dpk_buf_end(b, DOCA_ERROR_INVALID_VALUE); /* it goes with the first of its list */
    if (b && --b->holders == 0)
        gone = b;
    for (struct dpk_doca_buf *each = gone; each; each = each->next) {
        each->holders = 0;
        dpk_object_hold(each);
    }
    doca_error_t result = dpk_buf_end(b, DOCA_SUCCESS);
    while (gone) {
        struct dpk_doca_buf *next = gone->next;
        dpk_object_destroy(gone->object.handle, &dpk_buf_kind);
        dpk_object_drop(gone);
        gone = next;
    }
    return result;
}

doca_error_t doca_buf_get_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    struct dpk_doca_buf *b = refcount ? dpk_buf_begin(buf) : NULL;
    if (b)
        *refcount = b->holders;
    return dpk_buf_end(b, DOCA_SUCCESS);
}

/* ---- Where the data is ---- */

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
    struct dpk_doca_buf *b = head ? dpk_buf_begin(buf) : NULL;
    if (b)
        *head = dpk_pointer(b->head);
    return dpk_buf_end(b, DOCA_SUCCESS);
}

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
    struct dpk_doca_buf *b = len ? dpk_buf_begin(buf) : NULL;
    if (b)
        *len = (size_t)b->len;
    return dpk_buf_end(b, DOCA_SUCCESS);
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
    struct dpk_doca_buf *b = data ? dpk_buf_begin(buf) : NULL;
    if (b)
        *data = dpk_pointer(b->data);
    return dpk_buf_end(b, DOCA_SUCCESS);
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
    struct dpk_doca_buf *b = data_len ? dpk_buf_begin(buf) : NULL;
    if (b)
        *data_len = (size_t)b->data_len;
    return dpk_buf_end(b, DOCA_SUCCESS);
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    doca_error_t result = DOCA_SUCCESS;
    uint64_t at = (uintptr_t)data;
    if (b && (at < b->head || data_len > b->len || at - b->head > b->len - data_len)) {
        result = DOCA_ERROR_INVALID_VALUE;
    } else if (b) {
        b->data = at;
        b->data_len = data_len;
    }
    return dpk_buf_end(b, result);
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    doca_error_t result = DOCA_SUCCESS;
    if (b && data_len > b->len - (b->data - b->head))
        result = DOCA_ERROR_INVALID_VALUE;
    else if (b)
        b->data_len = data_len;
    return dpk_buf_end(b, result);
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    if (b)
        b->data_len = 0;
    return dpk_buf_end(b, DOCA_SUCCESS);
}
