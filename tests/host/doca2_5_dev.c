/* The device side of the DOCA 2.5 test; compiled by dpacc. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "doca2_5.h"

/* Buffers 0 of both arrays, 8 bytes after their beginning. */
__dpa_global__ void operate(uint32_t what, doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_arr_t theirs,
                            doca_dpa_dev_buf_arr_t mine, uint64_t length)
{
    const doca_dpa_dev_buf_t remote = doca_dpa_dev_buf_array_get_buf(theirs, 0),
                             local = doca_dpa_dev_buf_array_get_buf(mine, 0);
    switch (what) {
    case DO_WRITE:
        doca_dpa_dev_rdma_write(rdma, remote, 8, local, 8, length);
        break;
    case DO_READ:
        doca_dpa_dev_rdma_read(rdma, local, 8, remote, 8, length);
        break;
    case DO_ADD:
        doca_dpa_dev_rdma_atomic_fetch_add(rdma, remote, 8, length);
        break;
    case DO_RECEIVE:
        doca_dpa_dev_rdma_post_receive(rdma, local, 8, length);
        return;
    case DO_SHARED_RECEIVE:
        doca_dpa_dev_rdma_srq_post_receive(rdma, local, 8, length);
        return;
    case DO_SEND:
        doca_dpa_dev_rdma_post_send(rdma, local, 8, length);
        break;
    case DO_COPY:
        doca_dpa_dev_memcpy_nb(remote, 8, local, 8, length);
        break;
    case DO_TRANSPOSE:
        doca_dpa_dev_memcpy_transpose2D_nb(remote, 0, local, 0, length, 8, 2, length / 16);
        break;
    default:
        (*(uint64_t *)doca_dpa_dev_buf_get_external_ptr(local, 8)) +=
            doca_dpa_dev_buf_get_len(local) + (doca_dpa_dev_buf_get_addr(local) == 0);
    }
    doca_dpa_dev_memcpy_synchronize();
    if (rdma)
        doca_dpa_dev_rdma_synchronize(rdma);
}

/* Copies, then notifies the peer. */
__dpa_global__ void write_and_signal(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_arr_t theirs,
                                     doca_dpa_dev_buf_arr_t mine, size_t length,
                                     doca_dpa_dev_sync_event_remote_net_t event, uint64_t count)
{
    doca_dpa_dev_rdma_write(rdma, doca_dpa_dev_buf_array_get_buf(theirs, 0), 0,
                            doca_dpa_dev_buf_array_get_buf(mine, 0), 0, length);
    doca_dpa_dev_rdma_signal_set(rdma, event, count);
    doca_dpa_dev_rdma_signal_add(rdma, event, 1);
    doca_dpa_dev_rdma_synchronize(rdma);
}
