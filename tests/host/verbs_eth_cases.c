/* Ethernet queues of DOCA Verbs on the DPA, of a port that is connected to itself. */
#include <doca_dpa.h>
#include <doca_flow.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <doca_verbs_bridge.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "doca_device.h"
#include "verbs_eth.h"

#define OK      DOCA_SUCCESS
#define INVALID DOCA_ERROR_INVALID_VALUE
#define DEPTH   4u
#define FRAME   100u
#define BUFFER  256u
#define INDEX   77u
#define RINGS   4096u

/* Types of completions: doca_dpa_dev.h. */
enum { SENT = 0, RECEIVED = 2, SEND_FAILED = 0xd, RECEIVE_FAILED };

extern struct doca_dpa_app *verbs_eth_app;
doca_dpa_func_t eth, eth_told;

static struct doca_verbs_context *context;
static struct doca_verbs_pd *pd;
static struct doca_dev *dev;
static struct doca_dpa *dpa;
static struct doca_dpa_completion *sends, *receives;
static struct doca_flow_port *port;
static struct doca_flow_pipe *pipe_in;
static struct ibv_mr *mr;
static struct doca_umem *rings;
static struct doca_uar *page;
static doca_dpa_dev_uintptr_t rings_at;
static uint8_t memory[16 * BUFFER];
static uint64_t sends_handle, receives_handle;

static struct doca_dpa_completion *queue_new(uint64_t *handle)
{
    struct doca_dpa_completion *q;
    CHECK(doca_dpa_completion_create(dpa, 64, &q) == OK && doca_dpa_completion_start(q) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(q, handle) == OK);
    return q;
}

static void begin(void)
{
    struct doca_devinfo **list;
    uint32_t count;
    CHECK(doca_devinfo_create_list(&list, &count) == OK && count > 0);
    CHECK(doca_verbs_context_create(list[0], DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE, &context) == OK);
    CHECK(doca_devinfo_destroy_list(list) == OK);
    CHECK(doca_verbs_pd_create(context, &pd) == OK && doca_verbs_pd_as_doca_dev(pd, &dev) == OK);
    CHECK(doca_dpa_create(dev, &dpa) == OK && doca_dpa_set_app(dpa, verbs_eth_app) == OK);
    CHECK(doca_dpa_start(dpa) == OK);
    sends = queue_new(&sends_handle);
    receives = queue_new(&receives_handle);
    mr = ibv_reg_mr(doca_verbs_bridge_verbs_pd_get_ibv_pd(pd), memory, sizeof memory,
                    IBV_ACCESS_LOCAL_WRITE);
    CHECK(mr);
    CHECK(doca_dpa_mem_alloc(dpa, RINGS, &rings_at) == OK);
    CHECK(doca_umem_dpa_create(dpa, rings_at, RINGS, 0, &rings) == OK);
    CHECK(doca_uar_create(dev, DOCA_UAR_ALLOCATION_TYPE_NONCACHE, &page) == OK);
}

static void end(void)
{
    CHECK(doca_uar_destroy(page) == OK && doca_umem_destroy(rings) == OK);
    CHECK(ibv_dereg_mr(mr) == 0);
    CHECK(doca_dpa_completion_destroy(sends) == OK && doca_dpa_completion_destroy(receives) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dev_close(dev) == OK);
    CHECK(doca_verbs_pd_destroy(pd) == OK && doca_verbs_context_destroy(context) == OK);
}

/* ---- Pipes ---- */

static doca_error_t lead_to(uint16_t id)
{
    struct doca_flow_pipe_cfg *cfg;
    const struct doca_flow_match all = {0};
    struct doca_flow_fwd to = {.type = DOCA_FLOW_FWD_RSS,
                               .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                               .rss = {.queues_array = &id, .nr_queues = 1}};
    CHECK(doca_flow_pipe_cfg_create(&cfg, port) == OK);
    CHECK(doca_flow_pipe_cfg_set_is_root(cfg, true) == OK);
    CHECK(doca_flow_pipe_cfg_set_match(cfg, &all, NULL) == OK);
    doca_error_t result = doca_flow_pipe_create(cfg, &to, NULL, &pipe_in);
    doca_flow_pipe_cfg_destroy(cfg);
    struct doca_flow_pipe_entry *entry;
    if (result == OK)
        result =
            doca_flow_pipe_basic_add_entry(0, pipe_in, &all, 0, NULL, NULL, NULL, 0, NULL, &entry);
    return result;
}

static void port_open(void)
{
    struct doca_flow_cfg *cfg;
    struct doca_flow_port_cfg *port_cfg;
    CHECK(doca_flow_cfg_create(&cfg) == OK && doca_flow_init(cfg) == OK);
    CHECK(doca_flow_cfg_destroy(cfg) == OK && doca_flow_port_cfg_create(&port_cfg) == OK);
    CHECK(doca_flow_port_cfg_set_dev(port_cfg, dev) == OK);
    CHECK(doca_flow_port_start(port_cfg, &port) == OK);
    CHECK(doca_flow_port_cfg_destroy(port_cfg) == OK);
}

static void port_close(void)
{
    doca_flow_pipe_destroy(pipe_in);
    CHECK(doca_flow_port_stop(port) == OK);
    doca_flow_destroy();
}

/* ---- Queues ---- */

/* In memory of the context, or (`own`) of the program. */
static struct doca_verbs_eth_sq_init_attr *sq_wish(bool own)
{
    struct doca_verbs_eth_sq_init_attr *a;
    CHECK(doca_verbs_eth_sq_init_attr_create(&a) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_pd(a, pd) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_wr_num(a, DEPTH) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_max_sges(a, 2) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_user_index(a, INDEX) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_dpa_completion(a, sends) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_external_datapath_en(a, 1) == OK);
    if (own) {
        CHECK(doca_verbs_eth_sq_init_attr_set_external_umem(a, rings, 64) == OK);
        CHECK(doca_verbs_eth_sq_init_attr_set_external_dbr_umem(a, rings, RINGS - 8) == OK);
        CHECK(doca_verbs_eth_sq_init_attr_set_external_uar(a, page) == OK);
    } else {
        CHECK(doca_verbs_eth_sq_init_attr_set_dpa(a, dpa) == OK);
    }
    return a;
}

static struct doca_verbs_eth_sq *sq_new(bool own, uint64_t *handle)
{
    struct doca_verbs_eth_sq *q;
    struct doca_verbs_eth_sq_init_attr *a = sq_wish(own);
    CHECK(doca_verbs_eth_sq_create(context, a, &q) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_destroy(a) == OK);
    CHECK(doca_verbs_eth_sq_get_dpa_handle(q, dpa, handle) == OK);
    return q;
}

static struct doca_verbs_eth_rq_init_attr *rq_wish(bool own, uint16_t id)
{
    struct doca_verbs_eth_rq_init_attr *a;
    CHECK(doca_verbs_eth_rq_init_attr_create(&a) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_pd(a, pd) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_wr_num(a, DEPTH) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_max_sges(a, 2) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_queue_id(a, id) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_user_index(a, INDEX + 1) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_dpa_completion(a, receives) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_external_datapath_en(a, 1) == OK);
    if (own) {
        CHECK(doca_verbs_eth_rq_init_attr_set_external_umem(a, rings, RINGS / 2) == OK);
        CHECK(doca_verbs_eth_rq_init_attr_set_external_dbr_umem(a, rings, RINGS - 16) == OK);
    } else {
        CHECK(doca_verbs_eth_rq_init_attr_set_dpa(a, dpa) == OK);
    }
    return a;
}

static struct doca_verbs_eth_rq *rq_new(bool own, uint64_t *handle)
{
    struct doca_verbs_eth_rq *q;
    struct doca_verbs_eth_rq_init_attr *a = rq_wish(own, 3);
    CHECK(doca_verbs_eth_rq_create(context, a, &q) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_destroy(a) == OK);
    CHECK(doca_verbs_eth_rq_get_dpa_handle(q, dpa, handle) == OK);
    return q;
}

/* ---- DPA code ---- */

static uint64_t on_key(uint64_t queue, uint32_t what, size_t place, uint32_t length, uint32_t key)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &eth, &result, queue, what, (uintptr_t)memory + place * BUFFER, length,
                       key) == OK);
    return result;
}

static uint64_t on(uint64_t queue, uint32_t what, size_t place, uint32_t length)
{
    return on_key(queue, what, place, length, mr->lkey);
}

static uint64_t ask(uint64_t queue)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &eth_told, &result, queue) == OK);
    return result;
}

static uint64_t await(uint64_t queue)
{
    uint64_t result;
    const time_t limit = time(NULL) + 60;
    while ((result = ask(queue)) == ETH_TOLD_NOTHING)
        CHECK(time(NULL) < limit);
    return result;
}

/* A frame in the place, of that number. */
static void fill(size_t place, uint8_t number)
{
    uint8_t *at = memory + place * BUFFER;
    memset(at, number, FRAME);
    memcpy(at, "\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x88\xb5", 14);
}

static bool has_come(size_t place, size_t from)
{
    return memcmp(memory + place * BUFFER, memory + from * BUFFER, FRAME) == 0;
}

/* ---- Cases ---- */

static void frames_go_around(bool own)
{
    uint64_t s, r;
    begin();
    port_open();
    struct doca_verbs_eth_sq *sq = sq_new(own, &s);
    struct doca_verbs_eth_rq *rq = rq_new(own, &r);
    CHECK(lead_to(3) == OK);
    memset(memory, 0, sizeof memory);
    for (uint8_t i = 0; i < DEPTH; i++) {
        fill(i, i + 1);
        CHECK(on(s, i % 2 ? ETH_SEND : ETH_SEND_SILENT, i, FRAME) == i + 1u);
        CHECK(on(r, ETH_RECEIVE, 8 + i, BUFFER) == i + 1u);
    }
    CHECK(on(s, ETH_SEND, 0, FRAME) == 0 && on(r, ETH_RECEIVE, 0, BUFFER) == 0); /* full */
    CHECK(ask(sends_handle) == ETH_TOLD_NOTHING);
    on(s, ETH_SEND_COMMIT, 0, 0);
    CHECK(await(sends_handle) == ETH_TOLD(SENT, 2, FRAME));
    CHECK(await(sends_handle) == ETH_TOLD(SENT, 4, FRAME));
    CHECK(ask(sends_handle) == ETH_TOLD_NOTHING && ask(receives_handle) == ETH_TOLD_NOTHING);
    on(r, ETH_RECEIVE_COMMIT, 0, 0);
    for (unsigned i = 0; i < DEPTH; i++) {
        CHECK(await(receives_handle) == ETH_TOLD(RECEIVED, i + 1, FRAME));
        CHECK(has_come(8 + i, i));
    }
    /* The ring has its receives still. */
    CHECK(on(r, ETH_RECEIVE_ACK, 0, DEPTH + 1) == 0 && on(r, ETH_RECEIVE_ACK, 0, 0) == 0);
    CHECK(on(r, ETH_RECEIVE_ACK, 0, 2) == DEPTH + 2);
    fill(0, 99);
    CHECK(on(s, ETH_SEND, 0, FRAME) == DEPTH + 1);
    on(s, ETH_SEND_LW_COMMIT, 0, 0);
    CHECK(await(sends_handle) == ETH_TOLD(SENT, DEPTH + 1, FRAME));
    CHECK(await(receives_handle) == ETH_TOLD(RECEIVED, DEPTH + 1, FRAME) && has_come(8, 0));
    CHECK(on(r, ETH_RECEIVE, 12, BUFFER) == DEPTH + 3);
    on(r, ETH_RECEIVE_LW_COMMIT, 0, 0);
    CHECK(on(r, ETH_RECEIVE_RECORD, 0, 0) == DEPTH + 3);
    port_close();
    CHECK(doca_verbs_eth_sq_destroy(sq) == OK && doca_verbs_eth_rq_destroy(rq) == OK);
    end();
}

static void frames_go_around_in_memory_of_the_context(void)
{
    frames_go_around(false);
}

static void frames_go_around_in_memory_of_the_program(void)
{
    frames_go_around(true);
}

static void queues_tell_of_themselves(void)
{
    uint64_t s, r;
    void *at;
    uint32_t entries, size;
    begin();
    struct doca_verbs_eth_sq *sq = sq_new(true, &s);
    struct doca_verbs_eth_rq *rq = rq_new(false, &r);
    CHECK(on(s, ETH_SEND_NUMBER, 0, 0) == doca_verbs_eth_sq_get_sq_hw_number(sq));
    CHECK(on(r, ETH_RECEIVE_NUMBER, 0, 0) == doca_verbs_eth_rq_get_rq_hw_number(rq));
    CHECK(doca_verbs_eth_sq_get_sq_hw_number(sq) && doca_verbs_eth_rq_get_rq_hw_number(rq));
    CHECK(on(s, ETH_SEND_INDEX, 0, 0) == INDEX && on(r, ETH_RECEIVE_INDEX, 0, 0) == INDEX + 1);
    CHECK(on(s, ETH_SEND_ENTRIES, 0, 0) == DEPTH && on(r, ETH_RECEIVE_ENTRIES, 0, 0) == DEPTH);
    CHECK(doca_verbs_eth_sq_get_wq(sq, &at, &entries) == OK && !at && entries == DEPTH);
    CHECK(doca_verbs_eth_rq_get_wq(rq, &at, &entries, &size) == OK && !at && size == 32);
    CHECK(on(r, ETH_RECEIVE_SIZE, 0, 0) == 32);
    CHECK(on(r, ETH_RECEIVE, 1, BUFFER) == 1 && on(s, ETH_SEND, 0, FRAME) == 1);
    CHECK(on(r, ETH_RECEIVE_ADDRESS, 0, 0) == (uintptr_t)memory + BUFFER);
    CHECK(on(s, ETH_SEND_FIRST, 0, 0) == 0x0a);
    CHECK(!doca_verbs_eth_sq_get_uar_addr(sq) && !doca_verbs_eth_sq_get_dbr_addr(sq) &&
          !doca_verbs_eth_rq_get_dbr_addr(rq));
    struct doca_verbs_eth_rq_init_attr *a;
    CHECK(doca_verbs_eth_rq_init_attr_create(&a) == OK && doca_verbs_eth_rq_query(rq, a) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_get_state(a) == DOCA_VERBS_ETH_RQ_STATE_RDY);
    CHECK(doca_verbs_eth_rq_init_attr_get_user_index(a) == INDEX + 1);
    CHECK(doca_verbs_eth_rq_init_attr_get_dpa(a) == dpa);
    CHECK(doca_verbs_eth_rq_init_attr_destroy(a) == OK);
    CHECK(doca_verbs_eth_sq_recover_from_error(sq) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_verbs_pd_destroy(pd) == DOCA_ERROR_IN_USE);
    CHECK(doca_dpa_completion_destroy(receives) == DOCA_ERROR_IN_USE);
    CHECK(doca_verbs_eth_sq_destroy(sq) == OK && doca_verbs_eth_rq_destroy(rq) == OK);
    CHECK(doca_verbs_eth_sq_destroy(sq) == INVALID && doca_verbs_eth_rq_query(rq, a) == INVALID);
    end();
}

/* A wrong key puts a queue into the error state, in which all works are flushed. */
static void queues_recover_from_errors(void)
{
    uint64_t s, r;
    begin();
    port_open();
    struct doca_verbs_eth_sq *sq = sq_new(false, &s);
    struct doca_verbs_eth_rq *rq = rq_new(false, &r);
    CHECK(lead_to(3) == OK);
    fill(0, 1);
    CHECK(on_key(s, ETH_SEND, 0, FRAME, mr->lkey + 1) == 1 && on(s, ETH_SEND, 0, FRAME) == 2);
    on(s, ETH_SEND_COMMIT, 0, 0);
    CHECK(await(sends_handle) >> 32 == ETH_TOLD(SEND_FAILED, 1, 0) >> 32);
    CHECK(await(sends_handle) >> 32 == ETH_TOLD(SEND_FAILED, 2, 0) >> 32);
    struct doca_verbs_eth_sq_init_attr *a;
    CHECK(doca_verbs_eth_sq_init_attr_create(&a) == OK && doca_verbs_eth_sq_query(sq, a) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_get_state(a) == DOCA_VERBS_ETH_SQ_STATE_ERR);
    CHECK(doca_verbs_eth_sq_recover_from_error(sq) == OK);
    CHECK(on_key(r, ETH_RECEIVE, 8, BUFFER, mr->lkey + 1) == 1 && on(r, ETH_RECEIVE, 9, BUFFER));
    on(r, ETH_RECEIVE_COMMIT, 0, 0);
    CHECK(on(s, ETH_SEND, 0, FRAME) == 1);
    on(s, ETH_SEND_COMMIT, 0, 0);
    CHECK(await(sends_handle) == ETH_TOLD(SENT, 1, FRAME));
    CHECK(await(receives_handle) >> 32 == ETH_TOLD(RECEIVE_FAILED, 1, 0) >> 32);
    CHECK(await(receives_handle) >> 32 == ETH_TOLD(RECEIVE_FAILED, 2, 0) >> 32);
    CHECK(doca_verbs_eth_rq_recover_from_error(rq) == OK);
    CHECK(on(r, ETH_RECEIVE, 9, BUFFER) == 1);
    on(r, ETH_RECEIVE_COMMIT, 0, 0);
    CHECK(on(s, ETH_SEND, 0, FRAME) == 2);
    on(s, ETH_SEND_COMMIT, 0, 0);
    CHECK(await(receives_handle) == ETH_TOLD(RECEIVED, 1, FRAME) && has_come(9, 0));
    CHECK(doca_verbs_eth_sq_init_attr_destroy(a) == OK);
    port_close();
    CHECK(doca_verbs_eth_sq_destroy(sq) == OK && doca_verbs_eth_rq_destroy(rq) == OK);
    end();
}

static void what_does_not_fit_is_refused(void)
{
    uint64_t r;
    struct doca_verbs_eth_sq *sq = NULL;
    struct doca_verbs_eth_rq *rq = NULL;
    begin();
    struct doca_verbs_eth_sq_init_attr *a = sq_wish(false);
    CHECK(doca_verbs_eth_sq_init_attr_set_wr_num(a, 0) == OK);
    CHECK(doca_verbs_eth_sq_create(context, a, &sq) == INVALID && !sq);
    CHECK(doca_verbs_eth_sq_init_attr_set_wr_num(a, 1u << 20) == OK);
    CHECK(doca_verbs_eth_sq_create(context, a, &sq) == INVALID);
    CHECK(doca_verbs_eth_sq_init_attr_set_wr_num(a, DEPTH) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_max_sges(a, 31) == OK);
    CHECK(doca_verbs_eth_sq_create(context, a, &sq) == INVALID);
    CHECK(doca_verbs_eth_sq_init_attr_set_max_sges(a, 1) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_external_umem(a, rings, 0) == OK);
    CHECK(doca_verbs_eth_sq_create(context, a, &sq) ==
          INVALID); /* the context's, or the program's */
    CHECK(doca_verbs_eth_sq_init_attr_set_external_umem(a, NULL, 0) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_dpa_completion(a, NULL) == OK);
    CHECK(doca_verbs_eth_sq_create(context, a, &sq) == INVALID);
    CHECK(doca_verbs_eth_sq_init_attr_destroy(a) == OK);
    a = sq_wish(true);
    CHECK(doca_verbs_eth_sq_init_attr_set_external_umem(a, rings, RINGS - 64) == OK);
    CHECK(doca_verbs_eth_sq_create(context, a, &sq) == INVALID); /* too small */
    CHECK(doca_verbs_eth_sq_init_attr_set_external_umem(a, rings, 8) == OK);
    CHECK(doca_verbs_eth_sq_create(context, a, &sq) == INVALID); /* not aligned */
    CHECK(doca_verbs_eth_sq_init_attr_destroy(a) == OK);
    struct doca_verbs_eth_rq_init_attr *b = rq_wish(false, 3);
    CHECK(doca_verbs_eth_rq_create(context, b, &rq) == OK);
    struct doca_verbs_eth_rq *second = NULL;
    CHECK(doca_verbs_eth_rq_create(context, b, &second) == DOCA_ERROR_ALREADY_EXIST && !second);
    CHECK(doca_verbs_eth_rq_get_dpa_handle(rq, NULL, &r) == INVALID);
    CHECK(doca_verbs_eth_rq_get_dpa_handle(rq, dpa, NULL) == INVALID);
    CHECK(doca_verbs_eth_rq_destroy(rq) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_external_datapath_en(b, 0) == OK);
    CHECK(doca_verbs_eth_rq_create(context, b, &rq) == DOCA_ERROR_NOT_SUPPORTED && !rq);
    CHECK(doca_verbs_eth_rq_init_attr_destroy(b) == OK);
    end();
}

/* A frame comes when the process of the ring is gone. */
static void queues_outlive_their_process(void)
{
    uint64_t s, r;
    begin();
    port_open();
    struct doca_verbs_eth_sq *sq = sq_new(false, &s);
    struct doca_verbs_eth_rq *rq = rq_new(false, &r);
    CHECK(lead_to(3) == OK);
    fill(0, 1);
    for (unsigned i = 0; i < DEPTH; i++)
        CHECK(on(s, ETH_SEND, 0, FRAME) == i + 1);
    on(s, ETH_SEND_COMMIT, 0, 0); /* they wait for receives */
    CHECK(doca_dpa_stop(dpa) == OK);
    CHECK(doca_verbs_eth_sq_recover_from_error(sq) == DOCA_ERROR_BAD_STATE);
    port_close();
    CHECK(doca_verbs_eth_sq_destroy(sq) == OK && doca_verbs_eth_rq_destroy(rq) == OK);
    end();
}

static void fault(bool sends_frames, uint32_t what)
{
    uint64_t s, r, result;
    begin();
    struct doca_verbs_eth_sq *sq = sq_new(false, &s);
    struct doca_verbs_eth_rq *rq = rq_new(false, &r);
    CHECK(doca_dpa_rpc(dpa, &eth, &result, sends_frames ? s : r, what, (uintptr_t)memory, FRAME,
                       mr->lkey) != OK);
    CHECK(doca_verbs_eth_sq_destroy(sq) == OK && doca_verbs_eth_rq_destroy(rq) == OK);
}

static void a_write_faults(void)
{
    fault(true, ETH_SEND_WRITE);
}

static void a_send_on_a_receive_queue_faults(void)
{
    fault(false, ETH_SEND_COMMIT);
}

static void a_receive_on_a_send_queue_faults(void)
{
    fault(true, ETH_RECEIVE_COMMIT);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(frames_go_around_in_memory_of_the_context),
                                             CASE(frames_go_around_in_memory_of_the_program),
                                             CASE(queues_tell_of_themselves),
                                             CASE(queues_recover_from_errors),
                                             CASE(what_does_not_fit_is_refused),
                                             CASE(queues_outlive_their_process),
                                             CASE(a_write_faults),
                                             CASE(a_send_on_a_receive_queue_faults),
                                             CASE(a_receive_on_a_send_queue_faults)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
