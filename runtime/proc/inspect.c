/* What can be seen of a process from outside: its threads, a core file, a report of a failure. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "proc/engine.h"

/* ---- Standing still -------------------------------------------------------------------------- */

void process_hold(struct dpk_process *p)
{
    p->users++;
    p->holds++;
    while (p->turns > 0)
        pthread_cond_wait(&p->still, &the_engine.lock);
}

void process_release(struct dpk_process *p)
{
    struct list again;
    list_init(&again);
    p->holds--;
    while (!list_empty(&p->held)) {
        struct list *n = p->held.next;
        list_remove(n);
        list_append(&again, n);
    }
    while (!list_empty(&again)) {
        struct thread *t = owner_of(again.next, struct thread, queued);
        list_remove(&t->queued);
        engine_enqueue(t);
    }
    process_leave(p);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static const char *state_of(const struct thread *t)
{
    switch (t->state) {
    case THREAD_RUNNING:
        return "running";
    case THREAD_BLOCKED:
        return "blocked";
    case THREAD_QUEUED:
        return debug_may_run(t) ? "ready" : "held";
    case THREAD_WAITING:
        return "waiting"; /* for an execution unit */
    default:
        return t->failed ? "failed" : "idle";
    }
}

size_t process_threads(const struct dpk_process *p, struct dpk_thread_info *out, size_t max)
{
    size_t count = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct thread *t = p->slots[i];
        if (!t)
            continue;
        if (count < max)
            out[count] = (struct dpk_thread_info){
                .id = t->slot,
                .rank = t->rank,
                .state = state_of(t),
                .rpc = t->rpc,
                .function = dpk_image_function_at(p->image, t->function, NULL),
                .instructions = t->retired,
            };
        count++;
    }
    return count;
}

size_t dpk_process_threads(struct dpk_process *p, struct dpk_thread_info *out, size_t max)
{
    engine_lock();
    size_t count = process_threads(p, out, max);
    engine_unlock();
    return count;
}

const char *dpk_process_app(const struct dpk_process *p)
{
    return dpk_image_app(p->image);
}

int thread_signal(const struct thread *t)
{
    if (t->process->failed == DPK_ERR_TIMEOUT)
        return SIGXCPU;
    switch (t->hart.fault) {
    case RV64_FAULT_ILLEGAL:
        return SIGILL;
    case RV64_FAULT_MISALIGNED_LOAD:
    case RV64_FAULT_MISALIGNED_STORE:
        return SIGBUS;
    case RV64_FAULT_FETCH:
    case RV64_FAULT_LOAD:
    case RV64_FAULT_STORE:
        return SIGSEGV;
    default:
        return t->called ? SIGSYS : SIGTRAP;
    }
}

/* Threads at work, or those that were when the process failed; the one to look at first. */
size_t process_at_work(const struct dpk_process *p, struct thread *out[SLOTS])
{
    size_t count = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        struct thread *t = p->slots[i];
        if (!t || (t->state == THREAD_IDLE && !(p->failed != DPK_OK && t->failed)))
            continue;
        out[count++] = t;
        if (t == p->culprit && count > 1) {
            out[count - 1] = out[0];
            out[0] = t;
        }
    }
    return count;
}

/* ---- Core files ------------------------------------------------------------------------------ */

static size_t core_threads(const struct dpk_process *p, struct dpk_core_thread *out)
{
    struct thread *threads[SLOTS];
    size_t count = process_at_work(p, threads);
    for (size_t i = 0; i < count; i++) {
        const struct thread *t = threads[i];
        out[i] = (struct dpk_core_thread){.id = t->slot + 1, .pc = t->hart.pc};
        memcpy(out[i].x, t->hart.x, sizeof out[i].x);
        if (p->failed != DPK_OK && t == p->culprit)
            out[i].signal = thread_signal(t);
    }
    if (count == 0) /* GDB wants one: where the next would begin */
        out[count++] = (struct dpk_core_thread){.id = 1, .pc = dpk_image_entry(p->image)};
    return count;
}

enum dpk_status dpk_process_core(struct dpk_process *p, const char *path, struct dpk_error *err)
{
    struct dpk_core_thread *threads = calloc(SLOTS, sizeof *threads);
    if (!threads)
        return dpk_fail_nomem(err);
    engine_lock();
    process_hold(p);
    struct dpk_core core = {
        .threads = threads, .count = core_threads(p, threads), .memory = p->memory};
    engine_unlock();
    pthread_mutex_lock(&p->heap_lock); /* nothing is mapped meanwhile */
    enum dpk_status status = dpk_core_write(path, &core, err);
    pthread_mutex_unlock(&p->heap_lock);
    engine_lock();
    process_release(p);
    engine_unlock();
    free(threads);
    return status;
}

/* ---- Reports --------------------------------------------------------------------------------- */

/* Names come with the program: in a report they are short and steer no terminal. */
struct name {
    char text[200];
};

static const char *clean(const char *name, struct name *out)
{
    snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof out->text - 1, name ? name : "?");
    return dpk_text_clean(out->text);
}

/* `back`: how far before `pc` the instruction of the line is; a return address is behind its call.
 */
static void put_place(struct dpk_buf *b, const struct dpk_process *p, const char *what, uint64_t pc,
                      unsigned back)
{
    uint64_t offset;
    struct dpk_line at;
    struct name name;
    const char *function = dpk_image_function_at(p->image, pc, &offset);
    dpk_put_format(b, "  %s 0x%016" PRIx64, what, pc);
    if (function)
        dpk_put_format(b, " %s+0x%" PRIx64, clean(function, &name), offset);
    if (function && dpk_line_find(p->image, pc - back, &at))
        dpk_put_format(b, " at %s:%u", at.file, at.line);
    dpk_put_format(b, "\n");
}

static void put_thread(struct dpk_buf *b, const struct thread *t)
{
    static const char *const names[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                          "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                          "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                          "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    const struct dpk_process *p = t->process;
    struct name name;
    dpk_put_format(b, "\nthread %u: %s of %s, rank %u, %s%s\n", t->slot, t->rpc ? "RPC" : "kernel",
                   clean(dpk_image_function_at(p->image, t->function, NULL), &name), t->rank,
                   state_of(t), t == p->culprit ? ", the cause" : "");
    put_place(b, p, "pc ", t->hart.pc, 0);
    put_place(b, p, "ra ", t->hart.x[1], 1);
    for (unsigned i = 2; i < 32; i++)
        dpk_put_format(b, "  %-3s 0x%016" PRIx64 "%s", names[i], t->hart.x[i],
                       i % 3 == 1 ? "\n" : "");
}

void dpk_process_report(struct dpk_process *p, struct dpk_buf *out)
{
    struct thread *threads[SLOTS];
    engine_lock();
    process_hold(p);
    dpk_put_format(out, "program: %s\n", dpk_image_app(p->image));
    dpk_put_format(out, "state: %s\n", p->failed == DPK_OK ? "no failure" : p->failure);
    dpk_put_format(out, "instructions: %" PRIu64 "\n", p->instructions);
    size_t count = process_at_work(p, threads);
    dpk_put_format(out, "threads at work: %zu\n", count);
    for (size_t i = 0; i < count; i++)
        put_thread(out, threads[i]);
    process_release(p);
    engine_unlock();
}
