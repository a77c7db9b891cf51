/* Buffers, and inventories of buffers. */
#include <doca_buf_inventory.h>

#include "buf.h"

pthread_mutex_t dpk_bufs_lock = PTHREAD_MUTEX_INITIALIZER;

static void inventory_release(void *object)
{
    free(object);
}
static const struct dpk_kind inventory_kind = {.release = inventory_release};

static void give_back(struct dpk_buf_source *s, uint64_t head)
{
    pthread_mutex_lock(&s->object.lock);
    s->taken--;
    if (s->free_ones)
        s->free_ones[s->count - s->taken - 1] = head;
    pthread_mutex_unlock(&s->object.lock);
    dpk_object_end_use(s);
}

static void buf_left(void *object)
{
    struct dpk_doca_buf *b = object;
    give_back(b->source, b->head);
    if (b->uses_mmap)
        dpk_object_end_use(b->mmap);
}

static void buf_release(void *object)
{
    struct dpk_doca_buf *b = object;
    dpk_object_drop(b->mmap);
    dpk_object_drop(b->source);
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
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    struct dpk_buf_source *v = calloc(1, sizeof *v);
    if (!v)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_NO_MEMORY);
    v->count = num_elements;
    *buf_inventory = dpk_object_enter(v, &inventory_kind);
    return dpk_doca_end(NULL, __func__, *buf_inventory ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
    return dpk_doca_destroy(inventory, &inventory_kind, __func__);
}

doca_error_t dpk_buf_source_switch(struct dpk_buf_source *s, bool on,
                                   doca_error_t (*prepare)(struct dpk_buf_source *s))
{
    doca_error_t result = DOCA_SUCCESS;
    if (s && s->started == on)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "it is %s",
                                  on ? "started already" : "not started");
    else if (s && s->taken > 0)
        result = dpk_doca_because(DOCA_ERROR_IN_USE, "%zu of its buffers are held", s->taken);
    else if (s && prepare)
        result = prepare(s);
    if (s && result == DOCA_SUCCESS)
        s->started = on;
    return dpk_object_unlock(s, result);
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
    return dpk_doca_end(
        inventory, __func__,
        dpk_buf_source_switch(dpk_object_lock(inventory, &inventory_kind), true, NULL));
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
    return dpk_doca_end(
        inventory, __func__,
        dpk_buf_source_switch(dpk_object_lock(inventory, &inventory_kind), false, NULL));
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
    struct dpk_buf_source *v = dpk_object_lock(inventory, &inventory_kind);
    doca_error_t result = DOCA_SUCCESS;
    if (v && (num_elements == 0 || num_elements > SIZE_MAX - v->count))
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the number of elements, %u, is 0 or too large", num_elements);
    else if (v)
        v->count += num_elements;
    return dpk_doca_end(inventory, __func__, dpk_object_unlock(v, result));
}

doca_error_t dpk_buf_source_count(struct dpk_buf_source *s, bool free_ones, uint32_t *out)
{
    if (s) {
        const size_t n = s->count - (free_ones ? s->taken : 0);
        *out = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    }
    return dpk_object_unlock(s, DOCA_SUCCESS);
}

static struct dpk_buf_source *lock_if(const struct doca_buf_inventory *inventory, const void *out)
{
    return out ? dpk_object_lock(inventory, &inventory_kind) : NULL;
}

doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements)
{
    return dpk_doca_end(
        inventory, __func__,
        dpk_buf_source_count(lock_if(inventory, num_of_elements), false, num_of_elements));
}

doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements)
{
    return dpk_doca_end(
        inventory, __func__,
        dpk_buf_source_count(lock_if(inventory, num_of_free_elements), true, num_of_free_elements));
}

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data)
{
    struct dpk_buf_source *v = dpk_object_lock(inventory, &inventory_kind);
    if (v)
        v->user_data = user_data;
    return dpk_doca_end(inventory, __func__, dpk_object_unlock(v, DOCA_SUCCESS));
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data)
{
    struct dpk_buf_source *v = lock_if(inventory, user_data);
    if (v)
        *user_data = v->user_data;
    return dpk_doca_end(inventory, __func__, dpk_object_unlock(v, DOCA_SUCCESS));
}

/* ---- Taking buffers ---- */

static bool is_inside(const struct dpk_memory *memory, const struct dpk_buf_place *at)
{
    return at->head >= memory->address && at->len <= memory->size &&
           at->head - memory->address <= memory->size - at->len;
}

/* A map in use cannot be stopped or changed, except a thread-safe map, which gets only a
 * reference. */
static doca_error_t use_map(struct dpk_doca_buf *b, struct dpk_mmap *m,
                            const struct dpk_buf_place *at)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&m->object.lock);
    b->mmap = m;
    b->uses_mmap = !m->thread_safe;
    if (!atomic_load(&m->started) || m->stopping)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map is not started");
    else if (!is_inside(&m->memory, at))
        result = dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE,
            "0x%llx, %llu bytes, is not inside the map, which has 0x%llx, %llu bytes",
            (unsigned long long)at->head, (unsigned long long)at->len,
            (unsigned long long)m->memory.address, (unsigned long long)m->memory.size);
    else if (b->uses_mmap)
        dpk_object_use(m);
    else
        dpk_object_hold(m);
    pthread_mutex_unlock(&m->object.lock);
    return result;
}

/* Takes a buffer from a source, for memory of `m`, and makes a use of the source. If the map
 * refuses, the source's counters do not change. */
static doca_error_t take(struct dpk_buf_source *s, struct dpk_doca_buf *b, struct dpk_mmap *m,
                         struct dpk_buf_place *at)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&s->object.lock);
    if (!s->started) {
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                  "the inventory or pool of the buffer is not started");
    } else if (s->taken == s->count) {
        result = dpk_doca_because(s->free_ones ? DOCA_ERROR_EMPTY : DOCA_ERROR_NO_MEMORY,
                                  "all %zu buffers are held", s->count);
    } else {
        if (s->free_ones)
            at->head = at->data = s->free_ones[s->count - s->taken - 1];
        result = use_map(b, m, at);
    }
    if (result == DOCA_SUCCESS) {
        s->taken++;
        dpk_object_use(s);
    }
    pthread_mutex_unlock(&s->object.lock);
    return result;
}

doca_error_t dpk_buf_new(struct dpk_buf_source *source, struct dpk_mmap *m,
                         struct dpk_buf_place place, struct doca_buf **buf)
{
    struct dpk_doca_buf *b = calloc(1, sizeof *b);
    *buf = NULL;
    if (!b)
        return DOCA_ERROR_NO_MEMORY;
    doca_error_t result = take(source, b, m, &place);
    if (result != DOCA_SUCCESS) {
        free(b);
        return result;
    }
    b->source = source;
    b->holders = 1;
    b->head = place.head;
    b->len = place.len;
    b->data = place.data;
    b->data_len = place.data_len;
    *buf = dpk_object_enter(b, &dpk_buf_kind);
    return *buf ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t buf_get(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
                            struct dpk_buf_place place, struct doca_buf **buf)
{
    const uint64_t before = place.data - place.head; /* if data is before head, this exceeds len */
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (buf)
        *buf = NULL;
    struct dpk_buf_source *v = dpk_object_pin(inventory, &inventory_kind);
    struct dpk_mmap *m = dpk_object_pin(mmap, &dpk_mmap_kind);
    const bool inside = before <= place.len && place.data_len <= place.len - before;
    if (v && m && buf && inside)
        result = dpk_buf_new(v, m, place, buf);
    else if (!inside)
        dpk_doca_because(result,
                         "the data, 0x%llx, %llu bytes, is not inside the buffer, 0x%llx, %llu "
                         "bytes",
                         (unsigned long long)place.data, (unsigned long long)place.data_len,
                         (unsigned long long)place.head, (unsigned long long)place.len);
    dpk_object_drop(m);
    dpk_object_drop(v);
    return result;
}

doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                struct doca_buf **buf)
{
    return dpk_doca_end(inventory, __func__,
                        buf_get(inventory, mmap,
                                (struct dpk_buf_place){(uintptr_t)addr, len, (uintptr_t)addr, 0},
                                buf));
}

doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *data, size_t data_len,
                                                struct doca_buf **buf)
{
    return dpk_doca_end(
        inventory, __func__,
        buf_get(inventory, mmap,
                (struct dpk_buf_place){(uintptr_t)data, data_len, (uintptr_t)data, data_len}, buf));
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf)
{
    return dpk_doca_end(
        inventory, __func__,
        buf_get(inventory, mmap,
                (struct dpk_buf_place){(uintptr_t)addr, len, (uintptr_t)data, data_len}, buf));
}

static doca_error_t not_first(doca_error_t result)
{
    return dpk_doca_because(result, "the buffer is not the first of its list");
}

/* Copies a list, buffer by buffer. *copy is the copied part, also on failure. Call this with the
 * lock of all buffers. */
static doca_error_t dup_list(struct dpk_buf_source *v, const struct dpk_doca_buf *list,
                             struct doca_buf **copy)
{
    struct dpk_doca_buf *last = NULL;
    doca_error_t result = DOCA_SUCCESS;
    for (const struct dpk_doca_buf *each = list; each && result == DOCA_SUCCESS;
         each = each->next) {
        struct doca_buf *one;
        const struct dpk_buf_place at = {each->head, each->len, each->data, each->data_len};
        if ((result = dpk_buf_new(v, each->mmap, at, &one)) != DOCA_SUCCESS)
            break;
        struct dpk_doca_buf *b = dpk_object_pin(one, &dpk_buf_kind);
        if (last)
            last->next = b;
        else
            *copy = one;
        b->chained = last != NULL;
        last = b;
        dpk_object_drop(b); /* no other thread has its handle yet */
    }
    return result;
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
    struct doca_buf *copy = NULL;
    struct dpk_buf_source *v = dst_buf ? dpk_object_pin(inventory, &inventory_kind) : NULL;
    struct dpk_doca_buf *b = v ? dpk_buf_begin(src_buf) : NULL;
    doca_error_t result = dpk_buf_end(b, !b           ? DOCA_ERROR_INVALID_VALUE
                                         : b->chained ? not_first(DOCA_ERROR_NOT_PERMITTED)
                                                      : dup_list(v, b, &copy));
    if (result != DOCA_SUCCESS && copy) {
        (void)dpk_doca_inner(doca_buf_dec_refcount(copy, NULL));
        copy = NULL;
    }
    if (dst_buf)
        *dst_buf = copy;
    dpk_object_drop(v);
    return dpk_doca_end(inventory, __func__, result);
}

/* ---- References ---- */

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
        result = dpk_doca_because(DOCA_ERROR_TOO_BIG, "the buffer has %u references already",
                                  b->holders);
    else if (b)
        b->holders++;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, result));
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    struct dpk_doca_buf *gone = NULL;
    if (b && refcount)
        *refcount = b->holders;
    if (b && b->chained)
        return dpk_doca_end(
            buf, __func__,
            dpk_buf_end(b, not_first(DOCA_ERROR_INVALID_VALUE))); /* the first frees it */
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
    return dpk_doca_end(buf, __func__, result);
}

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
    struct dpk_doca_buf *b = refcount ? dpk_buf_begin(buf) : NULL;
    if (b)
        *refcount = b->holders;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

/* ---- Data ---- */

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
    struct dpk_doca_buf *b = head ? dpk_buf_begin(buf) : NULL;
    if (b)
        *head = dpk_pointer(b->head);
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
    struct dpk_doca_buf *b = len ? dpk_buf_begin(buf) : NULL;
    if (b)
        *len = (size_t)b->len;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
    struct dpk_doca_buf *b = data ? dpk_buf_begin(buf) : NULL;
    if (b)
        *data = dpk_pointer(b->data);
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
    struct dpk_doca_buf *b = data_len ? dpk_buf_begin(buf) : NULL;
    if (b)
        *data_len = (size_t)b->data_len;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    doca_error_t result = DOCA_SUCCESS;
    uint64_t at = (uintptr_t)data;
    if (b && (at < b->head || data_len > b->len || at - b->head > b->len - data_len)) {
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the data, %p, %zu bytes, is not inside the buffer, 0x%llx, %llu "
                                  "bytes",
                                  data, data_len, (unsigned long long)b->head,
                                  (unsigned long long)b->len);
    } else if (b) {
        b->data = at;
        b->data_len = data_len;
    }
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, result));
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    doca_error_t result = DOCA_SUCCESS;
    if (b && data_len > b->len - (b->data - b->head))
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                             "%zu bytes do not fit: the buffer has %llu bytes from its data on",
                             data_len, (unsigned long long)(b->len - (b->data - b->head)));
    else if (b)
        b->data_len = data_len;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, result));
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    if (b)
        b->data_len = 0;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

/* A name of DOCA 2.2, which its headers declare. */
doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey);
doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey)
{
    struct dpk_doca_buf *b = dev && mkey ? dpk_buf_begin(buf) : NULL;
    struct doca_mmap *mmap = b ? b->mmap->object.handle : NULL;
    const doca_error_t result = dpk_buf_end(b, DOCA_SUCCESS);
    return result == DOCA_SUCCESS ? dpk_mmap_key(mmap, dev, mkey) : dpk_doca_no_object(__func__);
}
