#ifndef TESTS_SAMPLES_INITIATOR_TARGET_DEFS_H
#define TESTS_SAMPLES_INITIATOR_TARGET_DEFS_H

#include <doca_dpa_types.h>
#include <doca_sync_event.h>
#include <stddef.h>

#define EXPECTED_NUM_RECEIVES 4

/* 56 bytes; `length` is at 44, not aligned. */
struct thread1_arg {
    doca_dpa_dev_t dpa_ctx_handle;
    doca_dpa_dev_rdma_t rdma_handle;
    doca_dpa_dev_completion_t dpa_comp_handle;
    doca_dpa_dev_notification_completion_t notification_comp_handle;
    doca_dpa_dev_uintptr_t local_buf_addr;
    doca_dpa_dev_mmap_t local_buf_mmap_handle;
    size_t length;
} __attribute__((__packed__, aligned(8)));

/* 16 bytes. */
struct thread2_arg {
    doca_dpa_dev_t dpa_ctx_handle;
    doca_dpa_dev_sync_event_t sync_event_handle;
} __attribute__((__packed__, aligned(8)));

#endif
