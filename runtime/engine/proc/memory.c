#include "engine/proc/memory.h"

#include <string.h>

#include "engine/proc/asan.h"
#include "engine/proc/heap.h"
#include "engine/proc/recorded.h"
#include "engine/proc/store_buffer.h"
#include "engine/proc/tsan.h"

#define PAGE_MASK ((uint64_t)RV64_PAGE - 1)

/* A thread that frees memory has priority over new accesses. Otherwise it might wait forever. */
void proc_memory_not_in_flight(struct dpk_process *p)
{
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&p->in_flight, &attr);
    pthread_rwlockattr_destroy(&attr);
}

/* The heap is mapped up to the highest page that was ever allocated. So processes start quickly,
 * and accesses beyond that page fault. */
static enum dpk_status map_heap(struct dpk_process *p, uint64_t end, struct dpk_error *err)
{
    uint64_t mapped = p->layout.heap + p->heap_mapped;
    end = (end + PAGE_MASK) & ~PAGE_MASK;
    if (end <= mapped)
        return DPK_OK;
    if (!proc_recorded_map(p, mapped, end - mapped, RV64_R | RV64_W))
        return dpk_fail_nomem(err);
    p->heap_mapped = end - p->layout.heap;
    proc_asan_heap_grew(p, mapped, end - mapped);
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
    status = proc_heap_alloc(p->heap, size, address, err);
    if (status == DPK_OK && (status = map_heap(p, *address + size, err)) != DPK_OK) {
        proc_heap_free(p->heap, *address, NULL);
        *address = 0;
    } else if (status == DPK_OK) {
        proc_asan_allocated(p, *address, size);
        proc_tsan_allocated(p, *address, size);
    }
    pthread_mutex_unlock(&p->heap_lock);
    return status;
}

enum dpk_status dpk_heap_free(struct dpk_process *p, uint64_t address, struct dpk_error *err)
{
    pthread_rwlock_wrlock(&p->in_flight);
    pthread_mutex_lock(&p->heap_lock);
    const uint64_t size = proc_heap_size_at(p->heap, address);
    enum dpk_status status = proc_heap_free(p->heap, address, err);
    if (status == DPK_OK)
        proc_asan_freed(p, address, size);
    pthread_mutex_unlock(&p->heap_lock);
    pthread_rwlock_unlock(&p->in_flight);
    return status;
}

void dpk_heap_info(struct dpk_process *p, struct dpk_heap_info *out)
{
    pthread_mutex_lock(&p->heap_lock);
    *out = (struct dpk_heap_info){.base = p->layout.heap,
                                  .size = p->heap_size,
                                  .requested = proc_heap_requested(p->heap),
                                  .allocated = proc_heap_taken(p->heap)};
    pthread_mutex_unlock(&p->heap_lock);
}

/* Returns guest bytes for the host until access_end, or NULL with an error. */
static void *access_begin(struct dpk_process *p, uint64_t address, uint64_t size, unsigned access,
                          struct dpk_error *err)
{
    pthread_rwlock_rdlock(&p->in_flight);
    void *at = rv64_memory_at(p->memory, address, size, access);
    const bool good = at && proc_asan_allows(p, address, size, err);
    if (good && access & RV64_W)
        proc_recorded_write_begin(p);
    if (good)
        return at;
    pthread_rwlock_unlock(&p->in_flight);
    if (at)
        return NULL;
    dpk_fail(err, DPK_ERR_RANGE, "0x%llx, %llu bytes: not %s memory of the process",
             (unsigned long long)address, (unsigned long long)size,
             access & RV64_W ? "writable" : "readable");
    return NULL;
}

static void access_end(struct dpk_process *p)
{
    pthread_rwlock_unlock(&p->in_flight);
}

static void write_end(struct dpk_process *p, uint64_t address, uint64_t size)
{
    proc_recorded_write_end(p, address, size);
    access_end(p);
}

/* Writes a word atomically and after earlier stores, because kernels poll for words from the
 * host. */
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

static enum dpk_status fail_gone(struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_RANGE,
                    "the host's memory is of a file that somebody made shorter");
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
    proc_tsan_host_writes(p, to, size);
    const bool good = DPK_GUARDED(at, from, size, write_guest(at, from, size));
    write_end(p, to, size);
    return good ? DPK_OK : fail_gone(err);
}

enum dpk_status dpk_copy_out(struct dpk_process *p, void *to, uint64_t from, uint64_t size,
                             struct dpk_error *err)
{
    if (size == 0)
        return DPK_OK;
    const void *at = access_begin(p, from, size, RV64_R, err);
    if (!at)
        return DPK_ERR_RANGE;
    const bool good = DPK_GUARDED(to, at, size, memcpy(to, at, size));
    if (good && p->strict.memory)
        proc_store_buffer_hide(p, from, to, size);
    proc_tsan_host_reads(p, from, size);
    access_end(p);
    return good ? DPK_OK : fail_gone(err);
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
    proc_tsan_host_writes(p, address, size);
    memset(at, value, size);
    write_end(p, address, size);
    return DPK_OK;
}

void *dpk_process_memory(const struct dpk_process *p, uint64_t address, uint64_t size,
                         bool writable)
{
    return rv64_memory_at(p->memory, address, size, writable ? RV64_W : RV64_R);
}

bool dpk_process_is_recorded(const struct dpk_process *p)
{
    return p->recorded != NULL;
}

/* Returns the word at an aligned address of a running process until write_end. */
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
        write_end(p, address, sizeof *at);
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
        write_end(p, address, sizeof *at);
        *before = compare;
    }
    return status;
}
