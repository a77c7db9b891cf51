/*
 * recorded: records a run for DPAKIT_RECORD. All outside effects on a process go through these
 * functions: writes of the host and the NIC to its memory, and changes of its threads' registers by
 * calls of the runtime. One lock separates them from the instructions of the threads, which run one
 * at a time. So the order in the file is the order of execution.
 */
#ifndef DPK_ENGINE_PROC_RECORDED_H
#define DPK_ENGINE_PROC_RECORDED_H

#include "engine/proc/hart.h"

/* Reads DPAKIT_RECORD and DPAKIT_RECORD_SEED, and creates the file. */
enum dpk_status proc_recorded_begin(struct dpk_error *err);
/* Returns true if runs are recorded; there is then one worker. */
bool proc_recording(void);
/* Records the start of a process, before anything is mapped. Errors: DPK_ERR_REFUSED if its device
 * does not allow debuggers. */
enum dpk_status proc_recorded_enter(struct dpk_process *p, struct dpk_error *err);
void proc_recorded_leave(struct dpk_process *p);

/* ---- Without sched's lock or with it ---- */

/* rv64_memory_map and rv64_memory_store for the memory of a process. */
bool proc_recorded_map(struct dpk_process *p, uint64_t address, uint64_t size, unsigned access);
bool proc_recorded_store(struct dpk_process *p, uint64_t address, const void *from, uint64_t size);
/* Call these before and after writing memory of a recorded process; no thread runs in between.
 * proc_recorded_write_end records the written range. */
void proc_recorded_write_begin(const struct dpk_process *p);
void proc_recorded_write_end(const struct dpk_process *p, uint64_t address, uint64_t size);
void proc_recorded_message(const struct hart *h, const void *text, size_t size);
void proc_recorded_result(const struct dpk_process *p, uint64_t value);
void proc_recorded_failure(const struct dpk_process *p);

/* ---- Threads of a recorded process ---- */

/* Returns the number of instructions of a slice: random, so that threads may meet at any place. */
uint64_t proc_recorded_slice(void);
/* Runs the hart by `run`, which does what rv64_run does. */
enum rv64_stop proc_recorded_run(struct hart *h, uint64_t budget, struct slice *s,
                                 enum rv64_stop (*run)(struct hart *h, uint64_t budget,
                                                       struct slice *s));

#endif
