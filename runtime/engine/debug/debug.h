/*
 * debug: source lines of addresses, core files, GDB's remote protocol and traces. It
 * knows no scheduler: the room that has threads (proc) describes them by the structures below.
 *
 *     struct dpk_line at;
 *     if (dpk_line_find(image, pc, &at))
 *         ... "%s:%u", at.file, at.line ...
 *     dpk_core_write("dpa.core", &core, &err);       // gdb-multiarch PROGRAM.elf dpa.core
 */
#ifndef DPK_ENGINE_DEBUG_DEBUG_H
#define DPK_ENGINE_DEBUG_DEBUG_H

#include "base/base.h"
#include "engine/loader/loader.h"
#include "engine/rv64/rv64.h"

/* ---- Source lines ---- */

struct dpk_line {
    char file[256]; /* as the compiler was given it, cleaned for printing */
    unsigned line;
};

/* The line of the instruction at `pc`, from .debug_line (DWARF 5 and 4, section 6.2). False: the
 * line is not known, or the table is damaged. The program brought the table, so each field of it is
 * checked. */
bool dpk_line_find(const struct dpk_image *image, uint64_t pc, struct dpk_line *out);

/* The same for many addresses: the table is read once. */
struct dpk_lines;
/* NULL: out of memory. A program without a table gives one that knows no line. */
struct dpk_lines *dpk_lines_create(const struct dpk_image *image);
void dpk_lines_free(struct dpk_lines *lines); /* NULL is fine */
bool dpk_lines_find(const struct dpk_lines *lines, uint64_t pc, struct dpk_line *out);

/* ---- Callers ---- */

/* A call that is not over: its registers, as they are or will be when what it has called returns. */
struct dpk_frame {
    uint64_t pc, sp, fp, ra; /* fp: s0 */
    bool called;             /* pc is behind a call, and ra is not its own any more */
};
/* Call frame information of a program (DWARF 5, section 6.4), which is not trusted. */
struct dpk_frames;
/* NULL: out of memory. */
struct dpk_frames *dpk_frames_create(const struct dpk_image *image);
void dpk_frames_free(struct dpk_frames *frames); /* NULL is fine */
/* Reads 8 bytes of the stack. False: they are not there. */
typedef bool dpk_frames_read(void *context, uint64_t address, uint64_t *out);
/* Makes the caller of *frame. The stack never grows from caller to caller. False: there is none, or
 * it is not known. One thread at a time: it keeps what it has found. */
bool dpk_frames_caller(struct dpk_frames *frames, struct dpk_frame *frame, dpk_frames_read *read,
                       void *context);

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
    /* Of a target that goes backwards, too: it is where its past begins, or ends. */
    enum { DPK_HISTORY_INSIDE, DPK_HISTORY_BEGIN, DPK_HISTORY_END } history;
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
    /* Goes backwards: one instruction of a thread, or all up to the breakpoint or watch before; `stopped`
     * tells when that is done. NULL instead of this function: the target cannot. */
    void (*back)(void *target, unsigned thread);
    void (*interrupt)(void *target); /* stop soon, with SIGINT */
    /* After `go`: true, once, when all threads have stopped; *out: why. */
    bool (*stopped)(void *target, struct dpk_stop *out);
    void (*kill)(void *target);
    void (*detach)(void *target);
    bool attached; /* a client that disconnects detaches; if false, it kills the target */
    /* Returns what the client may do now. It is called before each packet and each report of a
     * stop. If the client may not do everything, `*why` is the reason as text for its user, and
     * `set_registers` and `write` must refuse. With DPK_DEBUG_NONE the client is disconnected, and
     * the target goes on. NULL instead of this function: the client may do everything. */
    enum dpk_debug_rights (*rights)(void *target, const char **why);
};

/* Serves one client: reads from `in` and writes to `out` (they may be the same), until the client
 * detaches, kills, disconnects or is disconnected, or the program has ended. `wake`: an eventfd
 * that becomes readable when `stopped` may have a stop. The target must be stopped at the start.
 * DPK_ERR_REFUSED: the client does not begin as GDB does; the target goes on. */
enum dpk_status dpk_gdb_serve(int in, int out, int wake, const struct dpk_debug_ops *ops,
                              void *target, struct dpk_error *err);

/* ---- Traces ----
 * JSON for Perfetto and Chrome's trace viewer, with a track for each execution unit. The file is a
 * complete document after every flush, however its program ends. */
enum {
    DPK_TRACK_CALL = 512, /* plus the thread's number: of RPCs, which occupy no unit */
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
/* `max`: bytes of the file, at least DPK_TRACE_MIN. A file that would get larger is renamed to its
 * name with ".1", which replaces an older one, and a new file begins. */
#define DPK_TRACE_MIN 0x40000u
enum dpk_status dpk_trace_open(const char *path, uint64_t max, struct dpk_trace **out,
                               struct dpk_error *err);
void dpk_trace_put(struct dpk_trace *t, const struct dpk_trace_event *e);
void dpk_trace_flush(struct dpk_trace *t);
void dpk_trace_close(struct dpk_trace *t);

#endif
