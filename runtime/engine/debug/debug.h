/*
 * debug: source lines of addresses, core files, GDB's remote protocol and traces. This room does
 * not know the scheduler: the room that has threads (proc) describes them by the structures below.
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
    char file[256]; /* as given to the compiler, cleaned for printing */
    unsigned line;
};

/* Finds the line of the instruction at `pc`, from .debug_line (DWARF 5 and 4, section 6.2). Returns
 * false if the line is unknown or the table is damaged. The table comes from the program, so each
 * field of it is checked. */
bool dpk_line_find(const struct dpk_image *image, uint64_t pc, struct dpk_line *out);

/* The same for many addresses: the table is read only once. */
struct dpk_lines;
/* Returns NULL if there is no memory. Without a table in the program, the result knows no lines. */
struct dpk_lines *dpk_lines_create(const struct dpk_image *image);
void dpk_lines_free(struct dpk_lines *lines); /* NULL is allowed */
bool dpk_lines_find(const struct dpk_lines *lines, uint64_t pc, struct dpk_line *out);

/* Functions whose code the compiler put into their callers, from .debug_info (DWARF 5 and 4, section
 * 3.3.8), which is not trusted. */
struct dpk_inlines;
enum { DPK_INLINED_MAX = 32 };
/* Returns NULL if there is no memory. Without debug information, the result knows no functions. */
struct dpk_inlines *dpk_inlines_create(const struct dpk_image *image);
void dpk_inlines_free(struct dpk_inlines *inlines); /* NULL is allowed */
/* Gets the inlined functions to which the instruction at `pc` belongs, outermost first, and returns
 * their number. The names are the program's: not cleaned, and borrowed until dpk_inlines_free. */
unsigned dpk_inlines_find(const struct dpk_inlines *inlines, uint64_t pc,
                          const char *names[DPK_INLINED_MAX]);

/* ---- Callers ---- */

/* An active call: its registers now, or after the function that it called returns. */
struct dpk_frame {
    uint64_t pc, sp, fp, ra; /* fp: s0 */
    bool called;             /* pc is after a call, and ra was overwritten by it */
};
/* Call frame information of a program (DWARF 5, section 6.4), which is not trusted. */
struct dpk_frames;
/* Returns NULL if there is no memory. */
struct dpk_frames *dpk_frames_create(const struct dpk_image *image);
void dpk_frames_free(struct dpk_frames *frames); /* NULL is allowed */
/* Reads 8 bytes of the stack. Returns false if they are not mapped. */
typedef bool dpk_frames_read(void *context, uint64_t address, uint64_t *out);
/* Replaces *frame by its caller. The stack never grows from caller to caller. Returns false if
 * there is no caller or it is unknown. Only one thread at a time may call this, because results are
 * cached. */
bool dpk_frames_caller(struct dpk_frames *frames, struct dpk_frame *frame, dpk_frames_read *read,
                       void *context);

/* ---- Core files ---- */

struct dpk_core_thread {
    unsigned id; /* not 0 */
    int signal;  /* Linux signal number; 0: this thread did not cause the stop */
    uint64_t x[32], pc;
};

struct dpk_core {
    const struct dpk_core_thread *threads; /* the first thread is shown first */
    size_t count;
    const struct rv64_memory *memory;
};

/* Writes an ELF core (ET_CORE of RISC-V; one NT_PRSTATUS for each thread, laid out as by Linux for
 * riscv64; one PT_LOAD for each run of mapped pages). Pages of zeros are holes in the file. The
 * file is written whole or not at all, with mode 0600, because memory may hold secrets. */
enum dpk_status dpk_core_write(const char *path, const struct dpk_core *core,
                               struct dpk_error *err);

/* ---- Remote debugging ----
 * The GDB Remote Serial Protocol (GDB manual, appendix E), all-stop. */

enum dpk_resume {
    DPK_RESUME_RUN,
    DPK_RESUME_HOLD, /* does not run */
    DPK_RESUME_STEP, /* one instruction */
    DPK_RESUME_FAIL, /* runs; a fault now fails the program instead of stopping it */
};

struct dpk_stop {
    enum { DPK_STOP_NONE, DPK_STOP_SIGNAL, DPK_STOP_EXITED, DPK_STOP_KILLED } how;
    unsigned thread;
    int signal;       /* DPK_STOP_SIGNAL, DPK_STOP_KILLED: Linux signal number */
    int code;         /* DPK_STOP_EXITED */
    unsigned watched; /* or of a watch: RV64_R | RV64_W, as requested */
    uint64_t address; /* address of the watch */
    /* For a target that can go backwards: whether it is at the start or the end of its history. */
    enum { DPK_HISTORY_INSIDE, DPK_HISTORY_BEGIN, DPK_HISTORY_END } history;
};

/* The debugged target. Thread ids are not 0. The functions, except `interrupt`, `stopped`,
 * `rights`, `kill` and `detach`, are called only while all threads are stopped. */
struct dpk_debug_ops {
    /* Lists thread ids, at least one; the debugger shows the first. */
    size_t (*threads)(void *target, unsigned *ids, size_t max);
    void (*describe)(void *target, unsigned id, char *out, size_t size);
    bool (*get_registers)(void *target, unsigned id, uint64_t x[32], uint64_t *pc);
    bool (*set_registers)(void *target, unsigned id, const uint64_t x[32], uint64_t pc);
    bool (*read)(void *target, uint64_t address, void *to, size_t size);
    bool (*write)(void *target, uint64_t address, const void *from, size_t size);
    bool (*breakpoint)(void *target, uint64_t address, bool on);
    bool (*watch)(void *target, const struct rv64_watch *watch, bool on);
    /* Sets how a thread continues at the next `go`; the default is HOLD. New threads run if
     * `others` is true. */
    void (*resume)(void *target, unsigned id, enum dpk_resume how);
    void (*go)(void *target, enum dpk_resume others);
    /* Goes backwards: one instruction of a thread, or all threads to the previous breakpoint or
     * watch. `stopped` reports the end. NULL if the target cannot go backwards. */
    void (*back)(void *target, unsigned thread);
    void (*interrupt)(void *target); /* requests a stop, with SIGINT */
    /* After `go`: returns true, once, when all threads have stopped; *out is the reason. */
    bool (*stopped)(void *target, struct dpk_stop *out);
    void (*kill)(void *target);
    void (*detach)(void *target);
    bool attached; /* a client that disconnects detaches; if false, it ends the target */
    /* Returns what the client may do now. It is called before each packet and each report of a
     * stop. If the client may not do everything, `*why` is the reason as text for its user, and
     * `set_registers` and `write` must refuse. With DPK_DEBUG_NONE the client is disconnected, and
     * the target goes on. If this pointer is NULL, the client may do everything. */
    enum dpk_debug_rights (*rights)(void *target, const char **why);
};

/* Serves one client: reads from `in` and writes to `out` (they may be the same), until the client
 * detaches, kills, disconnects or is disconnected, or the program has ended. `wake`: an eventfd
 * that becomes readable when `stopped` may report a stop. Call this with the target stopped.
 * Errors: DPK_ERR_REFUSED if the client's first bytes are not GDB's; the target then runs on. */
enum dpk_status dpk_gdb_serve(int in, int out, int wake, const struct dpk_debug_ops *ops,
                              void *target, struct dpk_error *err);

/* ---- Traces ----
 * JSON for Perfetto and Chrome's trace viewer, with a track for each execution unit. The file is a
 * complete document after every flush, even if its program is killed. */
enum {
    DPK_TRACK_CALL = 512, /* plus the thread's number: of RPCs, which need no unit */
    DPK_TRACK_HOST = 2047,
};

struct dpk_trace_event {
    char phase; /* 'X': interval since `begin`; 'i': instant; 'b', 'e': start and end of `id` */
    const char *category, *name;
    unsigned track; /* number of an execution unit, or a DPK_TRACK_ above */
    uint64_t begin; /* CLOCK_MONOTONIC, nanoseconds; 0: now */
    uint64_t id;
    const char *argument; /* name of `value` or of `text`, or NULL */
    uint64_t value;
    const char *text;
};

struct dpk_trace;
/* `max`: maximum bytes of the file, at least DPK_TRACE_MIN. When the file would exceed it, it is
 * renamed to its name with ".1" (replacing an older file), and a new file is started. */
#define DPK_TRACE_MIN 0x40000u
enum dpk_status dpk_trace_open(const char *path, uint64_t max, struct dpk_trace **out,
                               struct dpk_error *err);
void dpk_trace_put(struct dpk_trace *t, const struct dpk_trace_event *e);
void dpk_trace_flush(struct dpk_trace *t);
void dpk_trace_close(struct dpk_trace *t);

#endif
