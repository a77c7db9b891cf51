/*
 * record: the file of a recorded run of DPA programs: all effects from outside, and which thread
 * ran how many instructions in between. Effects of the instructions themselves are not in the file,
 * because running them again repeats them. The room `replay` reads the file.
 *
 *     struct dpk_recorder *r = NULL;
 *     dpk_recorder_open("run.rec", seed, &r, &err);
 *     dpk_recorder_put(r, &(struct dpk_record){.kind = DPK_RECORD_STORE, .process = 1,
 *                                              .address = 0x80000000, .bytes = p, .size = n});
 *     dpk_recorder_close(r);
 *
 * The file: 8 bytes of magic with the version, 8 bytes of the seed, then records, one after the
 * other. A record: 4 bytes of size and 4 of CRC-32, both of the rest of the record; then kind (1),
 * small (1), process (4), thread (4), address (8), number (8), changed (8), a value (8) for each
 * bit of `changed`, and `bytes` to the end. All numbers are little-endian. A record is written by
 * one system call, so a killed program leaves a file that is complete up to its last record.
 */
#ifndef DPK_ENGINE_RECORD_RECORD_H
#define DPK_ENGINE_RECORD_RECORD_H

#include "base/base.h"
#include "engine/rv64/rv64.h"

enum dpk_record_kind {
    DPK_RECORD_PROCESS = 1, /* a process starts. small: DPK_PROCESS_...; bytes: its name, a NUL, its
                             * device ELF */
    DPK_RECORD_MAP,         /* memory [address, address + number) gets the access `small` */
    DPK_RECORD_STORE,       /* `bytes` are written at address */
    DPK_RECORD_FILL,        /* `small` is written to [address, address + number) */
    /* a thread gets the registers `changed`, and runs `number` instructions until it stops for
     * `small` (enum rv64_stop); address: digest of its registers then */
    DPK_RECORD_RUN,
    DPK_RECORD_MESSAGE,     /* the thread printed `bytes` */
    DPK_RECORD_RESULT,      /* an RPC returned `number` */
    DPK_RECORD_FAILURE,     /* the process failed. small: enum dpk_status; bytes: the report */
    DPK_RECORD_END,         /* a process ends. number: instructions; bytes: digest of its memory */
    DPK_RECORD_KINDS,
};

/* Properties of a process's core. */
enum {
    DPK_PROCESS_STRICT = 1,      /* misaligned accesses fault */
    DPK_PROCESS_WITHOUT_ZBA = 2, /* instructions of Zba are illegal */
};

/* Bits of `changed`; bits 1 to 31 are x1 to x31. */
enum {
    DPK_CHANGED_PC = 0,
    DPK_CHANGED_TIME = 32,
    DPK_CHANGED_INSTRET,
    DPK_CHANGED_RESERVED_ADDRESS,
    DPK_CHANGED_RESERVED_VALUE,
    DPK_CHANGED_RESERVED_WIDTH,
    DPK_CHANGED_COUNT,
};

struct dpk_record {
    enum dpk_record_kind kind;
    uint8_t small;
    uint32_t process, thread; /* processes are numbered from 1, threads from 0 */
    uint64_t address, number, changed;
    uint64_t values[DPK_CHANGED_COUNT]; /* values for the bits of `changed`, by bit number */
    const uint8_t *bytes;               /* borrowed */
    size_t size;
};

#define DPK_RECORD_THREADS_MAX 4096u        /* threads of one process */
#define DPK_RECORD_SIZE_MAX    (1u << 30)   /* bytes of one record */
#define DPK_RECORD_DIGEST      ((size_t)32) /* bytes */
#define DPK_RECORD_HEADER      ((size_t)16) /* of the file */

/* ---- Registers ---- */

/* Gets the registers of a thread as `values`, by bit number. */
void dpk_record_registers(const struct rv64_hart *hart, uint64_t out[DPK_CHANGED_COUNT]);
/* Sets the registers of a thread in `changed`. */
void dpk_record_apply(const struct dpk_record *r, struct rv64_hart *hart);
/* Returns a digest of all registers, for comparison. It does not resist attackers. */
uint64_t dpk_record_check(const uint64_t values[DPK_CHANGED_COUNT]);
/* SHA-256 over the mapped pages of a memory that are not zero, with their addresses. Returns false
 * if there is no memory. */
bool dpk_record_digest(const struct rv64_memory *memory, uint8_t out[DPK_RECORD_DIGEST]);

/* ---- Writing ---- */

struct dpk_recorder;
/* Creates the file, for its user alone (0600), and replaces an existing file. `seed`: seed of the
 * run's random numbers. */
enum dpk_status dpk_recorder_open(const char *path, uint64_t seed, struct dpk_recorder **out,
                                  struct dpk_error *err);
/* Appends a record. After the first record that cannot be written, no more are written: the file is
 * complete up to there. Only one thread at a time may call this. */
void dpk_recorder_put(struct dpk_recorder *r, const struct dpk_record *record);
/* Returns the error of the record that could not be written, or DPK_OK. */
enum dpk_status dpk_recorder_state(const struct dpk_recorder *r, struct dpk_error *err);
void dpk_recorder_close(struct dpk_recorder *r); /* NULL is allowed */

/* ---- Reading ---- */

/* Checks the header of a file in memory, and sets *at after it. Errors: DPK_ERR_FORMAT if it is not
 * such a file. */
enum dpk_status dpk_records_begin(const void *data, size_t size, size_t *at, uint64_t *seed,
                                  struct dpk_error *err);
/* Reads the record at *at, which moves past it. Returns false if there are no more records or this
 * record is wrong. For a wrong record `err` is filled in, except if the file ends inside the record
 * (*cut). `out->bytes` is borrowed from `data`. */
bool dpk_records_next(const void *data, size_t size, size_t *at, struct dpk_record *out, bool *cut,
                      struct dpk_error *err);

#endif
