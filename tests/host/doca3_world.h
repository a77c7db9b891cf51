/* Declarations that the files of the DOCA 3.x tests share: a device, contexts, events; checks. */
#ifndef TESTS_HOST_DOCA3_WORLD_H
#define TESTS_HOST_DOCA3_WORLD_H

#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include <time.h>

#include "check.h"
#include "doca3.h"

#define OK        DOCA_SUCCESS
#define INVALID   DOCA_ERROR_INVALID_VALUE
#define BAD_STATE DOCA_ERROR_BAD_STATE
#define IN_USE    DOCA_ERROR_IN_USE

extern struct doca_dpa_app *dpa_test_app;
extern struct doca_dev *dev, *other_dev;

/* With `extern` or without, both are used. */
extern doca_dpa_func_t hello_world, log_levels, log_and_trace, add_to_event, append_digit,
    wait_then_add;
doca_dpa_func_t touch, spin, many_arguments, no_arguments, small_arguments, two_structures;
doca_dpa_func_t notify, count_activations, set_device, look_up, acknowledge, request, fault_rpc;
doca_dpa_func_t thread_kernel, storage_kernel, rank_kernel, rdma_one, rdma_next, bytes_and_syndrome;

/* Tables of cases, ended by a NULL name. */
extern const struct test_case common_cases[], dpa_cases[], thread_cases[], trap_cases[],
    foreign_cases[], fault_cases[], rdma_cases[], dma_cases[], export_cases[], program_cases[],
    flight_cases[], engine_cases[], event_cases[], memory_cases[], before_cases[], core_cases[],
    rdma_task_cases[], rdma_cm_cases[], bridge_cases[];

struct doca_dpa *dpa_new(void);  /* started */
struct doca_dpa *dpa_idle(void); /* with its program, not started */
enum side { CPU, DPA, REMOTE };
/* Creates a started event with its publisher and subscriber. */
struct doca_sync_event *event_new(struct doca_dpa *dpa, enum side publisher, enum side subscriber);
uint64_t handle_of(struct doca_sync_event *e, struct doca_dpa *dpa);
uint64_t value_of(struct doca_sync_event *e);
void wait_above(struct doca_sync_event *e, uint64_t threshold);
void pause_ms(unsigned ms);

#endif
