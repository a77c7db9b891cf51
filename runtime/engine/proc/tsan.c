#include "engine/proc/tsan.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/proc/callers.h"
#include "engine/proc/finding.h"
#include "engine/proc/heap.h"
#include "engine/races/races.h"

_Static_assert(HARTS_MAX < RACES_THREADS, "each hart is a thread");

enum { A0 = 10, A1, A2, A3 };
/* Keys besides RACES_OUTSIDE, which stands for everything that the host knows. This key stands for
 * ended launches, which a hart learns of when it sees an event. */
enum { LAUNCHES_ENDED = 2 };

enum { TOLD_MAX = 256 };
struct tsan {
    struct races *races;
    bool ends;         /* the first race ends the program */
    atomic_bool found; /* `first` is valid, and does not change any more */
    char first[sizeof((struct hart *)0)->report];
    pthread_mutex_t lock;
    uint64_t told[TOLD_MAX]; /* hashes of pairs of lines; a line may have several places of code */
    size_t told_count;
};

/* The hart whose call this host thread carries out, or NULL. */
static _Thread_local struct hart *actor;

static unsigned thread_of(const struct hart *h)
{
    return h->id + 1;
}

/* ---- Processes ---- */

static enum dpk_status read_ends(bool *ends, struct dpk_error *err)
{
    const char *wanted = getenv("DPAKIT_RACES");
    *ends = wanted && strcmp(wanted, "end") == 0;
    if (wanted && *wanted && !*ends && strcmp(wanted, "tell") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_RACES=%s is not known; it may be tell or end",
                        wanted);
    return DPK_OK;
}

enum dpk_status proc_tsan_enter(struct dpk_process *p, struct dpk_error *err)
{
    uint64_t at;
    bool ends;
    if (!dpk_image_symbol(p->image, "__tsan_init", &at, NULL))
        return DPK_OK;
    enum dpk_status status = read_ends(&ends, err);
    if (status != DPK_OK)
        return status;
    struct tsan *t = calloc(1, sizeof *t);
    if (!t || !(t->races = races_create())) {
        free(t);
        return dpk_fail_nomem(err);
    }
    t->ends = ends;
    pthread_mutex_init(&t->lock, NULL);
    p->tsan = t;
    return DPK_OK;
}

void proc_tsan_leave(struct dpk_process *p)
{
    if (!p->tsan)
        return;
    races_destroy(p->tsan->races);
    pthread_mutex_destroy(&p->tsan->lock);
    free(p->tsan);
    p->tsan = NULL;
}

/* ---- Reports ---- */

static const char *how_text(unsigned how)
{
    static const char *const texts[] = {"read", "write", "atomic read", "atomic write"};
    return texts[how & (RACES_WRITES | RACES_ATOMIC)];
}

/* Writes "in f (k.c:7)" for the code that made the call before `place`. */
static void put_place(const struct dpk_process *p, uint64_t place, char *out, size_t size)
{
    struct dpk_line at;
    const char *function = dpk_image_function_at(p->image, place - 1, NULL);
    const int n = snprintf(out, size, "in %.60s", function ? function : "?");
    if (n > 0 && (size_t)n < size && dpk_line_find(p->image, place - 1, &at))
        snprintf(out + n, size - (size_t)n, " (%.80s:%u)", at.file, at.line);
}

static void put_object(struct dpk_process *p, uint64_t address, char *out, size_t size)
{
    struct heap_place place;
    *out = '\0';
    if (address < p->layout.heap)
        return;
    pthread_mutex_lock(&p->heap_lock);
    if (proc_heap_find(p->heap, address, &place))
        snprintf(out, size, ", of heap memory of %" PRIu64 " bytes at 0x%" PRIx64, place.size,
                 place.address);
    pthread_mutex_unlock(&p->heap_lock);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
    return hash;
}

/* Returns whether a pair of lines was reported already, and marks it as reported. */
static bool is_told(struct tsan *t, const char *here, const char *there)
{
    const uint64_t pair = hash_of(here) + hash_of(there);
    size_t i = 0;
    pthread_mutex_lock(&t->lock);
    while (i < t->told_count && t->told[i] != pair)
        i++;
    const bool told = i < t->told_count || i == TOLD_MAX;
    if (!told)
        t->told[t->told_count++] = pair;
    pthread_mutex_unlock(&t->lock);
    return told;
}

/* Returns false if the race was reported already. */
static bool describe(struct hart *h, const struct race *race, char *out, size_t size)
{
    struct dpk_process *p = h->process;
    const struct races_access *now = &race->now, *before = &race->before;
    char here[160], there[160], callers[200], object[80];
    put_place(p, now->place, here, sizeof here);
    put_place(p, before->place, there, sizeof there);
    if (is_told(p->tsan, here, there))
        return false;
    put_object(p, now->address, object, sizeof object);
    proc_callers_put(h, now->place, callers, sizeof callers);
    snprintf(out, size,
             "thread %u: data race: %s of %" PRIu64 " bytes at address 0x%" PRIx64
             "%s, %s%s; thread %u: %s of "
             "%" PRIu64 " bytes at address 0x%" PRIx64 ", %s",
             h->id, how_text(now->how), now->size, now->address, object, here, callers,
             before->thread - 1, how_text(before->how), before->size, before->address, there);
    return true;
}

/* ---- Calls of the program ---- */

static void keep_first(struct tsan *t, const char *report)
{
    pthread_mutex_lock(&t->lock);
    if (!atomic_load(&t->found)) {
        snprintf(t->first, sizeof t->first, "%s", report);
        atomic_store(&t->found, true);
    }
    pthread_mutex_unlock(&t->lock);
}

/* Ends the process by the first race. Each later call ends it again until that succeeds: the call
 * with the race may run on a launching host thread, where it does not fail the process, and run
 * again. */
static bool end_by_race(struct hart *h, struct slice *s)
{
    snprintf(h->report, sizeof h->report, "%s", h->process->tsan->first);
    h->regs.pc -= 4; /* back on the ECALL */
    s->end = SLICE_FAULT;
    h->cause = CAUSE_BAD_ACCESS;
    return true;
}

/* Checks a range in parts, within the run-time limit and the mapped memory. */
static bool find_race(const struct hart *h, struct races_access a, struct race *out)
{
    const uint64_t part = UINT64_C(1) << 16;
    if (a.size <= part)
        return races_access(h->process->tsan->races, &a, out);
    if (!rv64_memory_at(h->process->memory, a.address, a.size, 0))
        return false; /* it will fault */
    struct races_access now = a;
    bool raced = false;
    for (uint64_t at = 0; at < a.size && dpk_call_worked(part); at += part) {
        struct race found;
        now.address = a.address + at;
        now.size = a.size - at < part ? a.size - at : part;
        if (races_access(h->process->tsan->races, &now, &found) && !raced) {
            raced = true;
            *out = found;
            out->now = a;
        }
    }
    return raced;
}

bool proc_tsan_access(struct hart *h, struct slice *s)
{
    const uint64_t *x = h->regs.x, how = x[A2];
    struct tsan *t = h->process->tsan;
    const unsigned thread = thread_of(h);
    struct race race;
    if (!t)
        return false;
    if (atomic_load(&t->found))
        return end_by_race(h, s);
    const bool atomic = how & DPA_ACCESS_ATOMIC, writes = how & DPA_ACCESS_WRITES;
    const struct races_access a = {.thread = thread,
                                   .address = x[A0],
                                   .size = x[A1],
                                   .how =
                                       (writes ? RACES_WRITES : 0u) | (atomic ? RACES_ATOMIC : 0u),
                                   .place = (uint32_t)x[A3]};
    if (how & DPA_ACCESS_LOADED || how & DPA_ACCESS_ACQUIRES)
        races_load(t->races, thread, x[A0], how & DPA_ACCESS_ACQUIRES);
    else if (atomic && !writes)
        races_load_soon(t->races, thread, x[A0]);
    const bool raced = !(how & DPA_ACCESS_TOLD) && find_race(h, a, &race);
    if (atomic && writes) /* the released clock includes the access itself */
        races_store(t->races, thread, x[A0], how & DPA_ACCESS_RELEASES);
    if (!raced)
        return false;
    if (!describe(h, &race, h->report, sizeof h->report))
        return false;
    if (!t->ends) {
        proc_finding_tell(h->process, h->report);
        return false;
    }
    keep_first(t, h->report);
    return end_by_race(h, s);
}

bool proc_tsan_fence(struct hart *h)
{
    const uint64_t how = h->regs.x[A0];
    if (h->process->tsan)
        races_fence(h->process->tsan->races, thread_of(h), how & DPA_FENCE_RELEASES,
                    how & DPA_FENCE_ACQUIRES);
    return false;
}

/* ---- Order between harts ---- */

void proc_tsan_acts(struct hart *h)
{
    actor = h && h->process->tsan ? h : NULL;
}

void proc_tsan_begins(struct hart *h)
{
    if (h->process->tsan)
        races_acquire(h->process->tsan->races, thread_of(h), RACES_OUTSIDE);
}

void proc_tsan_ended(struct hart *h)
{
    if (!h->process->tsan)
        return;
    races_release(h->process->tsan->races, thread_of(h), RACES_OUTSIDE);
    races_release(h->process->tsan->races, thread_of(h), LAUNCHES_ENDED);
}

void proc_tsan_activates(struct dpk_process *p, const void *thread)
{
    if (p->tsan && actor && actor->process == p)
        races_release(p->tsan->races, thread_of(actor), (uintptr_t)thread);
}

void proc_tsan_activated(struct hart *h, const void *thread)
{
    if (!h->process->tsan)
        return;
    proc_tsan_begins(h);
    races_acquire(h->process->tsan->races, thread_of(h), (uintptr_t)thread);
}

void proc_tsan_sets(struct hart *h, const void *event)
{
    if (!h->process->tsan)
        return;
    races_release(h->process->tsan->races, thread_of(h), (uintptr_t)event);
    races_release(h->process->tsan->races, thread_of(h), RACES_OUTSIDE);
}

void proc_tsan_sees(struct hart *h, const void *event)
{
    if (!h->process->tsan)
        return;
    races_acquire(h->process->tsan->races, thread_of(h), (uintptr_t)event);
    races_acquire(h->process->tsan->races, thread_of(h), LAUNCHES_ENDED);
}

/* ---- The host ---- */

void proc_tsan_host_writes(struct dpk_process *p, uint64_t address, uint64_t size)
{
    if (p->tsan)
        races_written_outside(p->tsan->races, address, size);
}

void proc_tsan_host_reads(struct dpk_process *p, uint64_t address, uint64_t size)
{
    if (p->tsan)
        races_read_outside(p->tsan->races, address, size);
}

void proc_tsan_allocated(struct dpk_process *p, uint64_t address, uint64_t size)
{
    if (p->tsan)
        races_forget(p->tsan->races, address, size);
}
