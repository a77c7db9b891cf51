/* What the RDMA samples share beyond dpa_common.h. */
#ifndef TESTS_SAMPLES_RDMA_COMMON_H
#define TESTS_SAMPLES_RDMA_COMMON_H

#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_rdma.h>

#include "dpa_common.h"

#define MAX_NUM_CONNECTIONS 2

/* A completion context, with a thread or without, and an RDMA context that reports to it. */
struct dpa_rdma_obj {
    struct doca_dpa_thread *thread;
    doca_dpa_dev_uintptr_t thread_arg;
    struct doca_dpa_completion *comp;
    doca_dpa_dev_completion_t comp_handle;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    doca_dpa_dev_rdma_t rdma_handle;
    uint32_t num_connections;
    struct doca_rdma_connection *connection[MAX_NUM_CONNECTIONS];
    uint32_t connection_id[MAX_NUM_CONNECTIONS];
    const void *details[MAX_NUM_CONNECTIONS];
    size_t details_size[MAX_NUM_CONNECTIONS];
};

/* `func` NULL: no thread. Its argument is the address of `arg_size` bytes of DPA memory. */
doca_error_t rdma_obj_init(struct dpa_resources *resources, doca_dpa_func_t *func, size_t arg_size,
                           doca_dpa_dev_uintptr_t tls, uint32_t num_connections,
                           struct dpa_rdma_obj *obj);
/* Fills in what the thread's argument points to, and lets it run. */
doca_error_t rdma_obj_run(struct dpa_resources *resources, struct dpa_rdma_obj *obj, void *arg,
                          size_t arg_size);
doca_error_t rdma_obj_connect(struct dpa_rdma_obj *a, struct dpa_rdma_obj *b);
doca_error_t rdma_obj_destroy(struct dpa_resources *resources, struct dpa_rdma_obj *obj);

struct dpa_mmap_obj {
    struct doca_mmap *mmap;
    doca_dpa_dev_mmap_t handle;
};
/* `host` NULL: DPA memory at `dev_ptr`. */
doca_error_t mmap_obj_init(struct dpa_resources *resources, void *host,
                           doca_dpa_dev_uintptr_t dev_ptr, size_t size, struct dpa_mmap_obj *obj);

/* main of a sample with the common options. */
int sample_main(int argc, char **argv, struct doca_dpa_app *app,
                doca_error_t (*sample)(struct dpa_resources *resources, doca_dpa_dev_t dpa));

#endif
