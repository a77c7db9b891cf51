/*
 * record: the file in which a recorded run of DPA programs is kept: all that came to them from
 * outside, and which thread ran how many instructions between. What the instructions did themselves
 * is not in it, since running them again does it again. The room `replay` reads it.
 *
 *     struct dpk_recorder *r = NULL;
 *     dpk_recorder_open("run.rec", seed, &r, &err);
 *     dpk_recorder_put(r, &(struct dpk_record){.kind = DPK_RECORD_STORE, .process = 1,
 *                                              .address = 0x80000000, .bytes = p, .size = n});
 *     dpk_recorder_close(r);
 *
 * The file: 8 bytes of magic with the version, 8 bytes of the seed, then records, one behind the
 * other. A record: 4 bytes of size and 4 of CRC-32, both of what follows; then kind (1), small (1),
 * process (4), thread (4), address (8), number (8), changed (8), a value (8) for each bit of
 * `changed`, and `bytes` to the end. All numbers are little-endian. A record is written by one call
 * of the kernel, so a program that is killed leaves a file that is whole up to its last record.
 */
#ifndef DPK_ENGINE_RECORD_RECORD_H
#define DPK_ENGINE_RECORD_RECORD_H

#include "base/base.h"
#include "engine/rv64/rv64.h"

enum dpk_record_kind {
    DPK_RECORD_PROCESS = 1, /* it begins. small: DPK_PROCESS_...; bytes: its name, a NUL, its device
                               ELF */
    DPK_RECORD_MAP,         /* memory [address, address + number) gets the access `small` */
    DPK_RECORD_STORE,       /* `bytes` are written at address */
    DPK_RECORD_FILL,        /* `small` is written to [address, address + number) */
    DPK_RECORD_RUN,         /* a thread gets the registers `changed`, and runs `number` instructions
                               until it stops for `small` (enum rv64_stop); address: the digest of
                               its registers then */
    DPK_RECORD_MESSAGE,     /* the thread printed `bytes` */
    DPK_RECORD_RESULT,      /* an RPC returned `number` */
    DPK_RECORD_FAILURE,     /* the process failed. small: enum dpk_status; bytes: the report */
    DPK_RECORD_END,         /* it ends. number: instructions; bytes: the digest of its memory */
    DPK_RECORD_KINDS,
};

/* What the core of a process does. */
enum {
    DPK_PROCESS_STRICT = 1,      /* misaligned accesses fault */
    DPK_PROCESS_WITHOUT_ZBA = 2, /* its instructions are illegal */
};

/* Bits of `changed`: x1 to x31 have those of their numbers. */
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
    uint32_t process, thread; /* processes count from 1 on, threads from 0 on */
    uint64_t address, number, changed;
    uint64_t values[DPK_CHANGED_COUNT]; /* of the bits of `changed`, by the number of the bit */
    const uint8_t *bytes;               /* borrowed */
    size_t size;
};

#define DPK_RECORD_THREADS_MAX 4096u        /* of one process */
#define DPK_RECORD_SIZE_MAX    (1u << 30)   /* bytes of one record */
#define DPK_RECORD_DIGEST      ((size_t)32) /* bytes */
#define DPK_RECORD_HEADER      ((size_t)16) /* of the file */

/* ---- Registers ---- */

/* The registers of a thread as `values`, by the numbers of the bits. */
void dpk_record_registers(const struct rv64_hart *hart, uint64_t out[DPK_CHANGED_COUNT]);
/* Gives a thread the values of the bits of `changed`. */
void dpk_record_apply(const struct dpk_record *r, struct rv64_hart *hart);
/* A digest of all of them, for comparison. It resists no attacker. */
uint64_t dpk_record_check(const uint64_t values[DPK_CHANGED_COUNT]);
/* SHA-256 over the pages of a memory that are mapped and not zero, with their addresses. False: out
 * of memory. */
bool dpk_record_digest(const struct rv64_memory *memory, uint8_t out[DPK_RECORD_DIGEST]);

/* ---- Writing ---- */

struct dpk_recorder;
/* Makes the file, for its user alone (0600), in the place of one that is there. `seed`: of whatever
 * the run draws at random. */
enum dpk_status dpk_recorder_open(const char *path, uint64_t seed, struct dpk_recorder **out,
                                  struct dpk_error *err);
/* Appends a record. After the first that cannot be written, none is: the file is whole up to
 * there. One thread at a time. */
void dpk_recorder_put(struct dpk_recorder *r, const struct dpk_record *record);
/* The error of the record that could not be written; DPK_OK: there was none. */
enum dpk_status dpk_recorder_state(const struct dpk_recorder *r, struct dpk_error *err);
void dpk_recorder_close(struct dpk_recorder *r); /* NULL is fine */

/* ---- Reading ---- */

/* Checks the header of a file in memory, and sets *at behind it. DPK_ERR_FORMAT: it is no such file. */
enum dpk_status dpk_records_begin(const void *data, size_t size, size_t *at, uint64_t *seed,
                                  struct dpk_error *err);
/* Reads the record at *at, which moves behind it. False: there are no more, or this one is wrong;
 * then `err` is filled in, unless it is not whole since the file ends in it (*cut). `out->bytes` is
 * borrowed from `data`. */
bool dpk_records_next(const void *data, size_t size, size_t *at, struct dpk_record *out, bool *cut,
                      struct dpk_error *err);

#endif
