/*
 * doca_eth_rxq_gpu_data_path: receive queues of DOCA Ethernet for kernels of a GPU. Their type is
 * DOCA_ETH_RXQ_TYPE_CYCLIC, and their packets are in memory of doca_eth_rxq_set_pkt_buf.
 *
 *     doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC);
 *     doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, size);
 *     doca_ctx_set_datapath_on_gpu(doca_eth_rxq_as_doca_ctx(rxq), gpu);
 *     doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq));
 *     doca_eth_rxq_get_gpu_handle(rxq, &rxq_of_kernels);      // doca_gpunetio_dev_eth_rxq.cuh
 *
 * Errors of all functions: INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA GPUNetIO guide, "Ethernet Queue with GPU Data Path").
 */
#ifndef DOCA_ETH_RXQ_GPU_DATA_PATH_H
#define DOCA_ETH_RXQ_GPU_DATA_PATH_H

#include "doca_eth_rxq.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes kernels see packets completely on GPUs that need help. The emulated GPU needs none, so this only
 * checks the queue. Errors: BAD_STATE if the queue is not idle. */
doca_error_t doca_eth_rxq_gpu_enable_mcst_qp(struct doca_eth_rxq *eth_rxq);

#ifdef __cplusplus
}
#endif

#endif
