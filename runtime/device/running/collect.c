/* Starts and stops counting and sampling for processes of a device. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/running/files.h"

/* ---- Counters ---- */

typedef void change_process(struct process_file *file, bool on, bool reset);

static void collect_of(struct process_file *file, bool on, bool reset)
{
    for (unsigned i = 0; i < DPK_LIVE_THREADS && reset; i++) {
        file->threads[i].instructions = 0;
        file->threads[i].ns = 0;
        file->threads[i].executions = 0;
    }
    file->collects = on;
}

static void note_time(struct units_file *units, bool on, bool all)
{
    if (on)
        units->began = dpk_now_ns();
    else
        units->ended = dpk_now_ns();
    if (all)
        units->collects = on;
}

/* Opens the folder of a device and locks it. */
static enum dpk_status begin(const char *directory, int *folder, struct units_lock *lock,
                             struct dpk_error *err)
{
    enum dpk_status status = running_folder_open(directory, true, folder, err);
    if (status == DPK_OK && (status = running_units_lock(*folder, true, lock, err)) != DPK_OK)
        close(*folder);
    return status;
}

static void end(int folder, struct units_lock *lock)
{
    running_units_unlock(lock);
    close(folder);
}

/* Changes a process, or all processes (UINT_MAX). Returns true if there was a process to change. */
static bool change(int folder, unsigned process, change_process *how, bool on, bool reset)
{
    struct process_file *file;
    bool found = false;
    for (unsigned n = 0; n < DPK_LIVE_PROCESSES; n++) {
        if ((process != UINT_MAX && n != process) || !running_process_map(folder, n, &file))
            continue;
        how(file, on, reset);
        munmap(file, sizeof *file);
        found = true;
    }
    return found;
}

static enum dpk_status no_process(unsigned process, struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "no DPA process %x on the device", process);
}

enum dpk_status dpk_live_collect(const char *directory, unsigned process, bool on, bool reset,
                                 struct dpk_error *err)
{
    int folder;
    struct units_lock lock;
    const bool all = process == UINT_MAX;
    enum dpk_status status = begin(directory, &folder, &lock, err);
    if (status != DPK_OK)
        return status;
    if (change(folder, process, collect_of, on, reset) || all)
        note_time(lock.file, on, all);
    else
        status = no_process(process, err);
    end(folder, &lock);
    return status;
}

/* ---- Samples ---- */

static void sample_of(struct process_file *file, bool on, bool reset)
{
    for (unsigned i = 0; i < DPK_LIVE_SAMPLES && reset; i++)
        file->samples[i].number = 0;
    file->traces = on;
}

enum dpk_status dpk_live_sample(const char *directory, unsigned process, bool on, bool reset,
                                struct dpk_error *err)
{
    int folder;
    struct units_lock lock;
    enum dpk_status status = begin(directory, &folder, &lock, err);
    if (status != DPK_OK)
        return status;
    if (!change(folder, process, sample_of, on, reset) && process != UINT_MAX)
        status = no_process(process, err);
    end(folder, &lock);
    return status;
}

/* Copies a row, which is not trusted. Returns false if it has another sample, or is being
 * written. */
static bool read_row(const struct sample_row *row, uint64_t number, struct dpk_live_sample *out)
{
    if (atomic_load(&row->number) != number + 1)
        return false;
    *out = (struct dpk_live_sample){.ns = row->ns,
                                    .instructions = row->instructions,
                                    .thread = row->thread % DPK_LIVE_THREADS,
                                    .unit = row->unit % DPK_UNITS_MAX,
                                    .turn = row->turn,
                                    .in = row->in != 0};
    return atomic_load(&row->number) == number + 1;
}

enum dpk_status dpk_live_read_samples(const char *directory, unsigned process,
                                      struct dpk_live_sample *out, size_t max, size_t *count,
                                      struct dpk_error *err)
{
    int folder;
    struct process_file *file;
    *count = 0;
    enum dpk_status status = running_folder_open(directory, false, &folder, err);
    if (status != DPK_OK)
        return status;
    if (!running_process_map(folder, process, &file)) {
        close(folder);
        return no_process(process, err);
    }
    const uint64_t after = file->traced;
    uint64_t number = after > DPK_LIVE_SAMPLES ? after - DPK_LIVE_SAMPLES : 0;
    if (after - number > max)
        number = after - max;
    for (; number < after; number++) {
        if (!read_row(&file->samples[number % DPK_LIVE_SAMPLES], number, &out[*count]))
            continue;
        out[(*count)++].process = process;
    }
    munmap(file, sizeof *file);
    close(folder);
    return DPK_OK;
}
