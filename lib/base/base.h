/*
 * base: what every room needs, written once: error values with a message, a bounds-checked reader
 * and a growing writer for bytes, reading and atomic replacing of files, threads, UUIDs. It knows
 * no file format.
 *
 *     struct dpk_error err = {0};
 *     struct dpk_buf file = {0};
 *     if (dpk_file_read("prog.bin", DPK_FILE_MAX, &file, &err) != DPK_OK)
 *         return err.status;                        // err.message: "prog.bin: No such file ..."
 *     struct dpk_reader r = dpk_reader(file.data, file.size);
 *     uint32_t magic = dpk_read_be32(&r);
 *     if (r.failed) ...                             // truncated: every later read gives 0
 *     dpk_buf_free(&file);
 */
#ifndef DPK_BASE_BASE_H
#define DPK_BASE_BASE_H

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Errors ---- */

/* What went wrong, coarsely. Functions that can fail return one of these; 0 is success. */
enum dpk_status {
    DPK_OK = 0,
    DPK_ERR_USAGE,       /* a command line is wrong: unknown option, missing argument */
    DPK_ERR_IO,          /* the operating system refused: open, read, write, rename */
    DPK_ERR_FORMAT,      /* bytes that are not what they should be */
    DPK_ERR_UNSUPPORTED, /* well formed, but not handled (ELF32, RSA-2048 for programs) */
    DPK_ERR_NOT_FOUND,   /* no such program, device, TLV, symbol */
    DPK_ERR_EXISTS,      /* already there: device, signature, certificate */
    DPK_ERR_RANGE,       /* a value or count outside what the format holds */
    DPK_ERR_MISMATCH,    /* two things that must agree do not: digest, key and certificate */
    DPK_ERR_CRYPTO,      /* the cryptographic library refused: bad key, bad signature */
    DPK_ERR_REFUSED,     /* policy says no */
    DPK_ERR_NOMEM,       /* out of memory, or a limit of an emulated resource reached */
    DPK_ERR_FAULT,       /* a DPA program faulted, or its process is in the error state */
    DPK_ERR_TIMEOUT,     /* a run-time limit was reached */
    DPK_ERR_TOOL,        /* a program that we ran failed */
};

/* An error and its message. `message` names file, offset and field where there is one; it never
 * ends in a newline and never holds a secret. Zero-initialise before use. */
struct dpk_error {
    enum dpk_status status;
    char message[1024];
};

/* Fills `err` (may be NULL) and returns `status`, so that callers write
 * `return dpk_fail(err, DPK_ERR_FORMAT, "%s: no ELF magic", path);`. */
enum dpk_status dpk_fail(struct dpk_error *err, enum dpk_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Same with the text of `errno` (taken at entry) behind the message, status DPK_ERR_IO
 * (DPK_ERR_NOT_FOUND for ENOENT, DPK_ERR_NOMEM for ENOMEM). */
enum dpk_status dpk_fail_errno(struct dpk_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Same, DPK_ERR_NOMEM "out of memory". */
enum dpk_status dpk_fail_nomem(struct dpk_error *err);

/* Starts OpenSSL. It must be called before OpenSSL is used for the first time: OpenSSL crashes
 * later if it found no memory at its start. From the second call on it costs nothing.
 * DPK_ERR_CRYPTO: OpenSSL cannot start, and will not in this process. */
enum dpk_status dpk_openssl_start(struct dpk_error *err);

/* Puts "context: " before the message that is there; returns err->status. Where `err` may be NULL,
 * return the status at hand instead: it cannot be known here (NULL gives DPK_ERR_FORMAT). */
enum dpk_status dpk_error_prefix(struct dpk_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* which does not see that these never return DPK_OK */
#define dpk_fail(err, status, ...) ((void)dpk_fail(err, status, __VA_ARGS__), (status))
#define dpk_fail_errno(...)        ((void)dpk_fail_errno(__VA_ARGS__), DPK_ERR_IO)
#define dpk_fail_nomem(err)        ((void)dpk_fail_nomem(err), DPK_ERR_NOMEM)
#endif

/* Makes text that may come from a hostile file fit for a terminal and for JSON, in place: what is
 * no UTF-8, or a control character, becomes '?', line breaks and tabs become spaces. Characters that
 * are not seen, as those that turn the direction of text, become escapes (\u202e), or '?' where the
 * `room` bytes at `text` are too few; an array is known to have its size. Returns `text`. */
char *dpk_text_clean_in(char *text, size_t room);
#define dpk_text_clean(text) dpk_text_clean_in((text), __builtin_object_size((text), 3))
/* A copy of text, made so; NULL: no memory. */
char *dpk_text_cleaned(const char *text);
/* Bytes of the byte order mark at the begin of a text, which some editors write in front of UTF-8: 3, or 0. */
size_t dpk_text_mark(const void *text, size_t size);
/* The first of it for `size` bytes that may have several lines: line breaks and tabs stay, a NUL
 * becomes '?', and what is not seen stays. */
void dpk_message_clean(char *text, size_t size);

/* ---- Reading bytes ----
 * A cursor over bytes that nobody has checked yet. A read past the end sets `failed` and moves to
 * the end, so that loops over what is left stop; it and every later read give zeros. A parser may
 * read a whole header and look at `failed` once. */
struct dpk_reader {
    const uint8_t *begin, *pos, *end;
    bool failed;
};

struct dpk_reader dpk_reader(const void *data, size_t size);
/* Bytes between pos and end. */
static inline size_t dpk_reader_left(const struct dpk_reader *r)
{
    return (size_t)(r->end - r->pos);
}
size_t dpk_reader_offset(const struct dpk_reader *r); /* bytes between begin and pos */

/* `size` bytes, borrowed from the source; NULL and `failed` if there are fewer. */
static inline const uint8_t *dpk_read_bytes(struct dpk_reader *r, size_t size)
{
    if (r->failed || size > dpk_reader_left(r)) {
        r->failed = true;
        r->pos = r->end;
        return NULL;
    }
    const uint8_t *bytes = r->pos;
    r->pos += size;
    return bytes;
}

static inline void dpk_read_skip(struct dpk_reader *r, size_t size)
{
    (void)dpk_read_bytes(r, size);
}

static inline uint8_t dpk_read_u8(struct dpk_reader *r)
{
    const uint8_t *b = dpk_read_bytes(r, 1);
    return b ? b[0] : 0;
}

static inline uint16_t dpk_read_be16(struct dpk_reader *r)
{
    const uint8_t *b = dpk_read_bytes(r, 2);
    const unsigned value = b ? (unsigned)b[0] << 8 | b[1] : 0;
    return (uint16_t)value;
}

static inline uint32_t dpk_read_be32(struct dpk_reader *r)
{
    const uint8_t *b = dpk_read_bytes(r, 4);
    return b ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : 0;
}

uint64_t dpk_read_be64(struct dpk_reader *r);
uint16_t dpk_read_le16(struct dpk_reader *r);
uint32_t dpk_read_le32(struct dpk_reader *r);
uint64_t dpk_read_le64(struct dpk_reader *r);
/* LEB128 (DWARF 5, section 7.6), unsigned and signed. Bits above the 64th are lost. */
uint64_t dpk_read_uleb(struct dpk_reader *r);
int64_t dpk_read_sleb(struct dpk_reader *r);
/* A reader over [offset, offset+size) of the whole source; failed (and empty) if that is not inside
 * it or if `r` has failed, since an offset that was read from it is then worth nothing. */
struct dpk_reader dpk_reader_slice(const struct dpk_reader *r, uint64_t offset, uint64_t size);

/* ---- Writing bytes ----
 * A growing buffer. When memory runs out `failed` is set and later calls do nothing, so a writer
 * may put a whole structure and look at `failed` once. Zero-initialise; free with dpk_buf_free.
 * Growing wipes the memory that it leaves, so secrets need only dpk_buf_wipe_free at the end. What
 * is put must not lie in the buffer itself. */
struct dpk_buf {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

void dpk_buf_free(struct dpk_buf *b);      /* also resets it to empty */
void dpk_buf_wipe_free(struct dpk_buf *b); /* overwrites the content first: for secrets */
/* Makes room for `more` bytes at data + size; false, and `failed`, when there is none. */
bool dpk_buf_reserve(struct dpk_buf *b, size_t more);
void dpk_put(struct dpk_buf *b, const void *data, size_t size);
void dpk_put_fill(struct dpk_buf *b, uint8_t byte, size_t count);
void dpk_put_u8(struct dpk_buf *b, uint8_t v);
void dpk_put_be16(struct dpk_buf *b, uint16_t v);
void dpk_put_be32(struct dpk_buf *b, uint32_t v);
void dpk_put_be64(struct dpk_buf *b, uint64_t v);
void dpk_put_le16(struct dpk_buf *b, uint16_t v);
void dpk_put_le32(struct dpk_buf *b, uint32_t v);
void dpk_put_le64(struct dpk_buf *b, uint64_t v);
void dpk_put_align(struct dpk_buf *b, size_t alignment, uint8_t byte); /* pads to a multiple */
/* Text, as printf; no NUL is stored. */
void dpk_put_format(struct dpk_buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Stores `v` big-endian / little-endian at `p`, which must have room. */
void dpk_store_be16(uint8_t *p, uint16_t v);
void dpk_store_be32(uint8_t *p, uint32_t v);
void dpk_store_le64(uint8_t *p, uint64_t v);

/* ---- Files ---- */

#define DPK_FILE_MAX ((size_t)4 << 30) /* no input of the suite is larger: 4 GiB */

/* Reads a regular file (or a pipe) whole. `max`: more bytes are an error (DPK_ERR_RANGE). `out`
 * must be empty; on failure it stays empty. Errors name the path. */
enum dpk_status dpk_file_read(const char *path, size_t max, struct dpk_buf *out,
                              struct dpk_error *err);

/* A file in a directory that processes map and change together. All its blocks are there from the
 * start, so that a full disk ends nobody who writes to it; whoever may write to the directory can
 * truncate it, which does. */
struct dpk_share {
    const char *name; /* of the file, which says what it has */
    uint64_t magic;   /* its first 8 bytes, in the byte order of this machine */
    size_t size;      /* bytes; at first zero behind the magic */
};
/* Maps it, for munmap. `makes`: it is made if there is none. DPK_ERR_NOT_FOUND, DPK_ERR_IO: it is not
 * there, or cannot be made. DPK_ERR_REFUSED: it is another user's. DPK_ERR_FORMAT: it is something
 * else. */
enum dpk_status dpk_file_share(const char *directory, const struct dpk_share *what, bool makes,
                               void **out, struct dpk_error *err);

/* Writes a file so that readers see the old content or the new, never a part: another file in the
 * same directory, fsync, rename. `mode` (0644, 0600, ...) is used for a new file; an existing
 * regular file keeps its permissions (and its owner where we may give it away), and is refused if
 * we may not write to it; a symbolic link is followed, not replaced, and refused when it dangles.
 * On failure the old file is untouched and nothing is left behind. What cannot be replaced is
 * written to directly: character devices, pipes, and the file that is our standard output. */
enum dpk_status dpk_file_replace(const char *path, const void *data, size_t size, unsigned mode,
                                 struct dpk_error *err);

/* The same with a content in pieces, which are written one behind the other. A caller that keeps
 * parts of a large file need not copy them. */
struct dpk_piece {
    const void *data;
    size_t size;
};
enum dpk_status dpk_file_replace_pieces(const char *path, const struct dpk_piece *pieces,
                                        size_t count, unsigned mode, struct dpk_error *err);

/* The same for a large file most of whose bytes are known before the rest is: a thread writes them
 * in the meantime, to a file without a name. dpk_file_replace_ahead then writes only the pieces
 * that do not lie at their own places in `data`. NULL, and nothing is gained: the file is small, or
 * the file system knows no such files. `data` is borrowed until dpk_ahead_end. */
struct dpk_ahead;
struct dpk_ahead *dpk_ahead_begin(const char *path, const void *data, size_t size);
enum dpk_status dpk_file_replace_ahead(const char *path, struct dpk_ahead *ahead,
                                       const struct dpk_piece *pieces, size_t count, unsigned mode,
                                       struct dpk_error *err);
void dpk_ahead_end(struct dpk_ahead *ahead); /* NULL: nothing */

/* The same in two steps, for a file that nobody may see before something else is done. Staging does
 * all that is likely to fail (space, permissions); putting gives the file its name. Signals wait
 * from staging until dpk_staged_put or dpk_staged_drop, which free `staged`; the pieces are
 * borrowed until then. */
struct dpk_staged;
enum dpk_status dpk_file_stage(const char *path, const struct dpk_piece *pieces, size_t count,
                               unsigned mode, struct dpk_staged **out, struct dpk_error *err);
enum dpk_status dpk_staged_put(struct dpk_staged *staged, struct dpk_error *err);
void dpk_staged_drop(struct dpk_staged *staged); /* NULL: nothing */

/* For a file that is read, changed and replaced: until dpk_file_unlock, others who lock the name
 * wait, and then see the new file. `waits` (or NULL) is called once, if this has to wait. -1, and
 * no lock: the name is no regular file that can be read, or its file system has no locks; what
 * reads the file says what is wrong. */
int dpk_file_lock(const char *path, void (*waits)(const char *path));
void dpk_file_unlock(int lock); /* -1: nothing */

/* Writes all bytes, at a place of the file if it is given, in as many steps as it takes. 0, or -1 with errno of the step
 * that failed, when part may have been written: what is short says nothing of why. */
int dpk_write_all(int fd, const void *data, size_t size);
int dpk_pwrite_all(int fd, const void *data, size_t size, uint64_t offset);

/* Makes a new file, for a name that others can guess in a directory that they may write to (/tmp).
 * The new file takes the place of what has the name, be it a link or somebody's file; that is
 * neither followed nor written to nor kept. It fails where that is protected (in a sticky
 * directory). The file appears whole, as above. */
enum dpk_status dpk_file_create(const char *path, const void *data, size_t size, unsigned mode,
                                struct dpk_error *err);

/* The same for a caller that writes to `fd` and syncs it. Open the file, then put or drop it;
 * `path` is borrowed until then, and signals wait. Until it is put the file has no name where the
 * file system can do so, and a temporary one elsewhere. Opening another such file in the directory
 * removes temporary files that killed programs left. */
struct dpk_new_file {
    int fd;
    /* private: */
    int dir;
    const char *path, *base;
    char temp[32], source[32]; /* its name, "" while it has none; where it is found then */
    sigset_t signals;
    bool held;
};
enum dpk_status dpk_new_file_open(struct dpk_new_file *f, const char *path, unsigned mode,
                                  struct dpk_error *err);
enum dpk_status dpk_new_file_put(struct dpk_new_file *f, struct dpk_error *err);
void dpk_new_file_drop(struct dpk_new_file *f);

/* Where a tool says that it wrote `path`: standard output, or standard error if the file (or pipe)
 * is standard output itself, which must hold nothing else. */
FILE *dpk_file_messages(const char *path);

/* DPK_ERR_USAGE if `output` names the same regular file as one of the `count` inputs, which writing
 * would destroy. What is NULL is passed over. */
enum dpk_status dpk_file_apart(const char *output, const char *const *inputs, size_t count,
                               struct dpk_error *err);

/* The first of `names` that is a regular file in the folder of `path`, and not `path`: for messages that say
 * which file was probably meant. "*.key" stands for the name of `path` with another end. NULL ends the
 * names. False: none is there. */
bool dpk_file_beside(const char *path, const char *const *names, char out[PATH_MAX]);

/* Folders of this user; they may not be there. DPK_ERR_NOT_FOUND: the environment names no place.
 * Devices are in $DPAKIT_DEVICES, else $XDG_STATE_HOME/dpakit, else ~/.local/state/dpakit. */
enum dpk_status dpk_folder_of_devices(char out[PATH_MAX], struct dpk_error *err);
/* What can be made again: $XDG_CACHE_HOME/dpakit, else ~/.cache/dpakit. */
enum dpk_status dpk_folder_of_cache(char out[PATH_MAX], struct dpk_error *err);
/* Makes a folder, and those above it that are absent, for this user alone (0700). */
enum dpk_status dpk_folder_make(const char *path, struct dpk_error *err);
/* Gets the runtime directory, and makes it if it is absent: $DPAKIT_RUNTIME, or
 * $XDG_RUNTIME_DIR/dpakit, or /tmp/dpakit-UID, mode 0700. Processes find each other by files there.
 * DPK_ERR_REFUSED: other users may write there. */
enum dpk_status dpk_runtime_directory(char *out, size_t size, struct dpk_error *err);

/* Makes the folder `path` with these files: it appears whole or not at all, and nothing may have its
 * name yet (DPK_ERR_EXISTS). Names are plain, without a slash. `mode` is the folder's. Killed
 * meanwhile it leaves a folder .NAME.XXXXXX beside it, which only its owner may read. */
struct dpk_folder_file {
    const char *name;
    const struct dpk_piece *pieces; /* its content, one behind the other */
    size_t count;
    unsigned mode;
    /* If it is not NULL, appends the content instead when the file is written. */
    void (*put)(const void *context, const char *name, struct dpk_buf *out);
    const void *context;
};
enum dpk_status dpk_folder_create(const char *path, unsigned mode,
                                  const struct dpk_folder_file *files, size_t count,
                                  struct dpk_error *err);
/* Could such a folder be made? For asking before long work. */
enum dpk_status dpk_folder_absent(const char *path, struct dpk_error *err);
/* The same, but a folder with that name is replaced if it has nothing but files of these names
 * (DPK_ERR_EXISTS): in one step, where the file system can exchange two names. Links are followed. */
enum dpk_status dpk_folder_replace(const char *path, unsigned mode,
                                   const struct dpk_folder_file *files, size_t count,
                                   struct dpk_error *err);
/* Could it be replaced, or made? */
enum dpk_status dpk_folder_replaceable(const char *path, const struct dpk_folder_file *files,
                                       size_t count, struct dpk_error *err);

/* Signals wait from hold to release, while a temporary file is on the disk: neither Ctrl-C nor
 * SIGXFSZ may leave it behind. (A write over the limit for file sizes raises SIGXFSZ and fails with
 * EFBIG.) `before` keeps the mask that release sets again. */
void dpk_signals_hold(sigset_t *before);
void dpk_signals_release(const sigset_t *before);

/* ---- Users ---- */

/* Whether a number that the kernel said, of a file or of the other end of a socket, is one user's. A
 * user namespace may have no numbers for some users, as after unshare -U: the kernel says one number
 * of all of these, which may be this user's, too. */
bool dpk_user_is_known(uid_t user);
/* Whether it is certainly the user of this process. Nobody is where this user has no number. */
bool dpk_user_is_mine(uid_t user);
bool dpk_user_is_mine_or_root(uid_t user);

/* ---- Memory ---- */

/* Whether all of a range is this process's memory, which may be written if `written`. Faults its pages in,
 * as a driver that pins them does. */
bool dpk_is_mapped(const void *at, size_t size, bool written);

/* Is asked about a bus error of the calling thread, at an address, in a signal handler. True: the instruction comes
 * again, and will not fail. It may also leave by longjmp. */
typedef bool dpk_bus_error_taker(uintptr_t at);
/* From now on bus errors of this process are shown to it first, and those that nobody takes go to whoever had the
 * signal before, as do those that a process sends. Threads must not block SIGBUS. */
void dpk_take_bus_errors(dpk_bus_error_taker *take);

/* Accesses to memory of a program that may be gone: a file that somebody made shorter is still mapped, but to touch what
 * it had is a bus error. An access within DPK_GUARDED fails then, and nothing ends by it.
 *
 *     good = DPK_GUARDED(to, from, size, memcpy(to, from, size));
 *
 * The access touches these two ranges of one size, which may be the same one, and its own stack; it takes no lock. */
struct dpk_guard {
    jmp_buf back;
    uintptr_t one, other;
    size_t size;
};
/* What the calling thread is inside of; NULL: no access. */
extern _Thread_local struct dpk_guard *volatile dpk_guard_inside
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* From the first call on bus errors within DPK_GUARDED are caught. */
void dpk_guard_begin(void);
/* False: a bus error ended it, when part of it was done. */
#define DPK_GUARDED(at, from, n, access)                                                           \
    ({                                                                                             \
        struct dpk_guard guard_;                                                                   \
        guard_.one = (uintptr_t)(at);                                                              \
        guard_.other = (uintptr_t)(from);                                                          \
        guard_.size = (n);                                                                         \
        const bool good_ = _setjmp(guard_.back) == 0;                                              \
        if (good_) {                                                                               \
            dpk_guard_inside = &guard_;                                                            \
            atomic_signal_fence(memory_order_seq_cst);                                             \
            access;                                                                                \
            atomic_signal_fence(memory_order_seq_cst);                                             \
        }                                                                                          \
        dpk_guard_inside = NULL;                                                                   \
        good_;                                                                                     \
    })

/* ---- Clocks ---- */

/* The monotonic clock of the machine, in nanoseconds and in milliseconds. */
uint64_t dpk_now_ns(void);
uint64_t dpk_now_ms(void);
/* The processor time of the calling thread, in nanoseconds. It stands still while others run. */
uint64_t dpk_thread_time_ns(void);

/* ---- Threads ---- */

/* pthread_create for a library's own thread. Signals go to the program's threads: this one blocks
 * all but those of its own faults, for the system ends a process that blocks these. */
int dpk_pthread_start(pthread_t *out, void *(*run)(void *), void *context);

/* How many processors this process may use, at least 1. */
unsigned dpk_cores(void);

/* One turn of a loop that waits for another thread: tells the processor that it is one. */
static inline void dpk_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Calls job(context, i) for every i below `count`, in order, by up to `threads` threads (0: one for
 * each core), of which the caller is one. Returns when all are done. When the system gives fewer
 * threads, those there are do all jobs. */
void dpk_parallel(size_t count, unsigned threads, void (*job)(void *context, size_t index),
                  void *context);

/* How many threads each of `count` jobs may use within itself when dpk_parallel runs them by
 * `threads`, so that few jobs keep all of them busy: 1 where there are as many jobs. */
unsigned dpk_parallel_share(size_t count, unsigned threads);

/* ---- What was told already ----
 *
 * People are told once of each kind of trouble of an object, which has one of these:
 *
 *     if (dpk_first(&queue->told, kind))
 *         ... print it ...
 */
#define DPK_TOLD_KINDS 64u
struct dpk_told {
    _Atomic uint64_t kinds; /* one bit for each */
};

/* Whether it is the first trouble of a kind (below DPK_TOLD_KINDS). Any thread may ask. */
static inline bool dpk_first(struct dpk_told *told, unsigned kind)
{
    const uint64_t bit = UINT64_C(1) << kind % DPK_TOLD_KINDS;
    return !(atomic_fetch_or(&told->kinds, bit) & bit);
}

/* ---- Accesses in flight ----
 *
 * A user of memory that its owner may take back pins it meanwhile; the owner closes the pins before
 * it takes the memory back:
 *
 *     if (dpk_pin(&m->pins)) {             dpk_pins_close(&m->pins);   // waits
 *         memcpy(...);                     munmap(...);
 *         dpk_unpin(&m->pins);
 *     }
 */
struct dpk_pins {
    _Atomic uint32_t state; /* accesses in flight; the top bit: closed */
    pid_t process;          /* the process that they are in */
};

/* From now on accesses are let in. */
void dpk_pins_open(struct dpk_pins *pins);
/* Lets an access in; false: the pins are closed. A thread may pin again what it has pinned. It
 * never waits. */
bool dpk_pin(struct dpk_pins *pins);
void dpk_unpin(struct dpk_pins *pins);
/* Lets no access in any more, and returns when none is in flight. Several threads may call it at
 * once. A thread that has a pin must not, nor one that holds a lock which such a thread takes. A
 * child of fork() does not wait: the threads that had pins are not in it. */
void dpk_pins_close(struct dpk_pins *pins);

/* ---- Sets of execution units ---- */

#define DPK_UNITS_MAX 256
struct dpk_units {
    uint64_t bits[DPK_UNITS_MAX / 64];
};
static inline bool dpk_units_have(const struct dpk_units *u, unsigned number)
{
    return number < DPK_UNITS_MAX && (u->bits[number / 64] >> number % 64 & 1);
}
static inline void dpk_units_add(struct dpk_units *u, unsigned number)
{
    u->bits[number / 64] |= UINT64_C(1) << number % 64;
}
static inline void dpk_units_remove(struct dpk_units *u, unsigned number)
{
    u->bits[number / 64] &= ~(UINT64_C(1) << number % 64);
}
static inline bool dpk_units_none(const struct dpk_units *u)
{
    return (u->bits[0] | u->bits[1] | u->bits[2] | u->bits[3]) == 0;
}
/* Adds the units from `first` to `last`, which is below DPK_UNITS_MAX. */
void dpk_units_add_range(struct dpk_units *u, unsigned first, unsigned last);
void dpk_units_subtract(struct dpk_units *u, const struct dpk_units *from_it);
unsigned dpk_units_count(const struct dpk_units *u);
bool dpk_units_meet(const struct dpk_units *a, const struct dpk_units *b); /* they share a unit */
/* The member with `rank` members below it, or DPK_UNITS_MAX; and how many are below `number`. */
unsigned dpk_units_member(const struct dpk_units *u, unsigned rank);
unsigned dpk_units_rank(const struct dpk_units *u, unsigned number);
/* Reads "6-8,16,55": decimal numbers and ranges, in any order. False: it is something else, or has
 * a unit that does not exist; *out is empty then. */
bool dpk_units_parse(const char *text, struct dpk_units *out);
/* Appends "6,7,8,16,55", or with `ranges` "6-8,16,55". */
void dpk_units_put(struct dpk_buf *out, const struct dpk_units *u, bool ranges);

/* ---- UUIDs (RFC 4122) ---- */

struct dpk_uuid {
    uint8_t bytes[16]; /* in printed order */
};
#define DPK_UUID_TEXT 37 /* 8-4-4-4-12 and the NUL */

/* Strict: exactly 36 characters, dashes in their places, hexadecimal digits of either case. */
enum dpk_status dpk_uuid_parse(const char *text, struct dpk_uuid *out, struct dpk_error *err);
/* Two hexadecimal digits, small letters, for each byte, and a NUL: 2 * size + 1 characters. */
void dpk_hex_text(const void *bytes, size_t size, char *out);
void dpk_uuid_format(const struct dpk_uuid *u, char text[DPK_UUID_TEXT]);
void dpk_uuid_new_time(struct dpk_uuid *out); /* time-based, as `uuidgen -t` */
bool dpk_uuid_is_zero(const struct dpk_uuid *u);
bool dpk_uuid_equal(const struct dpk_uuid *a, const struct dpk_uuid *b);

/* ---- Numbers ---- */

/* Reads a decimal number from `least` to `most`. The whole text must be digits: no sign, no blanks. Returns false,
 * and leaves *out alone, if it is not such a number. */
bool dpk_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);

/* ---- Suggestions ---- */

/* The candidate nearest to `word` (edit distance at most a third of its length; two neighbours
 * swapped are one edit), or NULL. `candidates` ends with NULL. For "did you mean". */
const char *dpk_closest(const char *word, const char *const *candidates);
/* Warns of each variable of the environment that begins with DPAKIT_ and that no program of dpakit
 * reads, with the nearest name; once in a program, at the first call. `words`: of the command line,
 * ends with NULL; variables that it names ("env:NAME") are the user's. May be NULL. */
void dpk_environment_check(char *const *words, void (*warn)(const char *text));

#endif
