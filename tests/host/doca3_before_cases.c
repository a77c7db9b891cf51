/* RDMA with buffers, and as releases before DOCA 2.10 post it: without a connection. */
#include <doca_rdma.h>

#include "doca3_memory.h"

doca_dpa_func_t rdma_2_7, rdma_buf;

struct pair {
    struct doca_dpa_completion *queue[2];
    struct doca_rdma *rdma[2];
    uint64_t queue_handle[2], handle[2];
};

/* `one`: exported and connected as with one connection a context, as before DOCA 2.10. */
static struct pair pair_new(struct doca_dpa *dpa, bool one)
{
    struct pair p = {0};
    struct doca_rdma_connection *c[2] = {NULL, NULL};
    const void *details[2];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        CHECK(doca_dpa_completion_create(dpa, 64, &p.queue[i]) == OK);
        CHECK(doca_dpa_completion_start(p.queue[i]) == OK);
        CHECK(doca_dpa_completion_get_dpa_handle(p.queue[i], &p.queue_handle[i]) == OK);
        CHECK(doca_rdma_create(dev, &p.rdma[i]) == OK);
        CHECK(doca_rdma_set_permissions(p.rdma[i], ALL) == OK);
        CHECK(doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(p.rdma[i]), dpa) == OK);
        CHECK(doca_rdma_dpa_completion_attach(p.rdma[i], p.queue[i]) == OK);
        CHECK(doca_ctx_start(doca_rdma_as_ctx(p.rdma[i])) == OK);
        CHECK(doca_rdma_get_dpa_handle(p.rdma[i], &p.handle[i]) == OK);
        CHECK((one ? doca_rdma_export(p.rdma[i], &details[i], &size[i])
                   : doca_rdma_export(p.rdma[i], &details[i], &size[i], &c[i])) == OK);
    }
    for (int i = 0; i < 2; i++)
        CHECK((one ? doca_rdma_connect(p.rdma[i], details[1 - i], size[1 - i])
                   : doca_rdma_connect(p.rdma[i], details[1 - i], size[1 - i], c[i])) == OK);
    return p;
}

static void pair_destroy(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        CHECK(doca_ctx_stop(doca_rdma_as_ctx(p->rdma[i])) == OK);
        CHECK(doca_rdma_destroy(p->rdma[i]) == OK);
        CHECK(doca_dpa_completion_destroy(p->queue[i]) == OK);
    }
}

static uint64_t next_at(struct doca_dpa *dpa, const struct pair *p, int i)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &rdma_next, &result, p->queue_handle[i]) == OK);
    return result;
}

#define IMMEDIATE(value, type) (UINT64_C(value) << 32 | (type))

static void rdma_is_posted_without_a_connection(void)
{
    uint64_t words[8] = {5, 6}, result = 0;
    const uint64_t from = (uintptr_t)words;
    struct doca_dpa *dpa = dpa_new();
    const uint64_t at = memory_of(dpa, 64);
    struct doca_mmap *m = map_of(NULL, from, sizeof words), *d = map_of(dpa, at, 64);
    const uint32_t mine = map_handle(m, dev);
    const uint64_t theirs = map_handle(d, dev);
    struct pair p = pair_new(dpa, true);
#define POST(what, address, size, asked)                                                           \
    CHECK(doca_dpa_rpc(dpa, &rdma_2_7, &result, p.handle[0], what, mine, from, theirs,             \
                       (uint64_t)(address), UINT64_C(size), asked) == OK)
    POST(RDMA_WRITE, at, 8, 1u);
    CHECK(next_at(dpa, &p, 0) == DONE && word_at(dpa, at) == 5);
    POST(RDMA_WRITE, at + 8, 8, 0u);
    CHECK(next_at(dpa, &p, 0) == NONE && word_at(dpa, at + 8) == 5); /* no completion requested */
    POST(RDMA_ADD, at, 37, 7u);                                      /* any other number requests */
    CHECK(next_at(dpa, &p, 0) == DONE && word_at(dpa, at) == 42);
    POST(RDMA_READ, at, 8, 1u);
    CHECK(next_at(dpa, &p, 0) == DONE && words[0] == 42);
    for (int i = 0; i < 3; i++)
        CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, p.handle[1], RDMA_RECEIVE, (uint32_t)theirs,
                           at + 16, UINT64_C(0), UINT64_C(0), UINT64_C(8), 0u) == OK);
    POST(RDMA_SEND, 0, 8, 0u);
    CHECK(next_at(dpa, &p, 1) == RECEIVED && word_at(dpa, at + 16) == 42);
    POST(RDMA_SEND_IMMEDIATE, 0, 8, 0u);
    CHECK(next_at(dpa, &p, 1) == IMMEDIATE(98, RECEIVED_IMMEDIATE));
    POST(RDMA_WRITE_IMMEDIATE, at + 24, 8, 0u);
    CHECK(next_at(dpa, &p, 1) == IMMEDIATE(99, WRITTEN) && word_at(dpa, at + 24) == 42);
    CHECK(next_at(dpa, &p, 0) == NONE);
#undef POST
    pair_destroy(&p);
    CHECK(doca_mmap_destroy(m) == OK && doca_mmap_destroy(d) == OK && doca_dpa_destroy(dpa) == OK);
}

static void signals_go_without_a_connection(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct pair p = pair_new(dpa, true);
    struct doca_sync_event *e = event_new(dpa, REMOTE, CPU);
    struct doca_sync_event_remote_net *r = NULL;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    uint64_t handle = 0, result = 0;
    CHECK(doca_sync_event_export_to_remote_net(e, &bytes, &size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size, &r) == OK);
    CHECK(doca_sync_event_remote_net_get_dpa_handle(r, dpa, &handle) == OK);
    CHECK(doca_dpa_rpc(dpa, &rdma_2_7, &result, p.handle[0], RDMA_SIGNAL_SET, 0u, UINT64_C(0),
                       handle, UINT64_C(0), UINT64_C(5), 0u) == OK);
    CHECK(value_of(e) == 5);
    CHECK(doca_dpa_rpc(dpa, &rdma_2_7, &result, p.handle[0], RDMA_SIGNAL_ADD, 0u, UINT64_C(0),
                       handle, UINT64_C(0), UINT64_C(2), 0u) == OK);
    CHECK(value_of(e) == 7);
    CHECK(doca_sync_event_remote_net_destroy(r) == OK && doca_sync_event_destroy(e) == OK);
    pair_destroy(&p);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void check_buffers(uint32_t generation)
{
    uint64_t words[8] = {5, 6}, result = 0;
    struct doca_dpa *dpa = dpa_new();
    const uint64_t at = memory_of(dpa, 64);
    struct doca_mmap *m = map_of(NULL, (uintptr_t)words, sizeof words), *d = map_of(dpa, at, 64);
    struct array mine = array_of(dpa, m, 4, 16, 0), theirs = array_of(dpa, d, 4, 16, 0);
    struct pair p = pair_new(dpa, generation < 3);
#define POST(end, what, a, b, i)                                                                   \
    CHECK(doca_dpa_rpc(dpa, &rdma_buf, &result, p.handle[end], what, generation, (a).handle,       \
                       (b).handle, UINT64_C(i)) == OK)
    POST(0, RDMA_WRITE, mine, theirs, 0);
    CHECK(next_at(dpa, &p, 0) == DONE && word_at(dpa, at) == 5 && word_at(dpa, at + 8) == 6);
    POST(0, RDMA_ADD, mine, theirs, 0);
    CHECK(next_at(dpa, &p, 0) == DONE && word_at(dpa, at) == 42);
    POST(0, RDMA_READ, mine, theirs, 0);
    CHECK(next_at(dpa, &p, 0) == DONE && words[0] == 42 && words[1] == 6);
    for (int i = 0; i < 3; i++)
        POST(1, RDMA_RECEIVE, theirs, theirs, 1);
    POST(0, RDMA_SEND, mine, mine, 0);
    CHECK(next_at(dpa, &p, 1) == RECEIVED && word_at(dpa, at + 16) == 42);
    POST(0, RDMA_SEND_IMMEDIATE, mine, mine, 0);
    CHECK(next_at(dpa, &p, 1) == IMMEDIATE(98, RECEIVED_IMMEDIATE));
    POST(0, RDMA_WRITE_IMMEDIATE, mine, theirs, 0);
    CHECK(next_at(dpa, &p, 1) == IMMEDIATE(99, WRITTEN));
    for (int i = 0; i < 3; i++)
        CHECK(next_at(dpa, &p, 0) == DONE);
    CHECK(next_at(dpa, &p, 0) == NONE);
#undef POST
    pair_destroy(&p);
    CHECK(doca_buf_arr_destroy(mine.array) == OK && doca_buf_arr_destroy(theirs.array) == OK);
    CHECK(doca_mmap_destroy(m) == OK && doca_mmap_destroy(d) == OK && doca_dpa_destroy(dpa) == OK);
}

static void rdma_is_posted_with_buffers(void)
{
    check_buffers(3);
}

static void rdma_is_posted_with_buffers_and_no_connection(void)
{
    check_buffers(2);
}

/* The first that was exported is the one connection. */
static void one_connection_needs_no_name(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_rdma *rdma = NULL;
    const void *details = NULL, *again = NULL;
    size_t size = 0;
    CHECK(doca_rdma_create(dev, &rdma) == OK);
    CHECK(doca_rdma_export(rdma, &details, &size) == BAD_STATE);
    CHECK(doca_rdma_connect(rdma, &size, sizeof size) == BAD_STATE);
    CHECK(doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(rdma), dpa) == OK);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(rdma)) == OK);
    CHECK(doca_rdma_connect(rdma, &size, sizeof size) == BAD_STATE); /* nothing was exported */
    CHECK(doca_rdma_export(rdma, NULL, &size) == INVALID);
    CHECK(doca_rdma_export(NULL, &details, &size) == INVALID);
    CHECK(doca_rdma_export(rdma, &details, &size) == OK);
    CHECK(doca_rdma_export(rdma, &again, &size) == OK && again == details);
    CHECK(doca_rdma_connect(rdma, "not an address", 14) == INVALID);
    CHECK(doca_rdma_connect(rdma, NULL, 14) == INVALID);
    CHECK(doca_rdma_connect(NULL, details, size) == INVALID);
    CHECK(doca_rdma_connect(rdma, details, size) == OK); /* to itself */
    CHECK(doca_rdma_destroy(rdma) == OK && doca_dpa_destroy(dpa) == OK);
}

const struct test_case before_cases[] = {
    CASE(rdma_is_posted_without_a_connection), CASE(signals_go_without_a_connection),
    CASE(rdma_is_posted_with_buffers),         CASE(rdma_is_posted_with_buffers_and_no_connection),
    CASE(one_connection_needs_no_name),        {0},
};
