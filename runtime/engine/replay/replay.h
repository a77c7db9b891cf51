/*
 * replay: runs the instructions of a recorded process again (record.h), with all that came to it
 * from outside at the same places. It needs no device, host program or network, and has no
 * scheduler: the file says which thread runs how many instructions. After each of these runs, the
 * registers are compared with the recorded ones; at the end, the memory is.
 *
 *     struct dpk_replay *r = NULL;
 *     dpk_replay_open("run.rec", 1, &r, &err);
 *     dpk_replay_set_sink(r, print, NULL);
 *     dpk_replay_run(r, &err);
 *     dpk_replay_close(r);
 *
 * A tick is one instruction, or one attempt at an instruction that the runtime handled: a call, a
 * fault, an access to host memory. Ticks are counted over all threads, from 0. An effect from
 * outside between two ticks belongs to the second tick, before its instruction.
 *
 * A debugger can go to any tick, forwards and backwards. To go backwards, the machine restores a
 * copy of an earlier state and runs forwards from it (states.c). It makes such copies while it
 * runs.
 */
#ifndef DPK_ENGINE_REPLAY_REPLAY_H
#define DPK_ENGINE_REPLAY_REPLAY_H

#include "engine/debug/debug.h"

struct dpk_replay;

/* Reads the file and checks all its records. `number`: which of its processes, from 1. A file that
 * ends inside a record, because its program was killed, is replayed up to there. Errors:
 * DPK_ERR_FORMAT if the file is damaged or not a recording, DPK_ERR_NOT_FOUND if it does not have
 * this process. */
enum dpk_status dpk_replay_open(const char *path, unsigned number, struct dpk_replay **out,
                                struct dpk_error *err);
/* Same, from bytes, which are copied. */
enum dpk_status dpk_replay_open_bytes(const void *data, size_t size, unsigned number,
                                      struct dpk_replay **out, struct dpk_error *err);
void dpk_replay_close(struct dpk_replay *r); /* NULL is allowed */

struct dpk_replay_facts {
    const char *app;
    char sha256[65];    /* hash of its device ELF */
    unsigned processes; /* number of processes in the file */
    uint64_t ticks;
    uint64_t seed;
    bool whole; /* the recording is complete; if false, its program was killed */
};
void dpk_replay_facts(const struct dpk_replay *r, struct dpk_replay_facts *out);

/* Receives the output of threads and the results of RPCs, each once, however often a debugger goes
 * back. */
struct dpk_replay_sink {
    void (*message)(void *context, const char *text, size_t size);
    void (*result)(void *context, uint64_t value);
    void *context;
};
void dpk_replay_set_sink(struct dpk_replay *r, const struct dpk_replay_sink *sink);

/* Runs the process to its end. Errors: DPK_ERR_FAULT or DPK_ERR_TIMEOUT if the process failed, as
 * in the recording; DPK_ERR_MISMATCH if the replay differs from the recording (the message says
 * where). */
enum dpk_status dpk_replay_run(struct dpk_replay *r, struct dpk_error *err);

/* Results at the end: dpk_replay_thread gets the instructions and the id of a thread, and returns
 * false if the thread does not exist or did not run. dpk_replay_digest gets the SHA-256 of the
 * memory. */
bool dpk_replay_thread(const struct dpk_replay *r, unsigned index, unsigned *id,
                       uint64_t *instructions);
bool dpk_replay_digest(const struct dpk_replay *r, char out[65]);

/* Serves GDB, from the first instruction on. GDB may go backwards, and cannot change anything. */
enum dpk_status dpk_replay_serve(struct dpk_replay *r, int in, int out, struct dpk_error *err);

#endif
