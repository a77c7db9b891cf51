/* files: the two kinds of files in a device's folder `live`. */
#ifndef DPK_DEVICE_RUNNING_FILES_H
#define DPK_DEVICE_RUNNING_FILES_H

#include "device/running/running.h"

/* Owner of each unit: 0, or the number of the process + 1. */
struct units_file {
    uint64_t magic;
    atomic_uint collects;               /* new processes collect counters */
    atomic_uint_least64_t began, ended; /* start and end of collecting, or 0; monotonic ns */
    _Alignas(64) atomic_uint owners[DPK_UNITS_MAX];
    atomic_ushort turns[DPK_UNITS_MAX]; /* how often a traced thread got each unit, modulo 2^16 */
};

struct process_file {
    uint64_t magic;
    uint32_t pid, vhca;
    char name[DPK_LIVE_NAME];
    _Alignas(64) atomic_uint collects;
    struct thread_row {
        _Alignas(64) atomic_uint_least64_t instructions, ns, executions;
        char name[DPK_LIVE_NAME]; /* empty: the thread does not exist */
    } threads[DPK_LIVE_THREADS];
    _Alignas(64) atomic_uint traces;
    atomic_uint_least64_t traced; /* number of samples; sample N is in row N % DPK_LIVE_SAMPLES */
    struct sample_row {
        atomic_uint_least64_t number; /* number of the sample + 1 when the row is complete; else
                                       * 0 */
        atomic_uint_least64_t ns, instructions;
        atomic_uint thread;
        atomic_ushort unit, turn;
        atomic_uint in;
    } samples[DPK_LIVE_SAMPLES];
};

/* Opens `directory`/live, and makes it if `make`. Errors: DPK_ERR_NOT_FOUND if it does not
 * exist. */
enum dpk_status running_folder_open(const char *directory, bool make, int *out,
                                    struct dpk_error *err);
/* Opens the file of all units, completes it, maps it, and takes its lock, which is needed to make
 * and clean up files. Errors: DPK_ERR_TIMEOUT if `wait` is false and another process has the
 * lock. */
struct units_lock {
    int fd;
    struct units_file *file;
};
enum dpk_status running_units_lock(int folder, bool wait, struct units_lock *out,
                                   struct dpk_error *err);
void running_units_unlock(struct units_lock *lock); /* also unmaps the file */
void running_units_release(int *fd);                /* releases only the lock; -1 is allowed */
/* Makes the file of a new process, which lives as long as *fd is open. Call this with the lock. */
enum dpk_status running_process_make(int folder, unsigned number, int *fd,
                                     struct process_file **out, struct dpk_error *err);
/* Maps the file of a process. Returns false if it does not exist or its process is dead. */
bool running_process_map(int folder, unsigned number, struct process_file **out);
/* Returns true if a file of that number exists and its process is dead. */
bool running_process_is_dead(int folder, unsigned number);
/* Removes its file and frees its units. Call this with the lock. */
void running_process_bury(int folder, unsigned number, struct units_file *units);

#endif
