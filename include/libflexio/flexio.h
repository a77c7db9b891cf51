/*
 * libflexio: a host program's hold on the DPA: processes, remote calls, DPA memory, messages.
 *
 * The names, types and numbers are those of NVIDIA's FlexIO SDK 24.01; what runs the program here
 * is dpakit's emulated device. Only what is implemented is declared.
 *
 *     extern struct flexio_app *my_app;      // made by dpacc --app-name="my_app"
 *     extern flexio_func_t add;              // __dpa_rpc__ uint64_t add(uint64_t, uint64_t)
 *     struct flexio_process *process;
 *     uint64_t sum;
 *     flexio_process_create(ibv_ctx, my_app, NULL, &process);
 *     flexio_process_call(process, &add, &sum, (uint64_t)44, (uint64_t)55);
 *     flexio_process_destroy(process);
 *
 * A function returns FLEXIO_STATUS_SUCCESS, or says on stderr in one line what is wrong
 * (flexio_log_lvl_set) and returns something else: FLEXIO_STATUS_FAILED for wrong arguments, a
 * refused program or a lack of resources; FLEXIO_STATUS_FATAL_ERR once the DPA process is in the
 * error state, FLEXIO_STATUS_TIMEOUT when it got there by running too long. Functions may be called
 * from any thread; an object must not be in use by another thread while it is destroyed. In a child
 * of fork() the parent's processes and streams can only be destroyed (which leaves the parent's as
 * they are), and no new ones made, until it calls exec.
 */
#ifndef LIBFLEXIO_FLEXIO_H
#define LIBFLEXIO_FLEXIO_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "flexio_ver.h"

#ifndef FLEXIO_VER_USED
#define FLEXIO_VER_USED FLEXIO_VER_LATEST
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ----------------------------------------------------------------------------------- */

/* An address in the memory of a DPA process. */
typedef uint64_t flexio_uintptr_t;

/* The host's name of a DPA function: only its address counts, it is never called. Its arguments are
 * those of the DPA function. */
typedef void(flexio_func_t)(void);

/* Writes the arguments of one DPA function, taken from `ap`, into its argument buffer. */
typedef void(flexio_func_arg_pack_fn_t)(void *argbuf, va_list ap);

typedef enum {
    FLEXIO_STATUS_SUCCESS = 0,
    FLEXIO_STATUS_FAILED = 1,
    FLEXIO_STATUS_TIMEOUT = 2,
    FLEXIO_STATUS_FATAL_ERR = 3,
} flexio_status;

/* The state of a DPA process. */
enum flexio_err_status {
    FLEXIO_ERR_STATUS_NO_ERROR = 0,
    FLEXIO_ERR_STATUS_FATAL = 1, /* a fault, a bad call, or too long a run */
    FLEXIO_ERR_STATUS_USER = 2,  /* ended by its own program */
};

/* How much the library tells on stderr. */
typedef enum {
    FLEXIO_LOG_LVL_ERR = 0,
    FLEXIO_LOG_LVL_WARN = 1,
    FLEXIO_LOG_LVL_INFO = 2,
    FLEXIO_LOG_LVL_DBG = 3,
} flexio_log_lvl;

struct flexio_app;
struct flexio_process;
struct flexio_msg_stream;
struct flexio_uar;

/* Longest name of a program or function, with its NUL. */
#define FLEXIO_MAX_NAME_LEN 256

/* ---- Programs -------------------------------------------------------------------------------- */

/* Called by the constructor that dpacc generates; a program seldom calls these itself. */

struct flexio_app_attr {
    const char *app_name;
    void *app_ptr;    /* the device executable; must stay where it is as long as the flexio_app */
    size_t app_bsize; /* bytes of it */
    char *app_sig_sec_name; /* name of the section with the signature, or NULL; for information */
    /* dpakit: the reserved section `.dpa_sig_<app>` as it was loaded: a little-endian u64 length,
     * then that many bytes of crypto data. No section or length 0: the program is unsigned. Must
     * stay where it is, like app_ptr. */
    const void *app_sig_ptr;
    size_t app_sig_bsize;
};

/*
 * Makes a program known to the library.
 *   attr  [in]   copied; the executable and the signature section are referred to
 *   app   [out]  the program, to be given back with flexio_app_destroy; NULL on failure
 * FAILED: no name, a name of FLEXIO_MAX_NAME_LEN or more characters, no executable.
 */
flexio_status flexio_app_create(struct flexio_app_attr *attr, struct flexio_app **app);

/*
 * Forgets a program and its functions. Processes made from it live on. NULL is fine.
 */
flexio_status flexio_app_destroy(struct flexio_app *app);

/*
 * Lists the programs known to the library, in the order they were created.
 *   app_list  [out]  array of *num_apps programs, to be given back with flexio_app_list_free; NULL
 *                    on failure, and when there are none
 *   num_apps  [out]  how many
 */
flexio_status flexio_app_get_list(struct flexio_app ***app_list, uint32_t *num_apps);

/* Frees the array (not the programs). NULL is fine. */
flexio_status flexio_app_list_free(struct flexio_app **app_list);

/* The program's name; lives as long as the program. NULL for NULL. */
const char *flexio_app_get_name(struct flexio_app *app);

/* Bytes of the program's device executable; 0 for NULL. */
size_t flexio_app_get_elf_size(struct flexio_app *app);

/*
 * Copies the program's device executable.
 *   bin_buff  [in]  host address of the buffer, as a number
 *   bin_size  [in]  its size in bytes
 * FAILED: no buffer, or one smaller than flexio_app_get_elf_size().
 */
flexio_status flexio_app_get_elf(struct flexio_app *app, uint64_t *bin_buff, size_t bin_size);

/*
 * Registers a DPA function together with how its arguments travel.
 *   app                   [in]  program that has it
 *   dev_func_name         [in]  its symbol in the device executable
 *   dev_unpack_func_name  [in]  symbol of the device routine that takes the argument buffer apart
 *   host_stub_func_addr   [in]  what the host program calls it
 *   argbuf_size           [in]  bytes of the argument buffer
 *   host_pack_func        [in]  fills the argument buffer
 * Processes created afterwards know it. FAILED: a missing argument, a name of
 * FLEXIO_MAX_NAME_LEN or more characters, a stub that is registered already.
 */
flexio_status flexio_func_pup_register(struct flexio_app *app, const char *dev_func_name,
                                       const char *dev_unpack_func_name,
                                       flexio_func_t *host_stub_func_addr, size_t argbuf_size,
                                       flexio_func_arg_pack_fn_t *host_pack_func);

/*
 * Registers an annotated DPA function that takes one uint64_t or nothing, without a stub.
 *   dev_func_name  [in]   its symbol in the device executable
 *   out_func       [out]  what to give flexio_process_call, valid as long as the program; NULL on
 *                         failure
 * Processes created afterwards know it. Registering a name twice gives the same result twice.
 */
flexio_status flexio_func_register(struct flexio_app *app, const char *dev_func_name,
                                   flexio_func_t **out_func);

/* ---- Processes ------------------------------------------------------------------------------- */

typedef struct flexio_process_attr {
    struct ibv_pd *pd; /* NULL, or a protection domain of the same device */
    int en_pcc;        /* must be 0: congestion control is not emulated */
} flexio_process_attr;

/*
 * Loads a program into a new DPA process on a device. The device's policy decides first: with DPA
 * authentication on, a program that is not signed under an installed CA certificate is refused, and
 * the line on stderr names the reason.
 *   ibv_ctx       [in]   opened device
 *   app           [in]   program
 *   process_attr  [in]   NULL for the defaults
 *   process_ptr   [out]  to be given back with flexio_process_destroy; NULL on failure
 */
flexio_status flexio_process_create(struct ibv_context *ibv_ctx, struct flexio_app *app,
                                    const struct flexio_process_attr *process_attr,
                                    struct flexio_process **process_ptr);

/*
 * Ends a process with its threads, wherever they are, frees its memory and the message streams that
 * are left. NULL is fine.
 */
flexio_status flexio_process_destroy(struct flexio_process *process);

/*
 * Calls a DPA function and waits for its result.
 *   host_func    [in]   stub of a __dpa_rpc__ function of the process's program
 *   func_ret     [out]  what it returned; untouched on failure
 *   ...                 its arguments, with the types of the DPA function; they are variadic, so
 *                       a uint64_t parameter wants a uint64_t, not an int
 *
 * FAILED: not a function of this program. FATAL_ERR, TIMEOUT: see above.
 */
flexio_status flexio_process_call(struct flexio_process *process, flexio_func_t *host_func,
                                  uint64_t *func_ret, ...);

/* The state of a process, without waiting. NULL has no error. */
enum flexio_err_status flexio_err_status_get(struct flexio_process *process);

/* ---- DPA memory ------------------------------------------------------------------------------ */

/*
 * Allocates memory in the process's heap, aligned to 64 bytes, with undefined content.
 *   buff_bsize  [in]   bytes, at least 1
 *   dest_daddr  [out]  its DPA address; 0 on failure
 */
flexio_status flexio_buf_dev_alloc(struct flexio_process *process, size_t buff_bsize,
                                   flexio_uintptr_t *dest_daddr);

/* Frees what flexio_buf_dev_alloc or flexio_copy_from_host returned. 0 is fine. FAILED: not such
 * an address. */
flexio_status flexio_buf_dev_free(struct flexio_process *process, flexio_uintptr_t daddr);

/*
 * Sets bytes of DPA memory.
 *   value       [in]  taken as an unsigned char
 *   buff_bsize  [in]  bytes
 *   dest_daddr  [in]  where
 * FAILED, and nothing written: any byte outside of the process's writable memory.
 */
flexio_status flexio_buf_dev_memset(struct flexio_process *process, int value, size_t buff_bsize,
                                    flexio_uintptr_t dest_daddr);

/*
 * Copies host memory to DPA memory.
 *   src_haddr   [in]  host memory of buff_bsize bytes
 *   dest_daddr  [in]  where
 * FAILED, and nothing written: any byte outside of the process's writable memory.
 */
flexio_status flexio_host2dev_memcpy(struct flexio_process *process, void *src_haddr,
                                     size_t buff_bsize, flexio_uintptr_t dest_daddr);

/*
 * Allocates DPA memory and copies host memory to it.
 *   dest_daddr_p  [out]  its DPA address, to be given back with flexio_buf_dev_free; 0 on failure
 */
flexio_status flexio_copy_from_host(struct flexio_process *process, void *src_haddr,
                                    size_t buff_bsize, flexio_uintptr_t *dest_daddr_p);

/* ---- Messages -------------------------------------------------------------------------------- */

/* What the DPA program prints goes to streams. A stream shows the messages sent to its number (or
 * to all streams) whose level is at most its own, each behind the number of the DPA thread that
 * sent it: "/ 7/Hello World". Messages to a number that no stream has are lost. */

typedef uint8_t flexio_msg_dev_level;
#define FLEXIO_MSG_DEV_NO_PRINT     0 /* shows nothing */
#define FLEXIO_MSG_DEV_ALWAYS_PRINT 1 /* a message of this level is shown at every level but 0 */
#define FLEXIO_MSG_DEV_ERROR        2
#define FLEXIO_MSG_DEV_WARN         3
#define FLEXIO_MSG_DEV_INFO         4
#define FLEXIO_MSG_DEV_DEBUG        5

#define FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT 255 /* streams of one process */
#define FLEXIO_MSG_DEV_DEFAULT_STREAM_ID  0   /* number of the first one */

typedef enum flexio_log_dev_sync_mode {
    FLEXIO_LOG_DEV_SYNC_MODE_SYNC = 0,   /* the sending DPA thread waits until its message is out */
    FLEXIO_LOG_DEV_SYNC_MODE_ASYNC = 1,  /* it goes on; messages come out soon after */
    FLEXIO_LOG_DEV_SYNC_MODE_BATCH = 2,  /* they come out when the buffer is full, or flushed */
    FLEXIO_LOG_DEV_SYNC_MODE_TRACER = 3, /* not supported: a stream cannot be created with it */
} flexio_log_dev_sync_mode;

enum flexio_affinity_type {
    FLEXIO_AFFINITY_NONE = 0,
    FLEXIO_AFFINITY_STRICT,
    FLEXIO_AFFINITY_GROUP,
};

/* Where DPA threads run: an execution unit or a group of them. */
struct flexio_affinity {
    enum flexio_affinity_type type;
    uint32_t id;
};

typedef struct flexio_msg_stream_attr {
    struct flexio_uar *uar; /* not used by the emulated device */
    size_t data_bsize; /* bytes of messages that the stream holds: a power of two, at least 2048 */
    flexio_log_dev_sync_mode sync_mode;
    char *stream_name; /* NULL, or at most FLEXIO_MAX_NAME_LEN - 1 characters; for information */
    flexio_msg_dev_level level;
    struct flexio_affinity mgmt_affinity; /* not used by the emulated device */
    int tracer_mode;                      /* must be 0 */
    char **tracer_msg_formats;            /* not used */
} flexio_msg_stream_attr_t;

/*
 * Opens a stream. The process's first gets the number 0, a later one the smallest that is free.
 *   stream_attr  [in]   copied
 *   out          [in]   where messages go; flushed after each print, not closed
 *   ppthread     [out]  NULL, or receives the host thread that prints
 *   stream       [out]  to be given back with flexio_msg_stream_destroy; NULL on failure
 * FAILED: a bad size, level or mode, or all numbers are in use.
 */
flexio_status flexio_msg_stream_create(struct flexio_process *process,
                                       flexio_msg_stream_attr_t *stream_attr, FILE *out,
                                       pthread_t *ppthread, struct flexio_msg_stream **stream);

/* Prints what is left and closes the stream. NULL is fine. */
flexio_status flexio_msg_stream_destroy(struct flexio_msg_stream *stream);

/* Prints everything that the DPA has sent so far. */
flexio_status flexio_msg_stream_flush(struct flexio_msg_stream *stream);

/* The stream's number, for flexio_dev_msg; -1 for NULL. */
int flexio_msg_stream_get_id(struct flexio_msg_stream *stream);

/* Changes the level; counts for messages that come afterwards. FAILED: not a level. */
flexio_status flexio_msg_stream_level_set(struct flexio_msg_stream *stream, uint8_t level);

/* ---- The library's own log ------------------------------------------------------------------- */

/* Sets how much the library says on stderr ("-E- ...", "-W- ...", ...); returns the old level. At
 * first FLEXIO_LOG_LVL_WARN. A value that is no level changes nothing. */
flexio_log_lvl flexio_log_lvl_set(flexio_log_lvl lvl);

#ifdef __cplusplus
}
#endif

#endif
