/* What the RDMA examples share: a device with a DPA context, and ends of connections on it. A step
 * that fails is told on stderr and ends the program. */
#ifndef EXAMPLES_DPA_RDMA_H
#define EXAMPLES_DPA_RDMA_H

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

#define MUST(call)                                                                                 \
    do {                                                                                           \
        doca_error_t result_ = (call);                                                             \
        if (result_ != DOCA_SUCCESS)                                                               \
            give_up(#call, result_);                                                               \
    } while (0)
__attribute__((noreturn)) void give_up(const char *call, doca_error_t result);

struct dpa {
    struct doca_dev *dev;
    struct doca_dpa *dpa;
    doca_dpa_dev_t handle;
};
void dpa_open(struct dpa *d, const char *device, struct doca_dpa_app *app);
void dpa_close(struct dpa *d);

/* A thread, the completion queue that wakes it, and an RDMA context whose completions go there. */
struct end {
    struct doca_dpa_thread *thread; /* NULL: none */
    struct doca_dpa_completion *completion;
    struct doca_rdma *rdma;
    doca_dpa_dev_completion_t completion_handle;
    doca_dpa_dev_rdma_t rdma_handle;
};
/* `func` NULL: no thread, the queue is for polling. `local_storage`: 0, or the thread's. */
void end_open(struct end *e, const struct dpa *d, doca_dpa_func_t *func, uint64_t arg,
              doca_dpa_dev_uintptr_t local_storage, uint16_t connections);
void end_close(struct end *e);

/* Connects one more connection of each, in this process. */
void end_connect(struct end *a, struct end *b);

/* A map of DPA memory, or of the host's, and its handle. */
struct doca_mmap *map_dpa(const struct dpa *d, doca_dpa_dev_uintptr_t address, size_t size,
                          doca_dpa_dev_mmap_t *handle);
struct doca_mmap *map_host(const struct dpa *d, void *address, size_t size,
                           doca_dpa_dev_mmap_t *handle);

/* A started event that the DPA updates and the host waits for. */
struct doca_sync_event *event_open(const struct dpa *d, doca_dpa_dev_sync_event_t *handle);

#endif
