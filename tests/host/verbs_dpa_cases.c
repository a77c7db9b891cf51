/* DOCA Verbs on the DPA: queue pairs of one process that share receives. */
#include <doca_dpa.h>
#include <doca_mmap.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <doca_verbs_bridge.h>
#include <time.h>

#include "doca_device.h"
#include "verbs_dpa.h"
#include "verbs_path.h"

#define OK      DOCA_SUCCESS
#define INVALID DOCA_ERROR_INVALID_VALUE
#define SIZE    4u /* receives */
#define INLINE  40u
#define RINGS   4096u
#define LINKED  DOCA_VERBS_SRQ_TYPE_LINKED_LIST
#define ALONE   DOCA_VERBS_SRQ_TYPE_CONTIGUOUS

/* Types of completions: doca_dpa_dev.h. */
enum { RECEIVED = 2, SENT = 0, SEND_FAILED = 0xd, RECEIVE_FAILED };

extern struct doca_dpa_app *verbs_test_app;
doca_dpa_func_t shared, send_to_peer, receive_alone, receive_raw, told, told_numbers, post_raw;
doca_dpa_func_t rings;

static struct doca_dev *dev;
static struct doca_dpa *dpa;
static struct doca_verbs_context *context;
static struct doca_verbs_pd *pd;
static struct doca_uar *page;
static struct doca_umem *ring_memory;
static struct doca_mmap *map;
static struct doca_dpa_completion *sends, *receives;
static uint64_t sends_handle, receives_handle;
static doca_dpa_dev_uintptr_t rings_at;
static uint32_t key;
static char memory[256];
static struct doca_verbs_gid gid;

static struct doca_dpa_completion *queue_new(uint64_t *handle)
{
    struct doca_dpa_completion *q;
    CHECK(doca_dpa_completion_create(dpa, 64, &q) == OK && doca_dpa_completion_start(q) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(q, handle) == OK);
    return q;
}

static void begin(void)
{
    dev = open_device("mlx5_0");
    CHECK(doca_dpa_create(dev, &dpa) == OK && doca_dpa_set_app(dpa, verbs_test_app) == OK);
    CHECK(doca_dpa_start(dpa) == OK);
    CHECK(doca_verbs_context_create(doca_dev_as_devinfo(dev), 0, &context) == OK);
    CHECK(doca_verbs_pd_create(context, &pd) == OK);
    CHECK(doca_uar_create(dev, DOCA_UAR_ALLOCATION_TYPE_NONCACHE, &page) == OK);
    CHECK(doca_dpa_mem_alloc(dpa, RINGS, &rings_at) == OK);
    CHECK(doca_umem_dpa_create(dpa, rings_at, RINGS, 0, &ring_memory) == OK);
    CHECK(doca_mmap_create(&map) == OK);
    CHECK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                             DOCA_ACCESS_FLAG_RDMA_WRITE) == OK);
    CHECK(doca_mmap_set_memrange(map, memory, sizeof memory) == OK);
    CHECK(doca_mmap_add_dev(map, dev) == OK && doca_mmap_start(map) == OK);
    CHECK(doca_mmap_dev_get_dpa_handle(map, dev, &key) == OK);
    sends = queue_new(&sends_handle);
    receives = queue_new(&receives_handle);
    CHECK(ibv_query_gid(doca_verbs_bridge_verbs_pd_get_ibv_pd(pd)->context, 1, 0,
                        (union ibv_gid *)(void *)&gid) == 0);
}

static void end(void)
{
    CHECK(doca_dpa_completion_destroy(sends) == OK && doca_dpa_completion_destroy(receives) == OK);
    CHECK(doca_mmap_destroy(map) == OK && doca_umem_destroy(ring_memory) == OK);
    CHECK(doca_uar_destroy(page) == OK && doca_verbs_pd_destroy(pd) == OK);
    CHECK(doca_verbs_context_destroy(context) == OK && doca_dpa_mem_free(dpa, rings_at) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dev_close(dev) == OK);
}

/* ---- Objects ---- */

static struct doca_verbs_srq_init_attr *wish(enum doca_verbs_srq_type type)
{
    struct doca_verbs_srq_init_attr *a;
    CHECK(doca_verbs_srq_init_attr_create(&a) == OK);
    CHECK(doca_verbs_srq_init_attr_set_type(a, type) == OK);
    CHECK(doca_verbs_srq_init_attr_get_type(a) == type);
    CHECK(doca_verbs_srq_init_attr_set_srq_wr(a, SIZE) == OK);
    CHECK(doca_verbs_srq_init_attr_set_receive_max_sges(a, 2) == OK);
    CHECK(doca_verbs_srq_init_attr_set_external_datapath_en(a, 1) == OK);
    return a;
}

static struct doca_verbs_srq *srq_new(enum doca_verbs_srq_type type, uint64_t *handle)
{
    struct doca_verbs_srq *s;
    struct doca_verbs_srq_init_attr *a = wish(type);
    CHECK(doca_verbs_srq_init_attr_set_dpa(a, dpa) == OK);
    CHECK(doca_verbs_srq_create(context, a, &s) == OK);
    CHECK(doca_verbs_srq_init_attr_destroy(a) == OK);
    CHECK(doca_verbs_srq_get_dpa_handle(s, dpa, handle) == OK && *handle != 0);
    return s;
}

/* On the DPA: of its context if `user` is odd, else of memory; without `srq` with receives of its own. */
static struct doca_verbs_qp_init_attr *qp_wish(struct doca_verbs_srq *srq, uint32_t user)
{
    struct doca_verbs_qp_init_attr *a;
    CHECK(doca_verbs_qp_init_attr_create(&a) == OK && doca_verbs_qp_init_attr_set_pd(a, pd) == OK);
    CHECK(doca_verbs_qp_init_attr_set_sq_wr(a, 4) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_max_sges(a, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_user_index(a, user) == OK);
    CHECK(doca_verbs_qp_init_attr_set_max_inline_data(a, INLINE) == OK);
    CHECK(doca_verbs_qp_init_attr_set_srq(a, srq) == OK);
    CHECK(doca_verbs_qp_init_attr_set_external_datapath_en(a, 1) == OK);
    if (user % 2) {
        CHECK(doca_verbs_qp_init_attr_set_dpa(a, dpa) == OK);
    } else {
        CHECK(doca_verbs_qp_init_attr_set_external_umem(a, ring_memory, 0) == OK);
        CHECK(doca_verbs_qp_init_attr_set_external_dbr_umem(a, ring_memory, RINGS - 8) == OK);
        CHECK(doca_verbs_qp_init_attr_set_external_uar(a, page) == OK);
    }
    CHECK(doca_verbs_qp_init_attr_set_send_dpa_completion(a, sends) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_dpa_completion(a, receives) == OK);
    return a;
}

static doca_error_t qp_try(struct doca_verbs_srq *srq, uint32_t user, struct doca_verbs_qp **qp)
{
    struct doca_verbs_qp_init_attr *a = qp_wish(srq, user);
    const doca_error_t result = doca_verbs_qp_create(context, a, qp);
    CHECK(doca_verbs_qp_init_attr_destroy(a) == OK);
    return result;
}

/* A queue pair and its peer, which sends alone. */
struct pair {
    struct doca_verbs_qp *qp, *peer;
    uint64_t handle, peer_handle;
};

static void connect_to(struct doca_verbs_qp *qp, const struct doca_verbs_qp *peer)
{
    verbs_path_connect(context, &gid, qp, doca_verbs_qp_get_qpn(peer), 14);
}

static struct pair pair_new(struct doca_verbs_srq *srq, uint32_t user)
{
    struct pair p;
    CHECK(qp_try(srq, user, &p.qp) == OK && qp_try(NULL, user + 100, &p.peer) == OK);
    CHECK(doca_verbs_qp_get_dpa_handle(p.qp, dpa, &p.handle) == OK);
    CHECK(doca_verbs_qp_get_dpa_handle(p.peer, dpa, &p.peer_handle) == OK);
    connect_to(p.qp, p.peer);
    connect_to(p.peer, p.qp);
    return p;
}

static void pair_destroy(struct pair *p)
{
    CHECK(doca_verbs_qp_destroy(p->qp) == OK && doca_verbs_qp_destroy(p->peer) == OK);
}

/* ---- What DPA code does ---- */

static uint64_t on(uint64_t srq, uint32_t what, enum doca_verbs_srq_type type, size_t at,
                   uint32_t length)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &shared, &result, srq, what, (uint32_t)type, (uintptr_t)memory + at,
                       length, key) == OK);
    return result;
}

static void say(const struct pair *by, const char *text)
{
    uint64_t result = 0;
    strcpy(memory + 128, text);
    CHECK(doca_dpa_rpc(dpa, &send_to_peer, &result, by->peer_handle, (uintptr_t)memory + 128, 16u,
                       key) == OK);
    CHECK(result > 0);
}

static uint64_t ask(uint64_t queue)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &told, &result, queue) == OK);
    return result;
}

static uint64_t await(uint64_t queue)
{
    uint64_t result;
    const time_t limit = time(NULL) + 60;
    while ((result = ask(queue)) == TOLD_NOTHING)
        CHECK(time(NULL) < limit);
    return result;
}

/* ---- Cases ---- */

static void queue_pairs_share_receives(void)
{
    uint64_t s, result = 0;
    begin();
    struct doca_verbs_srq *srq = srq_new(ALONE, &s);
    struct pair a = pair_new(srq, 1), b = pair_new(srq, 2);
    CHECK(on(s, SHARED_NUMBER, ALONE, 0, 0) == doca_verbs_srq_get_srqn(srq));
    CHECK(on(s, SHARED_POST, ALONE, 0, 16) == 1 && on(s, SHARED_POST, ALONE, 16, 16) == 2);
    say(&b, "first"); /* waits, as nothing is committed */
    CHECK(ask(receives_handle) == TOLD_NOTHING);
    on(s, SHARED_COMMIT, ALONE, 0, 0);
    CHECK(await(receives_handle) == TOLD(RECEIVED, 2, 1) && strcmp(memory, "first") == 0);
    CHECK(await(sends_handle) == TOLD(SENT, 102, 1));
    say(&a, "second");
    CHECK(await(receives_handle) == TOLD(RECEIVED, 1, 2) && strcmp(memory + 16, "second") == 0);
    CHECK(await(sends_handle) == TOLD(SENT, 101, 1));
    for (unsigned i = 0; i < SIZE; i++)
        CHECK(on(s, SHARED_POST, ALONE, 0, 16) == 3 + i);
    CHECK(on(s, SHARED_POST, ALONE, 0, 16) == 0); /* full */
    CHECK(doca_dpa_rpc(dpa, &receive_alone, &result, a.handle, (uintptr_t)memory, 16u, key) == OK);
    CHECK(result == 0); /* its receives are shared */
    CHECK(doca_verbs_srq_destroy(srq) == DOCA_ERROR_IN_USE);
    pair_destroy(&a);
    pair_destroy(&b);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
    end();
}

/* The place of a receive is its count, and free when DPA code says so. */
static void a_linked_list_has_places(void)
{
    uint64_t s;
    begin();
    struct doca_verbs_srq *srq = srq_new(LINKED, &s);
    struct pair a = pair_new(srq, 1);
    for (unsigned i = 1; i <= SIZE; i++)
        CHECK(on(s, SHARED_POST_SHORT, LINKED, 16 * i, 16) == i);
    on(s, SHARED_COMMIT, LINKED, 0, 0);
    say(&a, "one");
    CHECK(await(receives_handle) == TOLD(RECEIVED, 1, 1) && strcmp(memory + 16, "one") == 0);
    say(&a, "two");
    CHECK(await(receives_handle) == TOLD(RECEIVED, 1, 2) && strcmp(memory + 32, "two") == 0);
    CHECK(on(s, SHARED_POST, LINKED, 0, 16) == 0); /* full */
    on(s, SHARED_ACK, LINKED, 0, 2);
    CHECK(on(s, SHARED_POST, LINKED, 0, 16) == 2 && on(s, SHARED_POST, LINKED, 0, 16) == 0);
    on(s, SHARED_ACK, LINKED, 0, 1);
    CHECK(on(s, SHARED_POST, LINKED, 0, 16) == 1);
    pair_destroy(&a);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
    end();
}

/* Other queues use the receives that it did not take. */
static void a_failed_queue_pair_leaves_the_receives(void)
{
    uint64_t s;
    begin();
    struct doca_verbs_srq *srq = srq_new(ALONE, &s);
    struct pair a = pair_new(srq, 1), b = pair_new(srq, 2);
    say(&a, "lost"); /* it waits for a receive */
    struct verbs_path p = verbs_path_new(context, &gid, 1, 14);
    verbs_path_go(&p, a.qp, DOCA_VERBS_QP_STATE_ERR);
    verbs_path_free(&p);
    CHECK(on(s, SHARED_POST, ALONE, 0, 16) == 1);
    on(s, SHARED_COMMIT, ALONE, 0, 0);
    CHECK(ask(receives_handle) == TOLD_NOTHING);
    say(&b, "kept");
    CHECK(await(receives_handle) == TOLD(RECEIVED, 2, 1) && strcmp(memory, "kept") == 0);
    /* A receive that is too short ends with its message, and its place is free. */
    CHECK(on(s, SHARED_POST, ALONE, 0, 8) == 2);
    for (unsigned i = 1; i < SIZE; i++)
        CHECK(on(s, SHARED_POST, ALONE, 0, 16) == 2 + i);
    CHECK(on(s, SHARED_POST, ALONE, 0, 16) == 0);
    on(s, SHARED_COMMIT, ALONE, 0, 0);
    say(&b, "long");
    CHECK(await(receives_handle) == TOLD(RECEIVE_FAILED, 2, 2));
    CHECK(on(s, SHARED_POST, ALONE, 0, 16) == 2 + SIZE);
    pair_destroy(&a);
    pair_destroy(&b);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
    end();
}

/* Elements of work of a card may have inline data, which needs no key; what is wrong with one ends it. */
static uint64_t raw(const struct pair *by, uint32_t what, const char *text, uint32_t size)
{
    uint64_t result = 0;
    doca_dpa_dev_uintptr_t at;
    CHECK(doca_dpa_mem_alloc(dpa, 64, &at) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, at, (void *)(uintptr_t)text, strlen(text) + 1) == OK);
    CHECK(doca_dpa_rpc(dpa, &post_raw, &result, by->peer_handle, what, at, size,
                       (uintptr_t)memory + 32, key) == OK);
    CHECK(doca_dpa_mem_free(dpa, at) == OK);
    return result;
}

static void elements_of_work_have_inline_data(void)
{
    uint64_t s;
    begin();
    struct doca_verbs_srq *srq = srq_new(ALONE, &s);
    struct pair a = pair_new(srq, 1);
    CHECK(on(s, SHARED_POST, ALONE, 0, 64) == 1);
    on(s, SHARED_COMMIT, ALONE, 0, 0);
    CHECK(raw(&a, RAW_INLINE, "from the DPA itself", INLINE) == 1);
    CHECK(await(receives_handle) == TOLD(RECEIVED, 1, 1));
    CHECK(strcmp(memory, "from the DPA itself") == 0);
    CHECK(await(sends_handle) == TOLD(SENT, 101, 1));
    CHECK(raw(&a, RAW_INLINE, "too much", INLINE + 1) == 0);
    CHECK(raw(&a, RAW_WRITE, "written", 8) == 2);
    CHECK(await(sends_handle) == TOLD(SENT, 101, 2) && strcmp(memory + 32, "written") == 0);
    CHECK(raw(&a, RAW_SHORT, "it ends before its data", INLINE) == 3);
    CHECK(await(sends_handle) == TOLD(SEND_FAILED, 101, 3));
    pair_destroy(&a);
    a = pair_new(srq, 2);
    CHECK(raw(&a, RAW_UNKNOWN, "no such operation", INLINE) == 1);
    CHECK(await(sends_handle) == TOLD(SEND_FAILED, 102, 1));
    pair_destroy(&a);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
    end();
}

static uint64_t in_rings(uint64_t queue, uint32_t what)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &rings, &result, queue, what) == OK);
    return result;
}

static uint64_t numbers(uint64_t queue, uint64_t what)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &told_numbers, &result, queue, what) == OK);
    return result;
}

static void receives_may_be_elements_of_a_card(void)
{
    uint64_t s, result = 0;
    begin();
    struct doca_verbs_srq *srq = srq_new(LINKED, &s);
    struct pair a = pair_new(srq, 1);
    CHECK(in_rings(s, RINGS_SHARED_SIZES) ==
          (SIZE << 16 | 64)); /* three segments, a power of two */
    CHECK(on(s, SHARED_POST_RAW, LINKED, 0, 16) == 1);
    CHECK(in_rings(s, RINGS_SHARED_FIRST) == (uintptr_t)memory);
    CHECK(in_rings(s, RINGS_SHARED_RECORD) == 0);
    on(s, SHARED_COMMIT, LINKED, 0, 0);
    CHECK(in_rings(s, RINGS_SHARED_RECORD) == 1 && in_rings(a.handle, RINGS_ACK) == 0);
    say(&a, "raw");
    CHECK(numbers(receives_handle, 0) ==
          ((uint64_t)doca_verbs_qp_get_qpn(a.qp) << 32 | doca_verbs_srq_get_srqn(srq)));
    CHECK(strcmp(memory, "raw") == 0);
    CHECK(numbers(sends_handle, 1) == (uint64_t)0x0a << 32); /* a send, without an error */
    pair_destroy(&a);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
    struct doca_verbs_qp_init_attr *w = qp_wish(NULL, 3);
    struct pair b;
    CHECK(doca_verbs_qp_init_attr_set_rq_wr(w, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_max_sges(w, 2) == OK);
    CHECK(doca_verbs_qp_create(context, w, &b.qp) == OK && qp_try(NULL, 103, &b.peer) == OK);
    CHECK(doca_verbs_qp_init_attr_destroy(w) == OK);
    CHECK(doca_verbs_qp_get_dpa_handle(b.qp, dpa, &b.handle) == OK);
    CHECK(doca_verbs_qp_get_dpa_handle(b.peer, dpa, &b.peer_handle) == OK);
    connect_to(b.qp, b.peer);
    connect_to(b.peer, b.qp);
    CHECK(doca_dpa_rpc(dpa, &receive_raw, &result, b.handle, (uintptr_t)memory + 32, 16u, key,
                       48u) == OK);
    CHECK(result == 0); /* it has more segments than the queue permits */
    CHECK(doca_dpa_rpc(dpa, &receive_raw, &result, b.handle, (uintptr_t)memory + 32, 16u, key,
                       32u) == OK);
    CHECK(result == 1);
    say(&b, "alone");
    CHECK(await(receives_handle) == TOLD(RECEIVED, 3, 1) && strcmp(memory + 32, "alone") == 0);
    CHECK(await(sends_handle) == TOLD(SENT, 103, 1));
    CHECK(in_rings(b.handle, RINGS_SIZES) == ((uint64_t)4 << 32 | 1 << 16 | 32));
    CHECK(in_rings(b.handle, RINGS_SENDS_AFTER_RECEIVES) == 64); /* aligned */
    CHECK(in_rings(b.handle, RINGS_FIRST) == (uintptr_t)memory + 32);
    CHECK(in_rings(b.handle, RINGS_ACK) == 2 && in_rings(b.handle, RINGS_ACK) == 0); /* full */
    CHECK(in_rings(b.handle, RINGS_RECORD) == 2);
    say(&b, "again");
    CHECK(await(receives_handle) == TOLD(RECEIVED, 3, 2) && strcmp(memory + 32, "again") == 0);
    pair_destroy(&b);
    end();
}

/* Each side of a data path has its own. */
static void what_a_shared_queue_lacks_is_refused(void)
{
    struct doca_verbs_srq *srq = NULL, *of_cpu;
    struct doca_verbs_qp *qp = NULL;
    struct doca_umem *umem = NULL;
    uint64_t offset = 0, handle;
    begin();
    struct doca_verbs_srq_init_attr *a = wish(ALONE);
    CHECK(doca_verbs_srq_create(context, a, &srq) == INVALID && !srq); /* no DPA */
    CHECK(doca_verbs_srq_init_attr_set_dpa(a, dpa) == OK);
    CHECK(doca_verbs_srq_init_attr_get_dpa(a) == dpa);
    CHECK(doca_verbs_srq_init_attr_set_pd(a, pd) == OK);
    CHECK(doca_verbs_srq_create(context, a, &srq) == INVALID); /* the DPA has its own */
    CHECK(doca_verbs_srq_init_attr_set_dpa(a, NULL) == OK);
    CHECK(doca_verbs_srq_init_attr_set_external_umem(a, ring_memory, RINGS - 16) == OK);
    CHECK(doca_verbs_srq_init_attr_get_external_umem(a, &umem, &offset) == OK);
    CHECK(umem == ring_memory && offset == RINGS - 16);
    CHECK(doca_verbs_srq_init_attr_set_external_dbr_umem(a, ring_memory, 0) == OK);
    CHECK(doca_verbs_srq_create(context, a, &srq) == INVALID); /* too small */
    CHECK(doca_verbs_srq_init_attr_set_external_umem(a, ring_memory, 8) == OK);
    CHECK(doca_verbs_srq_create(context, a, &srq) == OK);
    CHECK(doca_verbs_srq_get_dpa_handle(srq, dpa, &handle) == OK);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
    CHECK(doca_verbs_srq_init_attr_set_external_datapath_en(a, 0) == OK);
    CHECK(doca_verbs_srq_create(context, a, &srq) == INVALID); /* memory, but none of the DPA */
    CHECK(doca_verbs_srq_init_attr_set_external_umem(a, NULL, 0) == OK);
    CHECK(doca_verbs_srq_init_attr_set_external_dbr_umem(a, NULL, 0) == OK);
    CHECK(doca_verbs_srq_create(context, a, &of_cpu) == OK);
    CHECK(doca_verbs_srq_get_dpa_handle(of_cpu, dpa, &handle) == DOCA_ERROR_BAD_STATE);
    CHECK(qp_try(of_cpu, 1, &qp) == INVALID && !qp);
    CHECK(doca_verbs_srq_destroy(of_cpu) == OK && doca_verbs_srq_init_attr_destroy(a) == OK);
    end();
}

/* The table of all objects is full. */
static void a_queue_pair_that_finds_no_place_uses_nothing(void)
{
    enum { PLACES = 1 << 20 };
    static struct doca_dpa_eu_affinity *others[PLACES];
    struct doca_verbs_qp_init_attr *a;
    struct doca_verbs_qp *qp;
    size_t count = 0;
    begin();
    CHECK((a = qp_wish(NULL, 1)));
    while (count < PLACES && doca_dpa_eu_affinity_create(dpa, &others[count]) == OK)
        count++;
    CHECK(count < PLACES);
    CHECK(doca_verbs_qp_create(context, a, &qp) == DOCA_ERROR_NO_MEMORY && !qp);
    while (count > 0)
        CHECK(doca_dpa_eu_affinity_destroy(others[--count]) == OK);
    CHECK(doca_verbs_qp_init_attr_destroy(a) == OK);
    end();
}

static void a_queue_without_receives_takes_no_receive(void)
{
    struct pair a;
    uint64_t s, result = 1;
    begin();
    struct doca_verbs_srq *srq = srq_new(ALONE, &s);
    a = pair_new(srq, 1);
    CHECK(doca_dpa_rpc(dpa, &receive_alone, &result, a.peer_handle, (uintptr_t)memory, 16u, key) ==
          OK);
    CHECK(result == 0);
    pair_destroy(&a);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
    end();
}

/* Each faults the thread, and says why. */
static void fault(uint32_t what, enum doca_verbs_srq_type type, enum doca_verbs_srq_type other,
                  uint32_t count)
{
    uint64_t s, result = 0;
    begin();
    struct doca_verbs_srq *srq = srq_new(type, &s);
    CHECK(doca_dpa_rpc(dpa, &shared, &result, s, what, (uint32_t)other, (uintptr_t)memory, count,
                       key) != OK);
    CHECK(doca_verbs_srq_destroy(srq) == OK);
}

static void a_post_of_the_other_type_faults(void)
{
    fault(SHARED_POST, LINKED, ALONE, 16);
}

static void an_acknowledgement_of_nothing_faults(void)
{
    fault(SHARED_ACK, LINKED, LINKED, 1);
}

static void an_acknowledgement_of_a_contiguous_queue_faults(void)
{
    fault(SHARED_ACK, ALONE, ALONE, 1);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(queue_pairs_share_receives),
                                             CASE(a_linked_list_has_places),
                                             CASE(a_failed_queue_pair_leaves_the_receives),
                                             CASE(elements_of_work_have_inline_data),
                                             CASE(receives_may_be_elements_of_a_card),
                                             CASE(what_a_shared_queue_lacks_is_refused),
                                             CASE(a_queue_pair_that_finds_no_place_uses_nothing),
                                             CASE(a_queue_without_receives_takes_no_receive),
                                             CASE(a_post_of_the_other_type_faults),
                                             CASE(an_acknowledgement_of_nothing_faults),
                                             CASE(an_acknowledgement_of_a_contiguous_queue_faults)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
