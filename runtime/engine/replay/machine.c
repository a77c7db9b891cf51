/* Runs the instructions of runs, and compares the registers after each run. */
#include <string.h>

#include "machine.h"

#define PART 1000000u /* ticks at once */

static bool went_astray(struct dpk_replay *r, const char *what)
{
    if (r->failure.status != DPK_ERR_MISMATCH)
        dpk_fail(&r->failure, DPK_ERR_MISMATCH,
                 "it went another way than when it was recorded, at tick %llu of %llu: thread %u "
                 "%s, at 0x%llx",
                 (unsigned long long)machine_tick(r), (unsigned long long)r->ticks,
                 r->record.thread, what, (unsigned long long)machine_hart(r)->pc);
    return false;
}

/* Ends completed runs, and begins the next run. */
static bool settle(struct dpk_replay *r)
{
    uint64_t values[DPK_CHANGED_COUNT];
    while (!machine_at_end(r) && r->done == replay_run_ticks(&r->record)) {
        dpk_record_registers(machine_hart(r), values);
        if (dpk_record_check(values) != r->record.address)
            return went_astray(r, "has other registers");
        r->run++;
        if (!replay_machine_next(r))
            return false;
    }
    return true;
}

/* Executes the last tick of a run: the instruction that it stopped at. */
static bool try_stop(struct dpk_replay *r)
{
    if (rv64_step(r->core, machine_hart(r)) != (enum rv64_stop)r->record.small)
        return went_astray(r, "does not stop there");
    r->done++;
    return settle(r);
}

/* Counts instructions that have run. `before` is the thread's earlier count. */
static bool count(struct dpk_replay *r, uint64_t before, enum rv64_stop why)
{
    r->done += machine_hart(r)->instret - before;
    if (r->done > r->record.number)
        return went_astray(r, "ran too far");
    if (why == RV64_STOP_ECALL || why == RV64_STOP_EBREAK || why == RV64_STOP_FAULT)
        return went_astray(r, "stopped");
    return settle(r);
}

bool replay_machine_forward(struct dpk_replay *r, uint64_t limit)
{
    if (!settle(r))
        return false;
    while (!machine_at_end(r) && machine_tick(r) < limit) {
        struct rv64_hart *h = machine_hart(r);
        const uint64_t before = h->instret, left = r->record.number - r->done;
        const uint64_t wanted = limit - machine_tick(r);
        if (left == 0) {
            if (!try_stop(r))
                return false;
            continue;
        }
        const uint64_t some = wanted < left ? wanted : left;
        enum rv64_stop why = rv64_run_exactly(r->core, h, some < PART ? some : PART);
        if (why == RV64_STOP_BREAKPOINT) /* only searches stop at breakpoints */
            why = rv64_step(r->core, h);
        if (!count(r, before, why))
            return false;
        if (r->states)
            replay_states_keep(r);
    }
    return true;
}

/* ---- Searching ---- */

static bool is_break(const struct points *p, uint64_t pc)
{
    for (size_t i = 0; i < p->break_count; i++)
        if (p->breaks[i] == pc)
            return true;
    return false;
}

/* Executes a tick. *watch is the watch that it touched, or SIZE_MAX. */
static bool step(struct dpk_replay *r, const struct points *p, size_t *watch)
{
    struct rv64_hart *h = machine_hart(r);
    const uint64_t before = h->instret;
    *watch = SIZE_MAX;
    if (r->done == r->record.number)
        return try_stop(r);
    const enum rv64_stop why = rv64_step_watched(r->core, h, p->watches, p->watch_count, watch);
    return count(r, before, why);
}

/* Runs many instructions without watches, up to a breakpoint. */
static bool run(struct dpk_replay *r, uint64_t limit)
{
    struct rv64_hart *h = machine_hart(r);
    const uint64_t before = h->instret, left = r->record.number - r->done;
    const uint64_t wanted = limit - machine_tick(r), some = wanted < left ? wanted : left;
    if (some <= 128)
        return true;
    return count(r, before, rv64_run(r->core, h, some - 64));
}

bool replay_machine_search(struct dpk_replay *r, const struct points *points, bool here,
                           uint64_t limit, struct hit *hit)
{
    const uint64_t begin = machine_tick(r);
    *hit = (struct hit){.watch = SIZE_MAX};
    for (bool first = !here; !machine_at_end(r) && machine_tick(r) < limit; first = false) {
        if (machine_tick(r) - begin >= PART)
            return true;
        hit->tick = machine_tick(r);
        if (!first && r->done < replay_run_ticks(&r->record) &&
            is_break(points, machine_hart(r)->pc)) {
            hit->there = true;
            return true;
        }
        if (!step(r, points, &hit->watch))
            return false;
        if (hit->watch != SIZE_MAX) {
            hit->there = true;
            return true;
        }
        if (points->watch_count == 0 && !machine_at_end(r) && machine_tick(r) < limit &&
            !is_break(points, machine_hart(r)->pc) && !run(r, limit))
            return false;
        if (r->states)
            replay_states_keep(r);
    }
    return true;
}

/* ---- To the end ---- */

enum dpk_status dpk_replay_run(struct dpk_replay *r, struct dpk_error *err)
{
    (void)replay_machine_forward(r, UINT64_MAX);
    if (r->failure.status == DPK_OK)
        return DPK_OK;
    return dpk_fail(err, r->failure.status, "%s", r->failure.message);
}

bool dpk_replay_thread(const struct dpk_replay *r, unsigned index, unsigned *id,
                       uint64_t *instructions)
{
    for (unsigned i = 0; i < DPK_RECORD_THREADS_MAX; i++)
        if (r->threads[i].there && index-- == 0) {
            *id = i;
            *instructions = r->threads[i].hart.instret;
            return true;
        }
    return false;
}

bool dpk_replay_digest(const struct dpk_replay *r, char out[65])
{
    uint8_t digest[DPK_RECORD_DIGEST];
    if (!dpk_record_digest(r->memory, digest))
        return false;
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return true;
}
