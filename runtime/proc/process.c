/* Processes: guest memory with a program in it, and what the host does to that memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "proc/engine.h"

#define PAGE_MASK ((uint64_t)RV64_PAGE - 1)

/* ---- Life ----------------------------------------------------------------------------------- */

static unsigned access_of(const struct dpk_segment *s)
{
    unsigned access = 0;
    if (s->readable || s->writable)
        access |= RV64_R;
    if (s->writable)
        access |= RV64_W;
    if (s->executable)
        access |= RV64_X;
    return access;
}

static bool map_segments(struct dpk_process *p)
{
    for (size_t i = 0; i < dpk_image_segment_count(p->image); i++) {
        const struct dpk_segment *s = dpk_image_segment(p->image, i);
        uint64_t begin = s->address & ~PAGE_MASK;
        uint64_t end = (s->address + s->memory_size + PAGE_MASK) & ~PAGE_MASK;
        if (!rv64_memory_map(p->memory, begin, end - begin, access_of(s)) ||
            !rv64_memory_store(p->memory, s->address, s->data, s->data_size))
            return false;
    }
    return true;
}

/* What destroy and a create that failed have in common; no thread runs any more. */
static void process_free(struct dpk_process *p)
{
    threads_free(p);
    for (unsigned i = 0; i < SLOTS; i++)
        free(p->slots[i]);
    free(p->events);
    heap_destroy(p->heap);
    if (p->core)
        rv64_core_destroy(p->core);
    if (p->memory)
        rv64_memory_destroy(p->memory);
    dpk_image_free(p->image);
    if (p->failure_fd >= 0)
        close(p->failure_fd);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->still);
    pthread_rwlock_destroy(&p->in_flight);
    pthread_mutex_destroy(&p->heap_lock);
    pthread_mutex_destroy(&p->sink_lock);
    free(p);
}

/* Who gives memory back goes before new accesses, or it might wait without end. */
void process_nothing_in_flight(struct dpk_process *p)
{
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&p->in_flight, &attr);
    pthread_rwlockattr_destroy(&attr);
}

static enum dpk_status process_build(struct dpk_process *p, struct dpk_error *err)
{
    p->memory = rv64_memory_create(GUEST_SIZE);
    if (!p->memory)
        return dpk_fail(err, DPK_ERR_NOMEM, "cannot reserve the memory of a DPA process");
    p->core = rv64_core_create(p->memory);
    p->heap = heap_create(HEAP_BASE, p->heap_size);
    if (!p->core || !p->heap || !map_segments(p))
        return dpk_fail(err, DPK_ERR_NOMEM, "out of memory for a DPA process");
    return DPK_OK;
}

enum dpk_status dpk_process_create(const struct dpk_image *image,
                                   const struct dpk_process_options *options,
                                   struct dpk_process **out, struct dpk_error *err)
{
    uint64_t heap = options && options->heap_size ? options->heap_size : HEAP_DEFAULT;
    uint32_t limit =
        options && options->run_time_limit_ms ? options->run_time_limit_ms : DPK_RUN_TIME_LIMIT_MS;
    *out = NULL;
    if (heap > HEAP_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a heap of %llu bytes, at most %llu are there",
                        (unsigned long long)heap, HEAP_MAX);
    struct dpk_process *p = calloc(1, sizeof *p);
    if (!p)
        return dpk_fail_nomem(err);
    enum dpk_status status = engine_enter(options ? options->notice : NULL, err);
    if (status != DPK_OK) {
        free(p);
        return status;
    }
    p->failure_fd = -1;
    p->image = dpk_image_share(image);
    p->heap_size = (heap + PAGE_MASK) & ~PAGE_MASK;
    p->limit = (uint64_t)limit * 1000000u;
    p->notice = options ? options->notice : NULL;
    p->notice_after =
        options && options->notice_after_ms ? options->notice_after_ms : DPK_NOTICE_AFTER_MS;
    p->notice_after *= 1000000u;
    p->born = engine_now();
    list_init(&p->launches);
    list_init(&p->threads);
    list_init(&p->host_waits);
    list_init(&p->held);
    list_init(&p->in_engine);
    snprintf(p->device, sizeof p->device, "%s", options && options->device ? options->device : "");
    snprintf(p->directory, sizeof p->directory, "%s",
             options && options->directory ? options->directory : "");
    pthread_cond_init(&p->still, NULL);
    pthread_cond_init(&p->idle, NULL);
    process_nothing_in_flight(p);
    pthread_mutex_init(&p->heap_lock, NULL);
    pthread_mutex_init(&p->sink_lock, NULL);
    status = process_build(p, err);
    if (status != DPK_OK) {
        process_free(p);
        engine_leave();
        return status;
    }
    engine_lock();
    list_append(&the_engine.all, &p->in_engine);
    engine_unlock();
    *out = p;
    return DPK_OK;
}

void process_leave(struct dpk_process *p)
{
    if (--p->users == 0)
        pthread_cond_signal(&p->idle);
}

void dpk_process_destroy(struct dpk_process *p)
{
    if (!p)
        return;
    engine_lock();
    if (the_engine.forked) { /* nobody is there to end its threads, nor to mind the memory */
        engine_unlock();
        return;
    }
    last_words_end(p);
    process_fail(p, DPK_ERR_FAULT, "the process was destroyed");
    list_remove(&p->in_engine);
    while (p->users)
        pthread_cond_wait(&p->idle, &the_engine.lock);
    for (size_t i = 0; i < p->event_count; i++)
        event_unref(p->events[i]);
    engine_unlock();
    process_free(p);
    engine_leave();
}

/* ---- State ---------------------------------------------------------------------------------- */

void process_wake_hosts(struct dpk_process *p)
{
    for (struct list *n = p->host_waits.next; n != &p->host_waits; n = n->next)
        host_wait_wake(owner_of(n, struct host_wait, in_process));
}

enum dpk_status process_state(const struct dpk_process *p, struct dpk_error *err)
{
    if (the_engine.forked)
        return dpk_fail(err, DPK_ERR_FAULT, "the DPA belongs to the process that forked this one");
    return p->failed == DPK_OK ? DPK_OK : dpk_fail(err, p->failed, "%s", p->failure);
}

enum dpk_status dpk_process_state(struct dpk_process *p, struct dpk_error *err)
{
    engine_lock();
    enum dpk_status status = process_state(p, err);
    engine_unlock();
    return status;
}

bool dpk_process_ended_itself(struct dpk_process *p)
{
    engine_lock();
    bool ended = p->ended_itself;
    engine_unlock();
    return ended;
}

void dpk_process_set_outside(struct dpk_process *p, const struct dpk_outside *outside)
{
    p->outside = *outside;
}

enum dpk_status dpk_process_set_last_words(struct dpk_process *p, const struct dpk_call *call,
                                           struct dpk_error *err)
{
    engine_lock();
    enum dpk_status status = process_state(p, err);
    if (status == DPK_OK && !engine_start_workers())
        status = dpk_fail(err, DPK_ERR_NOMEM, "the host gives no thread to run on");
    if (status == DPK_OK)
        p->last_words = call ? *call : (struct dpk_call){0};
    engine_unlock();
    return status;
}

int dpk_process_failure_fd(struct dpk_process *p)
{
    engine_lock();
    if (p->failure_fd < 0)
        p->failure_fd = eventfd(p->failed != DPK_OK, EFD_CLOEXEC | EFD_NONBLOCK);
    int fd = p->failure_fd;
    engine_unlock();
    return fd;
}

void dpk_process_set_calls(struct dpk_process *p, unsigned family, dpk_device_call handler,
                           void *context)
{
    if (family >= DPA_SYS_FAMILY_FIRST && family < DPA_SYS_FAMILIES) {
        p->calls[family].handler = handler;
        p->calls[family].context = context;
    }
}

uint64_t dpk_process_instructions(const struct dpk_process *p)
{
    return p->instructions;
}

void dpk_process_set_sink(struct dpk_process *p, dpk_message_sink sink, void *context)
{
    pthread_mutex_lock(&p->sink_lock);
    p->sink = sink;
    p->sink_context = context;
    pthread_mutex_unlock(&p->sink_lock);
}

/* ---- Functions ------------------------------------------------------------------------------ */

static bool find_symbol(const struct dpk_process *p, const char *prefix, const char *name,
                        uint64_t *address)
{
    char symbol[512];
    int n = snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    return n > 0 && (size_t)n < sizeof symbol && dpk_image_symbol(p->image, symbol, address, NULL);
}

/* Says which function was meant, or which there are. */
static enum dpk_status no_function(const struct dpk_process *p, const char *name,
                                   struct dpk_error *err)
{
    const char *entry, *near = NULL;
    struct dpk_buf list = {0};
    size_t count = 0, entries = 0;
    for (size_t i = 0; dpk_image_next_entry(p->image, &i);)
        entries++;
    const char **names = calloc(entries + 1, sizeof(const char *));
    for (size_t i = 0; names && (entry = dpk_image_next_entry(p->image, &i)); count++) {
        names[count] = entry;
        dpk_put_format(&list, "%s%s", count ? ", " : "", entry);
    }
    if (names)
        near = dpk_closest(name, names);
    const char *app = dpk_image_app(p->image);
    if (near)
        dpk_fail(err, DPK_ERR_NOT_FOUND, "program %s has no entry function %s; did you mean %s?",
                 app, name, near);
    else if (count && !list.failed)
        dpk_fail(err, DPK_ERR_NOT_FOUND, "program %s has no entry function %s; it has %.*s", app,
                 name, list.size < 400 ? (int)list.size : 400, (const char *)list.data);
    else
        dpk_fail(err, DPK_ERR_NOT_FOUND, "program %s has no entry function %s", app, name);
    free(names);
    dpk_buf_free(&list);
    return DPK_ERR_NOT_FOUND;
}

enum dpk_status dpk_process_function(const struct dpk_process *p, const char *name,
                                     struct dpk_call *out, struct dpk_error *err)
{
    if (!find_symbol(p, "", name, &out->function) ||
        !find_symbol(p, "_dpacc_unpack_", name, &out->unpack) ||
        !dpk_image_argument_size(p->image, name, &out->argument_size))
        return no_function(p, name, err);
    if (out->argument_size > ARGUMENTS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "function %s takes %llu bytes of arguments, at most "
                        "%llu fit",
                        name, (unsigned long long)out->argument_size, ARGUMENTS_MAX);
    return DPK_OK;
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Heap memory is there up to the highest page ever allocated: processes start quickly, and what
 * reaches beyond faults. */
static enum dpk_status map_heap(struct dpk_process *p, uint64_t end, struct dpk_error *err)
{
    uint64_t mapped = HEAP_BASE + p->heap_mapped;
    end = (end + PAGE_MASK) & ~PAGE_MASK;
    if (end <= mapped)
        return DPK_OK;
    if (!rv64_memory_map(p->memory, mapped, end - mapped, RV64_R | RV64_W))
        return dpk_fail_nomem(err);
    p->heap_mapped = end - HEAP_BASE;
    return DPK_OK;
}

enum dpk_status dpk_heap_alloc(struct dpk_process *p, uint64_t size, uint64_t *address,
                               struct dpk_error *err)
{
    *address = 0;
    enum dpk_status status = dpk_process_state(p, err);
    if (status != DPK_OK)
        return status;
    pthread_mutex_lock(&p->heap_lock);
    status = heap_alloc(p->heap, size, address, err);
    if (status == DPK_OK && (status = map_heap(p, *address + size, err)) != DPK_OK) {
        heap_free(p->heap, *address, NULL);
        *address = 0;
    }
    pthread_mutex_unlock(&p->heap_lock);
    return status;
}

enum dpk_status dpk_heap_free(struct dpk_process *p, uint64_t address, struct dpk_error *err)
{
    pthread_rwlock_wrlock(&p->in_flight);
    pthread_mutex_lock(&p->heap_lock);
    enum dpk_status status = heap_free(p->heap, address, err);
    pthread_mutex_unlock(&p->heap_lock);
    pthread_rwlock_unlock(&p->in_flight);
    return status;
}

void dpk_heap_info(struct dpk_process *p, struct dpk_heap_info *out)
{
    pthread_mutex_lock(&p->heap_lock);
    *out = (struct dpk_heap_info){.base = HEAP_BASE,
                                  .size = p->heap_size,
                                  .requested = heap_requested(p->heap),
                                  .allocated = heap_taken(p->heap)};
    pthread_mutex_unlock(&p->heap_lock);
}

/* Guest bytes for the host to use until access_end; NULL with the error filled in. */
static void *access_begin(struct dpk_process *p, uint64_t address, uint64_t size, unsigned access,
                          struct dpk_error *err)
{
    pthread_rwlock_rdlock(&p->in_flight);
    void *at = rv64_memory_at(p->memory, address, size, access);
    if (at)
        return at;
    pthread_rwlock_unlock(&p->in_flight);
    dpk_fail(err, DPK_ERR_RANGE, "0x%llx, %llu bytes: not %s memory of the process",
             (unsigned long long)address, (unsigned long long)size,
             access & RV64_W ? "writable" : "readable");
    return NULL;
}

static void access_end(struct dpk_process *p)
{
    pthread_rwlock_unlock(&p->in_flight);
}

/* A word goes in one piece, after everything before it: kernels poll for what hosts write. */
static void write_guest(void *at, const void *from, uint64_t size)
{
    uint32_t word;
    uint64_t doubleword;
    atomic_thread_fence(memory_order_release);
    if (size == sizeof doubleword && (uintptr_t)at % sizeof doubleword == 0) {
        memcpy(&doubleword, from, sizeof doubleword);
        __atomic_store_n((uint64_t *)at, doubleword, __ATOMIC_RELAXED);
    } else if (size == sizeof word && (uintptr_t)at % sizeof word == 0) {
        memcpy(&word, from, sizeof word);
        __atomic_store_n((uint32_t *)at, word, __ATOMIC_RELAXED);
    } else {
        memcpy(at, from, size);
    }
}

enum dpk_status dpk_copy_in(struct dpk_process *p, uint64_t to, const void *from, uint64_t size,
                            struct dpk_error *err)
{
    enum dpk_status status = dpk_process_state(p, err);
    if (status != DPK_OK || size == 0)
        return status;
    void *at = access_begin(p, to, size, RV64_W, err);
    if (!at)
        return DPK_ERR_RANGE;
    write_guest(at, from, size);
    access_end(p);
    return DPK_OK;
}

enum dpk_status dpk_copy_out(struct dpk_process *p, void *to, uint64_t from, uint64_t size,
                             struct dpk_error *err)
{
    if (size == 0)
        return DPK_OK;
    const void *at = access_begin(p, from, size, RV64_R, err);
    if (!at)
        return DPK_ERR_RANGE;
    memcpy(to, at, size);
    access_end(p);
    return DPK_OK;
}

enum dpk_status dpk_fill(struct dpk_process *p, uint64_t address, int value, uint64_t size,
                         struct dpk_error *err)
{
    enum dpk_status status = dpk_process_state(p, err);
    if (status != DPK_OK || size == 0)
        return status;
    void *at = access_begin(p, address, size, RV64_W, err);
    if (!at)
        return DPK_ERR_RANGE;
    memset(at, value, size);
    access_end(p);
    return DPK_OK;
}

bool dpk_process_has_memory(const struct dpk_process *p, uint64_t address, uint64_t size,
                            bool writable)
{
    return rv64_memory_at(p->memory, address, size, writable ? RV64_W : RV64_R) != NULL;
}

/* The word at an aligned address of a process that still runs, until access_end. */
static uint64_t *word_begin(struct dpk_process *p, uint64_t address, enum dpk_status *status,
                            struct dpk_error *err)
{
    uint64_t *at = NULL;
    *status = dpk_process_state(p, err);
    if (*status == DPK_OK && address % sizeof *at != 0)
        *status = dpk_fail(err, DPK_ERR_RANGE, "0x%llx: not a multiple of 8",
                           (unsigned long long)address);
    if (*status == DPK_OK && !(at = access_begin(p, address, sizeof *at, RV64_W, err)))
        *status = DPK_ERR_RANGE;
    return at;
}

enum dpk_status dpk_fetch_add(struct dpk_process *p, uint64_t address, uint64_t value,
                              uint64_t *before, struct dpk_error *err)
{
    enum dpk_status status;
    uint64_t *at = word_begin(p, address, &status, err);
    if (at) {
        *before = __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
        access_end(p);
    }
    return status;
}

enum dpk_status dpk_compare_swap(struct dpk_process *p, uint64_t address, uint64_t compare,
                                 uint64_t value, uint64_t *before, struct dpk_error *err)
{
    enum dpk_status status;
    uint64_t *at = word_begin(p, address, &status, err);
    if (at) {
        __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        access_end(p);
        *before = compare;
    }
    return status;
}
