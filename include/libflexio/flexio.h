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

/* Where DPA threads run: any unit (NONE), the execution unit with number `id` (STRICT), or the
 * units of group `id` (GROUP). Units and groups are those of DPAKIT_EUS and DPAKIT_EU_GROUPS: 256
 * units and no group by default; numbers are virtual ones in a partition (DPAKIT_EUS=FIRST-LAST).
 */
struct flexio_affinity {
    enum flexio_affinity_type type;
    uint32_t id;
};

/* The card's processor; how many units a program has here: DPAKIT_EUS. */
#define PHY_CORES_NUM   16
#define EUS_PER_CORE    16
#define OS_RESERVED_EUS 2 /* of the card's operating system */

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
    /* dpakit: the program's attributes, `.dpa_proc_attr_<app>`, which a signature in the compact
     * profile covers; NULL: none. Must stay where they are. */
    const void *app_attr_ptr;
    size_t app_attr_bsize;
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

/*
 * What is known of a registered function. Every [out] may be NULL.
 *   host_stub_func_addr   [in]   its stub
 *   pup                   [out]  1: it has routines that pack and unpack arguments, 0: it was
 *                                registered by name alone
 *   dev_func_name         [out]  buffer of func_name_size bytes
 *   dev_unpack_func_name  [out]  buffer of func_name_size bytes; "" if there is none
 *   argbuf_size           [out]  bytes of the argument buffer
 *   host_pack_func        [out]  NULL if there is none
 *   dev_func_addr, dev_unpack_func_addr  [out]  addresses in the device executable (of a fat
 *                                program: that for the machine's first device); 0 if it has none
 *                                of that name
 * FAILED: not a function of the program, or a name that its buffer does not hold.
 */
flexio_status flexio_func_get_register_info(struct flexio_app *app,
                                            flexio_func_t *host_stub_func_addr, uint32_t *pup,
                                            char *dev_func_name, char *dev_unpack_func_name,
                                            size_t func_name_size, size_t *argbuf_size,
                                            flexio_func_arg_pack_fn_t **host_pack_func,
                                            flexio_uintptr_t *dev_func_addr,
                                            flexio_uintptr_t *dev_unpack_func_addr);

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

/* The protection domain of the process: that of its attributes, or its own. NULL for NULL. */
struct ibv_pd *flexio_process_get_pd(struct flexio_process *process);

/* The process's own UAR, which lives as long as the process. NULL for NULL. */
struct flexio_uar *flexio_process_get_uar(struct flexio_process *process);

/* The number of the process's memory, as that of mlx5dv_devx_umem_reg is of host memory: a struct
 * flexio_qmem with it is in DPA memory, whatever its memtype. UINT32_MAX for NULL, and when the
 * device has no numbers left. */
uint32_t flexio_process_get_dumem_id(struct flexio_process *process);

typedef struct flexio_heap_mem_info {
    uint64_t base_addr; /* DPA address */
    size_t size;        /* bytes */
    size_t requested;   /* bytes in use, as they were asked for */
    size_t allocated;   /* bytes in use, with alignment */
} flexio_heap_mem_info;

/* The process's heap. */
flexio_status flexio_process_mem_info_get(const struct flexio_process *process,
                                          struct flexio_heap_mem_info *info);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* The state of a process, without waiting. NULL has no error. */
enum flexio_err_status flexio_err_status_get(struct flexio_process *process);

/* A descriptor to poll, readable once the process is in the error state; the process closes it. -1
 * for NULL. */
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
 * Writes what a process is like: after a failure, before flexio_process_destroy, or at any time. A
 * process that has not failed stands still meanwhile. Not from a message handler of the process.
 *   corefile, outfile  [in]  begin of the file's name; ".PID.core" or ".PID.crash" is put behind
 * it. NULL: "flexio_dev". If it is no absolute path and the current directory cannot be written,
 * the file goes to /tmp.
 *
 * flexio_coredump_create: an ELF core for gdb-multiarch PROGRAM COREFILE, with the registers of
 * every thread and all memory. PROGRAM is the device ELF (dpacc-extract takes it out of the
 * host's). flexio_crash_data: text: the failure, each thread with its function, line and registers.
 */
flexio_status flexio_coredump_create(struct flexio_process *process, const char *corefile);
flexio_status flexio_crash_data(struct flexio_process *process, const char *outfile);

/*
 * The token with which `dpa-gdbserver DEVICE -T TOKEN` of the same user may debug the process;
 * nobody may before the first call. 0: not allowed.
 */
uint64_t flexio_process_udbg_token_get(struct flexio_process *process);

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

/* ---- Event handlers -------------------------------------------------------------------------- */

/* An event handler is a DPA thread that waits, without running, for events; each leads to one run
 * of its function, which ends with flexio_dev_thread_reschedule() (the next event runs it again),
 * flexio_dev_thread_retrigger() (it runs again at once), or flexio_dev_thread_finish() or a return
 * (events are lost until flexio_event_handler_run). Events that come during a run are counted. */
typedef struct flexio_event_handler_attr {
    flexio_func_t *host_stub_func; /* one uint64_t parameter, or none */
    int continuable; /* not 0: after flexio_dev_yield() it goes on behind it with the next event */
    uint64_t arg;    /* that of flexio_event_handler_run counts */
    flexio_uintptr_t thread_local_storage_daddr; /* DPA address, 0: none */
    struct flexio_affinity affinity;
} flexio_event_handler_attr;

/*
 * Makes an event handler. It loses events until flexio_event_handler_run.
 *   event_handler  [out]  to be given back with flexio_event_handler_destroy before the process is;
 *                         NULL on failure
 * FAILED: not a function of this program, or one with other parameters; no such execution unit or
 * group; 1024 threads in the process.
 */
flexio_status flexio_event_handler_create(struct flexio_process *process,
                                          struct flexio_event_handler_attr *attr,
                                          struct flexio_event_handler **event_handler);

/* Ends the run it may be in, wherever that is, and frees it. NULL is fine. */
flexio_status flexio_event_handler_destroy(struct flexio_event_handler *event_handler);

/*
 * From now on events count; this alone runs nothing.
 *   user_arg  [in]  argument of the DPA function
 * FAILED: a run is under way.
 */
flexio_status flexio_event_handler_run(struct flexio_event_handler *event_handler,
                                       uint64_t user_arg);

/* Its thread, for the attributes of a completion queue; lives as long as it. NULL for NULL. */
struct flexio_thread *flexio_event_handler_get_thread(struct flexio_event_handler *event_handler);

/* Its thread's number, as in the prefix of messages; UINT32_MAX for NULL. */
uint32_t flexio_event_handler_get_id(struct flexio_event_handler *event_handler);
uint32_t flexio_event_handler_get_obj_id(struct flexio_event_handler *event_handler);

/* ---- Command queues -------------------------------------------------------------------------- */

typedef enum {
    FLEXIO_CMDQ_STATE_PENDING = 0, /* tasks are collected */
    FLEXIO_CMDQ_STATE_RUNNING = 1, /* and run */
} flexio_cmdq_state;

typedef struct flexio_cmdq_attr {
    int workers;    /* tasks at once, 1 to 256; each has an execution unit of its own */
    int batch_size; /* tasks that a worker fetches in one go, at least 1; not seen from outside */
    flexio_cmdq_state state;
} flexio_cmdq_attr;

/*
 * Makes a queue of DPA calls that run side by side.
 *   cmdq  [out]  to be given back with flexio_cmdq_destroy before the process is; NULL on failure
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

/* Lets a pending queue run. One that runs stays so. */
flexio_status flexio_cmdq_state_running(struct flexio_cmdq *cmdq);

/* 1: every task has ended; 0: not yet; -1: they never will, the process is in the error state. */
int flexio_cmdq_is_empty(struct flexio_cmdq *cmdq);

/* Drops tasks that wait, ends those that run. NULL is fine. */
flexio_status flexio_cmdq_destroy(struct flexio_cmdq *cmdq);

/* ---- UARs and outboxes ----------------------------------------------------------------------- */

/* What doorbells go through. The emulated device needs neither; programs are held to their use. */

/* A UAR of the process's device, to be given back with flexio_uar_destroy; NULL on failure. */
flexio_status flexio_uar_create(struct flexio_process *process, struct flexio_uar **uar);

/* FAILED: the process's own. NULL is fine. */
flexio_status flexio_uar_destroy(struct flexio_uar *uar);

/* Makes a UAR's counterpart on another device; given back like any. */
flexio_status flexio_uar_extend(struct flexio_uar *in_uar, struct ibv_context *to_extend,
                                struct flexio_uar **extended);

/* Its number, for flexio_dev_outbox_config_uar_extension; UINT32_MAX for NULL. */
uint32_t flexio_uar_get_id(struct flexio_uar *uar);
uint32_t flexio_uar_get_extended_id(struct flexio_uar *uar);

typedef struct flexio_outbox_attr {
    struct flexio_uar *uar; /* NULL: the process's own */
    uint32_t en_pcc;        /* must be 0: congestion control is not emulated */
} flexio_outbox_attr;

/* An outbox, to be given back with flexio_outbox_destroy before the process is; NULL on failure. */
flexio_status flexio_outbox_create(struct flexio_process *process, struct flexio_outbox_attr *attr,
                                   struct flexio_outbox **outbox);
/* NULL is fine. */
flexio_status flexio_outbox_destroy(struct flexio_outbox *outbox);
/* Its number, for flexio_dev_outbox_config; UINT32_MAX for NULL. */
uint32_t flexio_outbox_get_id(struct flexio_outbox *outbox);
/* NULL for NULL. */
struct flexio_uar *flexio_outbox_get_uar(struct flexio_outbox *outbox);

/* ---- Windows and memory keys ----------------------------------------------------------------- */

/*
 * A window lets DPA threads load from and store to host memory that was registered (ibv_reg_mr).
 * A thread configures it with a memory key, at every activation anew (flexio_dev_window_config).
 * Each access is checked: the key is one of the window's protection domain, it covers the bytes, it
 * has IBV_ACCESS_LOCAL_WRITE for a store, its address and length are multiples of 64 bytes. Else
 * the thread faults. Memory that is deregistered meanwhile is out of reach at once. Memory that is
 * unmapped while it is registered is not noticed, as a page is not pinned here: an access then ends
 * the host program, with SIGSEGV. Deregister first.
 *
 *   pd      [in]   protection domain of the process's device; must outlive the window
 *   window  [out]  for flexio_window_destroy, before the process is destroyed; NULL on failure
 */
flexio_status flexio_window_create(struct flexio_process *process, struct ibv_pd *pd,
                                   struct flexio_window **window);
/* NULL is fine. */
flexio_status flexio_window_destroy(struct flexio_window *window);
/* Its number, for flexio_dev_window_config; UINT32_MAX for NULL. */
uint32_t flexio_window_get_id(struct flexio_window *window);

typedef struct flexio_mkey_attr {
    struct ibv_pd *pd;
    flexio_uintptr_t daddr; /* DPA memory */
    size_t len;             /* bytes */
    int access;             /* IBV_ACCESS_* */
} flexio_mkey_attr;

/*
 * Makes a memory key for DPA memory, for queues: a window does not take it.
 *   mkey  [out]  to be given back with flexio_device_mkey_destroy before the process is; NULL on
 *                failure
 * FAILED: any byte outside of the process's memory, or without that access.
 */
flexio_status flexio_device_mkey_create(struct flexio_process *process,
                                        struct flexio_mkey_attr *fattr, struct flexio_mkey **mkey);
/* NULL is fine. */
flexio_status flexio_device_mkey_destroy(struct flexio_mkey *mkey);
/* The key; UINT32_MAX for NULL. */
uint32_t flexio_mkey_get_id(struct flexio_mkey *mkey);

/* ---- Queues ---------------------------------------------------------------------------------- */

/* Rings of work queue elements (WQEs) and completions (CQEs), which the program's DPA side fills
 * and reads (libflexio-dev/flexio_dev_queue_access.h): big endian, as mlx5 devices have them. The
 * emulated device carries out, when a doorbell is rung: frames of Ethernet send queues, which a
 * steering rule (mlx5dv_dr_*, flexio_rq_get_tir) takes to a receive queue; sends, RDMA writes and
 * reads and atomics of reliable connected queue pairs, with another one that was made through the
 * same ibv_context. Segmentation offload (LSO), local DMA, transpose and multi-packet WQEs are not
 * emulated: such a WQE ends in an error completion with syndrome 0x02.
 *
 * Frames: the port is plugged into itself, what a send queue sends comes back to the port. With
 * DPAKIT_PACKETS=FILE (pcap) the frames of the file arrive instead, once there is a rule, each as
 * soon as its receive queue has room and somebody listens; what is sent leaves, and is written to
 * DPAKIT_PACKETS_SENT=FILE (pcap) if that is set. Read when a context's first queue is created.
 *
 * A queue that is not destroyed goes with its process. After flexio_process_destroy no function may
 * be called with it. */

struct flexio_cq;
struct flexio_rq;
struct flexio_rmp;
struct flexio_sq;
struct flexio_qp;

enum flexio_memtype {
    FLEXIO_MEMTYPE_DPA = 0,
    FLEXIO_MEMTYPE_HOST = 1,
};

/* Memory of a queue: at least the ring's size, aligned to 64 bytes (a doorbell record: 8 bytes). */
struct flexio_qmem {
    enum flexio_memtype memtype;
    union {
        flexio_uintptr_t daddr; /* DPA memory */
        uint64_t humem_offset;  /* bytes, in host memory */
    };
    uint32_t umem_id; /* of mlx5dv_devx_umem_reg, for host memory */
};

/* What completions are told to: a DPA thread, or nobody: they are polled. The others need hardware
 * that is not emulated: FAILED. */
#define FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD           0
#define FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ               2
#define FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ           8
#define FLEXIO_CQ_ELEMENT_TYPE_DPA_MSIX_EMULATED_CQ 9

enum flexio_cqe_comp_type {
    FLEXIO_CQE_COMP_NONE = 0, /* the others: FAILED */
    FLEXIO_CQE_COMP_BASIC = 1,
    FLEXIO_CQE_COMP_ENHANCED = 2,
};

enum flexio_cq_period_mode {
    FLEXIO_CQ_PERIOD_MODE_EVENT = 0,
    FLEXIO_CQ_PERIOD_MODE_CQE = 1,
};

struct flexio_cq_attr {
    uint8_t log_cq_depth; /* completions, at most 22 */
    uint8_t element_type;
    union {
        uint32_t emulated_eqn;
        struct flexio_thread *thread; /* of flexio_event_handler_get_thread */
    };
    uint32_t uar_id;     /* 0: the process's own */
    void *uar_base_addr; /* not used by the emulated device */
    enum flexio_cqe_comp_type cqe_comp_type;
    enum flexio_cq_period_mode
        cq_period_mode; /* moderation is remembered; events are not delayed */
    uint16_t cq_period;
    uint16_t cq_max_count;
    bool no_arm;            /* else it is armed from the beginning */
    bool cc;                /* collapsed completions: FAILED */
    uint8_t overrun_ignore; /* the consumer index is not looked at */
    uint8_t always_armed;
    struct flexio_qmem cq_ring_qmem;
    flexio_uintptr_t cq_dbr_daddr; /* 8 bytes: the consumer index, 24 bits, big endian */
};

/*
 * Makes a completion queue. The owner bit of its n-th CQE is bit log_cq_depth of n: the ring is to
 * be filled with CQEs whose owner bit is 1 before. ibv_ctx  [in]   NULL, or the process's device cq
 * [out]  to be given back with flexio_cq_destroy; NULL on failure FAILED: memory that is none, a
 * thread of another process, something not emulated. A CQ that overruns gets into the error state
 * with the queues that use it, and a warning on stderr.
 */
flexio_status flexio_cq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               const struct flexio_cq_attr *fattr, struct flexio_cq **cq);
/* FAILED: queues use it. NULL is fine. */
flexio_status flexio_cq_destroy(struct flexio_cq *cq);
/* Its number; UINT32_MAX for NULL. */
uint32_t flexio_cq_get_cq_num(struct flexio_cq *cq);
flexio_status flexio_cq_query_moderation(struct flexio_cq *cq, uint16_t *max_count,
                                         uint16_t *period, uint16_t *mode);
flexio_status flexio_cq_modify_moderation(struct flexio_cq *cq, uint16_t max_count, uint16_t period,
                                          uint16_t mode);

enum flexio_wq_type {
    FLEXIO_WQ_TYPE_LINKED_LIST = 0,
    FLEXIO_WQ_TYPE_CYCLIC = 1,
};

struct flexio_wq_sq_attr {
    uint8_t allow_multi_pkt_send_wqe; /* must be 0 */
};

struct flexio_wq_rq_attr {
    enum flexio_wq_type wq_type; /* of an RMP; an RQ is always cyclic */
};

struct flexio_wq_attr {
    uint8_t log_wq_stride; /* bytes of a receive, 4 to 8; 0: 4. Sends take blocks of 64 bytes */
    uint8_t log_wq_depth;  /* receives, or blocks; at most 15 */
    uint32_t uar_id;       /* 0: the process's own */
    uint32_t user_index;   /* 24 bits, in completions */
    struct ibv_pd *pd;     /* of its memory keys; NULL: the process's */
    union {
        struct flexio_wq_sq_attr sq;
        struct flexio_wq_rq_attr rq;
    };
    struct flexio_qmem wq_ring_qmem;
    struct flexio_qmem wq_dbr_qmem; /* 8 bytes, big endian: receives posted (16 bits), sends posted.
                                       That of an SQ is not looked at: its doorbell tells */
};

/*
 * Make an Ethernet receive queue, a receive queue for queue pairs to share, an Ethernet send queue.
 *   cq_num  [in]   a CQ of the process
 *   out     [out]  to be given back with ..._destroy; NULL on failure
 */
flexio_status flexio_rq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               uint32_t cq_num, const struct flexio_wq_attr *fattr,
                               struct flexio_rq **out);
flexio_status flexio_rmp_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                const struct flexio_wq_attr *fattr, struct flexio_rmp **out);
flexio_status flexio_sq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               uint32_t cq_num, const struct flexio_wq_attr *fattr,
                               struct flexio_sq **out);
/* In any state; NULL is fine. FAILED: an RMP that a queue pair uses. */
flexio_status flexio_rq_destroy(struct flexio_rq *rq);
flexio_status flexio_rmp_destroy(struct flexio_rmp *rmp);
flexio_status flexio_sq_destroy(struct flexio_sq *sq);
/* Their numbers; UINT32_MAX for NULL. */
uint32_t flexio_rq_get_wq_num(struct flexio_rq *rq);
uint32_t flexio_rmp_get_wq_num(struct flexio_rmp *rmp);
uint32_t flexio_sq_get_wq_num(struct flexio_sq *sq);
/* Posted receives end with syndrome 0x05, no more frames come. */
flexio_status flexio_rq_set_err_state(struct flexio_rq *rq);
/* What mlx5dv_dr_action_create_dest_devx_tir takes; lives as long as the RQ. NULL for NULL. */
struct mlx5dv_devx_obj *flexio_rq_get_tir(struct flexio_rq *rq);

#define FLEXIO_QPC_ST_RC 0 /* the one transport */

enum flexio_qp_op_types {
    FLEXIO_QP_WR_RDMA_WRITE = 0x4,
    FLEXIO_QP_WR_RDMA_READ = 0x8,
    FLEXIO_QP_WR_ATOMIC_CMP_AND_SWAP = 0x10,
};

/* What flexio_qp_modify changes besides the state. */
struct flexio_qp_attr_opt_param_mask {
    bool qp_access_mask;
    bool min_rnr_nak_timer;
};
typedef struct flexio_qp_attr_opt_param_mask flexio_qp_attr_opt_param_mask;

enum flexio_qp_qpc_mtu {
    FLEXIO_QP_QPC_MTU_BYTES_256 = 1,
    FLEXIO_QP_QPC_MTU_BYTES_512 = 2,
    FLEXIO_QP_QPC_MTU_BYTES_1K = 3,
    FLEXIO_QP_QPC_MTU_BYTES_2K = 4,
    FLEXIO_QP_QPC_MTU_BYTES_4K = 5,
};

enum {
    FLEXIO_QP_QPC_RQ_TYPE_REGULAR = 0,
    FLEXIO_QP_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ = 1, /* receives of an RMP */
    FLEXIO_QP_QPC_RQ_TYPE_ZERO_SIZE_RQ = 3,
};

enum flexio_qp_state {
    FLEXIO_QP_STATE_RST = 0,
    FLEXIO_QP_STATE_INIT = 1,
    FLEXIO_QP_STATE_RTR = 2,
    FLEXIO_QP_STATE_RTS = 3,
    FLEXIO_QP_STATE_ERR = 6,
};

struct flexio_qp_attr {
    uint32_t transport_type; /* FLEXIO_QPC_ST_RC */
    uint32_t uar_id;         /* 0: the process's own */
    uint32_t user_index;     /* 24 bits, in completions */
    int qp_access_mask;      /* IBV_ACCESS_REMOTE_*: what the peer may do */
    int ops_flag;            /* not used */
    struct ibv_pd *pd;       /* NULL: the process's */
    int log_sq_depth;        /* blocks of 64 bytes, at most 15 */
    int no_sq;
    uint32_t sq_cqn;
    int log_rq_depth; /* receives of 16 bytes, at most 15 */
    int rq_type;
    uint32_t rq_cqn;
    uint32_t rmpqn;
    struct flexio_qmem qp_wq_buff_qmem; /* receives, if it has any of its own, then sends */
    struct flexio_qmem qp_wq_dbr_qmem;
    /* For flexio_qp_modify. What describes the way to the peer is not used by the emulated device,
     * where the peer is found by its number and sends wait for receives without end. */
    enum flexio_qp_state next_state;
    uint32_t remote_qp_num; /* counts on the way to RTR */
    uint8_t gid_table_index;
    uint8_t fl;
    uint8_t *dest_mac;
    union ibv_gid rgid_or_rip;
    uint16_t rlid;
    uint32_t min_rnr_nak_timer;
    enum flexio_qp_qpc_mtu path_mtu;
    uint8_t retry_count;
    uint8_t vhca_port_num;
    uint32_t next_rcv_psn;
    uint32_t next_send_psn;
    uint16_t udp_sport;
    uint8_t grh;
    uint8_t log_rra_max;
    uint8_t log_sra_max;
    uint8_t isolate_vl_tc;
};

/* Makes a queue pair in state RST; to be given back with flexio_qp_destroy; NULL on failure. */
flexio_status flexio_qp_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_qp_attr *qp_fattr, struct flexio_qp **qp);
/* RST, INIT, RTR, RTS in this order; RST and ERR from any. FAILED: no way there. */
flexio_status flexio_qp_modify(struct flexio_qp *qp, struct flexio_qp_attr *fattr,
                               struct flexio_qp_attr_opt_param_mask *mask);
/* In any state; NULL is fine. */
flexio_status flexio_qp_destroy(struct flexio_qp *qp);
/* UINT32_MAX for NULL. */
uint32_t flexio_qp_get_qp_num(struct flexio_qp *qp);
/* ERR for NULL. */
enum flexio_qp_state flexio_qp_state_get(struct flexio_qp *qp);

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

/* log2 of bytes, of the pieces that messages travel in; not used by the emulated device */
#define FLEXIO_MSG_DEV_LOG_DATA_CHUNK_BSIZE 9

#define FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT 255 /* streams of one process */
#define FLEXIO_MSG_DEV_DEFAULT_STREAM_ID  0   /* number of the first one */

/* When messages come out.
 *   SYNC    at once; the DPA thread that sends waits for it
 *   ASYNC   at a flush, or at the end; the sender goes on. The buffer wraps around: of more than
 *           data_bsize bytes the last ones come out, and the log tells how many messages did not
 *   BATCH   whenever data_bsize bytes have come together, at a flush, or at the end
 *   TRACER  not supported: a stream cannot be created with it
 */
typedef enum flexio_log_dev_sync_mode {
    FLEXIO_LOG_DEV_SYNC_MODE_SYNC = 0,
    FLEXIO_LOG_DEV_SYNC_MODE_ASYNC = 1,
    FLEXIO_LOG_DEV_SYNC_MODE_BATCH = 2,
    FLEXIO_LOG_DEV_SYNC_MODE_TRACER = 3,
} flexio_log_dev_sync_mode;

typedef struct flexio_msg_stream_attr {
    struct flexio_uar *uar; /* not used by the emulated device */
    size_t data_bsize; /* bytes of messages that the stream holds: a power of two, at least 2048 */
    flexio_log_dev_sync_mode sync_mode;
    char *stream_name; /* NULL, or at most FLEXIO_MAX_NAME_LEN - 1 characters; for information */
    flexio_msg_dev_level level;
    struct flexio_affinity mgmt_affinity; /* units for the stream's management: one must be there */
    int tracer_mode;                      /* must be 0 */
    char **tracer_msg_formats;            /* not used */
} flexio_msg_stream_attr_t;

/*
 * Opens a stream. The process's first gets the number 0, a later one the smallest that is free.
 *   stream_attr  [in]   copied
 *   out          [in]   where messages go; flushed after each print, not closed
 *   ppthread     [out]  NULL, or receives the host thread that prints
 *   stream       [out]  to be given back with flexio_msg_stream_destroy; NULL on failure
 * FAILED: a bad size, level, mode or affinity, or all numbers are in use.
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

/* Older names of the same, for a process's first stream: log_dev_init makes one, the others are for
 * the process's stream number 0. FAILED: there is none. */
flexio_status flexio_log_dev_init(struct flexio_process *process,
                                  flexio_msg_stream_attr_t *stream_attr, FILE *out,
                                  pthread_t *ppthread);
flexio_status flexio_log_dev_flush(struct flexio_process *process);
flexio_status flexio_log_dev_destroy(struct flexio_process *process);

/* ---- The library ----------------------------------------------------------------------------- */

/*
 * Says which version of the API the program goes by: FLEXIO_VER_USED. FAILED: one before
 * FLEXIO_VER(24, 1, 0), whose API was another.
 */
flexio_status flexio_version_set(uint64_t version);

/* ---- Resources --------------------------------------------------------------------------------
 *
 * An administrator's file says which execution units a program may use (FlexIO 25.4 and later). It
 * is YAML; anywhere in it stands a mapping named by the program's id:
 *
 *     my_app:
 *         eus: [0-3, 8]
 *         eu_groups: []
 *
 * NVIDIA's own layout around these two lists is not public; other keys are passed over.
 */

struct flexio_resource;

/* Reads the units of program `app_id` from the file's `file_bsize` bytes. *res is NULL on failure.
 * FAILED: NULL or no bytes, no YAML, nothing for this program, numbers that are none. Give it back
 * with flexio_resources_destroy (NULL is fine). */
flexio_status flexio_resources_create(const char *app_id, const void *file_buf, size_t file_bsize,
                                      struct flexio_resource **res);
flexio_status flexio_resources_destroy(struct flexio_resource *res);

/* How many units, and their numbers (the resource's, in the file's order; NULL if there are none);
 * how many groups. 0 for NULL. */
uint32_t flexio_resources_get_eus_num(struct flexio_resource *res);
uint32_t *flexio_resources_get_eus(struct flexio_resource *res);
uint32_t flexio_resources_get_eugs_num(struct flexio_resource *res);

/* ---- The library's own log ------------------------------------------------------------------- */

/* Sets how much the library says on stderr ("-E- ...", "-W- ...", ...); returns the old level. At
 * first FLEXIO_LOG_LVL_WARN. A value that is no level changes nothing. */
flexio_log_lvl flexio_log_lvl_set(flexio_log_lvl lvl);

#ifdef __cplusplus
}
#endif

#endif
