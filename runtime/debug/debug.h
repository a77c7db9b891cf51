/*
 * debug: what makes the runtime visible: source lines of addresses, core files, the remote protocol
 * of GDB, traces, and where other processes of the same user find this one. Knows no scheduler:
 * whoever has threads describes them by the structures below (proc does).
 *
 *     struct dpk_line at;
 *     if (dpk_line_find(image, pc, &at))
 *         ... "%s:%u", at.file, at.line ...
 *     dpk_core_write("dpa.core", &core, &err);       // gdb-multiarch PROGRAM.elf dpa.core
 */
#ifndef DPK_DEBUG_H
#define DPK_DEBUG_H

#include <pthread.h>
#include <sys/types.h>

#include "base/base.h"
#include "loader/loader.h"
#include "rv64/rv64.h"

/* ---- Source lines ---- */

struct dpk_line {
    char file[256]; /* as the compiler was given it, cleaned for printing */
    unsigned line;
};

/* The line of the instruction at `pc`, from .debug_line (DWARF 5 and 4, section 6.2). False: not
 * known, or the table is damaged: the program brought it, nothing in it is believed. */
bool dpk_line_find(const struct dpk_image *image, uint64_t pc, struct dpk_line *out);

/* ---- Core files ---- */

struct dpk_core_thread {
    unsigned id; /* not 0 */
    int signal;  /* number of Linux; 0: it was not this thread's fault */
    uint64_t x[32], pc;
};

struct dpk_core {
    const struct dpk_core_thread *threads; /* the first is the one to look at */
    size_t count;
    const struct rv64_memory *memory;
};

/* Writes an ELF core (ET_CORE of RISC-V, NT_PRSTATUS as Linux lays it out for riscv64, one for each
 * thread; one PT_LOAD for each run of mapped pages). Pages of zeros are holes of the file. Whole or
 * not at all; mode 0600, for memory may hold secrets. */
enum dpk_status dpk_core_write(const char *path, const struct dpk_core *core,
                               struct dpk_error *err);

/* ---- Remote debugging ----
 * The GDB Remote Serial Protocol (GDB manual, appendix E), all-stop. */

enum dpk_resume {
    DPK_RESUME_RUN,
    DPK_RESUME_HOLD, /* stays where it is */
    DPK_RESUME_STEP, /* one instruction */
    DPK_RESUME_FAIL, /* runs, and a fault is the program's now: no more stops for it */
};

struct dpk_stop {
    enum { DPK_STOP_NONE, DPK_STOP_SIGNAL, DPK_STOP_EXITED, DPK_STOP_KILLED } how;
    unsigned thread;
    int signal;       /* DPK_STOP_SIGNAL, DPK_STOP_KILLED: number of Linux */
    int code;         /* DPK_STOP_EXITED */
    unsigned watched; /* or of a watch: RV64_R | RV64_W as it was asked for */
    uint64_t address; /* of the watch */
};

/* What is debugged. Thread ids are not 0. All but `interrupt`, `stopped`, `rights`, `kill` and
 * `detach` are called only while everything stands still. */
struct dpk_debug_ops {
    /* Ids, the one to look at first; never none. */
    size_t (*threads)(void *target, unsigned *ids, size_t max);
    void (*describe)(void *target, unsigned id, char *out, size_t size);
    bool (*get_registers)(void *target, unsigned id, uint64_t x[32], uint64_t *pc);
    bool (*set_registers)(void *target, unsigned id, const uint64_t x[32], uint64_t pc);
    bool (*read)(void *target, uint64_t address, void *to, size_t size);
    bool (*write)(void *target, uint64_t address, const void *from, size_t size);
    bool (*breakpoint)(void *target, uint64_t address, bool on);
    bool (*watch)(void *target, const struct rv64_watch *watch, bool on);
    /* How each thread goes on at the next `go`; HOLD where nothing is said. New threads run if
     * `others` does. */
    void (*resume)(void *target, unsigned id, enum dpk_resume how);
    void (*go)(void *target, enum dpk_resume others);
    void (*interrupt)(void *target); /* stop soon, with SIGINT */
    /* True once everything stands still after `go`: why, once. */
    bool (*stopped)(void *target, struct dpk_stop *out);
    void (*kill)(void *target);
    void (*detach)(void *target);
    bool attached; /* a client that goes away detaches; else it kills */
    /* What the client may do now, asked before each packet and each stop that is told; unless that
     * is everything, `*why` says so in words for its user. It is for `set_registers` and `write` to
     * refuse; with DPK_DEBUG_NONE the client is sent away, and the target goes on. NULL:
     * everything. */
    enum dpk_debug_rights (*rights)(void *target, const char **why);
};

/* Serves one client: bytes from `in`, answers to `out` (they may be the same), until it detaches,
 * kills, goes away, is sent away, or the program has ended. DPK_ERR_REFUSED: it begins as GDB never
 * does, and the target goes on. `wake`: a descriptor that becomes
 * readable when `stopped` may have something to tell (eventfd). The target stands still at the
 * start. */
enum dpk_status dpk_gdb_serve(int in, int out, int wake, const struct dpk_debug_ops *ops,
                              void *target, struct dpk_error *err);

/* Where clients of this machine knock: a TCP port of 127.0.0.1, or a Unix socket. */
struct dpk_listener {
    int fd;        /* -1: closed */
    unsigned port; /* 0: a socket */
    char path[108];
    dev_t device; /* of the socket that was made there */
    ino_t inode;
    uint64_t refused; /* clients, so far */
    bool guarded;
    pthread_t guard;
};
/* `where`: a port (0: any that is free), or, with a slash in it, the path of a Unix socket (mode
 * 0600). A socket of this user on which nobody listens any more is replaced. */
enum dpk_status dpk_listen(const char *where, struct dpk_listener *out, struct dpk_error *err);
/* The next client of this user, or root's; -1 when there will be none. It is lost when it does not
 * read for 10 seconds. Others are sent away; `refused` (may be NULL) is told of the first, second,
 * fourth, eighth, ... of them. */
int dpk_accept(struct dpk_listener *l, void (*refused)(void *context, const char *why),
               void *context);
/* For programs that end by signals: those take the socket along from now on. Call it before there
 * are threads that take signals; `l` stays where it is until it is closed. */
enum dpk_status dpk_listener_guard(struct dpk_listener *l, struct dpk_error *err);
/* Removes the socket, unless another one is in its place. */
void dpk_listener_close(struct dpk_listener *l);
/* Whether the other end of a connection is a program of this user, or of root, on this machine.
 * DPK_ERR_REFUSED: what it is instead ("a client of user 1001, ..."). */
enum dpk_status dpk_peer_check(int fd, struct dpk_error *err);

/* ---- Traces ----
 * JSON that Perfetto and Chrome's trace viewer open, with a track for each execution unit. The file
 * is a whole document after every flush, however its program ends. */
enum {
    DPK_TRACK_CALL = 512, /* and the thread's number: RPCs, which occupy no unit */
    DPK_TRACK_HOST = 2047,
};

struct dpk_trace_event {
    char phase; /* 'X': lasted since `begin`; 'i': moment; 'b', 'e': begin and end of `id` */
    const char *category, *name;
    unsigned track; /* number of an execution unit, or one of the above */
    uint64_t begin; /* CLOCK_MONOTONIC, nanoseconds; 0: now */
    uint64_t id;
    const char *argument; /* name of `value` or of `text`, or NULL */
    uint64_t value;
    const char *text;
};

struct dpk_trace;
/* Bytes of `max`: at least DPK_TRACE_MIN. A file that would get larger is renamed, with ".1" behind
 * its name, in the place of the one before, and another begins. */
#define DPK_TRACE_MIN 0x40000u
enum dpk_status dpk_trace_open(const char *path, uint64_t max, struct dpk_trace **out,
                               struct dpk_error *err);
void dpk_trace_put(struct dpk_trace *t, const struct dpk_trace_event *e);
void dpk_trace_flush(struct dpk_trace *t);
void dpk_trace_close(struct dpk_trace *t);

/* ---- Finding processes ----
 * A process that uses the DPA listens on the Unix socket PID.dpa of the runtime directory:
 * $DPAKIT_RUNTIME, or $XDG_RUNTIME_DIR/dpakit, or /tmp/dpakit-UID, mode 0700. A client sends one
 * line and reads the answer:
 *     list             a line of JSON for each DPA process, then the end
 *     find TOKEN DIRECTORY   "yes" or "no": whether a process on the device in DIRECTORY
 *                            (dpk_device_directory) has this token (hexadecimal)
 *     debug TOKEN DIRECTORY  "yes", then GDB's remote protocol; else a line that says why not */

/* The directory, made if need be. DPK_ERR_REFUSED: others may write there. */
enum dpk_status dpk_runtime_directory(char *out, size_t size, struct dpk_error *err);
/* Connects to one process after the other, by pid, until `visit`, which owns `fd` then, returns
 * false. */
enum dpk_status dpk_peers_each(bool (*visit)(void *context, int fd), void *context,
                               struct dpk_error *err);
bool dpk_peer_say(int fd, const char *text, size_t size);
/* One line, without its end. False: the other end said less, or more than fits. */
bool dpk_peer_line(int fd, char *line, size_t size);

#endif
