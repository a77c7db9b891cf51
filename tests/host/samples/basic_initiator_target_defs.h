#ifndef TESTS_SAMPLES_BASIC_INITIATOR_TARGET_DEFS_H
#define TESTS_SAMPLES_BASIC_INITIATOR_TARGET_DEFS_H

#include <doca_dpa_types.h>
#include <doca_sync_event.h>

/* 32 bytes. */
struct thread_arg {
    doca_dpa_dev_t dpa_ctx_handle;
    doca_dpa_dev_completion_t dpa_comp_handle;
    doca_dpa_dev_sync_event_t sync_event_handle;
    doca_dpa_dev_uintptr_t recv_addr;
} __attribute__((__packed__, aligned(8)));

#endif
