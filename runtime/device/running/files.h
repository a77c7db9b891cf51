/* files: the two kinds of file of a device's folder `live`. */
#ifndef DPK_DEVICE_RUNNING_FILES_H
#define DPK_DEVICE_RUNNING_FILES_H

#include "device/running/running.h"

/* Who has each unit: 0, or the number of the process + 1. */
struct units_file {
    uint64_t magic;
    atomic_uint collects;               /* processes that begin are counted */
    atomic_uint_least64_t began, ended; /* when collecting began and ended, or 0; monotonic ns */
    _Alignas(64) atomic_uint owners[DPK_UNITS_MAX];
    atomic_ushort turns[DPK_UNITS_MAX]; /* how often a traced thread has got each, modulo 2^16 */
};

struct process_file {
    uint64_t magic;
    uint32_t pid, vhca;
    char name[DPK_LIVE_NAME];
    _Alignas(64) atomic_uint collects;
    struct thread_row {
        _Alignas(64) atomic_uint_least64_t instructions, ns, executions;
        char name[DPK_LIVE_NAME]; /* empty: there is no such thread */
    } threads[DPK_LIVE_THREADS];
    _Alignas(64) atomic_uint traces;
    atomic_uint_least64_t traced; /* samples so far: number N is in row N % DPK_LIVE_SAMPLES */
    struct sample_row {
        atomic_uint_least64_t number; /* of the sample + 1, when the row is written; else 0 */
        atomic_uint_least64_t ns, instructions;
        atomic_uint thread;
        atomic_ushort unit, turn;
        atomic_uint in;
    } samples[DPK_LIVE_SAMPLES];
};

/* Opens `directory`/live, and makes it if `make`. DPK_ERR_NOT_FOUND: it is not there. */
enum dpk_status folder_open(const char *directory, bool make, int *out, struct dpk_error *err);
/* Opens the file of all units, makes it whole, maps it, and takes its lock: who has that is the one
 * to make and clean up files. DPK_ERR_TIMEOUT: not `wait`, and another has the lock. */
struct units_lock {
    int fd;
    struct units_file *file;
};
enum dpk_status units_lock(int folder, bool wait, struct units_lock *out, struct dpk_error *err);
void units_unlock(struct units_lock *lock); /* and unmaps it */
void units_release(int *fd);                /* the lock alone; -1 is fine */
/* Makes the file of a new process, which lives as long as *fd is open. With the lock. */
enum dpk_status process_make(int folder, unsigned number, int *fd, struct process_file **out,
                             struct dpk_error *err);
/* Maps the file of a process. False: there is none, or it is dead. */
bool process_map(int folder, unsigned number, struct process_file **out);
/* Whether a file of that number is there, and whether its process is dead. */
bool process_is_dead(int folder, unsigned number);
/* Removes its file and frees its units. With the lock. */
void process_bury(int folder, unsigned number, struct units_file *units);

#endif
