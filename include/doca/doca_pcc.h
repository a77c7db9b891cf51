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
 * A device runs programs of congestion control if its NV configuration says so:
 * mlxconfig-lite -d mlx5_0 set USER_PROGRAMMABLE_CC=1, then dpadev reset mlx5_0. DOCA PCC 3, "DOCA
 * PCC"; dpa-pcc(7) tells what an emulated device does.
 *
 * Functions return DOCA_ERROR_INVALID_VALUE for NULL and for what is no object of its kind; those that
 * set something DOCA_ERROR_BAD_STATE once the context is started. One thread at a time uses a context,
 * but any may ask doca_pcc_get_process_state() or wait.
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

/* 64 bytes of a trace message: its format's number and its own number, 32 bits each; 64 bits of which
 * the upper 16 are the thread; five numbers of 64 bits; 8 bytes of 0. */
struct doca_pcc_bin_report;

typedef enum {
    DOCA_PCC_PS_ACTIVE = 0,      /* it is the device's; dpa-pcc(7) tells which events come */
    DOCA_PCC_PS_STANDBY = 1,     /* another process is, and this one may be next */
    DOCA_PCC_PS_DEACTIVATED = 2, /* it was not started, or was stopped */
    DOCA_PCC_PS_ERROR = 3,       /* the program has failed */
} doca_pcc_process_state_t;

typedef enum {
    DOCA_PCC_CCMAD_CUSTOM_HEADER_LOCATION_MAD_PAYLOAD = 1,
} doca_pcc_ccmad_custom_header_loc_t;

/* Gets `reps_size` trace messages. What it returns is not used. */
typedef int (*doca_pcc_trace_callback_t)(void *ctx, struct doca_pcc_bin_report *reps,
                                         int reps_size);

/* ---- What devices can do ---- */

/* Whether the device runs reaction points; NOT_SUPPORTED: USER_PROGRAMMABLE_CC is not 1. */
doca_error_t doca_devinfo_get_is_pcc_supported(const struct doca_devinfo *devinfo);
/* Whether it runs notification points. */
doca_error_t doca_pcc_np_cap_is_supported(const struct doca_devinfo *devinfo);
/* Whether probes may have a header of the program's. NOT_SUPPORTED. */
doca_error_t doca_pcc_cap_is_ccmad_custom_header_supported(const struct doca_devinfo *devinfo);

/* ---- Contexts ---- */

/* Makes a context of a reaction point, or of a notification point, which uses the device.
 * NOT_SUPPORTED: the device does not run such; a line of the log says what to do. */
doca_error_t doca_pcc_create(struct doca_dev *doca_dev, struct doca_pcc **pcc);
doca_error_t doca_pcc_np_create(struct doca_dev *doca_dev, struct doca_pcc **pcc);
/* Stops it if it runs, and frees it. */
doca_error_t doca_pcc_destroy(struct doca_pcc *pcc);
/* Loads the program, as the device allows it (AUTHENTICATION), and runs its initialization. BAD_CONFIG:
 * a program or threads are missing; DRIVER: the program failed in it. */
doca_error_t doca_pcc_start(struct doca_pcc *pcc);
/* Ends the program. BAD_STATE: it is not started. */
doca_error_t doca_pcc_stop(struct doca_pcc *pcc);

/* ---- What must be set ---- */

doca_error_t doca_pcc_set_app(struct doca_pcc *pcc, struct doca_pcc_app *app);
/* How many threads it may have. */
doca_error_t doca_pcc_get_min_num_threads(struct doca_pcc *pcc, uint32_t *min_num_threads);
doca_error_t doca_pcc_get_max_num_threads(struct doca_pcc *pcc, uint32_t *max_num_threads);
/* The execution units of its threads, which are copied; of two or more the last one is for
 * communication with the host. INVALID_VALUE: too few or many, or not a unit of the device. */
doca_error_t doca_pcc_set_thread_affinity(struct doca_pcc *pcc, uint32_t num_threads,
                                          uint32_t *affinity_configs);

/* ---- Probes ----
 * A probe is a request of the flow itself (dpa-pcc(7)), so it has no format: the settings are checked,
 * and change nothing. A slot: 0 to doca_pcc_cap_get_num_probe_format_slots() - 1. */

doca_error_t doca_pcc_cap_get_num_probe_format_slots(struct doca_pcc *pcc,
                                                     uint32_t *num_probe_format_slots);
doca_error_t doca_pcc_set_ccmad_probe_packet_format(struct doca_pcc *pcc,
                                                    uint32_t probe_format_slot);
/* A line of the log says that no switch is there to write telemetry into probes. */
doca_error_t doca_pcc_set_ifa1_probe_packet_format(struct doca_pcc *pcc,
                                                   uint32_t probe_format_slot);
doca_error_t doca_pcc_set_ifa2_probe_packet_format(struct doca_pcc *pcc,
                                                   uint32_t probe_format_slot);
/* Of reaction points (rp) and notification points (np); NOT_SUPPORTED: of the other. */
/* Whether the peer's notification point answers. NOT_SUPPORTED if so: the peer's device does. */
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
/* NOT_SUPPORTED. */
doca_error_t doca_pcc_rp_set_ccmad_custom_header_size(struct doca_pcc *pcc,
                                                      uint32_t probe_format_slot,
                                                      uint8_t header_size);
doca_error_t
doca_pcc_rp_set_ccmad_custom_header_location(struct doca_pcc *pcc, uint32_t probe_format_slot,
                                             doca_pcc_ccmad_custom_header_loc_t header_loc);

/* ---- Messages and traces ---- */

/* How much of the program's prints may wait for standard output: they do not wait here, so none is
 * lost. */
doca_error_t doca_pcc_set_print_buffer_size(struct doca_pcc *pcc, size_t buffer_size);
/* The formats of trace messages, up to a NULL: printf's, for at most five integers. They are copied,
 * and trace messages are written from then on. INVALID_VALUE: one has another conversion. */
doca_error_t doca_pcc_set_trace_message(struct doca_pcc *pcc, char **trace_message);
/* Trace messages are written, or not: at any time. */
doca_error_t doca_pcc_activate_tracer(struct doca_pcc *pcc);
doca_error_t doca_pcc_deactivate_tracer(struct doca_pcc *pcc);
/* Where they are written, instead of standard output: into a file, which is made at the start; into a
 * buffer of the caller's, as text, until it is full; or to a function. `file_path_len` has the NUL in
 * it; the path stays the context's. */
doca_error_t doca_pcc_trace_file_set(struct doca_pcc *pcc, const char *file_path);
doca_error_t doca_pcc_trace_file_get(struct doca_pcc *pcc, char **file_path,
                                     uint32_t *file_path_len);
doca_error_t doca_pcc_trace_buf_set(struct doca_pcc *pcc, void *buf_addr, uint32_t buf_size);
doca_error_t doca_pcc_trace_buf_get(struct doca_pcc *pcc, void **buf_addr, uint32_t *buf_size);
doca_error_t doca_pcc_register_trace_handler(struct doca_pcc *pcc,
                                             doca_pcc_trace_callback_t trace_callback,
                                             void *user_ctx);

/* ---- The mailbox ---- */

/* How large requests and responses may be, in bytes; at most 1 MiB each. */
doca_error_t doca_pcc_set_mailbox(struct doca_pcc *pcc, uint32_t max_request_size,
                                  uint32_t max_response_size);
/* The buffers, which are the context's. NOT_PERMITTED: doca_pcc_set_mailbox() was not called. */
doca_error_t doca_pcc_mailbox_get_request_buffer(struct doca_pcc *pcc, void **request_buffer);
doca_error_t doca_pcc_mailbox_get_response_buffer(struct doca_pcc *pcc, void **response_buffer);
/* Has the program handle the request, and waits for its response. *cb_ret_val: what its function
 * returned (doca_pcc_dev_error_t). NOT_SUPPORTED: it has no such function. DRIVER: it failed. */
doca_error_t doca_pcc_mailbox_send(struct doca_pcc *pcc, uint32_t request_size,
                                   uint32_t *response_size, uint32_t *cb_ret_val);

/* ---- Looking ---- */

/* Waits until its state is another than the program was last told of, for at most so many seconds;
 * negative: without a limit. A signal ends the wait too. */
doca_error_t doca_pcc_wait(struct doca_pcc *pcc, int wait_time);
doca_error_t doca_pcc_get_process_state(const struct doca_pcc *pcc,
                                        doca_pcc_process_state_t *process_state);
/* Where the core file goes if the program fails; beside it, with ".txt" behind its name, what a crash
 * report says. Without one there is none. */
doca_error_t doca_pcc_set_dev_coredump_file(struct doca_pcc *pcc, const char *file_name);
/* Prints how many events came and what they took, and each algorithm's parameters and counters; only
 * while that is enabled (BAD_STATE). */
doca_error_t doca_pcc_dump_debug(const struct doca_pcc *pcc);
doca_error_t doca_pcc_enable_debug(const struct doca_pcc *pcc, bool enable);

#ifdef __cplusplus
}
#endif

#endif
