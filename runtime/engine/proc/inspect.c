#include "engine/proc/inspect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/debug/debug.h"

/* ---- Threads ---- */

size_t proc_process_threads(const struct dpk_process *p, struct dpk_thread_info *out, size_t max)
{
    size_t count = 0;
    for (unsigned i = 0; i < HARTS_MAX; i++) {
        const struct hart *h = p->harts[i];
        if (!h)
            continue;
        if (count < max)
            out[count] = (struct dpk_thread_info){
                .id = h->id,
                .rank = h->rank,
                .state = proc_hart_state_name(h),
                .rpc = h->rpc,
                .function = dpk_image_function_at(p->image, h->function, NULL),
                .instructions = h->sched.retired,
                .misaligned = h->misaligned,
            };
        count++;
    }
    return count;
}

size_t dpk_process_threads(struct dpk_process *p, struct dpk_thread_info *out, size_t max)
{
    sched_lock();
    size_t count = proc_process_threads(p, out, max);
    sched_unlock();
    return count;
}

/* ---- Core files ---- */

static size_t core_threads(const struct dpk_process *p, struct dpk_core_thread *out)
{
    struct hart *harts[HARTS_MAX];
    size_t count = proc_harts_at_work(p, harts);
    for (size_t i = 0; i < count; i++) {
        const struct hart *h = harts[i];
        out[i] = (struct dpk_core_thread){.id = h->id + 1, .pc = h->regs.pc};
        memcpy(out[i].x, h->regs.x, sizeof out[i].x);
        if (p->failed != DPK_OK && h == p->culprit)
            out[i].signal = proc_hart_signal(h);
    }
    if (count == 0) /* GDB needs a thread: where the next would start */
        out[count++] = (struct dpk_core_thread){.id = 1, .pc = dpk_image_entry(p->image)};
    return count;
}

enum dpk_status dpk_process_core(struct dpk_process *p, const char *path, struct dpk_error *err)
{
    struct dpk_core_thread *threads = calloc(HARTS_MAX, sizeof *threads);
    if (!threads)
        return dpk_fail_nomem(err);
    sched_lock();
    proc_process_hold(p);
    struct dpk_core core = {
        .threads = threads, .count = core_threads(p, threads), .memory = p->memory};
    sched_unlock();
    pthread_mutex_lock(&p->heap_lock); /* prevents new mappings */
    enum dpk_status status = dpk_core_write(path, &core, err);
    pthread_mutex_unlock(&p->heap_lock);
    sched_lock();
    proc_process_release(p);
    sched_unlock();
    free(threads);
    return status;
}

/* ---- Reports ---- */

/* Names come from the program. In a report they are shortened and cleaned of control characters. */
struct name {
    char text[200];
};

static const char *clean(const char *name, struct name *out)
{
    snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof out->text - 1, name ? name : "?");
    return dpk_text_clean(out->text);
}

/* `back` is the distance from `pc` back to the instruction of the line. A return address is after
 * its call. */
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

static void put_hart(struct dpk_buf *b, const struct hart *h)
{
    static const char *const names[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                          "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                          "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                          "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    const struct dpk_process *p = h->process;
    struct name name;
    dpk_put_format(b, "\nthread %u: %s of %s, rank %u, %s%s\n", h->id, h->rpc ? "RPC" : "kernel",
                   clean(dpk_image_function_at(p->image, h->function, NULL), &name), h->rank,
                   proc_hart_state_name(h), h == p->culprit ? ", the cause" : "");
    put_place(b, p, "pc ", h->regs.pc, 0);
    put_place(b, p, "ra ", h->regs.x[1], 1);
    for (unsigned i = 2; i < 32; i++)
        dpk_put_format(b, "  %-3s 0x%016" PRIx64 "%s", names[i], h->regs.x[i],
                       i % 3 == 1 ? "\n" : "");
}

void dpk_process_report(struct dpk_process *p, struct dpk_buf *out)
{
    struct hart *harts[HARTS_MAX];
    sched_lock();
    proc_process_hold(p);
    dpk_put_format(out, "program: %s\n", dpk_image_app(p->image));
    dpk_put_format(out, "state: %s\n", p->failed == DPK_OK ? "no failure" : p->failure);
    dpk_put_format(out, "instructions: %" PRIu64 "\n", p->group.instructions);
    size_t count = proc_harts_at_work(p, harts);
    dpk_put_format(out, "threads at work: %zu\n", count);
    for (size_t i = 0; i < count; i++)
        put_hart(out, harts[i]);
    proc_process_release(p);
    sched_unlock();
}
