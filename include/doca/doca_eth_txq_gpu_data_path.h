/*
 * doca_eth_txq_gpu_data_path: send queues of DOCA Ethernet for kernels of a GPU.
 *
 *     doca_eth_txq_gpu_set_completion_on_gpu(txq);
 *     doca_ctx_set_datapath_on_gpu(doca_eth_txq_as_doca_ctx(txq), gpu);
 *     doca_ctx_start(doca_eth_txq_as_doca_ctx(txq));
 *     doca_eth_txq_get_gpu_handle(txq, &txq_of_kernels);      // doca_gpunetio_dev_eth_txq.cuh
 *
 * Errors of all functions: INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA GPUNetIO guide, "Ethernet Queue with GPU Data Path").
 */
#ifndef DOCA_ETH_TXQ_GPU_DATA_PATH_H
#define DOCA_ETH_TXQ_GPU_DATA_PATH_H

#include <pthread.h> /* programs start the thread below, and include no more than this */

#include "doca_eth_txq.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The CPU rings the doorbell of the queue for kernels: a thread of the program calls
 * doca_eth_txq_gpu_cpu_proxy_progress again and again. Errors: BAD_STATE if the queue is not idle. */
doca_error_t doca_eth_txq_gpu_set_uar_on_cpu(struct doca_eth_txq *eth_txq);
/* Rings the doorbell if a kernel has posted sends since the last call. Errors: BAD_STATE if the queue does
 * not run on a GPU, or its doorbell is not rung by the CPU. */
doca_error_t doca_eth_txq_gpu_cpu_proxy_progress(struct doca_eth_txq *eth_txq);

#ifdef __cplusplus
}
#endif

#endif
