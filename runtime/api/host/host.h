/*
 * host: the common base of libflexio and the DOCA libraries: DPA programs that are linked into the host
 * program, processes of them with their functions and message streams, and log lines on stderr.
 *
 *     struct dpk_host_app **apps;
 *     uint32_t count;
 *     dpk_host_app_list(&apps, &count, &err);                        // dpacc's stubs made them
 *     struct dpk_host_process *p;
 *     dpk_host_process_create("mlx5_0", apps[0], &p, &err);          // verified, loaded
 *     struct dpk_call call;
 *     void *args;
 *     dpk_host_process_pack(p, &hello_kernel, ap, &call, &args, &err);
 *     ... dpk_process_launch(p->dpa, ...) ...
 *     free(args);
 *     dpk_host_process_destroy(p);
 *     free(apps);
 *
 * Any thread may call these functions.
 */
#ifndef DPK_API_HOST_HOST_H
#define DPK_API_HOST_HOST_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "engine/proc/proc.h"

/* ---- Lines on stderr ---- */

enum dpk_host_log_level {
    DPK_HOST_LOG_ERROR,
    DPK_HOST_LOG_WARNING,
    DPK_HOST_LOG_INFO,
    DPK_HOST_LOG_DEBUG
};

/* Prints one line, which starts with "-E-" for DPK_HOST_LOG_ERROR and so on. Lines above the level that
 * was set are not printed. */
void dpk_host_log(enum dpk_host_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets the highest level that is printed; DPK_HOST_LOG_WARNING by default. Returns the level before. A
 * number that is not a level changes nothing. */
enum dpk_host_log_level dpk_host_log_set_level(enum dpk_host_log_level level);

/* ---- Programs ---- */

/* The host's stub of a DPA function, and the host function that packs arguments of the DPA function. */
typedef void dpk_host_stub(void);
typedef void dpk_host_arg_pack(void *args, va_list ap);

struct dpk_host_function {
    struct dpk_host_function *next;
    char *name;
    char *unpack; /* DPA function that unpacks its arguments; NULL: none, it is found by its name */
    /* NULL in a call of dpk_host_app_add_function, which then creates a unique stub. */
    dpk_host_stub *stub;
    size_t args_size; /* bytes of the packed arguments */
    dpk_host_arg_pack *pack;
};

/* A DPA program. Its bytes belong to the caller and must stay as long as the program. */
struct dpk_host_app {
    struct dpk_host_app *next; /* in the list of all programs */
    char *name;
    /* The contents of its sections (struct dpk_sections): device ELF, room for crypto data,
     * attributes; the last two may be NULL. */
    const void *elf, *sig, *attributes;
    size_t elf_size, sig_size, attributes_size;
    struct dpk_host_function *functions;
};

/* Registers a program and copies its name. Returns NULL if memory is exhausted. */
struct dpk_host_app *dpk_host_app_create(const struct dpk_host_app *what);
/* Returns false if `app` is not a program, or was destroyed before. */
bool dpk_host_app_destroy(struct dpk_host_app *app);
/* Lists all programs in the order of their creation. The caller frees *apps, which is NULL if there are
 * no programs. Errors: DPK_ERR_NOMEM. */
enum dpk_status dpk_host_app_list(struct dpk_host_app ***apps, uint32_t *count,
                                  struct dpk_error *err);
/* Returns the program of a host program's pointer, or NULL if it is not a program. */
struct dpk_host_app *dpk_host_app_find(const void *app);
/* Verifies `app` by what the device named `device` requires, and makes an image of it. `directory`:
 * becomes the device's. Errors are those of dpk_device_open and dpk_load (DPK_ERR_REFUSED). If the
 * device requires no signature, a wrong one is only logged as a warning. */
enum dpk_status dpk_host_app_load(const char *device, const struct dpk_host_app *app,
                                  struct dpk_image **image, char directory[PATH_MAX],
                                  struct dpk_error *err);
/* Adds a function, whose names are copied, and returns it. If the program has one with the same
 * stub already (if `unpack` is NULL: the same name), returns that, and *added is false. NULL: out
 * of memory. */
const struct dpk_host_function *dpk_host_app_add_function(struct dpk_host_app *app,
                                                          const struct dpk_host_function *what,
                                                          bool *added);
/* Addresses in the device ELF of a function and of the function that unpacks its arguments. 0: it
 * is not there. */
struct dpk_host_function_addresses {
    uint64_t function, unpack;
};
/* Finds the function of a stub; it stays as long as the program. Returns NULL if the program has no
 * such function. `addresses` is filled in from the device ELF, which takes time; NULL: they are not
 * wanted. */
const struct dpk_host_function *
dpk_host_app_find_function(const struct dpk_host_app *app, dpk_host_stub *stub,
                           struct dpk_host_function_addresses *addresses);

/* ---- Processes ---- */

#define DPK_HOST_STREAMS_MAX 255

struct dpk_host_call {
    dpk_host_stub *stub;
    dpk_host_arg_pack *pack; /* NULL: the function takes no arguments that must be packed */
    struct dpk_call call;
};

/* A process of a program. */
struct dpk_host_process {
    struct dpk_process *dpa;
    struct dpk_host_call *functions; /* the functions that can be called */
    size_t function_count;
    pthread_mutex_t streams_lock;
    struct dpk_host_stream *streams[DPK_HOST_STREAMS_MAX]; /* by number; with the lock */
};

/* Loads `app` for the device named `device`, and makes a process of it. Errors are those of
 * dpk_host_app_load and dpk_process_create. */
enum dpk_status dpk_host_process_create(const char *device, const struct dpk_host_app *app,
                                        struct dpk_host_process **out, struct dpk_error *err);
/* Ends its threads, whatever they do, then its streams. NULL is ignored. */
void dpk_host_process_destroy(struct dpk_host_process *p);
/* Finds the DPA function of a stub. The caller packs the arguments itself. DPK_ERR_NOT_FOUND: the
 * process's program has no such function. */
enum dpk_status dpk_host_process_function(const struct dpk_host_process *p, dpk_host_stub *stub,
                                          struct dpk_call *call, struct dpk_error *err);
/* The same, and packs the arguments in `ap` into a new buffer of call->argument_size bytes, which
 * the caller frees. DPK_ERR_NOMEM: out of memory. */
enum dpk_status dpk_host_process_pack(const struct dpk_host_process *p, dpk_host_stub *stub,
                                      va_list ap, struct dpk_call *call, void **args,
                                      struct dpk_error *err);

/* ---- Message streams ---- */

enum dpk_host_stream_mode {
    DPK_HOST_STREAM_SYNC,  /* the sender waits until the message is printed */
    DPK_HOST_STREAM_ASYNC, /* a flush prints messages; a full buffer loses the oldest ones */
    DPK_HOST_STREAM_BATCH, /* a flush or a full buffer prints messages */
};

/* Levels of messages. A stream prints those up to its own level. */
enum {
    DPK_HOST_STREAM_NOTHING = 0,
    DPK_HOST_STREAM_INFO = 4,
    DPK_HOST_STREAM_DEBUG = 5,
};

struct dpk_host_stream_options {
    FILE *out; /* belongs to the caller and must stay as long as the stream */
    enum dpk_host_stream_mode mode;
    size_t capacity; /* size of the buffer in bytes */
    unsigned level;
    /* Formats of trace messages (trace/trace.h), with a NULL at the end; copied. NULL: none. */
    char *const *formats;
};

struct dpk_host_stream {
    int id;                  /* the number by which DPA code names the stream */
    pid_t owner;             /* the host process that created it */
    pthread_t printer;       /* the thread that prints its messages */
    _Atomic(unsigned) level; /* the level of its options; may be set at any time */
};

/* Makes a stream with the smallest free number. DPK_ERR_RANGE: the process has
 * DPK_HOST_STREAMS_MAX streams. DPK_ERR_IO: the host has no thread left. DPK_ERR_NOMEM: out of
 * memory. DPK_ERR_USAGE: a format takes other values than DPK_TRACE_VALUES integers. */
enum dpk_status dpk_host_stream_create(struct dpk_host_process *p,
                                       const struct dpk_host_stream_options *options,
                                       struct dpk_host_stream **out, struct dpk_error *err);
/* Prints the messages that are left and frees the stream. In a child of fork() it does nothing. NULL is
 * ignored. */
void dpk_host_stream_destroy(struct dpk_host_stream *stream);
/* Returns when all messages sent before are printed. Must not be called in a child of fork(). */
void dpk_host_stream_flush(struct dpk_host_stream *stream);

/* Puts a trace message of the device into the stream with this number, as text of the stream's format.
 * `count`: at most DPK_TRACE_VALUES. */
void dpk_host_stream_trace(struct dpk_host_process *p, unsigned stream, unsigned level,
                           unsigned thread_id, uint32_t format, const uint64_t *values,
                           unsigned count);
/* Like dpk_host_stream_flush, for the stream with this number, if there is one. */
void dpk_host_stream_flush_number(struct dpk_host_process *p, unsigned stream);

#endif
