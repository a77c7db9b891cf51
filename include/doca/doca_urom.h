/*
 * doca_urom: host programs send commands to workers, which are processes on the DPU. The service of the
 * DPU (urom-service) starts a worker for each doca_urom_worker. A worker loads plugins, and a plugin
 * carries out the commands that name it (doca-urom(7)).
 *
 *     struct doca_urom_service *service;                          // the connection to the service
 *     doca_urom_service_create(&service);
 *     doca_urom_service_set_dev(service, dev);                    // the host's side of a pair
 *     doca_pe_connect_ctx(pe, doca_urom_service_as_ctx(service));
 *     doca_ctx_start(doca_urom_service_as_ctx(service));          // connects, and waits for the answer
 *     doca_urom_service_get_plugins_list(service, &plugins, &count);
 *
 *     struct doca_urom_worker *worker;                            // a process on the DPU
 *     doca_urom_worker_create(&worker);
 *     doca_urom_worker_set_service(worker, service);
 *     doca_urom_worker_set_id(worker, DOCA_UROM_WORKER_ID_ANY);
 *     doca_urom_worker_set_plugins(worker, plugins[0].id);        // ids of several, with |
 *     doca_pe_connect_ctx(pe, doca_urom_worker_as_ctx(worker));
 *     doca_ctx_start(doca_urom_worker_as_ctx(worker));            // IN_PROGRESS; then progress pe
 *
 *     struct doca_urom_worker_cmd_task *task;                     // a command
 *     doca_urom_worker_cmd_task_allocate_init(worker, plugins[0].id, &task);
 *     ... fill the data of doca_urom_worker_cmd_task_get_payload(task), set its length ...
 *     doca_urom_worker_cmd_task_set_cb(task, done);
 *     doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
 *
 * When the worker's process ends, or the service, the context stops by itself: its tasks fail with
 * CONNECTION_RESET, doca_pe_progress makes it idle, and the log of the SDK says what happened. It can
 * be started again.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind. A setter returns BAD_STATE if the context is not idle (DOCA UROM programming guide).
 */
#ifndef DOCA_UROM_H
#define DOCA_UROM_H

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"
#include "doca_urom_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_urom_service;
struct doca_urom_worker;
struct doca_urom_domain;
struct doca_urom_service_get_workers_by_gid_task;
struct doca_urom_worker_cmd_task;

/* A set of up to 1024 processors of the DPU, as UCX has it. */
#if __has_include(<ucs/sys/compiler.h>) && __has_include(<ucs/type/cpu_set.h>)
#include <ucs/type/cpu_set.h>
typedef ucs_cpu_set_t doca_cpu_set_t;
#else
typedef struct {
    unsigned long ucs_bits[16];
} doca_cpu_set_t;
#endif
/* Returns 1 if the processor is in the set, and 0 if the processor is not, or its number is too large. */
static inline int doca_cpu_is_set(int cpu, const doca_cpu_set_t *set)
{
    return cpu >= 0 && cpu < 1024 && (set->ucs_bits[cpu / 64] >> (cpu % 64) & 1) != 0;
}
/* Adds a processor to the set, removes one, removes all. Other numbers than 0 to 1023 change nothing. */
static inline void doca_cpu_set(int cpu, doca_cpu_set_t *set)
{
    if (cpu >= 0 && cpu < 1024)
        set->ucs_bits[cpu / 64] |= 1UL << (cpu % 64);
}
static inline void doca_cpu_clr(int cpu, doca_cpu_set_t *set)
{
    if (cpu >= 0 && cpu < 1024)
        set->ucs_bits[cpu / 64] &= ~(1UL << (cpu % 64));
}
static inline void doca_cpu_zero(doca_cpu_set_t *set)
{
    for (int i = 0; i < 16; i++)
        set->ucs_bits[i] = 0;
}

/* ---- The service ---- */

/* Creates an idle context. Errors: NO_MEMORY. */
doca_error_t doca_urom_service_create(struct doca_urom_service **service_ctx);
/* Stops the context if it runs, and destroys it. Errors: IN_USE if it has workers or tasks. */
doca_error_t doca_urom_service_destroy(struct doca_urom_service *service_ctx);
/* Returns the object as a context, or NULL. doca_ctx_start waits up to 10 seconds for the service. It
 * returns BAD_CONFIG without a device or a progress engine, NOT_FOUND if no service runs for the
 * device, UNSUPPORTED_VERSION if the service is of another release, TIME_OUT, CONNECTION_RESET.
 * doca_ctx_stop returns IN_USE while a worker of it is not idle. */
struct doca_ctx *doca_urom_service_as_ctx(struct doca_urom_service *service_ctx);
/* Sets the device, which the service uses until it is destroyed. Errors: NOT_SUPPORTED if it is not
 * the host's side of a pair. */
doca_error_t doca_urom_service_set_dev(struct doca_urom_service *service_ctx, struct doca_dev *dev);
/* Sets how many workers may exist at once, 1 to 1024 (32). */
doca_error_t doca_urom_service_set_max_workers(struct doca_urom_service *service_ctx,
                                               uint32_t max_workers);
/* Sets the largest size of a command or its answer, 1024 to 1048576 bytes (65536). */
doca_error_t doca_urom_service_set_max_comm_msg_size(struct doca_urom_service *service_ctx,
                                                     size_t msg_size);
/* Gets the plugins of the service. The array belongs to the context, until it stops. Errors: BAD_STATE
 * if the context does not run. */
doca_error_t
doca_urom_service_get_plugins_list(struct doca_urom_service *service_ctx,
                                   const struct doca_urom_service_plugin_info **plugins,
                                   size_t *plugins_count);
/* Gets the processors of the DPU. Errors: BAD_STATE if the context does not run. */
doca_error_t doca_urom_service_get_cpuset(struct doca_urom_service *service_ctx,
                                          doca_cpu_set_t *cpuset);

/* A task that asks the service which workers have a group id (doca_urom_worker_set_gid). */
typedef void (*doca_urom_service_get_workers_by_gid_task_completion_cb_t)(
    struct doca_urom_service_get_workers_by_gid_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
/* Make a task of a running context. The second one sets its group and its callback. Errors: BAD_STATE,
 * NO_MEMORY. */
doca_error_t doca_urom_service_get_workers_by_gid_task_allocate(
    struct doca_urom_service *service_ctx, struct doca_urom_service_get_workers_by_gid_task **task);
doca_error_t doca_urom_service_get_workers_by_gid_task_allocate_init(
    struct doca_urom_service *service_ctx, uint32_t gid,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb,
    struct doca_urom_service_get_workers_by_gid_task **task);
/* Frees the task, at its end if it is submitted. */
doca_error_t doca_urom_service_get_workers_by_gid_task_release(
    struct doca_urom_service_get_workers_by_gid_task *task);
/* Set the group and the callback of a task that is not submitted. */
void doca_urom_service_get_workers_by_gid_task_set_gid(
    struct doca_urom_service_get_workers_by_gid_task *task, uint32_t gid);
void doca_urom_service_get_workers_by_gid_task_set_cb(
    struct doca_urom_service_get_workers_by_gid_task *task,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb);
/* Return the number of workers and their ids, which belong to the task; 0 and NULL before its end. */
size_t doca_urom_service_get_workers_by_gid_task_get_workers_count(
    struct doca_urom_service_get_workers_by_gid_task *task);
const uint64_t *doca_urom_service_get_workers_by_gid_task_get_worker_ids(
    struct doca_urom_service_get_workers_by_gid_task *task);
/* Returns the task as a doca_task, or NULL. */
struct doca_task *doca_urom_service_get_workers_by_gid_task_as_task(
    struct doca_urom_service_get_workers_by_gid_task *task);

/* ---- Workers ---- */

#define DOCA_UROM_WORKER_ID_ANY (-1) /* the service chooses an id */

/* Creates an idle context. Errors: NO_MEMORY. */
doca_error_t doca_urom_worker_create(struct doca_urom_worker **worker_ctx);
/* Stops the context if it runs, and destroys it. Errors: IN_USE if it has tasks, or is in a domain. */
doca_error_t doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx);
/* Returns the object as a context, or NULL. doca_ctx_start returns IN_PROGRESS; doca_pe_progress makes
 * the context running when the process has loaded its plugins. If the service refuses the worker, the
 * context becomes idle, and the log says why. Errors: BAD_CONFIG without a progress engine, a running
 * service or a plugin; NOT_FOUND. doca_ctx_stop returns IN_PROGRESS until the process has ended;
 * submitted tasks fail with BAD_STATE. */
struct doca_ctx *doca_urom_worker_as_ctx(struct doca_urom_worker *worker_ctx);
/* Sets the service, which the worker uses until it is destroyed. */
doca_error_t doca_urom_worker_set_service(struct doca_urom_worker *worker_ctx,
                                          struct doca_urom_service *service_ctx);
/* Sets the id, which is unique among the workers of a DPU's service; DOCA_UROM_WORKER_ID_ANY
 * is the default. */
doca_error_t doca_urom_worker_set_id(struct doca_urom_worker *worker_ctx, uint64_t worker_id);
/* Sets the group (none). */
doca_error_t doca_urom_worker_set_gid(struct doca_urom_worker *worker_ctx, uint32_t gid);
/* Sets the plugins: their ids, with |. */
doca_error_t doca_urom_worker_set_plugins(struct doca_urom_worker *worker_ctx, uint64_t plugins);
/* Adds to the environment of the process: `count` texts "NAME=VALUE", which are copied. Names that
 * begin with LD_, and PATH, belong to the DPU. Errors: INVALID_VALUE for these, for other
 * forms, and for more than 64 KiB. */
doca_error_t doca_urom_worker_set_env(struct doca_urom_worker *worker_ctx, char *const env[],
                                      size_t count);
/* Sets the processors of the DPU on which the process runs. Errors: INVALID_VALUE if the set is
 * empty. */
doca_error_t doca_urom_worker_set_cpuset(struct doca_urom_worker *worker_ctx,
                                         doca_cpu_set_t cpuset);
/* Sets how many tasks may exist at once, 1 to 4096 (64). */
doca_error_t doca_urom_worker_set_max_inflight_tasks(struct doca_urom_worker *worker_ctx,
                                                     uint32_t max_tasks);
/* Get the id, while the context runs, and the group. Errors: BAD_STATE if the context does not run,
 * or no group is set. */
doca_error_t doca_urom_worker_get_id(struct doca_urom_worker *worker_ctx, uint64_t *worker_id);
doca_error_t doca_urom_worker_get_gid(struct doca_urom_worker *worker_ctx, uint32_t *worker_gid);

/* Called by doca_pe_progress when a command has ended; it may free the task. */
typedef void (*doca_urom_worker_cmd_task_completion_cb_t)(struct doca_urom_worker_cmd_task *task,
                                                          union doca_data task_user_data,
                                                          union doca_data ctx_user_data);
/* Make a command of a running worker. The second one sets the plugin. Errors: BAD_STATE; NO_MEMORY,
 * also if the largest number of tasks exists. */
doca_error_t doca_urom_worker_cmd_task_allocate(struct doca_urom_worker *worker_ctx,
                                                struct doca_urom_worker_cmd_task **task);
doca_error_t doca_urom_worker_cmd_task_allocate_init(struct doca_urom_worker *worker_ctx,
                                                     uint64_t plugin,
                                                     struct doca_urom_worker_cmd_task **task);
/* Frees the task, at its end if it is submitted. */
doca_error_t doca_urom_worker_cmd_task_release(struct doca_urom_worker_cmd_task *task);
/* Set the plugin and the callback of a task that is not submitted. doca_task_submit returns
 * INVALID_VALUE if the worker has no such plugin. */
void doca_urom_worker_cmd_task_set_plugin(struct doca_urom_worker_cmd_task *task, uint64_t plugin);
void doca_urom_worker_cmd_task_set_cb(struct doca_urom_worker_cmd_task *task,
                                      doca_urom_worker_cmd_task_completion_cb_t cb);
/* Returns the command's bytes, a buffer of the task. Its data is as long as a command may be; set the
 * length with doca_buf_set_data. */
struct doca_buf *doca_urom_worker_cmd_task_get_payload(struct doca_urom_worker_cmd_task *task);
/* Returns the answer of the plugin, a buffer of the task; it is empty before the task's end, and after
 * a failure without an answer. */
struct doca_buf *doca_urom_worker_cmd_task_get_response(struct doca_urom_worker_cmd_task *task);
/* Returns 256 bytes of the task for the program, zero at first. */
void *doca_urom_worker_cmd_task_get_user_data(struct doca_urom_worker_cmd_task *task);
/* Returns the task as a doca_task, or NULL. */
struct doca_task *doca_urom_worker_cmd_task_as_task(struct doca_urom_worker_cmd_task *task);

/* ---- Domains: workers of several programs that know each other ---- */

/* An exchange between the programs of a domain, which the program provides: each gives `size` bytes,
 * and gets those of all, in the order of their indexes. `req` names it until `req_free`; `req_test`
 * returns IN_PROGRESS until it is done. */
typedef doca_error_t (*doca_urom_domain_allgather_cb_t)(void *sbuf, void *rbuf, size_t msglen,
                                                        void *coll_info, void **req);
typedef doca_error_t (*doca_urom_domain_req_test_cb_t)(void *req);
typedef doca_error_t (*doca_urom_domain_req_free_cb_t)(void *req);
struct doca_urom_domain_oob_coll {
    doca_urom_domain_allgather_cb_t allgather;
    doca_urom_domain_req_test_cb_t req_test;
    doca_urom_domain_req_free_cb_t req_free;
    void *coll_info;
    uint32_t n_oob_indexes; /* number of programs */
    uint32_t oob_index;     /* of this one, from 0 */
};

/* Creates an idle context. Errors: NO_MEMORY. */
doca_error_t doca_urom_domain_create(struct doca_urom_domain **domain_ctx);
/* Stops the context if it runs, and destroys it. */
doca_error_t doca_urom_domain_destroy(struct doca_urom_domain *domain_ctx);
/* Returns the object as a context, or NULL. doca_ctx_start returns IN_PROGRESS; doca_pe_progress
 * exchanges the addresses of all workers, tells them to the workers of this program, and then makes the
 * context running. If the exchange fails or a worker ends, the context becomes idle. Errors: BAD_CONFIG
 * without workers that run, an exchange or a progress engine. */
struct doca_ctx *doca_urom_domain_as_ctx(struct doca_urom_domain *domain_ctx);
/* Sets the workers of this program, which the domain uses until it is destroyed, and their ids in the
 * domain, unique in it. Errors: INVALID_VALUE for 0 or more than 1024. */
doca_error_t doca_urom_domain_set_workers(struct doca_urom_domain *domain_ctx,
                                          uint64_t *domain_worker_ids,
                                          struct doca_urom_worker **workers, size_t workers_cnt);
/* Sets the exchange, which is copied. Errors: INVALID_VALUE if a function is NULL, or the index is not
 * smaller than the number. */
doca_error_t doca_urom_domain_set_oob(struct doca_urom_domain *domain_ctx,
                                      struct doca_urom_domain_oob_coll *oob);
/* Sets how many buffers the workers of this program share, at most 1024. */
doca_error_t doca_urom_domain_set_buffers_count(struct doca_urom_domain *domain_ctx,
                                                size_t buffers_cnt);
/* Adds a buffer, with UCX's packed memory handle and key, which are copied. Plugins find them by its
 * address. Errors: INVALID_VALUE, FULL if the set number was added. */
doca_error_t doca_urom_domain_add_buffer(struct doca_urom_domain *domain_ctx, void *buffer,
                                         size_t buf_len, void *memh, size_t memh_len, void *mkey,
                                         size_t mkey_len);

#ifdef __cplusplus
}
#endif

#endif
