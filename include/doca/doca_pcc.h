/*
 * doca_pcc: the host side of DOCA PCC: runs a program of programmable congestion control on a device.
 *
 *     extern struct doca_pcc_app *my_algorithm;              // dpacc --app-name my_algorithm
 *     struct doca_pcc *pcc;
 *     doca_pcc_create(dev, &pcc);                            // a reaction point
 *     doca_pcc_set_app(pcc, my_algorithm);
 *     doca_pcc_set_thread_affinity(pcc, 2, (uint32_t[]){16, 17});
 *     doca_pcc_start(pcc);
 *     while (doca_pcc_get_process_state(pcc, &state) == DOCA_SUCCESS && state <= DOCA_PCC_PS_STANDBY)
 *         doca_pcc_wait(pcc, 1);
 *     doca_pcc_destroy(pcc);
 *
 * A device runs programs of congestion control if its NV configuration says so: mlxconfig-lite -d
 * mlx5_0 set USER_PROGRAMMABLE_CC=1, then dpadev reset mlx5_0. DOCA PCC 3, "DOCA PCC"; dpa-pcc(7)
 * describes emulated devices.
 *
 * Functions return DOCA_ERROR_INVALID_VALUE for NULL and for an object of another kind. Setters return
 * DOCA_ERROR_BAD_STATE if the context is started. One thread at a time may use a context, but any
 * thread may call doca_pcc_get_process_state() or doca_pcc_wait().
 */
#ifndef DOCA_PCC_H
#define DOCA_PCC_H

#include "doca_compat.h"
#include "doca_dev.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_pcc;     /* a context */
struct doca_pcc_app; /* a program, which dpacc embeds under its name */

/* A trace message of 64 bytes: the number of the format and of the message, 32 bits each; 64 bits with
 * the thread in the upper 16; five numbers of 64 bits; 8 zero bytes. */
struct doca_pcc_bin_report;

typedef enum {
    DOCA_PCC_PS_ACTIVE = 0,      /* the device runs it; dpa-pcc(7) lists its events */
    DOCA_PCC_PS_STANDBY = 1,     /* another process is active; this one may be next */
    DOCA_PCC_PS_DEACTIVATED = 2, /* it was not started, or was stopped */
    DOCA_PCC_PS_ERROR = 3,       /* the program has failed */
} doca_pcc_process_state_t;

typedef enum {
    DOCA_PCC_CCMAD_CUSTOM_HEADER_LOCATION_MAD_PAYLOAD = 1,
} doca_pcc_ccmad_custom_header_loc_t;

/* Receives `reps_size` trace messages. The result is ignored. */
typedef int (*doca_pcc_trace_callback_t)(void *ctx, struct doca_pcc_bin_report *reps,
                                         int reps_size);

/* ---- Capabilities of devices ---- */

/* Returns DOCA_SUCCESS if the device runs reaction points. Errors: NOT_SUPPORTED if
 * USER_PROGRAMMABLE_CC is not 1. */
doca_error_t doca_devinfo_get_is_pcc_supported(const struct doca_devinfo *devinfo);
/* Returns DOCA_SUCCESS if the device runs notification points. */
doca_error_t doca_pcc_np_cap_is_supported(const struct doca_devinfo *devinfo);
/* Returns DOCA_SUCCESS if probes may have a header of the program. Always NOT_SUPPORTED. */
doca_error_t doca_pcc_cap_is_ccmad_custom_header_supported(const struct doca_devinfo *devinfo);
/* Returns DOCA_SUCCESS if a program may change the priority of probes. Always NOT_SUPPORTED. */
doca_error_t doca_pcc_cap_is_probe_priority_change_supported(const struct doca_devinfo *devinfo);

/* ---- Contexts ---- */

/* Create a context of a reaction point, or of a notification point. It uses the device. Errors:
 * NOT_SUPPORTED if the device does not run such points; a line of the log gives the remedy. */
doca_error_t doca_pcc_create(struct doca_dev *doca_dev, struct doca_pcc **pcc);
doca_error_t doca_pcc_np_create(struct doca_dev *doca_dev, struct doca_pcc **pcc);
/* Stops the context if it runs, and frees it. */
doca_error_t doca_pcc_destroy(struct doca_pcc *pcc);
/* Loads the program and runs its initialization. Errors: AUTHENTICATION if the device refuses the
 * program, BAD_CONFIG if the program or threads are missing, DRIVER if the initialization failed. */
doca_error_t doca_pcc_start(struct doca_pcc *pcc);
/* Ends the program. Errors: BAD_STATE if the context is not started. */
doca_error_t doca_pcc_stop(struct doca_pcc *pcc);

/* ---- Required settings ---- */

doca_error_t doca_pcc_set_app(struct doca_pcc *pcc, struct doca_pcc_app *app);
/* Get the smallest and largest number of threads. */
doca_error_t doca_pcc_get_min_num_threads(struct doca_pcc *pcc, uint32_t *min_num_threads);
doca_error_t doca_pcc_get_max_num_threads(struct doca_pcc *pcc, uint32_t *max_num_threads);
/* Sets the execution units of the threads; the array is copied. With two or more units, the last is for
 * communication with the host. Errors: INVALID_VALUE also if there are too few or too many units, or a
 * unit is not of the device. */
doca_error_t doca_pcc_set_thread_affinity(struct doca_pcc *pcc, uint32_t num_threads,
                                          uint32_t *affinity_configs);

/* ---- Resources ---- Execution units that an administrator's file gives to a program. The file is as that of
 * flexio_resources_create (libflexio/flexio.h, "Resources").
 *
 *     doca_pcc_resources_create("my_app", text, size, &resources);
 *     doca_pcc_resources_get_num_eus(resources, &count);
 *     doca_pcc_resources_get_eus(resources, count, units);
 *     doca_pcc_resources_destroy(resources);
 *     doca_pcc_set_thread_affinity(pcc, count, units); */

struct doca_pcc_resources;
/* Reads the units of program `app_key` from the text of a file, of 1 byte to 1 MiB. Errors: INVALID_VALUE if the
 * text is too long, or is no such file; NOT_FOUND if the file gives nothing to the program. */
doca_error_t doca_pcc_resources_create(const char *app_key, const char *file_buffer,
                                       size_t file_buffer_size,
                                       struct doca_pcc_resources **resources);
doca_error_t doca_pcc_resources_destroy(struct doca_pcc_resources *resources);
doca_error_t doca_pcc_resources_get_num_eus(const struct doca_pcc_resources *resources,
                                            uint32_t *num_eus);
/* Copies the numbers of the first `num_eus` units, in the file's order. Errors: INVALID_VALUE if there are
 * fewer. */
doca_error_t doca_pcc_resources_get_eus(const struct doca_pcc_resources *resources,
                                        uint32_t num_eus, uint32_t *eus);

/* ---- Probes ---- A probe is a request of the flow itself (dpa-pcc(7)), so it has no format: the
 * functions check the settings and ignore them. A slot: 0 to doca_pcc_cap_get_num_probe_format_slots()
 * - 1. */

doca_error_t doca_pcc_cap_get_num_probe_format_slots(struct doca_pcc *pcc,
                                                     uint32_t *num_probe_format_slots);
doca_error_t doca_pcc_set_ccmad_probe_packet_format(struct doca_pcc *pcc,
                                                    uint32_t probe_format_slot);
/* Logs a line: no switch exists that could write telemetry into probes. */
doca_error_t doca_pcc_set_ifa1_probe_packet_format(struct doca_pcc *pcc,
                                                   uint32_t probe_format_slot);
doca_error_t doca_pcc_set_ifa2_probe_packet_format(struct doca_pcc *pcc,
                                                   uint32_t probe_format_slot);
/* For reaction points (rp) and notification points (np). Errors: NOT_SUPPORTED for the other kind. */
/* Selects an answer by the peer's notification point (true) or by the peer's device. Errors:
 * NOT_SUPPORTED for true. */
doca_error_t doca_pcc_rp_set_ccmad_remote_sw_handler(struct doca_pcc *pcc,
                                                     uint32_t probe_format_slot, bool sw_handler);
doca_error_t doca_pcc_set_ifa1_probe_marker(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                            uint64_t probe_marker);
doca_error_t doca_pcc_rp_set_ifa2_gns(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                      uint8_t gns);
doca_error_t doca_pcc_rp_set_ifa2_hop_limit(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                            uint8_t hop_limit);
doca_error_t doca_pcc_np_set_ifa2_gns_ignore(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                             uint8_t ignore_mask, uint8_t ignore_value);
/* Lets the program change the priority of probes (true). Errors: NOT_SUPPORTED for true. */
doca_error_t doca_pcc_rp_set_ccmad_probe_priority_change_en(struct doca_pcc *pcc,
                                                            uint32_t probe_format_slot,
                                                            bool enable);
/* NOT_SUPPORTED. */
doca_error_t doca_pcc_rp_set_ccmad_custom_header_size(struct doca_pcc *pcc,
                                                      uint32_t probe_format_slot,
                                                      uint8_t header_size);
doca_error_t
doca_pcc_rp_set_ccmad_custom_header_location(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                             doca_pcc_ccmad_custom_header_loc_t header_loc);

/* ---- Messages and traces ---- */

/* Size of the buffer for the program's prints. Here prints are not buffered, and no print is lost. */
doca_error_t doca_pcc_set_print_buffer_size(struct doca_pcc *pcc, size_t buffer_size);
/* Sets the formats of trace messages, a list that ends with NULL. A format is as of printf, for at most
 * five integers. The formats are copied, and trace messages are written afterwards. Errors:
 * INVALID_VALUE if a format has another conversion. */
doca_error_t doca_pcc_set_trace_message(struct doca_pcc *pcc, char **trace_message);
/* Switch the writing of trace messages on or off, at any time. */
doca_error_t doca_pcc_activate_tracer(struct doca_pcc *pcc);
doca_error_t doca_pcc_deactivate_tracer(struct doca_pcc *pcc);
/* The destination of trace messages; by default standard output. A file is created at the start. A
 * buffer of the caller receives text until it is full. A function is called. `file_path_len` includes
 * the NUL; the path belongs to the context. */
doca_error_t doca_pcc_trace_file_set(struct doca_pcc *pcc, const char *file_path);
doca_error_t doca_pcc_trace_file_get(struct doca_pcc *pcc, char **file_path,
                                     uint32_t *file_path_len);
doca_error_t doca_pcc_trace_buf_set(struct doca_pcc *pcc, void *buf_addr, uint32_t buf_size);
doca_error_t doca_pcc_trace_buf_get(struct doca_pcc *pcc, void **buf_addr, uint32_t *buf_size);
doca_error_t doca_pcc_register_trace_handler(struct doca_pcc *pcc,
                                             doca_pcc_trace_callback_t trace_callback,
                                             void *user_ctx);

/* ---- The mailbox ---- */

/* Sets the largest size of requests and responses in bytes; at most 1 MiB each. */
doca_error_t doca_pcc_set_mailbox(struct doca_pcc *pcc, uint32_t max_request_size,
                                  uint32_t max_response_size);
/* Get the buffers, which belong to the context. Errors: NOT_PERMITTED if doca_pcc_set_mailbox() was not
 * called. */
doca_error_t doca_pcc_mailbox_get_request_buffer(struct doca_pcc *pcc, void **request_buffer);
doca_error_t doca_pcc_mailbox_get_response_buffer(struct doca_pcc *pcc, void **response_buffer);
/* Lets the program handle the request, and waits for the response. *cb_ret_val receives the result of
 * the program's function (doca_pcc_dev_error_t). Errors: NOT_SUPPORTED if the program has no such
 * function, DRIVER if the program failed. */
doca_error_t doca_pcc_mailbox_send(struct doca_pcc *pcc, uint32_t request_size,
                                   uint32_t *response_size, uint32_t *cb_ret_val);

/* ---- State and diagnosis ---- */

/* Waits until the state differs from the last state that the program was given, for at most `wait_time`
 * seconds; negative: without a limit. A signal also ends the wait. */
doca_error_t doca_pcc_wait(struct doca_pcc *pcc, int wait_time);
doca_error_t doca_pcc_get_process_state(const struct doca_pcc *pcc,
                                        doca_pcc_process_state_t *process_state);
/* Sets the name of the core file that is written if the program fails. A crash report is written beside
 * it, with ".txt" appended to the name. Without a name neither is written. */
doca_error_t doca_pcc_set_dev_coredump_file(struct doca_pcc *pcc, const char *file_name);
/* Prints the number and duration of events, and each algorithm's parameters and counters. Errors:
 * BAD_STATE if this is not enabled. */
doca_error_t doca_pcc_dump_debug(const struct doca_pcc *pcc);
doca_error_t doca_pcc_enable_debug(const struct doca_pcc *pcc, bool enable);

#ifdef __cplusplus
}
#endif

#endif
