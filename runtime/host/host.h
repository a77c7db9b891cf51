/*
 * host: what FlexIO and DOCA share: the programs that are linked into the host's, processes of them
 * with their functions and message streams, and lines on stderr.
 *
 *     struct dpk_host_app **apps;
 *     uint32_t count;
 *     dpk_host_app_list(&apps, &count, &err);                        // that dpacc's stubs made
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
 * Any thread may call them.
 */
#ifndef DPK_HOST_H
#define DPK_HOST_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "proc/proc.h"

/* ---- Lines on stderr ---- */

enum dpk_host_log_level {
    DPK_HOST_LOG_ERROR,
    DPK_HOST_LOG_WARNING,
    DPK_HOST_LOG_INFO,
    DPK_HOST_LOG_DEBUG
};

/* One line, "-E- ..." for DPK_HOST_LOG_ERROR, if the level lets it through. */
void dpk_host_log(enum dpk_host_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Lines up to this level come out: at first those up to DPK_HOST_LOG_WARNING. Returns the level
 * before; a number that is no level changes nothing. */
enum dpk_host_log_level dpk_host_log_set_level(enum dpk_host_log_level level);

/* ---- Programs ---- */

/* The host's name of a function of the DPA, and what packs its arguments. */
typedef void dpk_host_stub(void);
typedef void dpk_host_arg_pack(void *args, va_list ap);

struct dpk_host_function {
    struct dpk_host_function *next;
    char *name;
    char *unpack; /* the function that unpacks its arguments; NULL: known by its name alone */
    dpk_host_stub
        *stub; /* NULL to dpk_host_app_add_function: makes one that no other function has */
    size_t args_size;
    dpk_host_arg_pack *pack;
};

/* The bytes are the caller's, and stay. */
struct dpk_host_app {
    struct dpk_host_app *next; /* of all */
    char *name;
    const void *elf, *sig, *attributes; /* the last two: NULL if there are none */
    size_t elf_size, sig_size, attributes_size;
    struct dpk_host_function *functions;
};

/* Makes a program known; copies the name. NULL: out of memory. */
struct dpk_host_app *dpk_host_app_create(const struct dpk_host_app *what);
/* False: not a program, or destroyed before. */
bool dpk_host_app_destroy(struct dpk_host_app *app);
/* All programs in the order of their creation; *apps, which may be NULL, is to be freed. NOMEM. */
enum dpk_status dpk_host_app_list(struct dpk_host_app ***apps, uint32_t *count,
                                  struct dpk_error *err);
/* Adds a function, whose names are copied, unless there is one with its stub (of one by name alone:
 * its name). *added says so; returns the one that the program has. NULL: out of memory. */
const struct dpk_host_function *dpk_host_app_add_function(struct dpk_host_app *app,
                                                          const struct dpk_host_function *what,
                                                          bool *added);
/* Where a function and what unpacks its arguments are in the program's executable; 0: nowhere. */
struct dpk_host_function_addresses {
    uint64_t function, unpack;
};
/* NULL: no function of the program. It stays as long as the program. `addresses`: filled in; NULL,
 * if they are not wanted, as the executable is read for them. */
const struct dpk_host_function *
dpk_host_app_find_function(const struct dpk_host_app *app, dpk_host_stub *stub,
                           struct dpk_host_function_addresses *addresses);

/* ---- Processes ---- */

#define DPK_HOST_STREAMS_MAX 255

struct dpk_host_call {
    dpk_host_stub *stub;
    dpk_host_arg_pack *pack; /* NULL: nothing to pack */
    struct dpk_call call;
};

/* A process of a program. */
struct dpk_host_process {
    struct dpk_process *dpa;
    struct dpk_host_call *functions; /* those that can be called */
    size_t function_count;
    pthread_mutex_t streams_lock;
    struct dpk_host_stream *streams[DPK_HOST_STREAMS_MAX]; /* by number; with the lock */
};

/* Loads `app` on the device named `device`, which decides first, and makes a process of it. Errors
 * are those of dpk_device_open, dpk_load (DPK_ERR_REFUSED) and dpk_process_create. A wrong
 * signature that the device does not mind is logged as a warning. */
enum dpk_status dpk_host_process_create(const char *device, const struct dpk_host_app *app,
                                        struct dpk_host_process **out, struct dpk_error *err);
/* Ends its threads, wherever they are, then its streams. NULL is fine. */
void dpk_host_process_destroy(struct dpk_host_process *p);
/* Finds the DPA function that a stub stands for, to be called with arguments that the caller has
 * packed. DPK_ERR_NOT_FOUND: not a function of the process's program. */
enum dpk_status dpk_host_process_function(const struct dpk_host_process *p, dpk_host_stub *stub,
                                          struct dpk_call *call, struct dpk_error *err);
/* The same, and packs its arguments, taken from `ap`, into a new buffer of call->argument_size
 * bytes, to be freed. NOMEM. */
enum dpk_status dpk_host_process_pack(const struct dpk_host_process *p, dpk_host_stub *stub,
                                      va_list ap, struct dpk_call *call, void **args,
                                      struct dpk_error *err);

/* ---- Message streams ---- */

enum dpk_host_stream_mode {
    DPK_HOST_STREAM_SYNC,  /* who sends waits until the message is out */
    DPK_HOST_STREAM_ASYNC, /* messages come out at a flush; older ones are lost when the buffer is
                              full */
    DPK_HOST_STREAM_BATCH, /* messages come out when the buffer is full, or at a flush */
};

/* Levels of messages, and the highest that a stream prints. */
enum {
    DPK_HOST_STREAM_NOTHING = 0,
    DPK_HOST_STREAM_INFO = 4,
    DPK_HOST_STREAM_DEBUG = 5,
};

struct dpk_host_stream_options {
    FILE *out; /* the caller's; it stays */
    enum dpk_host_stream_mode mode;
    size_t capacity; /* bytes of the buffer */
    unsigned level;
};

struct dpk_host_stream {
    int id; /* DPA code names the stream by it */
    pid_t owner;
    pthread_t printer;
    _Atomic(unsigned) level; /* of dpk_host_stream_options; to be set at any time */
};

/* Makes a stream with the smallest free number. DPK_ERR_RANGE: the process has as many as it may.
 * DPK_ERR_IO: no thread. NOMEM. */
enum dpk_status dpk_host_stream_create(struct dpk_host_process *p,
                                       const struct dpk_host_stream_options *options,
                                       struct dpk_host_stream **out, struct dpk_error *err);
/* Prints what is left, and ends it. In a child of fork() it does nothing. NULL is fine. */
void dpk_host_stream_destroy(struct dpk_host_stream *stream);
/* Returns when all that was sent before is out. Not in a child of fork(). */
void dpk_host_stream_flush(struct dpk_host_stream *stream);

#endif
