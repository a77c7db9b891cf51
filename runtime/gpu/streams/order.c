/* The order of work: decides which operation may start. */
#include "gpu/memory/memory.h"
#include "private.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct dpk_stream legacy = {.last = &legacy.first};
static struct dpk_stream *streams; /* all streams except the default stream */
static struct dpk_gpu_event *events;
static uint64_t submitted;
static unsigned sleepers;
static _Atomic int failure;
static _Atomic uint64_t ends;

void stream_lock(void)
{
    pthread_mutex_lock(&lock);
}

void stream_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

enum { SPINS = 4000 };

/* Polls first: short work ends sooner than a thread could go to sleep. */
void stream_sleep(void)
{
    const uint64_t before = atomic_load(&ends);
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0; i < SPINS && atomic_load_explicit(&ends, memory_order_relaxed) == before;
         i++)
        dpk_pause();
    pthread_mutex_lock(&lock);
    sleepers++;
    while (atomic_load(&ends) == before)
        pthread_cond_wait(&changed, &lock);
    sleepers--;
}

struct dpk_stream *stream_find(struct dpk_stream *s)
{
    /* CUDA also names the default stream by the numbers 1 and 2. */
    if ((uintptr_t)s <= 2)
        return &legacy;
    for (struct dpk_stream *o = streams; o; o = o->next)
        if (o == s)
            return o->destroyed ? NULL : o;
    return NULL;
}

struct dpk_gpu_event *stream_find_event(struct dpk_gpu_event *e)
{
    for (struct dpk_gpu_event *o = events; o; o = o->next)
        if (o == e)
            return o->destroyed ? NULL : o;
    return NULL;
}

void stream_add_event(struct dpk_gpu_event *e)
{
    e->next = events;
    events = e;
}

void stream_drop_event(struct dpk_gpu_event *e)
{
    struct dpk_gpu_event **at = &events;
    if (e->users || !e->destroyed)
        return;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    free(e);
}

static void drop_stream(struct dpk_stream *s)
{
    struct dpk_stream **at = &streams;
    if (s->first || !s->destroyed)
        return;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free(s);
}

/* ---- Starting ---- */

static bool waits_for(const struct dpk_stream *s, uint64_t number)
{
    return !(s->flags & DPK_STREAM_NON_BLOCKING) && s->first && s->first->number < number;
}

static bool may_start(const struct dpk_stream *s, const struct operation *op)
{
    if (op->kind == OP_WAIT && op->event.event->reached < op->event.generation)
        return false;
    if (s->flags & DPK_STREAM_NON_BLOCKING)
        return true;
    if (s != &legacy)
        return !waits_for(&legacy, op->number);
    for (const struct dpk_stream *o = streams; o; o = o->next)
        if (waits_for(o, op->number))
            return false;
    return true;
}

static void copy_rows(const struct dpk_stream_copy *c)
{
    for (size_t i = 0; i < c->rows; i++)
        memmove((char *)c->to + i * c->to_pitch, (const char *)c->from + i * c->from_pitch,
                c->width);
}

static void fill_rows(const struct dpk_stream_fill *f)
{
    for (size_t i = 0; i < f->rows; i++) {
        char *row = (char *)f->to + i * f->pitch;
        if (f->size == 1)
            memset(row, (int)f->value, f->count);
        for (size_t k = 0; f->size == 2 && k < f->count; k++)
            memcpy(row + 2 * k, &(uint16_t){(uint16_t)f->value}, 2);
        for (size_t k = 0; f->size == 4 && k < f->count; k++)
            memcpy(row + 4 * k, &f->value, 4);
    }
}

static void end_first(struct dpk_stream *s)
{
    struct operation *op = s->first;
    s->first = op->next;
    if (!s->first)
        s->last = &s->first;
    if (op->kind == OP_RECORD || op->kind == OP_WAIT) {
        op->event.event->users--;
        stream_drop_event(op->event.event);
    }
    free(op);
    atomic_fetch_add(&ends, 1);
    if (sleepers)
        pthread_cond_broadcast(&changed);
}

static void pump(void);

static void ended(struct operation *op)
{
    struct dpk_stream *s = op->stream;
    pthread_mutex_lock(&lock);
    end_first(s);
    drop_stream(s);
    pump();
    pthread_mutex_unlock(&lock);
}

static int error_of(int why)
{
    switch (why) {
    case DPK_BLOCK_FINE:
        return DPK_GPU_OK;
    case DPK_BLOCK_BAD_ADDRESS:
        return DPK_GPU_ILLEGAL_ADDRESS;
    case DPK_BLOCK_ASSERTED:
        return DPK_GPU_ASSERT;
    case DPK_BLOCK_STACK:
        return DPK_GPU_STACK_ERROR;
    case DPK_BLOCK_ARITHMETIC:
        return DPK_GPU_ILLEGAL_INSTRUCTION;
    case DPK_BLOCK_NO_MEMORY:
        return DPK_GPU_OUT_OF_RESOURCES;
    default:
        return DPK_GPU_LAUNCH_FAILURE;
    }
}

static void grid_ended(struct dpk_grid *grid)
{
    int none = DPK_GPU_OK;
    const int why = error_of(atomic_load(&grid->failure));
    if (why)
        atomic_compare_exchange_strong(&failure, &none, why);
    ended(grid->context);
}

static void do_job(void *context)
{
    struct operation *op = context;
    if (op->kind == OP_COPY)
        copy_rows(&op->copy);
    else if (op->kind == OP_FILL)
        fill_rows(&op->fill);
    else
        op->host.call(op->host.context);
    ended(op);
}

static void reach(struct operation *op)
{
    struct dpk_gpu_event *e = op->event.event;
    if (op->kind == OP_RECORD && op->event.generation > e->reached) {
        e->reached = op->event.generation;
        e->time = dpk_now_ns();
    }
}

/* Starts an operation. Returns true if it has ended at once. */
static bool start(struct operation *op)
{
    if (op->kind == OP_RECORD || op->kind == OP_WAIT) {
        reach(op);
        return true;
    }
    if (atomic_load(&failure))
        return true; /* after a failure, the device runs no work */
    op->started = true;
    bool started;
    if (op->kind == OP_LAUNCH) {
        op->grid.ended = grid_ended;
        op->grid.context = op;
        started = dpk_blocks_start(&op->grid);
    } else {
        started = dpk_blocks_job(do_job, op);
    }
    if (!started)
        atomic_store(&failure, DPK_GPU_OUT_OF_RESOURCES);
    return !started;
}

static bool pump_stream(struct dpk_stream *s)
{
    bool moved = false;
    while (s->first && !s->first->started && may_start(s, s->first)) {
        moved = true;
        if (!start(s->first))
            break;
        end_first(s);
    }
    return moved;
}

/* Starts all operations that may start. */
static void pump(void)
{
    bool moved = true;
    while (moved) {
        moved = pump_stream(&legacy);
        for (struct dpk_stream *s = streams, *next; s; s = next) {
            next = s->next;
            moved |= pump_stream(s);
            drop_stream(s);
        }
    }
}

int stream_submit(struct dpk_stream *s, struct operation *op)
{
    if (!op)
        return DPK_GPU_NO_MEMORY;
    pthread_mutex_lock(&lock);
    s = stream_find(s);
    int error = s ? atomic_load(&failure) : DPK_GPU_INVALID_HANDLE;
    if (error) {
        free(op);
    } else {
        op->stream = s;
        op->number = ++submitted;
        op->next = NULL;
        if (op->kind == OP_RECORD || op->kind == OP_WAIT)
            op->event.event->users++;
        *s->last = op;
        s->last = &op->next;
        pump();
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- Streams ---- */

int dpk_stream_create(unsigned flags, struct dpk_stream **out)
{
    struct dpk_stream *s = calloc(1, sizeof *s);
    if (!s)
        return DPK_GPU_NO_MEMORY;
    s->last = &s->first;
    s->flags = flags;
    pthread_mutex_lock(&lock);
    s->next = streams;
    streams = s;
    pthread_mutex_unlock(&lock);
    *out = s;
    return DPK_GPU_OK;
}

int dpk_stream_destroy(struct dpk_stream *s)
{
    pthread_mutex_lock(&lock);
    s = stream_find(s);
    const bool good = s && s != &legacy;
    if (good) {
        s->destroyed = true;
        drop_stream(s);
    }
    pthread_mutex_unlock(&lock);
    return good ? DPK_GPU_OK : DPK_GPU_INVALID_HANDLE;
}

static bool are_idle(void)
{
    bool idle = !legacy.first;
    for (const struct dpk_stream *s = streams; s; s = s->next)
        idle &= !s->first;
    return idle;
}

int dpk_stream_wait_all(void)
{
    pthread_mutex_lock(&lock);
    while (!are_idle())
        stream_sleep();
    pthread_mutex_unlock(&lock);
    return atomic_load(&failure);
}

int dpk_gpu_failed(void)
{
    return atomic_load(&failure);
}

void dpk_gpu_reset(void)
{
    dpk_stream_wait_all();
    atomic_store(&failure, DPK_GPU_OK);
    dpk_gpu_memory_reset();
}
