/*
 * base: what every room needs: error values with a message, a bounds-checked reader and a growing
 * writer for bytes, reading and atomic replacing of files, threads, UUIDs. It does not know any
 * file format.
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

/* Kinds of errors. Functions that can fail return a member of this enum; 0 is success. */
enum dpk_status {
    DPK_OK = 0,
    DPK_ERR_USAGE,       /* wrong command line: unknown option, missing argument */
    DPK_ERR_IO,          /* the operating system refused: open, read, write, rename */
    DPK_ERR_FORMAT,      /* malformed bytes */
    DPK_ERR_UNSUPPORTED, /* well formed, but not supported (ELF32, RSA-2048 for programs) */
    DPK_ERR_NOT_FOUND,   /* program, device, TLV or symbol does not exist */
    DPK_ERR_EXISTS,      /* device, signature or certificate exists already */
    DPK_ERR_RANGE,       /* value or count outside the limits of the format */
    DPK_ERR_MISMATCH,    /* two things that must agree differ: digest, key and certificate */
    DPK_ERR_CRYPTO,      /* the cryptographic library failed: bad key, bad signature */
    DPK_ERR_REFUSED,     /* forbidden by policy */
    DPK_ERR_NOMEM,       /* out of memory, or at a limit of an emulated resource */
    DPK_ERR_FAULT,       /* a DPA program faulted, or its process is in the error state */
    DPK_ERR_TIMEOUT,     /* a run-time limit was exceeded */
    DPK_ERR_TOOL,        /* a program that dpakit ran failed */
};

/* An error and its message. `message` names file, offset and field if they are known. It does not
 * end in a newline and never holds a secret. Zero-initialise it before use. */
struct dpk_error {
    enum dpk_status status;
    char message[1024];
};

/* Fills `err` (may be NULL) and returns `status`, so that callers write
 * `return dpk_fail(err, DPK_ERR_FORMAT, "%s: no ELF magic", path);`. */
enum dpk_status dpk_fail(struct dpk_error *err, enum dpk_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Same, with the text of `errno` (read at entry) after the message. The status is DPK_ERR_IO
 * (DPK_ERR_NOT_FOUND for ENOENT, DPK_ERR_NOMEM for ENOMEM). */
enum dpk_status dpk_fail_errno(struct dpk_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Same, with DPK_ERR_NOMEM and "out of memory". */
enum dpk_status dpk_fail_nomem(struct dpk_error *err);

/* Starts OpenSSL. Call this before OpenSSL is used for the first time: OpenSSL crashes later if it
 * found no memory at its start. The second and later calls cost nothing. Errors: DPK_ERR_CRYPTO if
 * OpenSSL cannot start; it then never will in this process.
 *
 * A child of fork() never has OpenSSL half started: fork() waits for a start in another thread. The child of
 * a process with threads leaves by _exit() or exec. Its exit() takes a lock of glibc, and may wait for
 * ever if at the fork another thread was in exit(), atexit() or dlclose(), in this library or elsewhere;
 * fork() does not wait for these. */
enum dpk_status dpk_openssl_start(struct dpk_error *err);
/* Returns the reason of the oldest error in the thread's queue, which is the original error, and
 * empties the queue. The text belongs to OpenSSL and stays valid; it is "no reason given" for an
 * empty queue. */
const char *dpk_openssl_reason(void);

/* Puts "context: " before the message of `err` and returns err->status. If `err` is NULL it returns
 * DPK_ERR_FORMAT; a caller with its own status should return that status instead. */
enum dpk_status dpk_error_prefix(struct dpk_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* the analyzer does not see that these never return DPK_OK */
#define dpk_fail(err, status, ...) ((void)dpk_fail(err, status, __VA_ARGS__), (status))
#define dpk_fail_errno(...)        ((void)dpk_fail_errno(__VA_ARGS__), DPK_ERR_IO)
#define dpk_fail_nomem(err)        ((void)dpk_fail_nomem(err), DPK_ERR_NOMEM)
#endif

/* Makes text from an untrusted file safe for a terminal and for JSON, in place. Control characters
 * and invalid UTF-8 become '?'. Line breaks and tabs become spaces. Invisible characters, such as
 * those that change the direction of text, become escapes (\u202e), or '?' if the `room` bytes at
 * `text` are too few. dpk_text_clean takes `room` from the size of an array. Returns `text`. */
char *dpk_text_clean_in(char *text, size_t room);
#define dpk_text_clean(text) dpk_text_clean_in((text), __builtin_object_size((text), 3))
/* Returns a cleaned copy of the text, or NULL if there is no memory. */
char *dpk_text_cleaned(const char *text);
/* Returns the size of the byte order mark at the start of a text: 3, or 0 if there is no mark. Some
 * editors write it before UTF-8. */
size_t dpk_text_mark(const void *text, size_t size);
/* Cleans `size` bytes like dpk_text_clean_in, but keeps line breaks, tabs and invisible characters.
 * A NUL becomes '?'. */
void dpk_message_clean(char *text, size_t size);

/* ---- Reading bytes ----
 * A cursor over unchecked bytes. A read past the end sets `failed` and moves to the end, so that
 * loops over the remaining bytes stop. This read and every later read return zeros. So a parser may
 * read a whole header and check `failed` once. */
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
size_t dpk_reader_offset(const struct dpk_reader *r); /* bytes between the start and pos */

/* Returns `size` bytes, borrowed from the source. If fewer are left, it returns NULL and sets
 * `failed`. */
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
/* Returns a reader over [offset, offset+size) of the whole source. It is failed (and empty) if the
 * range is outside the source, or if `r` has failed, since an offset read from `r` is then
 * worthless. */
struct dpk_reader dpk_reader_slice(const struct dpk_reader *r, uint64_t offset, uint64_t size);

/* ---- Writing bytes ----
 * A growing buffer. If memory runs out, `failed` is set and later calls do nothing, so a writer may
 * put a whole structure and check `failed` once. Zero-initialise it, and free it with dpk_buf_free.
 * Growing wipes the old memory, so secrets need only dpk_buf_wipe_free at the end. The source of a
 * put must not be in the buffer itself. */
struct dpk_buf {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

void dpk_buf_free(struct dpk_buf *b);      /* also resets it to empty */
void dpk_buf_wipe_free(struct dpk_buf *b); /* overwrites the content first: for secrets */
/* Reserves `more` bytes at data + size. If there is no memory, it returns false and sets
 * `failed`. */
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
/* Appends text formatted as by printf, without a NUL. */
void dpk_put_format(struct dpk_buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Stores `v` big-endian or little-endian at `p`, which must have enough bytes. */
void dpk_store_be16(uint8_t *p, uint16_t v);
void dpk_store_be32(uint8_t *p, uint32_t v);
void dpk_store_be64(uint8_t *p, uint64_t v);
void dpk_store_le64(uint8_t *p, uint64_t v);
void dpk_store_le(uint8_t *p, uint64_t v, size_t size); /* `size` bytes, 1 to 8 */

/* ---- Files ---- */

#define DPK_FILE_MAX ((size_t)4 << 30) /* maximum size of an input file: 4 GiB */

/* Reads a whole regular file or pipe. More than `max` bytes are an error (DPK_ERR_RANGE). `out`
 * must be empty, and stays empty on failure. Errors name the path. */
enum dpk_status dpk_file_read(const char *path, size_t max, struct dpk_buf *out,
                              struct dpk_error *err);

/* A file in a directory, which processes map and change together. All its blocks are allocated at
 * the start, so that a full disk cannot end a process that writes to it. A user who may write to
 * the directory can still truncate the file, which can end such processes. */
struct dpk_share {
    const char *name; /* file name */
    uint64_t magic;   /* its first 8 bytes, in the byte order of this machine */
    size_t size;      /* bytes of the file; those after the magic are zero at first */
};
/* Maps the file; release the mapping with munmap. `makes`: create the file if it is absent. Errors:
 * DPK_ERR_NOT_FOUND or DPK_ERR_IO if the file is absent or cannot be made, DPK_ERR_REFUSED if it
 * belongs to another user, DPK_ERR_FORMAT if it is another kind of file. */
enum dpk_status dpk_file_share(const char *directory, const struct dpk_share *what, bool makes,
                               void **out, struct dpk_error *err);

/* Writes a file so that readers see the old content or the new, never a mixture: it writes another
 * file in the same directory, calls fsync, and renames it. `mode` (0644, 0600, ...) is for a new
 * file. An existing regular file keeps its permissions (and its owner where this user may give
 * files away); the call refuses a file that this user may not write. A symbolic link is followed,
 * not replaced; a dangling link is refused. On failure the old file is untouched and no temporary
 * file is left. Files that cannot be replaced are written directly: character devices, pipes, and
 * the file that is standard output. */
enum dpk_status dpk_file_replace(const char *path, const void *data, size_t size, unsigned mode,
                                 struct dpk_error *err);

/* Same, with a content in pieces, which are written one after the other. A caller that keeps parts
 * of a large file need not copy them. */
struct dpk_piece {
    const void *data;
    size_t size;
};
enum dpk_status dpk_file_replace_pieces(const char *path, const struct dpk_piece *pieces,
                                        size_t count, unsigned mode, struct dpk_error *err);

/* Same, for a large file whose bytes are mostly known early. A thread writes `data` in the
 * background, to a file without a name. dpk_file_replace_ahead then writes only the pieces that are
 * not at their own places in `data`. dpk_ahead_begin returns NULL if the file is small or the file
 * system has no files without a name; the file is then written as usual. `data` is borrowed until
 * dpk_ahead_end. */
struct dpk_ahead;
struct dpk_ahead *dpk_ahead_begin(const char *path, const void *data, size_t size);
enum dpk_status dpk_file_replace_ahead(const char *path, struct dpk_ahead *ahead,
                                       const struct dpk_piece *pieces, size_t count, unsigned mode,
                                       struct dpk_error *err);
void dpk_ahead_end(struct dpk_ahead *ahead); /* NULL is allowed */

/* Same in two steps, for a file that must not appear before another step is done. Staging does
 * everything that is likely to fail (space, permissions); putting gives the file its name. Signals
 * are held from staging until dpk_staged_put or dpk_staged_drop, which free `staged`. The pieces
 * are borrowed until then. */
struct dpk_staged;
enum dpk_status dpk_file_stage(const char *path, const struct dpk_piece *pieces, size_t count,
                               unsigned mode, struct dpk_staged **out, struct dpk_error *err);
enum dpk_status dpk_staged_put(struct dpk_staged *staged, struct dpk_error *err);
void dpk_staged_drop(struct dpk_staged *staged); /* NULL is allowed */

/* Locks a file that is read, changed and replaced. Until dpk_file_unlock, other callers that lock
 * the name wait, and then see the new file. `waits` (or NULL) is called once if this call has to
 * wait. Returns -1, without a lock, if the name is not a readable regular file, or if its file
 * system has no locks; the code that reads the file reports the error. */
int dpk_file_lock(const char *path, void (*waits)(const char *path));
void dpk_file_unlock(int lock); /* -1 is allowed */

/* Writes all bytes, in as many steps as necessary; dpk_pwrite_all writes at `offset` of the file.
 * Returns 0, or -1 with the errno of the step that failed; a part may be written then. */
int dpk_write_all(int fd, const void *data, size_t size);
int dpk_pwrite_all(int fd, const void *data, size_t size, uint64_t offset);

/* Makes a new file under a name that other users can guess, in a directory that they may write to
 * (/tmp). The new file replaces a link or a file that has the name; it does not follow, write or
 * keep the old one. It fails where the old file is protected (in a sticky directory). The file
 * appears whole, as above. */
enum dpk_status dpk_file_create(const char *path, const void *data, size_t size, unsigned mode,
                                struct dpk_error *err);

/* Same, for a caller that writes to `fd` and syncs it. Open the file, then put or drop it. Until
 * then `path` is borrowed and signals are held, and the file has no name, or a temporary name if
 * the file system requires one. Opening another new file in the directory removes temporary files
 * that killed programs left. */
struct dpk_new_file {
    int fd;
    /* private: */
    int dir;
    const char *path, *base;
    char temp[32], source[32]; /* temp: temporary name, or ""; source: where a file without a name
                                * is found */
    sigset_t signals;
    bool held;
};
enum dpk_status dpk_new_file_open(struct dpk_new_file *f, const char *path, unsigned mode,
                                  struct dpk_error *err);
enum dpk_status dpk_new_file_put(struct dpk_new_file *f, struct dpk_error *err);
void dpk_new_file_drop(struct dpk_new_file *f);

/* Returns the stream for the message that a tool wrote `path`: standard output, or standard error
 * if the file (or pipe) is standard output itself, which must hold nothing else. */
FILE *dpk_file_messages(const char *path);

/* Returns DPK_ERR_USAGE if `output` names the same regular file as one of the `count` inputs,
 * because writing would destroy the input. NULL entries are skipped. */
enum dpk_status dpk_file_apart(const char *output, const char *const *inputs, size_t count,
                               struct dpk_error *err);

/* Finds the first of `names` that is a regular file in the folder of `path`, and is not `path`
 * itself. Messages use it to say which file was probably meant. "*.key" stands for the name of
 * `path` with another suffix. NULL ends the names. Returns false if no such file exists. */
bool dpk_file_beside(const char *path, const char *const *names, char out[PATH_MAX]);

/* These functions return folders of this user; the folders may be absent. Errors: DPK_ERR_NOT_FOUND
 * if the environment names no place. Devices are in $DPAKIT_DEVICES, else $XDG_STATE_HOME/dpakit,
 * else ~/.local/state/dpakit. */
enum dpk_status dpk_folder_of_devices(char out[PATH_MAX], struct dpk_error *err);
/* Returns the folder of files that can be made again: $XDG_CACHE_HOME/dpakit, else
 * ~/.cache/dpakit. */
enum dpk_status dpk_folder_of_cache(char out[PATH_MAX], struct dpk_error *err);
/* Makes a folder, and its absent parents, only for this user (0700). */
enum dpk_status dpk_folder_make(const char *path, struct dpk_error *err);
/* Gets the runtime directory, and makes it if it is absent: $DPAKIT_RUNTIME, or
 * $XDG_RUNTIME_DIR/dpakit, or /tmp/dpakit-UID, mode 0700. Processes find each other by files there.
 * Errors: DPK_ERR_REFUSED if other users may write there. */
enum dpk_status dpk_runtime_directory(char *out, size_t size, struct dpk_error *err);

/* Makes the folder `path` with these files. It appears whole or not at all. Errors: DPK_ERR_EXISTS
 * if the name is taken. File names are plain, without a slash. `mode` is the folder's. A process
 * that is killed meanwhile leaves a folder .NAME.XXXXXX beside it, which only its owner may
 * read. */
struct dpk_folder_file {
    const char *name;
    const struct dpk_piece *pieces; /* content; the pieces follow each other */
    size_t count;
    unsigned mode;
    /* If not NULL, it appends the content when the file is written. */
    void (*put)(const void *context, const char *name, struct dpk_buf *out);
    const void *context;
};
enum dpk_status dpk_folder_create(const char *path, unsigned mode,
                                  const struct dpk_folder_file *files, size_t count,
                                  struct dpk_error *err);
/* Returns DPK_OK if such a folder could be made. Ask this before long work. */
enum dpk_status dpk_folder_absent(const char *path, struct dpk_error *err);
/* Same, but it replaces a folder with that name if the folder has only files of these names (else
 * DPK_ERR_EXISTS). The replacement is one step if the file system can exchange two names. Links are
 * followed. */
enum dpk_status dpk_folder_replace(const char *path, unsigned mode,
                                   const struct dpk_folder_file *files, size_t count,
                                   struct dpk_error *err);
/* Returns DPK_OK if the folder could be replaced or made. */
enum dpk_status dpk_folder_replaceable(const char *path, const struct dpk_folder_file *files,
                                       size_t count, struct dpk_error *err);

/* Signals are held from hold to release, while a temporary file is on the disk, so that neither
 * Ctrl-C nor SIGXFSZ leaves it behind. (A write over the limit for file sizes raises SIGXFSZ and
 * fails with EFBIG.) `before` gets the mask that release restores. */
void dpk_signals_hold(sigset_t *before);
void dpk_signals_release(const sigset_t *before);

/* ---- Users ---- */

/* Returns true if a user number that the kernel reported, of a file or of the other end of a
 * socket, identifies one user. In a user namespace (as after unshare -U) some users may have no
 * number: the kernel reports one common number for all of them, and this user may be among them. */
bool dpk_user_is_known(uid_t user);
/* Returns true if the number is certainly the user of this process. It always returns false if this
 * user has no number. */
bool dpk_user_is_mine(uid_t user);
bool dpk_user_is_mine_or_root(uid_t user);

/* ---- Memory ---- */

/* Returns true if the whole range is memory of this process (and writable, if `written`). It faults
 * the pages in, as a driver that pins them does. */
bool dpk_is_mapped(const void *at, size_t size, bool written);

/* A callback for a bus error of the calling thread at the address `at`, called in a signal handler.
 * If it returns true, the instruction is repeated and must not fail again. It may also leave by
 * longjmp. */
typedef bool dpk_bus_error_taker(uintptr_t at);
/* Installs a callback that sees bus errors of this process first. Errors that no callback takes go
 * to the previous handler of the signal, as do signals that a process sends. Threads must not block
 * SIGBUS. */
void dpk_take_bus_errors(dpk_bus_error_taker *take);

/* Guarded accesses to a program's memory that may be gone. A file that was made shorter is still
 * mapped, but an access after its new end is a bus error. Within DPK_GUARDED such an access fails,
 * and the process goes on.
 *
 *     good = DPK_GUARDED(to, from, size, memcpy(to, from, size));
 *
 * The access may touch only these two ranges of `size` bytes (which may be the same range) and its
 * own stack. It must not take a lock. */
struct dpk_guard {
    jmp_buf back;
    uintptr_t one, other;
    size_t size;
};
/* The guard of the calling thread's access, or NULL. */
extern _Thread_local struct dpk_guard *volatile dpk_guard_inside
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* From the first call on, bus errors within DPK_GUARDED are caught. */
void dpk_guard_begin(void);
/* Returns false if a bus error ended the access; a part of it may be done then. */
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
/* The same clock, cheaper to read and a few milliseconds late, for threads that poll. */
uint64_t dpk_now_coarse_ms(void);
/* Nanoseconds since 1970: the real-time clock of the machine, which is that of its devices. */
uint64_t dpk_real_time_ns(void);
/* The processor time of the calling thread, in nanoseconds. It does not advance while the thread
 * does not run. */
uint64_t dpk_thread_time_ns(void);

/* ---- Threads ---- */

/* pthread_create for a thread of a library. The thread blocks all signals, so that the program's
 * threads get them, except those of its own faults: Linux ends a process that blocks these. */
int dpk_pthread_start(pthread_t *out, void *(*run)(void *), void *context);

/* Returns how many processors this process may use, at least 1. */
unsigned dpk_cores(void);

/* Hints to the processor that the calling loop waits for another thread. */
static inline void dpk_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Calls job(context, i) for every i below `count`, in order, on up to `threads` threads (0: one for
 * each core), the caller among them. It returns when all jobs are done. If the system starts fewer
 * threads, they do all jobs. */
void dpk_parallel(size_t count, unsigned threads, void (*job)(void *context, size_t index),
                  void *context);

/* Returns how many threads each of `count` jobs may use within itself when dpk_parallel runs the
 * jobs on `threads` threads, so that few jobs keep all threads busy. It is 1 if there are as many
 * jobs as threads. */
unsigned dpk_parallel_share(size_t count, unsigned threads);

/* ---- Reported kinds of trouble ----
 *
 * An object reports each kind of trouble once. It has a struct dpk_told:
 *
 *     if (dpk_first(&queue->told, kind))
 *         ... print it ...
 */
#define DPK_TOLD_KINDS 64u
struct dpk_told {
    _Atomic uint64_t kinds; /* one bit for each kind */
};

/* Returns true for the first trouble of a kind (below DPK_TOLD_KINDS). Any thread may call this. */
static inline bool dpk_first(struct dpk_told *told, unsigned kind)
{
    const uint64_t bit = UINT64_C(1) << kind % DPK_TOLD_KINDS;
    return !(atomic_fetch_or(&told->kinds, bit) & bit);
}

/* ---- Accesses in flight ----
 *
 * A user of memory pins it while its owner may take it back. The owner closes the pins before it
 * takes the memory back:
 *
 *     if (dpk_pin(&m->pins)) {             dpk_pins_close(&m->pins);   // waits
 *         memcpy(...);                     munmap(...);
 *         dpk_unpin(&m->pins);
 *     }
 */
struct dpk_pins {
    _Atomic uint32_t state; /* number of accesses in flight; top bit: closed */
    pid_t process;          /* process of these accesses */
};

/* Admits accesses from now on. */
void dpk_pins_open(struct dpk_pins *pins);
/* Admits an access. Returns false if the pins are closed. A thread may pin the same memory several
 * times. This never waits. */
bool dpk_pin(struct dpk_pins *pins);
void dpk_unpin(struct dpk_pins *pins);
/* Admits no more accesses, and returns when none is in flight. Several threads may call it at once.
 * A thread that has a pin must not call it, nor a thread that holds a lock which a thread with a
 * pin takes. A child of fork() does not wait: it does not have the threads that had pins. */
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
/* Adds the units from `first` to `last`; `last` is below DPK_UNITS_MAX. */
void dpk_units_add_range(struct dpk_units *u, unsigned first, unsigned last);
void dpk_units_subtract(struct dpk_units *u, const struct dpk_units *from_it);
unsigned dpk_units_count(const struct dpk_units *u);
bool dpk_units_meet(const struct dpk_units *a, const struct dpk_units *b); /* they share a unit */
/* dpk_units_member returns the member with `rank` smaller members, or DPK_UNITS_MAX. dpk_units_rank
 * returns how many members are below `number`. */
unsigned dpk_units_member(const struct dpk_units *u, unsigned rank);
unsigned dpk_units_rank(const struct dpk_units *u, unsigned number);
/* Reads "6-8,16,55": decimal numbers and ranges, in any order. Returns false, and empties *out, for
 * any other text or a unit that does not exist. */
bool dpk_units_parse(const char *text, struct dpk_units *out);
/* Appends "6,7,8,16,55", or "6-8,16,55" with `ranges`. */
void dpk_units_put(struct dpk_buf *out, const struct dpk_units *u, bool ranges);

/* ---- UUIDs (RFC 4122) ---- */

struct dpk_uuid {
    uint8_t bytes[16]; /* in printed order */
};
#define DPK_UUID_TEXT 37 /* 8-4-4-4-12 and the NUL */

/* Parses strictly: exactly 36 characters, dashes in their places, hexadecimal digits of either
 * case. */
enum dpk_status dpk_uuid_parse(const char *text, struct dpk_uuid *out, struct dpk_error *err);
/* Writes two lower-case hexadecimal digits for each byte, and a NUL: 2 * size + 1 characters. */
void dpk_hex_text(const void *bytes, size_t size, char *out);
void dpk_uuid_format(const struct dpk_uuid *u, char text[DPK_UUID_TEXT]);
void dpk_uuid_new_time(struct dpk_uuid *out); /* time-based, as `uuidgen -t` */
bool dpk_uuid_is_zero(const struct dpk_uuid *u);
bool dpk_uuid_equal(const struct dpk_uuid *a, const struct dpk_uuid *b);

/* ---- Numbers ---- */

/* Reads a decimal number from `least` to `most`. The whole text must be digits: no sign, no blanks.
 * For any other text it returns false and does not change *out. */
bool dpk_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);
/* Reads a decimal number of at most `most` at *text, and moves *text after its digits. Returns
 * false, and changes nothing, if *text does not start with a digit or the number is larger. */
bool dpk_take_number(const char **text, uint64_t most, uint64_t *out);

/* ---- Suggestions ---- */

/* Returns the candidate nearest to `word` for "did you mean", or NULL. Its edit distance is at most
 * a third of the length of `word`; two swapped neighbours are one edit. NULL ends `candidates`. */
const char *dpk_closest(const char *word, const char *const *candidates);
/* Warns, at the first call in a program, of each environment variable that starts with DPAKIT_ and
 * that no program of dpakit reads, with the nearest name. `words` are the command line (NULL ends
 * them; may be NULL): variables that it names ("env:NAME") belong to the user and cause no
 * warning. */
void dpk_environment_check(char *const *words, void (*warn)(const char *text));

#endif
