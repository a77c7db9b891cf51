/* The processes of a device for other programs, and changes by them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/running/files.h"

/* ---- Looking ---- */

/* The owner of the file may write any bytes at any time. */
static void copy_name(char out[DPK_LIVE_NAME], const char *from)
{
    memcpy(out, from, DPK_LIVE_NAME);
    out[DPK_LIVE_NAME - 1] = 0;
    dpk_text_clean_in(out, DPK_LIVE_NAME);
}

static enum dpk_status look_at_threads(struct process_file *file, struct dpk_live_process *p,
                                       struct dpk_error *err)
{
    p->threads = calloc(DPK_LIVE_THREADS, sizeof *p->threads);
    if (!p->threads)
        return dpk_fail_nomem(err);
    for (unsigned i = 0; i < DPK_LIVE_THREADS; i++) {
        struct thread_row *row = &file->threads[i];
        struct dpk_live_thread *t = &p->threads[p->thread_count];
        copy_name(t->name, row->name);
        if (!t->name[0])
            continue;
        t->number = i;
        t->instructions = row->instructions;
        t->ns = row->ns;
        t->executions = row->executions;
        p->thread_count++;
    }
    return DPK_OK;
}

static enum dpk_status look_at(struct process_file *file, unsigned number, struct units_file *units,
                               bool threads, struct dpk_live_seen *out, struct dpk_error *err)
{
    struct dpk_live_process *p = &out->processes[out->count];
    *p = (struct dpk_live_process){.number = number,
                                   .pid = file->pid,
                                   .vhca = file->vhca,
                                   .collects = file->collects != 0,
                                   .traces = file->traces != 0};
    copy_name(p->name, file->name);
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++)
        if (units->owners[i] == number + 1)
            dpk_units_add(&p->units, i);
    enum dpk_status status = threads ? look_at_threads(file, p, err) : DPK_OK;
    out->count += status == DPK_OK;
    return status;
}

/* Errors: DPK_ERR_NOT_FOUND if no program ever ran on the device. */
static enum dpk_status with_lock(const char *directory, struct units_lock *lock, int *folder,
                                 struct dpk_error *err)
{
    enum dpk_status status = running_folder_open(directory, false, folder, err);
    if (status != DPK_OK)
        return status;
    status = running_units_lock(*folder, true, lock, err);
    if (status != DPK_OK)
        close(*folder);
    return status;
}

static uint64_t time_between(const struct units_file *units)
{
    const uint64_t began = units->began, ended = units->collects ? dpk_now_ns() : units->ended;
    return began && ended > began ? ended - began : 0;
}

enum dpk_status dpk_live_look(const char *directory, bool threads, struct dpk_live_seen *out,
                              struct dpk_error *err)
{
    int folder;
    struct units_lock lock;
    *out = (struct dpk_live_seen){0};
    enum dpk_status status = with_lock(directory, &lock, &folder, err);
    if (status == DPK_ERR_NOT_FOUND)
        return DPK_OK;
    if (status != DPK_OK)
        return status;
    out->processes = calloc(DPK_LIVE_PROCESSES, sizeof *out->processes);
    if (!out->processes)
        status = dpk_fail_nomem(err);
    for (unsigned n = 0; n < DPK_LIVE_PROCESSES && status == DPK_OK; n++) {
        struct process_file *file;
        if (running_process_map(folder, n, &file)) {
            status = look_at(file, n, lock.file, threads, out, err);
            munmap(file, sizeof *file);
        } else if (running_process_is_dead(folder, n)) {
            running_process_bury(folder, n, lock.file);
        }
    }
    out->collects = lock.file->collects != 0;
    out->for_ns = time_between(lock.file);
    running_units_unlock(&lock);
    close(folder);
    if (status != DPK_OK)
        dpk_live_seen_free(out);
    return status;
}

void dpk_live_seen_free(struct dpk_live_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        free(seen->processes[i].threads);
    free(seen->processes);
    *seen = (struct dpk_live_seen){0};
}

/* ---- Watching ---- */

struct dpk_live_watch {
    struct units_file *units;
};

enum dpk_status dpk_live_watch(const char *directory, struct dpk_live_watch **out,
                               struct dpk_error *err)
{
    int folder;
    struct units_lock lock;
    *out = NULL;
    enum dpk_status status = running_folder_open(directory, true, &folder, err);
    if (status != DPK_OK)
        return status;
    status = running_units_lock(folder, true, &lock, err);
    close(folder);
    if (status != DPK_OK)
        return status;
    running_units_release(&lock.fd);
    *out = malloc(sizeof **out);
    if (!*out) {
        munmap(lock.file, sizeof *lock.file);
        return dpk_fail_nomem(err);
    }
    (*out)->units = lock.file;
    return DPK_OK;
}

struct dpk_units dpk_live_watch_units(const struct dpk_live_watch *watch)
{
    struct dpk_units out = {0};
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++)
        if (atomic_load_explicit(&watch->units->owners[i], memory_order_relaxed) != 0)
            dpk_units_add(&out, i);
    return out;
}

void dpk_live_watch_end(struct dpk_live_watch *watch)
{
    if (watch)
        munmap(watch->units, sizeof *watch->units);
    free(watch);
}

enum dpk_status dpk_live_choose(const char *list, struct dpk_live_choice *out,
                                struct dpk_error *err)
{
    *out = (struct dpk_live_choice){0};
    for (unsigned n = 0; !list && n < DPK_LIVE_PROCESSES; n++)
        out->wanted[n] = true;
    for (const char *at = list; at;) {
        char *end;
        const unsigned long n = strtoul(at, &end, 16);
        if (!isxdigit((unsigned char)*at) || n >= DPK_LIVE_PROCESSES || (*end && *end != ','))
            return dpk_fail(err, DPK_ERR_USAGE,
                            "'%.100s' is not a list of process IDs, hexadecimal up to %x", list,
                            DPK_LIVE_PROCESSES - 1);
        out->wanted[n] = true;
        at = *end ? end + 1 : NULL;
    }
    return DPK_OK;
}

/* ---- Pauses ---- */

enum dpk_status dpk_live_still(const char *directory, struct dpk_live_pause *out, size_t *count,
                               struct dpk_error *err)
{
    int folder;
    struct units_lock lock;
    struct process_file *file;
    *count = 0;
    out->fd = -1;
    enum dpk_status status = running_folder_open(directory, true, &folder, err);
    if (status == DPK_OK && (status = running_units_lock(folder, true, &lock, err)) != DPK_OK)
        close(folder);
    if (status != DPK_OK)
        return status;
    for (unsigned n = 0; n < DPK_LIVE_PROCESSES; n++) {
        if (running_process_map(folder, n, &file)) {
            munmap(file, sizeof *file);
            (*count)++;
        } else if (running_process_is_dead(folder, n)) {
            running_process_bury(folder, n, lock.file);
        }
    }
    munmap(lock.file, sizeof *lock.file);
    close(folder);
    out->fd = lock.fd;
    return DPK_OK;
}

void dpk_live_moves(struct dpk_live_pause *pause)
{
    running_units_release(&pause->fd);
}
