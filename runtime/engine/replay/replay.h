/*
 * replay: runs the instructions of a recorded process again (record.h), with all that came to it from
 * outside at the same places. It needs no device, no host program and no network, and has no scheduler:
 * the file says which thread runs how many instructions. After each of these runs the registers are
 * compared with those of the recorded one, and at the end its memory.
 *
 *     struct dpk_replay *r = NULL;
 *     dpk_replay_open("run.rec", 1, &r, &err);
 *     dpk_replay_set_sink(r, print, NULL);
 *     dpk_replay_run(r, &err);
 *     dpk_replay_close(r);
 *
 * A tick is one instruction, or one attempt at an instruction that the runtime carried out: a call, a
 * fault, an access to memory of the host. Ticks are counted over all threads, from 0 on. What came from
 * outside between two ticks came before the second.
 *
 * A debugger goes to any tick, forwards and backwards. Backwards means from a copy of an earlier state
 * on forwards (states.c); such copies are made on the way.
 */
#ifndef DPK_ENGINE_REPLAY_REPLAY_H
#define DPK_ENGINE_REPLAY_REPLAY_H

#include "engine/debug/debug.h"

struct dpk_replay;

/* Reads the file, all of whose records are checked. `number`: which of its processes, from 1 on.
 * DPK_ERR_FORMAT: it is damaged, or no recording. DPK_ERR_NOT_FOUND: it has no such process. A file that
 * ends in a record, as of a program that was killed, is replayed up to there. */
enum dpk_status dpk_replay_open(const char *path, unsigned number, struct dpk_replay **out,
                                struct dpk_error *err);
/* The same for bytes, which are copied. */
enum dpk_status dpk_replay_open_bytes(const void *data, size_t size, unsigned number,
                                      struct dpk_replay **out, struct dpk_error *err);
void dpk_replay_close(struct dpk_replay *r); /* NULL is fine */

struct dpk_replay_facts {
    const char *app;
    char sha256[65];    /* of its device ELF */
    unsigned processes; /* in the file */
    uint64_t ticks;
    uint64_t seed;
    bool whole; /* the recording has its end; if not, its program was killed */
};
void dpk_replay_facts(const struct dpk_replay *r, struct dpk_replay_facts *out);

/* Takes what threads print, and the results of RPCs; each once, however often a debugger goes back. */
struct dpk_replay_sink {
    void (*message)(void *context, const char *text, size_t size);
    void (*result)(void *context, uint64_t value);
    void *context;
};
void dpk_replay_set_sink(struct dpk_replay *r, const struct dpk_replay_sink *sink);

/* Runs it to its end. DPK_ERR_FAULT, DPK_ERR_TIMEOUT: the process failed, as it did when it was recorded.
 * DPK_ERR_MISMATCH: it went another way than the recorded one; the message says where. */
enum dpk_status dpk_replay_run(struct dpk_replay *r, struct dpk_error *err);

/* What it was at the end: instructions of each thread with its id, and SHA-256 of the memory. False: there
 * is no such thread, or it ran nothing. */
bool dpk_replay_thread(const struct dpk_replay *r, unsigned index, unsigned *id,
                       uint64_t *instructions);
bool dpk_replay_digest(const struct dpk_replay *r, char out[65]);

/* Serves GDB on it, from the first instruction on, which may go backwards and changes nothing. */
enum dpk_status dpk_replay_serve(struct dpk_replay *r, int in, int out, struct dpk_error *err);

#endif
