#ifndef TESTS_SAMPLES_PING_PONG_DEFS_H
#define TESTS_SAMPLES_PING_PONG_DEFS_H

#include <doca_dpa_types.h>
#include <doca_sync_event.h>

#define NUM_ROUNDS 100

/* 16 bytes. */
struct dpa_tls {
    uint64_t rounds;
    uint64_t last_value;
} __dpa_global__;

/* 80 bytes, passed by value. */
struct dpa_thread_arg {
    doca_dpa_dev_completion_t comp_handle;
    doca_dpa_dev_rdma_t rdma_handle;
    uint32_t connection_id;
    doca_dpa_dev_uintptr_t recv_addr;
    doca_dpa_dev_mmap_t recv_mmap_handle;
    doca_dpa_dev_uintptr_t send_addr;
    doca_dpa_dev_mmap_t send_mmap_handle;
    uint64_t length;
    doca_dpa_dev_sync_event_t sync_event_handle;
    doca_dpa_dev_t dpa_ctx_handle;
} __dpa_global__;

#endif
