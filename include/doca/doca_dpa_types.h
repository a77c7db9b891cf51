/* doca_dpa_types: types that host and DPA code share. */
#ifndef DOCA_DPA_TYPES_H
#define DOCA_DPA_TYPES_H

#include <stdint.h>

/* dpacc defines these keywords; host compilers ignore them. */
#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

/* Handles that the host gets from the ..._get_dpa_handle functions and passes to DPA code. */
typedef uint64_t doca_dpa_dev_t;
typedef uint64_t doca_dpa_dev_uintptr_t; /* an address in the DPA's memory */
typedef uint64_t doca_dpa_dev_completion_t;
typedef uint64_t doca_dpa_dev_notification_completion_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;
typedef uint32_t doca_dpa_dev_mmap_t; /* a map, on one device */
typedef uint64_t doca_dpa_dev_buf_t;  /* a buffer of an array */
typedef uint64_t doca_dpa_dev_async_ops_t;
typedef uint64_t doca_dpa_dev_hash_table_t;
/* Handles of message queues between CPU and DPA (doca_comch_msgq.h). */
typedef uint64_t doca_dpa_dev_comch_consumer_t;
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
typedef uint64_t doca_dpa_dev_comch_producer_t;
/* Handles of emulated PCI functions (doca_devemu_pci.h). */
typedef uint64_t doca_dpa_dev_devemu_pci_db_completion_t;
typedef uint64_t doca_dpa_dev_devemu_pci_db_t;
typedef uint64_t doca_dpa_dev_devemu_pci_msix_t;

/* An RDMA context, a shared receive queue, and an array of buffers. Host code of DOCA 2.5 has pointers to these. */
#if defined(DOCA_2_5) && !defined(__riscv)
typedef struct doca_dpa_dev_rdma *doca_dpa_dev_rdma_t;
typedef struct doca_dpa_dev_rdma_srq *doca_dpa_dev_rdma_srq_t;
typedef struct doca_dpa_dev_buf_arr *doca_dpa_dev_buf_arr_t;
#else
typedef uint64_t doca_dpa_dev_rdma_t;
typedef uint64_t doca_dpa_dev_rdma_srq_t; /* a shared receive queue of DOCA 2.6 */
typedef uint64_t doca_dpa_dev_buf_arr_t;
#endif

/* Handles of DOCA 2.2. */
typedef uint64_t doca_dpa_dev_mem_t;
typedef uint64_t doca_dpa_dev_ep_t;
/* A sync event of a peer. Kernels receive it by value. */
typedef struct doca_dpa_dev_sync_event_remote {
    uint64_t data[2];
} __dpa_global__ doca_dpa_dev_sync_event_remote_t;

/* Levels of DOCA_DPA_DEV_LOG_*. Messages up to the level that is set are printed. */
enum doca_dpa_dev_log_level {
    DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10,
    DOCA_DPA_DEV_LOG_LEVEL_CRIT = 20,
    DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30,
    DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40,
    DOCA_DPA_DEV_LOG_LEVEL_INFO = 50,
    DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60,
};
typedef enum doca_dpa_dev_log_level doca_dpa_dev_log_level_t;

#endif
