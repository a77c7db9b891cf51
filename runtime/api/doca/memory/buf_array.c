/* Arrays of buffers for DPA code and kernels of a GPU: a table of them in the memory of a DPA context, or of the
 * GPU. */
#include <endian.h>
#include <inttypes.h>

#include <doca_buf_array.h>
#include <doca_mmap.h>

#include "guest/abi/doca_calls.h"
#include "memory.h"

#define COUNT_MAX ((size_t)1 << 24)

struct array {
    struct dpk_object object;
    struct doca_mmap *map; /* handles, which are checked at the start; NULL: not set */
    struct doca_dpa *dpa;  /* the target; NULL: not set, or a GPU */
    struct dpk_gpu *gpu;   /* the target: a reference; NULL: not set, or a DPA context */
    size_t count, element_size;
    uint64_t offset;
    /* While it is started: */
    struct dpk_dpa *target; /* a reference */
    uint64_t run, table;    /* run of the context; address of the table, 0: not started there */
    struct doca_gpu_buf_arr *handle; /* the table on the GPU; NULL: not started there */
};

/* ---- Life ---- */

static bool is_started(const struct array *a)
{
    return a->table != 0 || a->handle;
}

/* Call this with the lock held. Returns false if it is not started. */
static bool stop(struct array *a)
{
    struct dpk_error err = {0};
    if (!is_started(a))
        return false;
    if (a->handle) {
        a->gpu->ops->free(a->handle);
        a->handle = NULL;
        return true;
    }
    struct dpk_process *p = dpk_dpa_enter(a->target, a->run);
    if (p) { /* otherwise the context's end freed the memory */
        dpk_heap_free(p, a->table, &err);
        dpk_dpa_leave(a->target);
    }
    dpk_object_drop(a->target);
    a->target = NULL;
    a->table = 0;
    return true;
}

static void array_left(void *object)
{
    struct array *a = object;
    pthread_mutex_lock(&a->object.lock);
    stop(a);
    pthread_mutex_unlock(&a->object.lock);
}

static void array_release(void *object)
{
    struct array *a = object;
    dpk_object_drop(a->gpu);
    free(a);
}
static const struct dpk_kind array_kind = {.left = array_left, .release = array_release};

doca_error_t dpk_buf_array_new(const char *call, struct doca_mmap *mmap, size_t count,
                               struct doca_buf_arr **out)
{
    struct array *a = calloc(1, sizeof *a);
    *out = NULL;
    if (a) {
        a->map = mmap;
        a->count = count;
        *out = dpk_object_enter(a, &array_kind);
    }
    return *out ? DOCA_SUCCESS
                : dpk_doca_refuse_call(NULL, DOCA_ERROR_NO_MEMORY, call, "no memory for the array");
}

/* Reports a number of elements that no array has. */
static doca_error_t refuse_count(const char *call, size_t count)
{
    return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                "%zu elements are not within 1 to %zu", count, COUNT_MAX);
}

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
    if (buf_arr)
        *buf_arr = NULL;
    if (!buf_arr)
        return dpk_doca_no_object(__func__);
    return num_elem > 0 && num_elem <= COUNT_MAX
               ? dpk_buf_array_new(__func__, NULL, num_elem, buf_arr)
               : refuse_count(__func__, num_elem);
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
    return dpk_doca_destroy(buf_arr, &array_kind, __func__);
}

/* ---- Settings ---- */

/* Returns the array, locked. *result is an error if it cannot be changed now. */
static struct array *begin_change(struct doca_buf_arr *buf_arr, doca_error_t *result)
{
    struct array *a = dpk_object_lock(buf_arr, &array_kind);
    *result = a ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (!a)
        return NULL;
    if (a->object.gone)
        *result = DOCA_ERROR_INVALID_VALUE;
    else if (is_started(a))
        *result = DOCA_ERROR_BAD_STATE;
    return a;
}

/* Ends what begin_change began, and reports why it failed. */
static doca_error_t end_change(struct array *a, const char *call, doca_error_t result)
{
    return dpk_doca_unlock(a, call, result, "%s",
                           result == DOCA_ERROR_BAD_STATE ? "the array is started, and must not be"
                                                          : "the array was destroyed");
}

doca_error_t dpk_buf_array_set(const char *call, struct doca_buf_arr *buf_arr,
                               struct doca_mmap *mmap, size_t count, size_t element_size,
                               uint64_t offset)
{
    doca_error_t result;
    if (count > COUNT_MAX)
        return refuse_count(call, count);
    if (element_size == 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "the elements have 0 bytes");
    if (mmap && !dpk_is_mmap(mmap))
        return dpk_doca_no_object(call);
    struct array *a = begin_change(buf_arr, &result);
    if (result == DOCA_SUCCESS) {
        a->map = mmap ? mmap : a->map;
        a->count = count > 0 ? count : a->count;
        a->element_size = element_size;
        a->offset = offset;
    }
    return end_change(a, call, result);
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset)
{
    return mmap ? dpk_buf_array_set(__func__, buf_arr, mmap, 0, elem_size, start_offset)
                : dpk_doca_no_object(__func__);
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa)
{
    doca_error_t result;
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    if (!d)
        return dpk_doca_no_object(__func__);
    struct array *a = begin_change(buf_arr, &result);
    if (result == DOCA_SUCCESS) {
        a->dpa = dpa;
        dpk_object_drop(a->gpu);
        a->gpu = NULL;
    }
    dpk_object_drop(d);
    return end_change(a, __func__, result);
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler)
{
    doca_error_t result;
    struct dpk_gpu *g = dpk_object_pin(gpu_handler, &dpk_gpu_kind);
    if (!g)
        return dpk_doca_no_object(__func__);
    struct array *a = begin_change(buf_arr, &result);
    if (result == DOCA_SUCCESS) {
        a->dpa = NULL;
        dpk_object_drop(a->gpu);
        dpk_object_hold(a->gpu = g);
    }
    dpk_object_drop(g);
    return end_change(a, __func__, result);
}

/* ---- States ---- */

/* Gets the address and the map of the first buffer. */
static doca_error_t find_memory(const struct array *a, struct dpa_doca_buf *first)
{
    void *address = NULL;
    size_t size = 0, end;
    doca_error_t result = dpk_mmap_key(a->map, NULL, &first->mmap);
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_mmap_get_memrange(a->map, &address, &size));
    if (result != DOCA_SUCCESS)
        return dpk_doca_because(result, "the map was destroyed, or is not started");
    if (__builtin_mul_overflow(a->count, a->element_size, &end) || a->offset > size ||
        end > size - a->offset)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "%zu elements of %zu bytes from offset %" PRIu64
                                " do not fit the %zu bytes of the map",
                                a->count, a->element_size, a->offset, size);
    first->address = (uintptr_t)address + a->offset;
    first->length = a->element_size;
    return DOCA_SUCCESS;
}

static doca_error_t write_table(struct array *a, struct dpk_process *p, struct dpa_doca_buf next)
{
    struct dpk_error err = {0};
    struct dpa_doca_buf *table = calloc(a->count, sizeof *table);
    uint64_t at = 0;
    if (!table)
        return dpk_doca_because(DOCA_ERROR_NO_MEMORY, "no memory for the table");
    for (size_t i = 0; i < a->count; i++, next.address += next.length)
        table[i] = next;
    enum dpk_status status = dpk_heap_alloc(p, a->count * sizeof *table, &at, &err);
    if (status == DPK_OK) {
        status = dpk_copy_in(p, at, table, a->count * sizeof *table, &err);
        if (status == DPK_OK)
            a->table = at;
        else
            dpk_heap_free(p, at, &(struct dpk_error){0});
    }
    free(table);
    return status == DPK_OK ? DOCA_SUCCESS
                            : dpk_doca_because(dpk_doca_error(status), "%s", err.message);
}

static doca_error_t start_on_gpu(struct array *a, struct dpa_doca_buf next)
{
    struct doca_gpu_buf_arr *handle =
        a->gpu->ops->alloc(sizeof *handle + a->count * sizeof(struct doca_gpu_buf));
    if (!handle)
        return dpk_doca_because(DOCA_ERROR_NO_MEMORY, "no memory for the table");
    handle->bufs = (struct doca_gpu_buf *)(handle + 1);
    handle->count = a->count;
    for (size_t i = 0; i < a->count; i++, next.address += next.length)
        handle->bufs[i] = (struct doca_gpu_buf){
            .address = next.address, .size = next.length, .mkey = htobe32(next.mmap)};
    a->handle = handle;
    return DOCA_SUCCESS;
}

static doca_error_t start_on_dpa(struct array *a, struct dpa_doca_buf first)
{
    struct dpk_dpa_call c;
    doca_error_t result = dpk_dpa_begin(a->dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_because(result,
                                "the DPA context was destroyed, is not started, or has failed");
    result = write_table(a, c.process, first);
    if (result == DOCA_SUCCESS) {
        dpk_object_hold(a->target = c.dpa);
        a->run = dpk_dpa_base(c.dpa)->run;
    }
    dpk_dpa_end(&c);
    return result;
}

static doca_error_t start(struct array *a)
{
    struct dpa_doca_buf first = {0};
    if (!a->map || a->element_size == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the array has no map: doca_buf_arr_set_params");
    if (!a->dpa && !a->gpu)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "no target: doca_buf_arr_set_target_dpa, or "
                                                       "doca_buf_arr_set_target_gpu");
    const doca_error_t result = find_memory(a, &first);
    if (result != DOCA_SUCCESS)
        return result;
    return a->gpu ? start_on_gpu(a, first) : start_on_dpa(a, first);
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
    doca_error_t result;
    struct array *a = begin_change(buf_arr, &result);
    if (result != DOCA_SUCCESS)
        return end_change(a, __func__, result);
    return dpk_doca_end(buf_arr, __func__, dpk_object_unlock(a, start(a)));
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
    doca_error_t result;
    struct array *a = begin_change(buf_arr, &result);
    if (result != DOCA_ERROR_INVALID_VALUE)
        result = stop(a) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    return dpk_doca_unlock(a, __func__, result, "the array is not started, or was destroyed");
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
    struct array *a = dpa_buf_arr ? dpk_object_pin(buf_arr, &array_kind) : NULL;
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    if (!a)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&a->object.lock);
    if (a->table != 0 && dpk_dpa_enter(a->target, a->run)) {
        *dpa_buf_arr = a->table;
        dpk_dpa_leave(a->target);
        result = DOCA_SUCCESS;
    }
    return dpk_doca_unlock(a, __func__, result,
                           "the array is not started, or its DPA context was stopped");
}

doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr)
{
    if (gpu_buf_arr)
        *gpu_buf_arr = NULL;
    struct array *a = gpu_buf_arr ? dpk_object_lock(buf_arr, &array_kind) : NULL;
    if (a)
        *gpu_buf_arr = a->handle;
    return dpk_doca_unlock(a, __func__, a && a->handle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the array is not started, or its target is not a GPU");
}
