/* Commands: tasks of a worker, with memory for the payload and for the plugin's answer. */
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "private.h"

#define USER_DATA 256u

struct urom_command {
    struct dpk_task task;
    struct urom_command *next;
    uint64_t cookie, plugin;
    doca_urom_worker_cmd_task_completion_cb_t cb;
    doca_error_t status;
    uint32_t slot;
    bool has_slot;
    struct doca_buf *payload, *response;
    _Alignas(16) uint8_t user_data[USER_DATA];
};

/* ---- Memory ---- */

static size_t memory_size(const struct urom_worker *w)
{
    return (size_t)w->slot_count * 2 * w->max_size;
}

static uint8_t *place_of(const struct urom_worker *w, const struct urom_command *c, bool response)
{
    return w->memory + ((size_t)c->slot * 2 + response) * w->max_size;
}

static doca_error_t map_memory(struct urom_worker *w)
{
    doca_error_t result = doca_mmap_create(&w->map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(w->map, w->service->dev->object.handle);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(w->map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(w->map, w->memory, memory_size(w));
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(w->map);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(w->slot_count * 2, &w->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(w->inventory);
    return result;
}

doca_error_t urom_commands_begin(struct urom_worker *w)
{
    w->slot_count = w->commands.max;
    w->taken = calloc(w->slot_count, sizeof *w->taken);
    w->memory = w->taken ? mmap(NULL, memory_size(w), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                         : MAP_FAILED;
    if (w->memory == MAP_FAILED)
        w->memory = NULL;
    const doca_error_t result = w->memory ? map_memory(w) : DOCA_ERROR_NO_MEMORY;
    if (result != DOCA_SUCCESS)
        urom_commands_end(w);
    return result;
}

void urom_commands_end(struct urom_worker *w)
{
    if (w->inventory)
        doca_buf_inventory_destroy(w->inventory);
    if (w->map)
        doca_mmap_destroy(w->map);
    if (w->memory)
        munmap(w->memory, memory_size(w));
    free(w->taken);
    w->inventory = NULL;
    w->map = NULL;
    w->memory = NULL;
    w->taken = NULL;
}

/* ---- The way of a command ---- */

static doca_error_t command_take(struct dpk_task *task, bool flush)
{
    (void)flush; /* commands are sent at once, without a flush */
    static atomic_ullong cookies;
    struct urom_worker *w = (struct urom_worker *)task->ctx;
    struct urom_command *c = (struct urom_command *)task;
    void *data;
    size_t size;
    if (w->lost)
        return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "urom: the worker has ended");
    if (c->plugin == 0 || (c->plugin & (c->plugin - 1)) || !(c->plugin & w->plugins))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "urom: the worker has no plugin 0x%llx",
                                (unsigned long long)c->plugin);
    if (doca_buf_get_data(c->payload, &data) != DOCA_SUCCESS ||
        doca_buf_get_data_len(c->payload, &size) != DOCA_SUCCESS || size > w->max_size)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "urom: the command has no payload");
    c->cookie = atomic_fetch_add(&cookies, 1) + 1;
    struct dpk_buf *b = dpk_urom_begin(&w->channel, DPK_UROM_COMMAND);
    dpk_put_le64(b, c->plugin);
    dpk_put_le64(b, c->cookie);
    dpk_put(b, data, size);
    if (!dpk_urom_end(&w->channel))
        return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED,
                                "urom: the worker has ended, or takes no more commands");
    memset(place_of(w, c, true), 0, w->max_size < 4096 ? w->max_size : 4096);
    doca_buf_set_data(c->response, place_of(w, c, true), 0);
    c->next = w->first;
    w->first = c;
    return DOCA_SUCCESS;
}

static void end_command(struct urom_worker *w, struct urom_command *c, doca_error_t status)
{
    c->status = status;
    c->next = w->ended;
    w->ended = c;
}

bool urom_command_answered(struct urom_worker *w, struct dpk_reader *body)
{
    const uint64_t plugin = dpk_read_le64(body), cookie = dpk_read_le64(body);
    const doca_error_t status = (doca_error_t)dpk_read_le32(body);
    const size_t size = dpk_reader_left(body);
    struct urom_command **at = &w->first;
    while (*at && (*at)->cookie != cookie)
        at = &(*at)->next;
    struct urom_command *c = *at;
    if (body->failed || !c || c->plugin != plugin || size > w->max_size)
        return false;
    *at = c->next;
    uint8_t *const place = place_of(w, c, true);
    const uint8_t *bytes = dpk_read_bytes(body, size);
    if (bytes)
        memcpy(place, bytes, size);
    doca_buf_set_data(c->response, place, size);
    end_command(w, c, status);
    return true;
}

void urom_commands_fail(struct urom_worker *w, doca_error_t status)
{
    for (struct urom_command *c; (c = w->first);) {
        w->first = c->next;
        end_command(w, c, status);
    }
}

bool urom_commands_tell(struct urom_worker *w)
{
    pthread_mutex_lock(&w->ctx.object.lock);
    struct urom_command **at = &w->ended, *c;
    while (*at && (*at)->next) /* the list is newest first */
        at = &(*at)->next;
    c = *at;
    *at = NULL;
    pthread_mutex_unlock(&w->ctx.object.lock);
    if (c)
        dpk_task_end(&c->task, c->status);
    return c != NULL;
}

/* The worker's lock is not held. */
static void command_release(struct dpk_task *task)
{
    struct urom_worker *w = (struct urom_worker *)task->ctx;
    struct urom_command *c = (struct urom_command *)task;
    if (c->payload)
        doca_buf_dec_refcount(c->payload, NULL);
    if (c->response)
        doca_buf_dec_refcount(c->response, NULL);
    pthread_mutex_lock(&w->ctx.object.lock);
    if (c->has_slot && w->taken)
        w->taken[c->slot] = false;
    pthread_mutex_unlock(&w->ctx.object.lock);
}

static void command_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    struct urom_command *c = (struct urom_command *)dpk_task_pin(task, &urom_command_type);
    (void)callback;
    doca_urom_worker_cmd_task_completion_cb_t cb = c ? c->cb : NULL;
    dpk_object_drop(c);
    if (cb)
        cb(task, task_data, ctx_data);
}

const struct dpk_task_type urom_command_type = {.size = sizeof(struct urom_command),
                                                .take = command_take,
                                                .release = command_release,
                                                .tell = command_tell};

/* ---- The public side ---- */

/* Gives a new command its slot and its buffers. */
static doca_error_t equip(struct urom_worker *w, struct urom_command *c)
{
    pthread_mutex_lock(&w->ctx.object.lock);
    while (w->taken && c->slot < w->slot_count && w->taken[c->slot])
        c->slot++;
    c->has_slot = w->taken && c->slot < w->slot_count;
    if (c->has_slot)
        w->taken[c->slot] = true;
    pthread_mutex_unlock(&w->ctx.object.lock);
    if (!c->has_slot)
        return DOCA_ERROR_NO_MEMORY;
    uint8_t *at = place_of(w, c, false);
    doca_error_t result =
        doca_buf_inventory_buf_get_by_data(w->inventory, w->map, at, w->max_size, &c->payload);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(w->inventory, w->map, at + w->max_size,
                                                    w->max_size, &c->response);
    return result;
}

static doca_error_t new_command(const char *call, struct doca_urom_worker *handle, uint64_t plugin,
                                struct doca_urom_worker_cmd_task **task)
{
    if (task)
        *task = NULL;
    struct urom_worker *w = task ? dpk_object_pin(handle, &urom_worker_kind) : NULL;
    if (!w)
        return dpk_doca_no_object(call);
    doca_error_t result;
    struct urom_command *c =
        (struct urom_command *)dpk_task_new(&w->ctx, &w->commands, (union doca_data){0}, &result);
    if (c) {
        c->plugin = plugin;
        result = equip(w, c);
        if (result == DOCA_SUCCESS)
            *task = c->task.object.handle;
        else
            dpk_task_free(&c->task);
    }
    dpk_object_drop(c);
    dpk_doca_end(handle, call, result);
    dpk_object_drop(w);
    return result;
}

doca_error_t doca_urom_worker_cmd_task_allocate(struct doca_urom_worker *worker_ctx,
                                                struct doca_urom_worker_cmd_task **task)
{
    return new_command(__func__, worker_ctx, 0, task);
}

doca_error_t doca_urom_worker_cmd_task_allocate_init(struct doca_urom_worker *worker_ctx,
                                                     uint64_t plugin,
                                                     struct doca_urom_worker_cmd_task **task)
{
    return new_command(__func__, worker_ctx, plugin, task);
}

doca_error_t doca_urom_worker_cmd_task_release(struct doca_urom_worker_cmd_task *task)
{
    struct dpk_task *t = dpk_task_pin(task, &urom_command_type);
    if (!t)
        return dpk_doca_no_object(__func__);
    dpk_task_free(t);
    dpk_object_drop(t);
    return DOCA_SUCCESS;
}

void doca_urom_worker_cmd_task_set_plugin(struct doca_urom_worker_cmd_task *task, uint64_t plugin)
{
    struct urom_command *c = (struct urom_command *)dpk_task_pin(task, &urom_command_type);
    if (c && dpk_task_begin_change(&c->task)) {
        c->plugin = plugin;
        dpk_task_end_change(&c->task);
    }
    dpk_object_drop(c);
}

void doca_urom_worker_cmd_task_set_cb(struct doca_urom_worker_cmd_task *task,
                                      doca_urom_worker_cmd_task_completion_cb_t cb)
{
    struct urom_command *c = (struct urom_command *)dpk_task_pin(task, &urom_command_type);
    if (c && dpk_task_begin_change(&c->task)) {
        c->cb = cb;
        dpk_task_end_change(&c->task);
    }
    dpk_object_drop(c);
}

static struct doca_buf *buffer_of(struct doca_urom_worker_cmd_task *task, bool response)
{
    struct urom_command *c = (struct urom_command *)dpk_task_pin(task, &urom_command_type);
    struct doca_buf *b = !c ? NULL : response ? c->response : c->payload;
    dpk_object_drop(c);
    return b;
}

struct doca_buf *doca_urom_worker_cmd_task_get_payload(struct doca_urom_worker_cmd_task *task)
{
    return buffer_of(task, false);
}

struct doca_buf *doca_urom_worker_cmd_task_get_response(struct doca_urom_worker_cmd_task *task)
{
    return buffer_of(task, true);
}

void *doca_urom_worker_cmd_task_get_user_data(struct doca_urom_worker_cmd_task *task)
{
    struct urom_command *c = (struct urom_command *)dpk_task_pin(task, &urom_command_type);
    void *data = c ? c->user_data : NULL;
    dpk_object_drop(c);
    return data;
}

struct doca_task *doca_urom_worker_cmd_task_as_task(struct doca_urom_worker_cmd_task *task)
{
    return dpk_task_handle(task, &urom_command_type);
}
