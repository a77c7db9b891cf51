/*
 * recorded: what DPAKIT_RECORD asks for. All that comes to a process from outside goes through here: what
 * the host and the NIC write to its memory, and what calls of the runtime do to registers of its
 * threads. One lock keeps it apart from the instructions of the threads, which run one at a time, so
 * the order in the file is the order in which all of it happened.
 */
#ifndef DPK_ENGINE_PROC_RECORDED_H
#define DPK_ENGINE_PROC_RECORDED_H

#include "engine/proc/hart.h"

/* Reads DPAKIT_RECORD and DPAKIT_RECORD_SEED, and makes the file. */
enum dpk_status recorded_begin(struct dpk_error *err);
/* Whether runs are recorded: then there is one worker. */
bool recording(void);
/* A process begins; nothing is mapped yet. DPK_ERR_REFUSED: its device allows nobody to look into it. */
enum dpk_status recorded_enter(struct dpk_process *p, struct dpk_error *err);
void recorded_leave(struct dpk_process *p);

/* ---- Without sched's lock or with it ---- */

/* rv64_memory_map and rv64_memory_store for the memory of a process. */
bool recorded_map(struct dpk_process *p, uint64_t address, uint64_t size, unsigned access);
bool recorded_store(struct dpk_process *p, uint64_t address, const void *from, uint64_t size);
/* Around what writes memory of a recorded process; no thread runs meanwhile. What was written: */
void recorded_write_begin(const struct dpk_process *p);
void recorded_write_end(const struct dpk_process *p, uint64_t address, uint64_t size);
void recorded_message(const struct hart *h, const void *text, size_t size);
void recorded_result(const struct dpk_process *p, uint64_t value);
void recorded_failure(const struct dpk_process *p);

/* ---- Threads of a recorded process ---- */

/* How many instructions its slice has: at random, so that threads meet at any place. */
uint64_t recorded_slice(void);
/* Runs the hart by `run`, which does what rv64_run does. */
enum rv64_stop recorded_run(struct hart *h, uint64_t budget, struct slice *s,
                            enum rv64_stop (*run)(struct hart *h, uint64_t budget,
                                                  struct slice *s));

#endif
