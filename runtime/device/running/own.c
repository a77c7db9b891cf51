/* A DPA process of this program: start, end, units, threads and counters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/running/files.h"

struct dpk_live {
    int folder, fd;
    unsigned number;
    struct units_lock lock; /* until dpk_live_entered; its file stays mapped */
    struct units_file *units;
    struct process_file *file;
};

/* ---- Start and end ---- */

/* Takes the lowest number that no living process has. Call this with the lock. */
static enum dpk_status take_number(struct dpk_live *live, struct dpk_error *err)
{
    for (unsigned n = 0; n < DPK_LIVE_PROCESSES; n++) {
        struct process_file *other;
        if (running_process_map(live->folder, n, &other)) {
            munmap(other, sizeof *other);
            continue;
        }
        running_process_bury(live->folder, n, live->units);
        live->number = n;
        return running_process_make(live->folder, n, &live->fd, &live->file, err);
    }
    return dpk_fail(err, DPK_ERR_NOMEM, "the device has %d DPA processes already",
                    DPK_LIVE_PROCESSES);
}

static void copy_name(char out[DPK_LIVE_NAME], const char *name)
{
    snprintf(out, DPK_LIVE_NAME, "%s", name && *name ? name : "?");
    dpk_text_clean_in(out, DPK_LIVE_NAME);
}

enum dpk_status dpk_live_enter(const char *directory, const struct dpk_live_program *program,
                               struct dpk_live **out, struct dpk_error *err)
{
    struct dpk_live *live = calloc(1, sizeof *live);
    *out = NULL;
    if (!live)
        return dpk_fail_nomem(err);
    live->fd = -1;
    enum dpk_status status = running_folder_open(directory, true, &live->folder, err);
    if (status == DPK_OK &&
        (status = running_units_lock(live->folder, true, &live->lock, err)) == DPK_OK) {
        live->units = live->lock.file;
        status = take_number(live, err);
        if (status != DPK_OK)
            running_units_unlock(&live->lock);
    }
    if (status != DPK_OK) {
        if (live->folder >= 0)
            close(live->folder);
        free(live);
        return status;
    }
    copy_name(live->file->name, program->name);
    live->file->pid = (uint32_t)getpid();
    live->file->vhca = program->vhca;
    live->file->collects = live->units->collects;
    *out = live;
    return DPK_OK;
}

void dpk_live_entered(struct dpk_live *live)
{
    if (live)
        running_units_release(&live->lock.fd);
}

static void let_go(struct dpk_live *live)
{
    munmap(live->file, sizeof *live->file);
    munmap(live->units, sizeof *live->units);
    close(live->fd);
    close(live->folder);
    free(live);
}

/* Frees units and removes the file before the lock ends, so that a free number has no units. */
void dpk_live_leave(struct dpk_live *live)
{
    if (!live)
        return;
    dpk_live_entered(live);
    running_process_bury(live->folder, live->number, live->units);
    let_go(live);
}

void dpk_live_forked(struct dpk_live *live)
{
    if (!live)
        return;
    close(live->fd);
    live->fd = -1;
}

unsigned dpk_live_number(const struct dpk_live *live)
{
    return live->number;
}

/* ---- Units ---- */

bool dpk_live_claim(struct dpk_live *live, unsigned unit)
{
    unsigned nobody = 0;
    return atomic_compare_exchange_strong(&live->units->owners[unit], &nobody, live->number + 1);
}

void dpk_live_give(struct dpk_live *live, unsigned unit)
{
    unsigned mine = live->number + 1;
    (void)atomic_compare_exchange_strong(&live->units->owners[unit], &mine, 0);
}

/* Frees the units of a dead process. If the lock is taken, its holder frees them. */
static void sweep(struct dpk_live *live, unsigned number)
{
    struct units_lock lock;
    if (number >= DPK_LIVE_PROCESSES || number == live->number ||
        !running_process_is_dead(live->folder, number) ||
        running_units_lock(live->folder, false, &lock, NULL) != DPK_OK)
        return;
    if (running_process_is_dead(live->folder, number))
        running_process_bury(live->folder, number, lock.file);
    running_units_unlock(&lock);
}

struct dpk_units dpk_live_free(struct dpk_live *live, bool dead)
{
    struct dpk_units out = {0};
    unsigned swept = 0;
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++) {
        unsigned owner = atomic_load_explicit(&live->units->owners[i], memory_order_relaxed);
        if (dead && owner != 0 && owner != swept) {
            sweep(live, owner - 1);
            swept = owner;
            owner = atomic_load_explicit(&live->units->owners[i], memory_order_relaxed);
        }
        if (owner == 0 || owner == live->number + 1)
            dpk_units_add(&out, i);
    }
    return out;
}

/* ---- Threads and counters ---- */

void dpk_live_name(struct dpk_live *live, unsigned thread, const char *name)
{
    char text[DPK_LIVE_NAME];
    if (!live || thread >= DPK_LIVE_THREADS)
        return;
    copy_name(text, name);
    memcpy(live->file->threads[thread].name, text, sizeof text);
}

bool dpk_live_collects(const struct dpk_live *live)
{
    return live && atomic_load_explicit(&live->file->collects, memory_order_relaxed) != 0;
}

void dpk_live_count(struct dpk_live *live, unsigned thread, uint64_t instructions, uint64_t ns,
                    unsigned executions)
{
    if (thread >= DPK_LIVE_THREADS)
        return;
    struct thread_row *row = &live->file->threads[thread];
    atomic_fetch_add_explicit(&row->instructions, instructions, memory_order_relaxed);
    atomic_fetch_add_explicit(&row->ns, ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&row->executions, executions, memory_order_relaxed);
}

bool dpk_live_traces(const struct dpk_live *live)
{
    return live && atomic_load_explicit(&live->file->traces, memory_order_relaxed) != 0;
}

/* The number is written last, so readers skip the row until it is complete. */
void dpk_live_trace(struct dpk_live *live, unsigned thread, unsigned unit, bool in,
                    uint64_t instructions)
{
    if (unit >= DPK_UNITS_MAX)
        return;
    const uint64_t number = atomic_fetch_add(&live->file->traced, 1);
    struct sample_row *row = &live->file->samples[number % DPK_LIVE_SAMPLES];
    atomic_ushort *turns = &live->units->turns[unit];
    atomic_store(&row->number, 0);
    row->ns = dpk_now_ns();
    row->instructions = instructions;
    row->thread = thread;
    row->unit = (unsigned short)unit;
    row->turn = in ? (unsigned short)(atomic_fetch_add(turns, 1) + 1) : atomic_load(turns);
    row->in = in;
    atomic_store(&row->number, number + 1);
}
