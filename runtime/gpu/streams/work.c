/* Makes the operations that programs submit to streams, and events. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

int dpk_stream_flags(struct dpk_stream *s, unsigned *out)
{
    stream_lock();
    s = stream_find(s);
    *out = s ? s->flags : 0;
    stream_unlock();
    return s ? DPK_GPU_OK : DPK_GPU_INVALID_HANDLE;
}

int dpk_stream_query(struct dpk_stream *s)
{
    stream_lock();
    s = stream_find(s);
    const bool busy = s && s->first;
    stream_unlock();
    if (!s)
        return DPK_GPU_INVALID_HANDLE;
    return busy ? DPK_GPU_NOT_READY : dpk_gpu_failed();
}

int dpk_gpu_event_create(struct dpk_gpu_event **out)
{
    struct dpk_gpu_event *e = calloc(1, sizeof *e);
    if (!e)
        return DPK_GPU_NO_MEMORY;
    stream_lock();
    stream_add_event(e);
    stream_unlock();
    *out = e;
    return DPK_GPU_OK;
}

int dpk_gpu_event_destroy(struct dpk_gpu_event *e)
{
    stream_lock();
    e = stream_find_event(e);
    if (e) {
        e->destroyed = true;
        stream_drop_event(e);
    }
    stream_unlock();
    return e ? DPK_GPU_OK : DPK_GPU_INVALID_HANDLE;
}

static struct operation *new_operation(enum operation_kind kind, size_t more)
{
    struct operation *op = calloc(1, sizeof *op + more);
    if (op)
        op->kind = kind;
    return op;
}

/* Submits an operation on an event: OP_RECORD records it anew, OP_WAIT waits for the last record. */
static int submit_event(struct dpk_stream *s, struct dpk_gpu_event *e, enum operation_kind kind)
{
    struct operation *op = new_operation(kind, 0);
    stream_lock();
    const bool good = stream_find_event(e) != NULL;
    if (good && op) {
        if (kind == OP_RECORD)
            e->recorded++;
        op->event.event = e;
        op->event.generation = e->recorded;
        e->users++; /* keeps the event until the operation is submitted */
    }
    stream_unlock();
    if (!good || !op) {
        free(op);
        return good ? DPK_GPU_NO_MEMORY : DPK_GPU_INVALID_HANDLE;
    }
    const int error = stream_submit(s, op);
    stream_lock();
    e->users--;
    stream_drop_event(e);
    stream_unlock();
    return error;
}

int dpk_gpu_event_record(struct dpk_gpu_event *e, struct dpk_stream *s)
{
    return submit_event(s, e, OP_RECORD);
}

int dpk_stream_wait_event(struct dpk_stream *s, struct dpk_gpu_event *e)
{
    return submit_event(s, e, OP_WAIT);
}

int dpk_gpu_event_query(struct dpk_gpu_event *e)
{
    stream_lock();
    e = stream_find_event(e);
    const bool reached = e && e->reached == e->recorded;
    stream_unlock();
    if (!e)
        return DPK_GPU_INVALID_HANDLE;
    return reached ? dpk_gpu_failed() : DPK_GPU_NOT_READY;
}

int dpk_gpu_event_wait(struct dpk_gpu_event *e)
{
    stream_lock();
    e = stream_find_event(e);
    if (e) {
        const uint64_t generation = e->recorded;
        e->users++;
        while (e->reached < generation)
            stream_sleep();
        e->users--;
        stream_drop_event(e);
    }
    stream_unlock();
    return e ? dpk_gpu_failed() : DPK_GPU_INVALID_HANDLE;
}

int dpk_gpu_event_elapsed(struct dpk_gpu_event *from, struct dpk_gpu_event *to, int64_t *out)
{
    int error = DPK_GPU_OK;
    stream_lock();
    from = stream_find_event(from);
    to = stream_find_event(to);
    if (!from || !to || !from->recorded || !to->recorded)
        error = DPK_GPU_INVALID_HANDLE;
    else if (from->reached < from->recorded || to->reached < to->recorded)
        error = DPK_GPU_NOT_READY;
    else
        *out = (int64_t)(to->time - from->time);
    stream_unlock();
    return error;
}

int dpk_stream_wait(struct dpk_stream *s)
{
    int error = DPK_GPU_OK;
    uint64_t last = 0;
    stream_lock();
    struct dpk_stream *found = stream_find(s);
    if (!found)
        error = DPK_GPU_INVALID_HANDLE;
    for (const struct operation *op = found ? found->first : NULL; op; op = op->next)
        last = op->number;
    /* Does not wait for work that other threads submit meanwhile. */
    while (found && found->first && found->first->number <= last) {
        stream_sleep();
        found = stream_find(s);
    }
    stream_unlock();
    return error ? error : dpk_gpu_failed();
}

/* ---- Launches ---- */

static bool product_above(const uint32_t n[3], uint64_t most)
{
    return (uint64_t)n[0] * n[1] > most || (uint64_t)n[0] * n[1] * n[2] > most;
}

static int check_launch(const struct dpk_stream_launch *l, struct dpk_error *why)
{
    const struct dpk_gpu_kernel *k = l->kernel;
    const uint64_t shared = (uint64_t)k->shared + l->dynamic;
    const uint64_t resident = (uint64_t)dpk_blocks_workers() * DPK_BLOCKS_RESIDENT;
    const uint32_t most = k->max_threads && k->max_threads < DPK_BLOCK_THREADS_MAX
                              ? k->max_threads
                              : DPK_BLOCK_THREADS_MAX;
    for (unsigned i = 0; i < 3; i++)
        if (!l->blocks[i] || !l->threads[i]) {
            dpk_fail(why, DPK_ERR_USAGE, "%s: a dimension of the launch is 0", k->name);
            return DPK_GPU_INVALID_CONFIGURATION;
        }
    if (l->blocks[0] > INT32_MAX || l->blocks[1] > 65535 || l->blocks[2] > 65535) {
        dpk_fail(why, DPK_ERR_USAGE, "%s: a grid has at most 2147483647 x 65535 x 65535 blocks",
                 k->name);
        return DPK_GPU_INVALID_CONFIGURATION;
    }
    if (product_above(l->threads, most) || l->threads[2] > 64) {
        dpk_fail(why, DPK_ERR_USAGE, "%s: %u x %u x %u threads in a block, at most %u", k->name,
                 l->threads[0], l->threads[1], l->threads[2], most);
        return k->max_threads ? DPK_GPU_OUT_OF_RESOURCES : DPK_GPU_INVALID_CONFIGURATION;
    }
    if (shared > l->shared_limit) {
        dpk_fail(why, DPK_ERR_USAGE, "%s: %llu bytes of shared memory in a block, at most %u",
                 k->name, (unsigned long long)shared, l->shared_limit);
        return DPK_GPU_INVALID_VALUE;
    }
    if (l->cooperative && product_above(l->blocks, resident)) {
        dpk_fail(why, DPK_ERR_USAGE, "%s: at most %llu blocks run at once", k->name,
                 (unsigned long long)resident);
        return DPK_GPU_COOPERATIVE_TOO_LARGE;
    }
    return DPK_GPU_OK;
}

static size_t rounded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

/* Makes an operation that a copy of the arguments follows. */
static struct operation *copy_launch(const struct dpk_stream_launch *l)
{
    const struct dpk_gpu_kernel *k = l->kernel;
    size_t size = rounded(k->parameters * sizeof(void *)) + 64;
    for (uint32_t i = 0; i < k->parameters; i++)
        size += rounded(k->sizes[i]);
    struct operation *op = new_operation(OP_LAUNCH, size);
    if (!op)
        return NULL;
    op->grid = (struct dpk_grid){.kernel = k, .dynamic = l->dynamic};
    memcpy(op->grid.blocks, l->blocks, sizeof l->blocks);
    memcpy(op->grid.threads, l->threads, sizeof l->threads);
    char *at = (char *)(((uintptr_t)(op + 1) + 15) & ~(uintptr_t)15);
    op->grid.args = (void **)at;
    at += rounded(k->parameters * sizeof(void *));
    for (uint32_t i = 0; i < k->parameters; i++) {
        op->grid.args[i] = memcpy(at, l->args[i], k->sizes[i]);
        at += rounded(k->sizes[i]);
    }
    return op;
}

int dpk_stream_launch(struct dpk_stream *s, const struct dpk_stream_launch *launch,
                      struct dpk_error *why)
{
    const int error = check_launch(launch, why);
    return error ? error : stream_submit(s, copy_launch(launch));
}

int dpk_stream_copy(struct dpk_stream *s, const struct dpk_stream_copy *copy)
{
    struct operation *op = new_operation(OP_COPY, 0);
    if (op)
        op->copy = *copy;
    return stream_submit(s, op);
}

int dpk_stream_fill(struct dpk_stream *s, const struct dpk_stream_fill *fill)
{
    struct operation *op = new_operation(OP_FILL, 0);
    if (op)
        op->fill = *fill;
    return stream_submit(s, op);
}

int dpk_stream_call(struct dpk_stream *s, void (*call)(void *), void *context)
{
    struct operation *op = new_operation(OP_CALL, 0);
    if (op) {
        op->host.call = call;
        op->host.context = context;
    }
    return stream_submit(s, op);
}
