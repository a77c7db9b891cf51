/*
 * doca_sync_event: 64-bit counters that host, DPA, other processes and peers update and wait for.
 *
 *     struct doca_sync_event *done;
 *     doca_sync_event_create(&done);
 *     doca_sync_event_add_publisher_location_dpa(done, dpa);     // who updates it
 *     doca_sync_event_add_subscriber_location_cpu(done, dev);    // who waits
 *     doca_sync_event_start(done);
 *     doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &kernel);
 *     doca_sync_event_wait_gt(done, 0, UINT64_MAX);
 *     doca_sync_event_destroy(done);
 *
 * Locations are set before start, values are used after it. The locations do not restrict updates and
 * reads. While a sync event with a DPA location waits, the error state of that DPA context ends the
 * wait. Calls on a started event may come from any thread. Every function returns INVALID_VALUE for
 * NULL, for a destroyed object, and for an object of another kind (DOCA Sync Event programming guide).
 * The types are also for DPA code.
 */
#ifndef DOCA_SYNC_EVENT_H
#define DOCA_SYNC_EVENT_H

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_gpu;
struct doca_buf;
struct doca_task;
struct doca_sync_event;
struct doca_sync_event_remote_net;

/* Handles for DPA code: of an event, and of a peer's event. */
typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;
/* A handle for a GPU. Emulated devices have no GPU. */
typedef uint64_t doca_gpu_dev_sync_event_t;
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

/* ---- Capabilities of devices: DOCA_SUCCESS, or NOT_SUPPORTED: there is no GPU ---- */

doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);
doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);
doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);
doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo);
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/* ---- Events ---- */

/* Creates a sync event with value 0 and no locations. Errors: NO_MEMORY. */
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/* Stops the event if it is started, and frees it; kernels launched with it continue. */
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/* Returns the event as a context: doca_ctx_start and doca_ctx_stop do as doca_sync_event_start and
 * _stop. NULL if the argument is not an event. */
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/*
 * Add a publisher (which updates) or a subscriber (which waits): the CPU, with its device for the
 * event; a DPA context; processes on the same PCIe bus; or RDMA peers. Adding a location twice has no
 * effect. Errors: BAD_STATE if the event is started, NOT_SUPPORTED for a second device, or a second DPA
 * context on one side.
 */
doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev);
doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa);
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);
doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev);
doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa);

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/* Add a GPU as a location, or the program's own memory for the value. Always fail: NOT_SUPPORTED, or
 * BAD_STATE if the event is started. */
doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu);
doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu);
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/* Makes the event usable, as doca_ctx_start does. Errors: BAD_STATE if it is started, BAD_CONFIG
 * without a publisher or subscriber, or if remote PCI is combined with a DPA or RDMA peers, NO_MEMORY
 * and OPERATING_SYSTEM if there is no memory for remote PCI. */
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/* Stops the event. Its value and locations stay. Errors: BAD_STATE if it is not started. */
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/*
 * Gets the event's handle for the DPA process of a context.
 *   dpa_dev_se_handle  [out]  to be given to kernels as an argument; never 0; the same at every
 * call BAD_STATE: the event is not started, or the DPA context is not started or in the error state.
 * NO_MEMORY.
 */
doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/* Always returns NOT_SUPPORTED: emulated devices have no GPU. */
doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
                                            doca_gpu_dev_sync_event_t **gpu_dev_se);
doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_gpu *gpu,
                                          doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/* Reads the value. Errors: BAD_STATE if the event is not started. */
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/* Adds to the value atomically.
 *   fetched  [out]  NULL, or the value before
 * BAD_STATE: not started. */
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched);

/* Sets the value. Errors: BAD_STATE if the event is not started. */
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/*
 * Wait until (value of the event & mask) is greater than, equal to, or not equal to `value`. The
 * function with _yield does the same. Errors: INVALID_VALUE also if no value can satisfy the condition;
 * BAD_STATE if the event is not started, if the DPA context that publishes (or, if the CPU publishes,
 * subscribes) is in the error state, stopped or destroyed, so that the wait could last for ever, or if
 * an event without a DPA location is stopped or destroyed.
 */
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);
doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);
doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
                                            uint64_t mask);

/* ---- Tasks ----
 *
 * These tasks do the same. The event, as a context, must be connected to a progress engine and started:
 *
 *     doca_sync_event_task_wait_eq_set_conf(event, done, failed, 1);
 *     doca_pe_connect_ctx(pe, doca_sync_event_as_ctx(event));
 *     doca_ctx_start(doca_sync_event_as_ctx(event));
 *     doca_sync_event_task_wait_eq_alloc_init(event, 2, UINT64_MAX, data, &task);
 *     doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(task));
 *     while (!ended)
 *         doca_pe_progress(pe);                        // 0 for as long as it waits
 *
 * A task fails with BAD_STATE if the event is stopped. A waiting task also fails as
 * doca_sync_event_wait_eq does.
 *   _set_conf    sets the callbacks of successful and failed tasks, and the largest number of tasks:
 *                any number, also 0. Errors: BAD_STATE if the event is started.
 *   _alloc_init  creates a task; free it with doca_task_free. Errors: BAD_STATE if the event is not
 *                started, or not connected to a progress engine, NO_MEMORY also if all configured
 *                tasks exist.
 *   _as_doca_task  returns the object as a task, NULL if it is not a task of this type.
 * A new operand counts from the next submission; a submitted task keeps its operands. Getters return 0
 * or NULL if the argument is not such a task. */

struct doca_sync_event_task_get;
struct doca_sync_event_task_notify_set;
struct doca_sync_event_task_notify_add;
struct doca_sync_event_task_wait_eq;
struct doca_sync_event_task_wait_neq;

typedef void (*doca_sync_event_task_get_completion_cb_t)(struct doca_sync_event_task_get *task,
                                                         union doca_data task_user_data,
                                                         union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
    struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
    struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
    struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
    struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* Reads the value to *ret_val_ptr, which the caller keeps until the end of the task. */
doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);
doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
                                                 uint64_t *ret_val_ptr, union doca_data user_data,
                                                 struct doca_sync_event_task_get **task);
struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task);
void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
                                              uint64_t *ret_val_ptr);
uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task);

/* Sets the value. */
doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);
doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
                                           union doca_data user_data,
                                           struct doca_sync_event_task_notify_set **task);
struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task);
void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
                                                 uint64_t set_val);
uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/* Adds to the value atomically, and stores the old value in *fetched_val_ptr (may be NULL). */
doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);
doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
                                           uint64_t *fetched_val_ptr, union doca_data user_data,
                                           struct doca_sync_event_task_notify_add **task);
struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task);
void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
                                                 uint64_t inc_val);
uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);
void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);
uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task);

/* Wait until (value & mask) is equal to, or not equal to, `wait_val`. */
doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);
doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_eq **task);
struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task);
void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
                                               uint64_t wait_val);
uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);
void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
                                           uint64_t mask);
uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);
doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);
doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
                                                      uint64_t wait_val, uint64_t mask,
                                                      union doca_data user_data,
                                                      struct doca_sync_event_task_wait_neq **task);
struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task);
void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
                                                uint64_t wait_val);
uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);
void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
                                            uint64_t mask);
uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/* ---- Events that processes on the same PCIe bus share ---- */

/*
 * Exports a started event with a location remote_pci to another process: here, a process of the same
 * user on this machine that sees this process in /proc.
 *   data  [out]  bytes that the event owns; they, and the event in the other process, are valid until
 *                it is destroyed
 *   sz    [out]  number of bytes
 * Errors: BAD_STATE if the event is not started, NOT_PERMITTED if it has no such location or is
 * imported, NO_MEMORY.
 */
doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
                                                  struct doca_dev *dev, const uint8_t **data,
                                                  size_t *sz);

/*
 * Creates an event for the counter of another process, or of this process. It has the locations of the
 * exported event, is not started, and works after the other process has ended.
 *   event  [out]  free it with doca_sync_event_destroy; NULL on failure
 * Errors: INVALID_VALUE also if the data is damaged, or does not describe such an event, NOT_FOUND if
 * the process has ended or is another user's, UNSUPPORTED_VERSION, NO_MEMORY.
 */
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event);

/* ---- Events of peers ---- */

/*
 * Exports a started event with the publisher remote_net to a peer.
 *   data  [out]  owned by the event, valid until it is destroyed
 *   sz    [out]  number of bytes
 * Errors: BAD_STATE if the event is not started, NOT_PERMITTED if peers are not publishers, NO_MEMORY.
 */
doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz);

/*
 * Creates a handle of a peer's event.
 *   event  [out]  free it with doca_sync_event_remote_net_destroy; NULL on failure
 * Errors: INVALID_VALUE also if the data is damaged, UNSUPPORTED_VERSION, NO_MEMORY.
 */
doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event);
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/* Gets the handle for DPA code, for doca_dpa_dev_rdma_signal_set and _add. Errors: BAD_STATE if the DPA
 * context is not started. */
doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_dpa *dpa,
                                          doca_dpa_dev_sync_event_remote_net_t *handle);

/* doca_sync_event_get_dpa_handle and doca_sync_event_remote_net_get_dpa_handle, with the names of
 * releases up to 2.5. */
doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dev_se_handle);
doca_error_t doca_sync_event_remote_net_export_to_dpa(struct doca_sync_event_remote_net *event,
                                                      struct doca_dpa *dpa,
                                                      doca_dpa_dev_sync_event_remote_net_t *handle);

/* ---- Names of releases up to 2.6 ---- */

/* The functions with _remote_pci in their names. */
doca_error_t doca_sync_event_cap_is_export_to_dpu_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_add_publisher_location_dpu(struct doca_sync_event *event);
doca_error_t doca_sync_event_add_subscriber_location_dpu(struct doca_sync_event *event);
doca_error_t doca_sync_event_export_to_dpu(struct doca_sync_event *event, struct doca_dev *dev,
                                           const uint8_t **data, size_t *sz);

/* A task that waits until (value & mask) is greater than `wait_val`. */
struct doca_sync_event_task_wait_gt;
typedef void (*doca_sync_event_task_wait_gt_completion_cb_t)(
    struct doca_sync_event_task_wait_gt *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t doca_sync_event_cap_task_wait_gt_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_task_wait_gt_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
    doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks);
doca_error_t doca_sync_event_task_wait_gt_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_gt **task);
struct doca_task *
doca_sync_event_task_wait_gt_as_doca_task(struct doca_sync_event_task_wait_gt *task);
void doca_sync_event_task_wait_gt_set_wait_val(struct doca_sync_event_task_wait_gt *task,
                                               uint64_t wait_val);
uint64_t doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task);
void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task,
                                           uint64_t mask);
uint64_t doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task);

#ifdef __cplusplus
}
#endif

#endif
