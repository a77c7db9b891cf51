/*
 * Every rank writes a piece of its buffer to every rank, itself included, and signals an event
 * there. Ranks are processes; pipes play MPI's part.
 */
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "all_to_all_defs.h"
#include "rdma_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(ALL_TO_ALL::MAIN);

#define COUNT 4

extern struct doca_dpa_app *dpa_all2all_app;
extern doca_dpa_func_t alltoall_kernel;

static unsigned my_rank;
static int to_other = -1;

/* A message between two ranks. */
struct message {
    uint64_t size;
    uint8_t bytes[512];
};

/* Exchanges `mine` with a rank. */
static doca_error_t exchange(unsigned rank, const void *mine, size_t size, struct message *theirs)
{
    struct message m = {.size = size};
    if (size > sizeof(m.bytes))
        return DOCA_ERROR_TOO_BIG;
    memcpy(m.bytes, mine, size);
    if (rank == my_rank) {
        *theirs = m;
        return DOCA_SUCCESS;
    }
    if (send(to_other, &m, sizeof(m), 0) != sizeof(m) ||
        recv(to_other, theirs, sizeof(*theirs), MSG_WAITALL) != sizeof(*theirs) ||
        theirs->size > sizeof(theirs->bytes))
        return DOCA_ERROR_IO_FAILED;
    return DOCA_SUCCESS;
}

/* Everything that belongs to one peer. */
struct peer {
    struct dpa_rdma_obj rdma;
    struct doca_mmap *remote_mmap;
    struct doca_sync_event *event;
    struct doca_sync_event_remote_net *remote_event;
};

/* As the kernel gets them: by rank. */
struct handles {
    doca_dpa_dev_rdma_t rdmas[MAX_RANKS];
    uint64_t addrs[MAX_RANKS];
    doca_dpa_dev_mmap_t mmaps[MAX_RANKS];
    doca_dpa_dev_sync_event_t events[MAX_RANKS];
    doca_dpa_dev_sync_event_remote_net_t remote_events[MAX_RANKS];
};

static doca_error_t import_buffer(struct dpa_resources *res, unsigned rank, struct doca_mmap *mmap,
                                  struct peer *peer, struct handles *h)
{
    struct message m = {0};
    const void *desc = NULL;
    size_t size = 0, len = 0;
    void *addr = NULL;
    doca_error_t result = doca_mmap_export_rdma(mmap, res->rdma_doca_device, &desc, &size);
    if (result == DOCA_SUCCESS)
        result = exchange(rank, desc, size, &m);
    DOCA_ERROR_PROPAGATE(result,
                         doca_mmap_create_from_export(NULL, m.bytes, m.size, res->rdma_doca_device,
                                                      &peer->remote_mmap));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_dev_get_dpa_handle(
                                     peer->remote_mmap, res->rdma_doca_device, &h->mmaps[rank]));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_get_memrange(peer->remote_mmap, &addr, &len));
    h->addrs[rank] = (uintptr_t)addr;
    return result;
}

static doca_error_t import_event(struct dpa_resources *res, unsigned rank, struct peer *peer,
                                 struct handles *h)
{
    struct message m = {0};
    const uint8_t *data = NULL;
    size_t size = 0;
    doca_error_t result =
        create_doca_remote_net_sync_event(res->pf_doca_dpa, &peer->event, &data, &size);
    DOCA_ERROR_PROPAGATE(
        result, doca_sync_event_get_dpa_handle(peer->event, res->pf_doca_dpa, &h->events[rank]));
    if (result == DOCA_SUCCESS)
        result = exchange(rank, data, size, &m);
    DOCA_ERROR_PROPAGATE(result, import_doca_remote_net_sync_event(
                                     res->rdma_doca_device, res->rdma_doca_dpa, m.bytes, m.size,
                                     &peer->remote_event, &h->remote_events[rank]));
    return result;
}

static doca_error_t connect_peer(struct dpa_resources *res, unsigned rank, struct peer *peer,
                                 struct handles *h)
{
    struct message m = {0};
    doca_error_t result = rdma_obj_init(res, NULL, 0, 0, 1, &peer->rdma);
    h->rdmas[rank] = peer->rdma.rdma_handle;
    if (result == DOCA_SUCCESS)
        result = exchange(rank, peer->rdma.details[0], peer->rdma.details_size[0], &m);
    DOCA_ERROR_PROPAGATE(
        result, doca_rdma_connect(peer->rdma.rdma, m.bytes, m.size, peer->rdma.connection[0]));
    return result;
}

static doca_error_t disconnect_peer(struct dpa_resources *res, struct peer *peer)
{
    doca_error_t result = rdma_obj_destroy(res, &peer->rdma);
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_remote_net_destroy(peer->remote_event));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(peer->event));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(peer->remote_mmap));
    return result;
}

/* The kernel, `rounds` times, with 13 arguments. */
static doca_error_t run(struct dpa_resources *res, doca_dpa_dev_t dpa, const struct handles *h,
                        struct dpa_mmap_obj *map, const uint32_t *buf, unsigned rounds)
{
    struct doca_sync_event *done = NULL;
    doca_dpa_dev_uintptr_t p = 0;
    doca_error_t result =
        create_doca_dpa_completion_sync_event(res->pf_doca_dpa, res->pf_doca_device, &done, NULL);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_alloc(res->pf_doca_dpa, sizeof(*h), &p));
    DOCA_ERROR_PROPAGATE(
        result, doca_dpa_h2d_memcpy(res->pf_doca_dpa, p, (void *)(uintptr_t)h, sizeof(*h)));
    for (uint64_t seq = 1; seq <= rounds && result == DOCA_SUCCESS; seq++) {
        result = doca_dpa_kernel_launch_update_set(
            res->pf_doca_dpa, NULL, 0, done, seq, MAX_RANKS, &alltoall_kernel, dpa,
            p + offsetof(struct handles, rdmas), (uint64_t)(uintptr_t)buf, map->handle,
            (uint64_t)COUNT, (uint64_t)sizeof(uint32_t), (uint64_t)MAX_RANKS, (uint64_t)my_rank,
            p + offsetof(struct handles, addrs), p + offsetof(struct handles, mmaps),
            p + offsetof(struct handles, events), p + offsetof(struct handles, remote_events), seq);
        if (result == DOCA_SUCCESS)
            result = doca_sync_event_wait_gt(done, seq - 1, 0xFFFFFFFFFFFFFFFF);
    }
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(res->pf_doca_dpa, p));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(done));
    return result;
}

static doca_error_t check(const uint32_t *received)
{
    for (uint32_t rank = 0; rank < MAX_RANKS; rank++)
        for (uint32_t i = 0; i < COUNT; i++)
            if (received[rank * COUNT + i] != 1000 * rank + 100 * my_rank + i)
                return DOCA_ERROR_UNEXPECTED;
    return DOCA_SUCCESS;
}

static doca_error_t all_to_all(struct dpa_resources *res, doca_dpa_dev_t dpa)
{
    static uint32_t sent[MAX_RANKS * COUNT], received[MAX_RANKS * COUNT];
    struct dpa_mmap_obj from = {0}, to = {0};
    struct peer peers[MAX_RANKS] = {0};
    struct handles h = {0};
    struct message all_done = {0};
    for (uint32_t i = 0; i < MAX_RANKS * COUNT; i++)
        sent[i] = 1000 * my_rank + 100 * (i / COUNT) + i % COUNT;
    doca_error_t result = mmap_obj_init(res, sent, 0, sizeof(sent), &from);
    DOCA_ERROR_PROPAGATE(result, mmap_obj_init(res, received, 0, sizeof(received), &to));
    for (unsigned rank = 0; rank < MAX_RANKS && result == DOCA_SUCCESS; rank++) {
        result = import_buffer(res, rank, to.mmap, &peers[rank], &h);
        DOCA_ERROR_PROPAGATE(result, import_event(res, rank, &peers[rank], &h));
        DOCA_ERROR_PROPAGATE(result, connect_peer(res, rank, &peers[rank], &h));
    }
    if (result != DOCA_SUCCESS)
        return result;
    result = run(res, dpa, &h, &from, sent, 20);
    DOCA_ERROR_PROPAGATE(result, exchange(1 - my_rank, "", 1, &all_done)); /* MPI_Barrier */
    DOCA_ERROR_PROPAGATE(result, check(received));
    for (unsigned rank = 0; rank < MAX_RANKS; rank++)
        DOCA_ERROR_PROPAGATE(result, disconnect_peer(res, &peers[rank]));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(from.mmap));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(to.mmap));
    DOCA_LOG_INFO("Rank %u is done", my_rank);
    return result;
}

int main(int argc, char **argv)
{
    int ends[2], status = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return EXIT_FAILURE;
    pid_t child = fork();
    if (child < 0)
        return EXIT_FAILURE;
    my_rank = child == 0;
    to_other = ends[my_rank];
    close(ends[1 - my_rank]);
    int mine = sample_main(argc, argv, dpa_all2all_app, all_to_all);
    close(to_other); /* a rank that failed does not keep the other waiting */
    if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
        return EXIT_FAILURE;
    return mine;
}
