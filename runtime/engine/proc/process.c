/* Creation and destruction of processes. */
#include "engine/proc/process.h"

#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "engine/jit/jit.h"
#include "engine/proc/asan.h"
#include "engine/proc/coverage.h"
#include "engine/proc/device.h"
#include "engine/proc/event.h"
#include "engine/proc/failure.h"
#include "engine/proc/heap.h"
#include "engine/proc/memory.h"
#include "engine/proc/place.h"
#include "engine/proc/profile.h"
#include "engine/proc/recorded.h"
#include "engine/proc/reserved.h"
#include "engine/proc/run.h"
#include "engine/proc/store_buffer.h"
#include "engine/proc/thread.h"
#include "engine/proc/tsan.h"
#include "engine/proc/window_cache.h"

#define PAGE_MASK    ((uint64_t)RV64_PAGE - 1)
#define LIMIT_MAX_MS 86400000u

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
        if (!proc_recorded_map(p, begin, end - begin, access_of(s)) ||
            !proc_recorded_store(p, s->address, s->data, s->data_size))
            return false;
    }
    return true;
}

/* Frees a process, even an incomplete process. No hart runs any more. */
static void process_free(struct dpk_process *p)
{
    proc_recorded_leave(p);
    proc_profile_leave(p);
    proc_coverage_leave(p);
    proc_asan_leave(p);
    proc_tsan_leave(p);
    proc_threads_free(p);
    proc_reserved_leave(p);
    for (unsigned i = 0; i < HARTS_MAX; i++) {
        proc_window_cache_free(p->harts[i]);
        proc_store_buffer_free(p->harts[i]);
        free(p->harts[i]);
    }
    free(p->events);
    proc_place_leave(p);
    proc_heap_destroy(p->heap);
    if (p->core)
        rv64_core_destroy(p->core);
    if (p->memory)
        rv64_memory_destroy(p->memory);
    dpk_image_free(p->image);
    if (p->failure_fd >= 0)
        close(p->failure_fd);
    sched_group_destroy(&p->group);
    pthread_rwlock_destroy(&p->in_flight);
    pthread_mutex_destroy(&p->heap_lock);
    pthread_mutex_destroy(&p->sink_lock);
    free(p);
}

/* Initializes everything that needs no allocation. `o` is complete. */
static void process_init(struct dpk_process *p, const struct dpk_image *image,
                         const struct dpk_process_options *o)
{
    const uint64_t limit = (uint64_t)o->run_time_limit_ms * 1000000u;
    sched_group_init(&p->group, &proc_process_owner,
                     limit ? limit : DPK_RUN_TIME_LIMIT_MS * UINT64_C(1000000));
    p->activation_limit = limit ? limit : DPK_ACTIVATION_LIMIT_MS * UINT64_C(1000000);
    p->image = dpk_image_share(image);
    p->layout = proc_process_layout_of(image);
    p->heap_size = (o->heap_size + PAGE_MASK) & ~PAGE_MASK;
    p->warn = o->warn;
    p->tell_failure = o->failed;
    proc_failure_init(p);
    p->warn_after = (uint64_t)o->warn_after_ms * 1000000u;
    p->failure_fd = p->debugger_fd = -1;
    list_init(&p->launches);
    list_init(&p->threads);
    list_init(&p->stalls);
    list_init(&p->in_device);
    list_init(&p->in_place);
    snprintf(p->device, sizeof p->device, "%s", o->device ? o->device : "");
    snprintf(p->directory, sizeof p->directory, "%s", o->directory ? o->directory : "");
    proc_memory_not_in_flight(p);
    pthread_mutex_init(&p->heap_lock, NULL);
    pthread_mutex_init(&p->sink_lock, NULL);
}

/* Fills in the size of a heap for which the caller has none. */
static enum dpk_status fit_heap(const struct dpk_image *image, struct dpk_process_options *o,
                                struct dpk_error *err)
{
    const uint64_t most = proc_process_layout_of(image).heap_max;
    if (o->heap_size == 0)
        o->heap_size = HEAP_DEFAULT < most ? HEAP_DEFAULT : most;
    if (o->heap_size > most)
        return dpk_fail(err, DPK_ERR_RANGE, "a heap of %llu bytes, at most %llu are there",
                        (unsigned long long)o->heap_size, (unsigned long long)most);
    return DPK_OK;
}

/* DPAKIT_RUN_TIME_LIMIT: milliseconds, for whoever gives no limit. */
static enum dpk_status read_limit(struct dpk_process_options *o, struct dpk_error *err)
{
    const char *text = getenv("DPAKIT_RUN_TIME_LIMIT");
    uint64_t n;
    if (o->run_time_limit_ms != 0 || !text || !*text)
        return DPK_OK;
    if (!dpk_number(text, 1, LIMIT_MAX_MS, &n))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_RUN_TIME_LIMIT=%s is not a number of milliseconds from 1 to %u",
                        text, LIMIT_MAX_MS);
    o->run_time_limit_ms = (uint32_t)n;
    return DPK_OK;
}

/* Reads DPAKIT_STRICT: a list of the guides' rules that are otherwise not enforced, separated by
 * commas. */
static enum dpk_status read_strict(struct dpk_process *p, struct dpk_error *err)
{
    const char *wanted = getenv("DPAKIT_STRICT");
    for (const char *word = wanted; word && *word;) {
        const size_t size = strcspn(word, ",");
        const bool all = size == 3 && memcmp(word, "all", 3) == 0;
        const bool align = size == 5 && memcmp(word, "align", 5) == 0;
        const bool memory = size == 6 && memcmp(word, "memory", 6) == 0;
        if (!all && !align && !memory)
            return dpk_fail(err, DPK_ERR_USAGE,
                            "DPAKIT_STRICT=%s is not known; it may be align, memory, both with a "
                            "comma between, or all",
                            wanted);
        p->strict.align |= all || align;
        p->strict.memory |= all || memory;
        word += size;
        if (*word == ',')
            word++;
    }
    return DPK_OK;
}

static enum dpk_status process_build(struct dpk_process *p, struct dpk_error *err)
{
    enum jit_mode mode;
    enum dpk_status status = read_strict(p, err);
    if (status == DPK_OK)
        status = jit_mode_wanted(&mode, err);
    if (status != DPK_OK)
        return status;
    p->memory = rv64_memory_create(GUEST_SIZE);
    if (!p->memory)
        return dpk_fail(err, DPK_ERR_NOMEM, "cannot reserve the memory of a DPA process");
    p->core = rv64_core_create(p->memory);
    p->heap = proc_heap_create(p->layout.heap, p->heap_size);
    if (!p->core || !p->heap)
        return dpk_fail(err, DPK_ERR_NOMEM, "out of memory for a DPA process");
    if ((status = proc_recorded_enter(p, err)) != DPK_OK)
        return status;
    if (!map_segments(p))
        return dpk_fail(err, DPK_ERR_NOMEM, "out of memory for a DPA process");
    rv64_core_set_strict(p->core, p->strict.align);
    rv64_core_set_extensions(p->core, dpk_image_has_zba(p->image) ? RV64_ZBA : 0);
    if (p->strict.memory) /* translated code does not report its fences */
        mode = JIT_OFF;
    jit_attach(p->core, mode, sched_workers() == 1);
    status = proc_asan_enter(p, err);
    if (status == DPK_OK)
        status = proc_tsan_enter(p, err);
    if (status == DPK_OK)
        status = proc_profile_enter(p, err);
    return status == DPK_OK ? proc_coverage_enter(p, err) : status;
}

enum dpk_status dpk_process_create(const struct dpk_image *image,
                                   const struct dpk_process_options *options,
                                   struct dpk_process **out, struct dpk_error *err)
{
    struct dpk_process_options o = options ? *options : (struct dpk_process_options){0};
    *out = NULL;
    if (o.warn_after_ms == 0)
        o.warn_after_ms = DPK_WARN_AFTER_MS;
    const bool limit_given = o.run_time_limit_ms != 0;
    enum dpk_status status = fit_heap(image, &o, err);
    if (status == DPK_OK)
        status = read_limit(&o, err);
    if (status != DPK_OK)
        return status;
    struct dpk_process *p = calloc(1, sizeof *p);
    if (!p)
        return dpk_fail_nomem(err);
    status = proc_device_enter(o.warn, err);
    if (status != DPK_OK) {
        free(p);
        return status;
    }
    dpk_environment_check(NULL, o.warn);
    process_init(p, image, &o);
    p->limit_given = limit_given;
    status = process_build(p, err);
    if (status == DPK_OK)
        status = proc_place_enter(p, o.warn, err);
    if (status != DPK_OK) {
        process_free(p);
        proc_device_leave();
        return status;
    }
    sched_lock();
    list_append(proc_device_processes(), &p->in_device);
    sched_unlock();
    *out = p;
    return DPK_OK;
}

void dpk_process_destroy(struct dpk_process *p)
{
    if (!p)
        return;
    sched_lock();
    if (sched_is_forked()) { /* this process cannot end its harts or use its memory */
        sched_unlock();
        return;
    }
    proc_error_handler_end(p);
    proc_process_fail(p, DPK_ERR_FAULT, "the process was destroyed");
    proc_failure_tell(p);
    list_remove(&p->in_device);
    sched_group_await_idle(&p->group);
    for (size_t i = 0; i < p->event_count; i++)
        proc_event_unref(p->events[i]);
    sched_unlock();
    process_free(p);
    proc_device_leave();
}

uint64_t dpk_process_token(struct dpk_process *p)
{
    uint64_t token = 0;
    sched_lock();
    if (proc_device_is_found() && p->token == 0 &&
        getrandom(&p->token, sizeof p->token, 0) != sizeof p->token)
        p->token = 0;
    if (proc_device_is_found())
        token = p->token;
    sched_unlock();
    return token;
}
