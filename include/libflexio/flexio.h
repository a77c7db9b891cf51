/*
 * libflexio: the host side of FlexIO: processes, remote calls, DPA memory, messages.
 *
 * The names, types and numbers are those of NVIDIA's FlexIO SDK from 24.01 on. Programs run on
 * dpakit's emulated device. Only implemented functions are declared.
 *
 *     extern struct flexio_app *my_app;      // made by dpacc --app-name="my_app"
 *     extern flexio_func_t add;              // __dpa_rpc__ uint64_t add(uint64_t, uint64_t)
 *     struct flexio_process *process;
 *     uint64_t sum;
 *     flexio_process_create(ibv_ctx, my_app, NULL, &process);
 *     flexio_process_call(process, &add, &sum, (uint64_t)44, (uint64_t)55);
 *     flexio_process_destroy(process);
 *
 * A function returns FLEXIO_STATUS_SUCCESS, or writes a line with the reason to stderr
 * (flexio_log_lvl_set) and returns an error: FLEXIO_STATUS_FAILED for wrong arguments, a refused
 * program or a lack of resources; FLEXIO_STATUS_FATAL_ERR once the DPA process is in the error state,
 * FLEXIO_STATUS_TIMEOUT if a time limit caused the error state. Functions may be called from any
 * thread; an object must not be in use by another thread while it is destroyed. In a child of fork()
 * the parent's processes and streams can only be destroyed (which leaves the parent's as they are), and
 * no new ones made, until it calls exec.
 */
#include "flexio_ver.h"

/* An older generation declares its different functions, and includes this file for the others. */
#if defined(FLEXIO_VER_USED) && !defined(LIBFLEXIO_2_2_FLEXIO_H)
#if FLEXIO_VER_USED <= FLEXIO_VER_2_2
#include "../flexio-2.2/libflexio/flexio.h"
#elif FLEXIO_VER_USED < FLEXIO_VER(24, 1, 0) || FLEXIO_VER_USED >> 16 > FLEXIO_VER_LATEST >> 16
#error "FLEXIO_VER_USED: there is FLEXIO_VER(2, 2, 1), and FLEXIO_VER(24, 1, 0) to (26, 4, 0)"
#endif
#endif

#ifndef LIBFLEXIO_FLEXIO_H
#define LIBFLEXIO_FLEXIO_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* mlx5dv.h calls functions that <endian.h> does not declare under -std=c11. */
#include <endian.h>
#ifndef htobe32
#define FLEXIO_OWN_ENDIAN
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FLEXIO_SWAP(bits, value) __builtin_bswap##bits((uint##bits##_t)(value))
#else
#define FLEXIO_SWAP(bits, value) ((uint##bits##_t)(value))
#endif
#define htobe16(value) FLEXIO_SWAP(16, value)
#define htobe32(value) FLEXIO_SWAP(32, value)
#define htobe64(value) FLEXIO_SWAP(64, value)
#define be16toh(value) FLEXIO_SWAP(16, value)
#define be32toh(value) FLEXIO_SWAP(32, value)
#define be64toh(value) FLEXIO_SWAP(64, value)
#endif
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#ifdef FLEXIO_OWN_ENDIAN
#undef FLEXIO_OWN_ENDIAN
#undef FLEXIO_SWAP
#undef htobe16
#undef htobe32
#undef htobe64
#undef be16toh
#undef be32toh
#undef be64toh
#endif

#ifndef FLEXIO_VER_USED
#define FLEXIO_VER_USED FLEXIO_VER_LATEST
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

/* An address in the memory of a DPA process. */
typedef uint64_t flexio_uintptr_t;

/* The number of a UAR on another device: flexio_uar_get_extended_id. */
typedef uint32_t flexio_uar_device_id;

/* The host's stub of a DPA function: only its address is used, and it is never called. Its arguments
 * are those of the DPA function. */
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
    FLEXIO_DEV_NO_ERROR = 0,
    FLEXIO_DEV_FATAL_ERROR = 1, /* a fault, a bad call, or too long a run */
    FLEXIO_DEV_USER_ERROR = 2,  /* ended by its own program */
};

/* Levels of the library's messages on stderr. */
typedef enum flexio_log_lvl {
    FLEXIO_LOG_LVL_ERR = 0,
    FLEXIO_LOG_LVL_WARN = 1,
    FLEXIO_LOG_LVL_INFO = 2,
    FLEXIO_LOG_LVL_DBG = 3,
} flexio_log_lvl;
typedef flexio_log_lvl flexio_log_lvl_t; /* its name before 24.4 */

struct flexio_app;
struct flexio_process;
struct flexio_msg_stream;
struct flexio_uar;
struct flexio_outbox;
struct flexio_window;
struct flexio_mkey;
struct flexio_thread;
struct flexio_event_handler;
struct flexio_cmdq;

enum flexio_affinity_type {
    FLEXIO_AFFINITY_NONE = 0,
    FLEXIO_AFFINITY_STRICT,
    FLEXIO_AFFINITY_GROUP,
};

/* The execution units of a DPA thread: any unit (NONE), the unit with number `id` (STRICT), or the
 * units of group `id` (GROUP). DPAKIT_EUS and DPAKIT_EU_GROUPS define units and groups: 256 units
 * and no group by default. Numbers are virtual in a partition (DPAKIT_EUS=FIRST-LAST). */
struct flexio_affinity {
    enum flexio_affinity_type type;
    uint32_t id;
};

/* The card's processor. DPAKIT_EUS sets the number of units that a program has here. */
#define PHY_CORES_NUM   16
#define EUS_PER_CORE    16
#define OS_RESERVED_EUS 2 /* reserved for the card's operating system */

/* Longest name of a program or function, with its NUL. */
#define FLEXIO_MAX_NAME_LEN 256

/* ---- Programs ---- */

/* Called by the constructor that dpacc generates; a program seldom calls these itself. */

struct flexio_app_attr {
    const char *app_name;
    void *app_ptr;    /* the device executable; must stay where it is as long as the flexio_app */
    size_t app_bsize; /* its size in bytes */
    char *app_sig_sec_name; /* name of the section with the signature, or NULL; for information */
    /* dpakit: the reserved section `.dpa_sig_<app>` as it was loaded: a little-endian u64 length,
     * then that many bytes of crypto data. No section or length 0: the program is unsigned. Must
     * stay where it is, like app_ptr. */
    const void *app_sig_ptr;
    size_t app_sig_bsize;
    /* dpakit: the program's attributes, `.dpa_proc_attr_<app>`, which a signature in the compact
     * profile covers; or NULL. Must stay where they are. */
    const void *app_attr_ptr;
    size_t app_attr_bsize;
};

/*
 * Registers a program with the library.
 *   attr  [in]   copied; the executable and the signature section are referred to
 *   app   [out]  the program; free it with flexio_app_destroy; NULL on failure
 * FAILED: no name, a name of FLEXIO_MAX_NAME_LEN or more characters, no executable.
 */
flexio_status flexio_app_create(struct flexio_app_attr *attr, struct flexio_app **app);

/*
 * Unregisters a program and its functions. Its processes continue. NULL is ignored.
 */
flexio_status flexio_app_destroy(struct flexio_app *app);

/*
 * Lists the programs known to the library, in the order they were created.
 *   app_list  [out]  array of *num_apps programs; free it with flexio_app_list_free; NULL on failure,
 *                    and if there are no programs
 *   num_apps  [out]  number of programs
 */
flexio_status flexio_app_get_list(struct flexio_app ***app_list, uint32_t *num_apps);

/* Frees the array (not the programs). NULL is ignored. */
flexio_status flexio_app_list_free(struct flexio_app **app_list);

/* Returns the program's name, which exists as long as the program. NULL for NULL. */
const char *flexio_app_get_name(struct flexio_app *app);

/* Returns the size in bytes of the program's device executable; 0 for NULL. */
size_t flexio_app_get_elf_size(struct flexio_app *app);

/*
 * Copies the program's device executable.
 *   bin_buff  [in]  host address of the buffer, as a number
 *   bin_size  [in]  its size in bytes
 * FAILED: no buffer, or a buffer smaller than flexio_app_get_elf_size().
 */
flexio_status flexio_app_get_elf(struct flexio_app *app, uint64_t *bin_buff, size_t bin_size);

/* The attributes by which flexio_app_get selects a program. */
enum flexio_hw_model_id {
    FLEXIO_HW_MODEL_DEF = 0, /* the model of the device */
};

struct flexio_app_select_attr {
    const char *app_name;                /* dpacc --app-name */
    enum flexio_hw_model_id hw_model_id; /* FLEXIO_HW_MODEL_DEF */
    struct ibv_context *ibv_ctx;         /* an opened device */
};

/*
 * Finds a program by its name, since 24.10. Of a program for several targets the device's member
 * is loaded (flexio_process_create).
 *   app  [out]  the program that its constructor made; not to be destroyed. NULL on failure
 * FAILED: no name or device, another hardware model, no program of that name.
 */
flexio_status flexio_app_get(struct flexio_app_select_attr *select_attr, struct flexio_app **app);

/*
 * Registers a DPA function with the routines that pack and unpack its arguments.
 *   app                   [in]  program that has it
 *   dev_func_name         [in]  its symbol in the device executable
 *   dev_unpack_func_name  [in]  symbol of the device routine that unpacks the argument buffer
 *   host_stub_func_addr   [in]  the host's stub of the function
 *   argbuf_size           [in]  bytes of the argument buffer
 *   host_pack_func        [in]  fills the argument buffer
 * Processes created afterwards know it. FAILED: a missing argument, a name of FLEXIO_MAX_NAME_LEN or
 * more characters, a stub that is registered already.
 */
flexio_status flexio_func_pup_register(struct flexio_app *app, const char *dev_func_name,
                                       const char *dev_unpack_func_name,
                                       flexio_func_t *host_stub_func_addr, size_t argbuf_size,
                                       flexio_func_arg_pack_fn_t *host_pack_func);

/*
 * Registers an annotated DPA function that takes one uint64_t or nothing, without a stub.
 *   dev_func_name  [in]   its symbol in the device executable
 *   out_func       [out]  argument for flexio_process_call, valid as long as the program; NULL on
 *                         failure
 * Processes created afterwards know it. Registering a name twice gives the same result twice.
 */
flexio_status flexio_func_register(struct flexio_app *app, const char *dev_func_name,
                                   flexio_func_t **out_func);

/*
 * Gets the properties of a registered function. Every [out] may be NULL.
 *   host_stub_func_addr   [in]   its stub
 *   pup                   [out]  1: the function has routines that pack and unpack arguments; 0:
 *                                it was registered by its name alone
 *   dev_func_name         [out]  buffer of func_name_size bytes
 *   dev_unpack_func_name  [out]  buffer of func_name_size bytes; "" if there is none
 *   argbuf_size           [out]  bytes of the argument buffer
 *   host_pack_func        [out]  NULL if there is none
 *   dev_func_addr, dev_unpack_func_addr  [out]  addresses in the device executable (of a fat
 *                                program: in the executable for the machine's first device); 0 if
 *                                the executable does not have the symbol
 * FAILED: the program does not have the function, or a buffer is too small for its name.
 */
flexio_status flexio_func_get_register_info(struct flexio_app *app,
                                            flexio_func_t *host_stub_func_addr, uint32_t *pup,
                                            char *dev_func_name, char *dev_unpack_func_name,
                                            size_t func_name_size, size_t *argbuf_size,
                                            flexio_func_arg_pack_fn_t **host_pack_func,
                                            flexio_uintptr_t *dev_func_addr,
                                            flexio_uintptr_t *dev_unpack_func_addr);

/* ---- Processes ---- */

typedef struct flexio_process_attr {
    struct ibv_pd *pd; /* NULL, or a protection domain of the same device */
#ifdef __cplusplus     /* in C, {NULL, 0} would need braces around the second member */
    union {
        int en_pcc;
        struct mlx5dv_devx_uar *uar; /* before 24.01: of the device; the process's own */
    };
#else
    int en_pcc; /* must be 0: congestion control is not emulated */
#endif
} flexio_process_attr;

/*
 * Loads a program into a new DPA process on a device. The device's policy decides first: with DPA
 * authentication on, a program that is not signed under an installed CA certificate is refused, and the
 * line on stderr names the reason.
 *   ibv_ctx       [in]   opened device
 *   app           [in]   program
 *   process_attr  [in]   NULL for the defaults
 *   process_ptr   [out]  free it with flexio_process_destroy; NULL on failure
 */
flexio_status flexio_process_create(struct ibv_context *ibv_ctx, struct flexio_app *app,
                                    const struct flexio_process_attr *process_attr,
                                    struct flexio_process **process_ptr);
/* A program of FlexIO 2.2, whose call has three arguments, gets an error that names the right
 * headers. */
#if defined(__has_attribute) && !defined(LIBFLEXIO_2_2_FLEXIO_H)
#if __has_attribute(unavailable)
flexio_status FLEXIO_PROCESS_CREATE_OF_2_2(struct ibv_context *ibv_ctx, struct flexio_app *app,
                                           struct flexio_process **process_ptr)
    __attribute__((
        unavailable("this program is for FlexIO 2.2: use its headers (pkg-config libflexio-2.2, "
                    "-I PREFIX/include/flexio-2.2, or -DFLEXIO_VER_USED='FLEXIO_VER(2, 2, 1)')")));
#define FLEXIO_PICK12(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define flexio_process_create(...)                                                                 \
    FLEXIO_PICK12(__VA_ARGS__, flexio_process_create, flexio_process_create,                       \
                  flexio_process_create, flexio_process_create, flexio_process_create,             \
                  flexio_process_create, flexio_process_create, flexio_process_create,             \
                  flexio_process_create, FLEXIO_PROCESS_CREATE_OF_2_2, flexio_process_create,      \
                  flexio_process_create, )                                                         \
    (__VA_ARGS__)
#endif
#endif

/*
 * Ends a process and its threads at any point of their code, and frees its memory and its remaining
 * message streams. NULL is ignored.
 */
flexio_status flexio_process_destroy(struct flexio_process *process);

/*
 * Calls a DPA function and waits for its result.
 *   host_func    [in]   stub of a __dpa_rpc__ function of the process's program
 *   func_ret     [out]  the result of the function; unchanged on failure
 *   ...                 its arguments, with the types of the DPA function; they are variadic, so
 *                       a uint64_t parameter wants a uint64_t, not an int
 *
 * FAILED: not a function of this program. FATAL_ERR, TIMEOUT: see above.
 */
flexio_status flexio_process_call(struct flexio_process *process, flexio_func_t *host_func,
                                  uint64_t *func_ret, ...);

/* Returns the protection domain of the process: that of its attributes, or the process's own. NULL
 * for NULL. */
struct ibv_pd *flexio_process_get_pd(struct flexio_process *process);

/* Returns the process's own UAR, which exists as long as the process. NULL for NULL. */
struct flexio_uar *flexio_process_get_uar(struct flexio_process *process);

/* Returns the number of the process's memory, comparable to the number of mlx5dv_devx_umem_reg for host
 * memory: a struct flexio_qmem with this number is in DPA memory, whatever its memtype. Returns
 * UINT32_MAX for NULL, and if the device has no free number. */
uint32_t flexio_process_get_dumem_id(struct flexio_process *process);

typedef struct flexio_heap_mem_info {
    uint64_t base_addr; /* DPA address */
    size_t size;        /* bytes */
    size_t requested;   /* bytes in use, as requested */
    size_t allocated;   /* bytes in use, with alignment */
} flexio_heap_mem_info;

/* Gets the state of the process's heap. */
flexio_status flexio_process_mem_info_get(const struct flexio_process *process,
                                          struct flexio_heap_mem_info *info);

/* ---- Errors ---- */

/* Returns the state of a process, without waiting. NULL has no error. */
enum flexio_err_status flexio_err_status_get(struct flexio_process *process);

/* Returns a descriptor to poll. It is readable once the process is in the error state. The process
 * owns it. -1 for NULL. */
int flexio_err_handler_fd(struct flexio_process *process);

/*
 * Sets the DPA function that runs, once, when the process gets into the error state; its other
 * threads have ended then.
 *   error_handler  [in]  stub of a function of the program with one uint64_t parameter (it gets 0),
 *                        or none
 */
flexio_status flexio_process_error_handler_set(struct flexio_process *process,
                                               flexio_func_t *error_handler);

/*
 * Write the state of a process to a file: after a failure and before flexio_process_destroy, or at any
 * time. A process that has not failed is paused meanwhile. Do not call these from a message handler of
 * the process.
 *   corefile, outfile  [in]  start of the file's name; ".PID.core" or ".PID.crash" is appended. NULL:
 *                            "flexio_dev". If it is not an absolute path and the current directory
 *                            cannot be written, the file goes to /tmp.
 *
 * flexio_coredump_create: an ELF core for gdb-multiarch PROGRAM COREFILE, with the registers of every
 * thread and all memory. PROGRAM is the device ELF (dpacc-extract takes it out of the host's).
 * flexio_crash_data: text: the failure, each thread with its function, line and registers.
 */
flexio_status flexio_coredump_create(struct flexio_process *process, const char *corefile);
flexio_status flexio_crash_data(struct flexio_process *process, const char *outfile);

/*
 * The token with which `dpa-gdbserver DEVICE -T TOKEN` of the same user may debug the process;
 * debugging is refused before the first call. Returns 0 if debugging is not permitted.
 */
uint64_t flexio_process_udbg_token_get(struct flexio_process *process);

/* ---- DPA memory ---- */

/*
 * Allocates memory in the process's heap, aligned to 64 bytes, with undefined content.
 *   buff_bsize  [in]   bytes, at least 1
 *   dest_daddr  [out]  its DPA address; 0 on failure
 */
flexio_status flexio_buf_dev_alloc(struct flexio_process *process, size_t buff_bsize,
                                   flexio_uintptr_t *dest_daddr);

/* Frees memory that flexio_buf_dev_alloc or flexio_copy_from_host returned, once no copy of the
 * host or the NIC is in flight in the process. 0 is ignored. FAILED: the address is not from these
 * functions. */
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
 *   dest_daddr_p  [out]  its DPA address; free it with flexio_buf_dev_free; 0 on failure
 */
flexio_status flexio_copy_from_host(struct flexio_process *process, void *src_haddr,
                                    size_t buff_bsize, flexio_uintptr_t *dest_daddr_p);

/* ---- Event handlers ---- */

/* An event handler is a DPA thread that waits, without running, for events; each leads to one run
 * of its function, which ends with flexio_dev_thread_reschedule() (the next event runs it again),
 * flexio_dev_thread_retrigger() (it runs again at once), or flexio_dev_thread_finish() or a return
 * (events are lost until flexio_event_handler_run). Events that come during a run are counted. */
typedef struct flexio_event_handler_attr {
    flexio_func_t *host_stub_func; /* one uint64_t parameter, or none */
    int continuable;               /* not 0: the next event continues after flexio_dev_yield() */
    uint64_t arg;                  /* replaced by the argument of flexio_event_handler_run */
    flexio_uintptr_t thread_local_storage_daddr; /* DPA address, 0: none */
    struct flexio_affinity affinity;
} flexio_event_handler_attr;

/*
 * Makes an event handler. It loses events until flexio_event_handler_run.
 *   event_handler  [out]  free it with flexio_event_handler_destroy before the process is; NULL on
 *                         failure
 * FAILED: not a function of this program, or one with other parameters; no such execution unit or
 * group; 1024 threads in the process.
 */
flexio_status flexio_event_handler_create(struct flexio_process *process,
                                          struct flexio_event_handler_attr *attr,
                                          struct flexio_event_handler **event_handler);

/* Ends its current run at any point of its code, and frees the event handler. NULL is ignored. */
flexio_status flexio_event_handler_destroy(struct flexio_event_handler *event_handler);

/*
 * Lets events start runs from now on. The call itself starts no run.
 *   user_arg  [in]  argument of the DPA function
 * FAILED: the event handler runs.
 */
flexio_status flexio_event_handler_run(struct flexio_event_handler *event_handler,
                                       uint64_t user_arg);

/* Returns the thread of an event handler, for the attributes of a completion queue. It exists as
 * long as the event handler. NULL for NULL. */
struct flexio_thread *flexio_event_handler_get_thread(struct flexio_event_handler *event_handler);

/* Returns the number of that thread, which also precedes its messages; UINT32_MAX for NULL. */
uint32_t flexio_event_handler_get_id(struct flexio_event_handler *event_handler);
uint32_t flexio_event_handler_get_obj_id(struct flexio_event_handler *event_handler);

/* ---- Command queues ---- */

typedef enum {
    FLEXIO_CMDQ_STATE_PENDING = 0, /* tasks are added and wait */
    FLEXIO_CMDQ_STATE_RUNNING = 1, /* tasks run */
} flexio_cmdq_state;

typedef struct flexio_cmdq_attr {
    int workers;    /* tasks at once, 1 to 256; each has an execution unit of its own */
    int batch_size; /* tasks that a worker fetches in one go, at least 1; not seen from outside */
    flexio_cmdq_state state;
} flexio_cmdq_attr;

/*
 * Creates a queue of DPA calls that run in parallel.
 *   cmdq  [out]  free it with flexio_cmdq_destroy before the process is; NULL on failure
 */
flexio_status flexio_cmdq_create(struct flexio_process *process, struct flexio_cmdq_attr *attr,
                                 struct flexio_cmdq **cmdq);

/*
 * Adds one call.
 *   host_func  [in]  stub of a function with one uint64_t parameter, or none
 *   arg        [in]  its argument
 */
flexio_status flexio_cmdq_task_add(struct flexio_cmdq *cmdq, flexio_func_t *host_func,
                                   uint64_t arg);

/* Starts a pending queue. A running queue keeps running. */
flexio_status flexio_cmdq_state_running(struct flexio_cmdq *cmdq);

/* Returns 1 if every task has ended, 0 if not, and -1 if the process is in the error state, in
 * which tasks never end. */
int flexio_cmdq_is_empty(struct flexio_cmdq *cmdq);

/* Drops waiting tasks, ends running tasks, and frees the queue. NULL is ignored. */
flexio_status flexio_cmdq_destroy(struct flexio_cmdq *cmdq);

/* ---- UARs and outboxes ---- */

/* A doorbell goes through a UAR: each queue has a UAR, and an outbox reaches the queues of its UAR. */

/* Creates a UAR of the process's device. Free it with flexio_uar_destroy; NULL on failure. */
flexio_status flexio_uar_create(struct flexio_process *process, struct flexio_uar **uar);

/* FlexIO before 24.01 calls this function flexio_uar_create(process, devx_uar, &uar).
 *   devx_uar  [in]  of mlx5dv_devx_alloc_uar, of the process's device; freed after the UAR */
flexio_status flexio_uar_create_devx(struct flexio_process *process,
                                     struct mlx5dv_devx_uar *devx_uar, struct flexio_uar **uar);
#define flexio_uar_create(process, ...)                                                            \
    FLEXIO_PICK3(__VA_ARGS__, , flexio_uar_create_devx, flexio_uar_create, )(process, __VA_ARGS__)
/* Selects `name` by the number of arguments. */
#define FLEXIO_PICK3(a, b, c, name, ...) name

/* Destroys a UAR. FAILED: the UAR belongs to the process. NULL is ignored. */
flexio_status flexio_uar_destroy(struct flexio_uar *uar);

/* Creates the counterpart of a UAR on another device; free it as any UAR. On the same device it reaches
 * the same queues. */
flexio_status flexio_uar_extend(struct flexio_uar *in_uar, struct ibv_context *to_extend,
                                struct flexio_uar **extended);

/* Returns the number of a UAR for flexio_dev_outbox_config_uar_extension; UINT32_MAX for NULL. */
uint32_t flexio_uar_get_id(struct flexio_uar *uar);
uint32_t flexio_uar_get_extended_id(struct flexio_uar *uar);

typedef struct flexio_outbox_attr {
    struct flexio_uar *uar; /* NULL: the process's own */
    uint32_t en_pcc;        /* must be 0: congestion control is not emulated */
} flexio_outbox_attr;

/* Creates an outbox. Free it with flexio_outbox_destroy before the process is; NULL on failure. It
 * reaches the queues of its UAR only: a doorbell for another queue is a fault that names both UARs. */
flexio_status flexio_outbox_create(struct flexio_process *process, struct flexio_outbox_attr *attr,
                                   struct flexio_outbox **outbox);
/* FlexIO before 24.01 calls this flexio_outbox_create(process, ibv_ctx, uar, &outbox).
 *   ibv_ctx  [in]  NULL, or an emulated device
 *   uar      [in]  of the process */
flexio_status flexio_outbox_create_uar(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                       struct flexio_uar *uar, struct flexio_outbox **outbox);
#ifndef LIBFLEXIO_2_2_FLEXIO_H
#define flexio_outbox_create(process, ...)                                                         \
    FLEXIO_PICK3(__VA_ARGS__, flexio_outbox_create_uar, flexio_outbox_create, , )                  \
    (process, __VA_ARGS__)
#endif
/* NULL is ignored. */
flexio_status flexio_outbox_destroy(struct flexio_outbox *outbox);
/* Returns the number of an outbox for flexio_dev_outbox_config; UINT32_MAX for NULL. */
uint32_t flexio_outbox_get_id(struct flexio_outbox *outbox);
/* Returns the UAR that the outbox was made with; NULL for NULL, and after that UAR was destroyed. */
struct flexio_uar *flexio_outbox_get_uar(struct flexio_outbox *outbox);

/* ---- Windows and memory keys ---- */

/*
 * A window lets DPA threads load from and store to host memory that was registered (ibv_reg_mr). A
 * thread configures the window with a memory key in each activation (flexio_dev_window_config). Each
 * access is checked: the key is one of the window's protection domain, it covers the bytes, it has
 * IBV_ACCESS_LOCAL_WRITE for a store, its address and length are multiples of 64 bytes. Else the thread
 * faults. Deregistered memory cannot be accessed any more. Deregister memory before you unmap it: here
 * pages are not pinned, and an access to unmapped memory ends the host program with SIGSEGV.
 *
 *   pd      [in]   protection domain of the process's device; must outlive the window
 *   window  [out]  for flexio_window_destroy, before the process is destroyed; NULL on failure
 */
flexio_status flexio_window_create(struct flexio_process *process, struct ibv_pd *pd,
                                   struct flexio_window **window);
/* NULL is ignored. */
flexio_status flexio_window_destroy(struct flexio_window *window);
/* Returns the number of a window for flexio_dev_window_config; UINT32_MAX for NULL. */
uint32_t flexio_window_get_id(struct flexio_window *window);

typedef struct flexio_mkey_attr {
    struct ibv_pd *pd;
    flexio_uintptr_t daddr; /* DPA memory */
    size_t len;             /* bytes */
    int access;             /* IBV_ACCESS_* */
} flexio_mkey_attr;

/*
 * Creates a memory key of DPA memory for queues. Windows do not accept it.
 *   mkey  [out]  free it with flexio_device_mkey_destroy before the process is; NULL on failure
 * FAILED: any byte outside of the process's memory, or without that access.
 */
flexio_status flexio_device_mkey_create(struct flexio_process *process,
                                        struct flexio_mkey_attr *fattr, struct flexio_mkey **mkey);
/* NULL is ignored. */
flexio_status flexio_device_mkey_destroy(struct flexio_mkey *mkey);
/* Returns the key; UINT32_MAX for NULL. */
uint32_t flexio_mkey_get_id(struct flexio_mkey *mkey);

/* ---- Messages ---- */

/* The DPA program prints to streams. A stream shows messages to its number (or to all streams) whose
 * level is at most its own. The number of the sending DPA thread precedes each message: "/ 7/Hello
 * World". Messages to a number without a stream are lost. */

typedef uint8_t flexio_msg_dev_level;
#define FLEXIO_MSG_DEV_NO_PRINT     0 /* shows nothing */
#define FLEXIO_MSG_DEV_ALWAYS_PRINT 1 /* a message of this level is shown at every level but 0 */
#define FLEXIO_MSG_DEV_ERROR        2
#define FLEXIO_MSG_DEV_WARN         3
#define FLEXIO_MSG_DEV_INFO         4
#define FLEXIO_MSG_DEV_DEBUG        5

/* log2 of the size of message chunks in bytes; not used by the emulated device */
#define FLEXIO_MSG_DEV_LOG_DATA_CHUNK_BSIZE 9

#define FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT 255 /* streams of one process */
#define FLEXIO_MSG_DEV_DEFAULT_STREAM_ID  0   /* number of the first stream */

/* The time of printing:
 *   SYNC    at once; the sending DPA thread waits
 *   ASYNC   at a flush, or at the end; the sender goes on. The buffer wraps around: of more than
 *           data_bsize bytes only the last are printed, and the log counts the lost messages
 *   BATCH   whenever data_bsize bytes have come together, at a flush, or at the end
 *   TRACER  as BATCH, for trace messages of tracer_msg_formats (flexio_dev_tracer.h) */
#if FLEXIO_VER_USED >= FLEXIO_VER(24, 1, 0) && FLEXIO_VER_USED < FLEXIO_VER(24, 4, 0)
#define FLEXIO_STREAMS_24_01 /* streams as 24.01 has them */
enum flexio_log_dev_sync_mode {
#else
enum flexio_msg_dev_sync_mode {
#endif
    FLEXIO_MSG_DEV_SYNC_MODE_SYNC = 0,
    FLEXIO_MSG_DEV_SYNC_MODE_ASYNC = 1,
    FLEXIO_MSG_DEV_SYNC_MODE_BATCH = 2,
    FLEXIO_MSG_DEV_SYNC_MODE_TRACER = 3,
    /* Names before 24.10. */
    FLEXIO_LOG_DEV_SYNC_MODE_SYNC = FLEXIO_MSG_DEV_SYNC_MODE_SYNC,
    FLEXIO_LOG_DEV_SYNC_MODE_ASYNC = FLEXIO_MSG_DEV_SYNC_MODE_ASYNC,
    FLEXIO_LOG_DEV_SYNC_MODE_BATCH = FLEXIO_MSG_DEV_SYNC_MODE_BATCH,
    FLEXIO_LOG_DEV_SYNC_MODE_TRACER = FLEXIO_MSG_DEV_SYNC_MODE_TRACER,
};
#ifdef FLEXIO_STREAMS_24_01
typedef enum flexio_log_dev_sync_mode flexio_log_dev_sync_mode, flexio_msg_dev_sync_mode;
#else
typedef enum flexio_msg_dev_sync_mode flexio_msg_dev_sync_mode;
#define flexio_log_dev_sync_mode flexio_msg_dev_sync_mode
#endif

enum flexio_tracer_transport {
    FLEXIO_TRACER_TRANSPORT_QP = 0,
    FLEXIO_TRACER_TRANSPORT_WINDOW = 1,
};

/* Warning: programs of other modes than TRACER may leave the last three members uninitialised. */
#ifdef FLEXIO_STREAMS_24_01
typedef struct flexio_log_dev_attr {
#else
typedef struct flexio_msg_stream_attr {
#endif
    struct flexio_uar *uar; /* not used by the emulated device */
    size_t data_bsize; /* bytes of messages that the stream holds: a power of two, at least 2048 */
    flexio_msg_dev_sync_mode sync_mode;
    char *stream_name; /* NULL, or at most FLEXIO_MAX_NAME_LEN - 1 characters; for information */
    flexio_msg_dev_level level; /* of a process's first stream, 0 is FLEXIO_MSG_DEV_INFO */
    struct flexio_affinity mgmt_affinity; /* units for management: at least one must exist */
#ifndef FLEXIO_STREAMS_24_01
    uint32_t transport_mode; /* of messages, since 24.10: 0; here it has no effect */
#endif
    enum flexio_tracer_transport tracer_mode; /* of mode TRACER; here it has no effect */
    char **tracer_msg_formats; /* of mode TRACER: formats of at most six integers each,
                                                 by format_id, with a NULL at the end; copied */
} flexio_msg_stream_attr_t;
#ifndef FLEXIO_STREAMS_24_01
#define flexio_log_dev_attr flexio_msg_stream_attr /* its name before 24.10 */
#define FLEXIO_STREAM_CREATE
#define FLEXIO_STREAM_INIT
#else
#define FLEXIO_STREAM_CREATE __asm__("flexio_msg_stream_create_v24_01")
#define FLEXIO_STREAM_INIT   __asm__("flexio_log_dev_init_v24_01")
#endif

/*
 * Opens a stream. The process's first gets the number 0, a later one the smallest that is free.
 *   stream_attr  [in]   copied
 *   out          [in]   destination of the messages; flushed after each print, not closed
 *   ppthread     [out]  NULL, or receives the host thread that prints
 *   stream       [out]  free it with flexio_msg_stream_destroy; NULL on failure
 * FAILED: a bad size, level, mode or affinity, or all numbers are in use.
 */
flexio_status flexio_msg_stream_create(struct flexio_process *process,
                                       flexio_msg_stream_attr_t *stream_attr, FILE *out,
                                       pthread_t *ppthread,
                                       struct flexio_msg_stream **stream) FLEXIO_STREAM_CREATE;

/* Prints the remaining messages and closes the stream. NULL is ignored. */
flexio_status flexio_msg_stream_destroy(struct flexio_msg_stream *stream);

/* Prints everything that the DPA has sent so far. */
flexio_status flexio_msg_stream_flush(struct flexio_msg_stream *stream);

/* Returns the stream's number for flexio_dev_msg; -1 for NULL. */
int flexio_msg_stream_get_id(struct flexio_msg_stream *stream);

/* Changes the level for later messages. FAILED: an invalid level. */
flexio_status flexio_msg_stream_level_set(struct flexio_msg_stream *stream, uint8_t level);

/* Older functions for a process's first stream: log_dev_init creates it, the others use stream number 0
 * of the process. FAILED: the process has no such stream. */
flexio_status flexio_log_dev_init(struct flexio_process *process,
                                  flexio_msg_stream_attr_t *stream_attr, FILE *out,
                                  pthread_t *ppthread) FLEXIO_STREAM_INIT;
flexio_status flexio_log_dev_flush(struct flexio_process *process);
flexio_status flexio_log_dev_destroy(struct flexio_process *process);

/* ---- The library ---- */

/*
 * Sets the version of the API that the program uses: FLEXIO_VER_USED. FAILED: a version before
 * FLEXIO_VER(24, 1, 0), whose API differs, or after FLEXIO_VER_LATEST.
 */
flexio_status flexio_version_set(uint64_t version);

/* ---- Resources ----
 *
 * An administrator's file says which execution units a program may use (FlexIO 25.4 and later). It is
 * YAML. A mapping with the program's id as its name may be anywhere in it:
 *
 *     my_app:
 *         eus: [0-3, 8]
 *         eu_groups: []
 *
 * Units have numbers 0 to 255, groups any numbers; each list has at most 256 numbers. NVIDIA's layout
 * around these two lists is not public; other keys are ignored. */

struct flexio_resource;

/* Reads the units of program `app_id` from the file's `file_bsize` bytes. *res is NULL on failure.
 * FAILED: NULL or no bytes, not YAML, no mapping for this program, invalid numbers. Free it with
 * flexio_resources_destroy (NULL is ignored). */
flexio_status flexio_resources_create(const char *app_id, const void *file_buf, size_t file_bsize,
                                      struct flexio_resource **res);
flexio_status flexio_resources_destroy(struct flexio_resource *res);

/* Return the number of units, the array of their numbers (owned by the resource, in the file's order;
 * NULL if empty), and the number of groups. 0 for NULL. */
uint32_t flexio_resources_get_eus_num(struct flexio_resource *res);
uint32_t *flexio_resources_get_eus(struct flexio_resource *res);
uint32_t flexio_resources_get_eugs_num(struct flexio_resource *res);

/* ---- The library's own log ---- */

/* Sets the level of the library's messages on stderr ("-E- ...", "-W- ...", ...), and returns the old
 * level. The default is FLEXIO_LOG_LVL_WARN. An invalid level is ignored. */
flexio_log_lvl flexio_log_lvl_set(flexio_log_lvl lvl);

#ifdef __cplusplus
}
#endif

#include "flexio_queues.h"

#endif
