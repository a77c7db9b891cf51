/* Behaviours of libflexio's queues; host_queues.bats runs them. */
#include "queue_world.h"

#include <errno.h>

static void frames_come_back(char addresses[12])
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    CHECK(flexio_host2dev_memcpy(p, addresses, 12, s.q.data + DEPTH * BUFFER) == OK);
    struct steering rx = steer(s.rq, -1);
    for (uint32_t i = 0; i < 5 * DEPTH; i++) { /* five times around every ring */
        uint64_t word = 0x1122334455667700 + i;
        CHECK(flexio_host2dev_memcpy(p, &word, 8, s.q.data + DEPTH * BUFFER + 16) == OK);
        CHECK(call2(p, &frame, s.at, 60) == OUTCOME(0, 0, i, 60u));
        CHECK(call1(p, &next_received, s.at) == OUTCOME(2, 0, i, 60u));
        CHECK(call1(p, &peek, s.q.data + i % DEPTH * BUFFER + 16) == word);
        call2(p, &repost, s.at, 1);
    }
    steering_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

static void a_polled_frame_comes_back(void)
{
    frames_come_back((char[12]){0});
}

/* From a device that others know by its address. */
static void a_frame_with_addresses_comes_back(void)
{
    frames_come_back((char[13]){"\2peer.\2self."});
}

/* The word that comes back, of a frame with `word` in it; 0: the WQE failed. */
static uint64_t hurried(struct set *s, uint64_t word, uint64_t fences, uint32_t received)
{
    uint64_t sent = 0;
    CHECK(flexio_process_call(s->p, &hurried_frame, &sent, s->at, word, fences) == OK);
    if (sent >> 48 != 0)
        return 0;
    CHECK(call1(s->p, &next_received, s->at) == OUTCOME(2, 0, received, 60u));
    return call1(s->p, &peek, s->q.data + received * BUFFER + 16);
}

/* With DPAKIT_STRICT=memory, as on a card. */
static void doorbells_need_their_fences(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct steering rx = steer(s.rq, -1);
    CHECK(hurried(&s, 11, 3, 0) == 11);
    CHECK(hurried(&s, 12, 2, 1) == 12); /* a fence orders what is before it */
    CHECK(hurried(&s, 13, 1, 2) == 12); /* the word is late */
    CHECK(hurried(&s, 14, 1, 3) == 13);
    CHECK(hurried(&s, 15, 0, 4) == 0);  /* so is the WQE: none is there */
    steering_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

static void one_WQE_sends_two_frames(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct steering rx = steer(s.rq, -1);
    for (uint64_t i = 0; i < DEPTH; i++) {
        CHECK(call2(p, &two_frames, s.at, 60) == OUTCOME(0, 0, i, 121u));
        CHECK(call1(p, &next_received, s.at) == OUTCOME(2, 0, 2 * i, 60u));
        CHECK(call1(p, &next_received, s.at) == OUTCOME(2, 0, 2 * i + 1, 61u));
        call2(p, &repost, s.at, 2);
    }
    CHECK(call2(p, &two_frames, s.at, 13) >> 48 == (13u << 8 | 0x01)); /* too short */
    steering_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

static void each_frame_is_one_activation(void)
{
    struct flexio_process *p = queue_process();
    struct flexio_event_handler *eh = NULL;
    struct flexio_event_handler_attr attr = {.host_stub_func = &on_receive};
    CHECK(flexio_event_handler_create(p, &attr, &eh) == OK);
    struct set s = ethernet(p, flexio_event_handler_get_thread(eh));
    struct steering rx = steer(s.rq, -1);
    CHECK(flexio_event_handler_run(eh, s.at) == OK);
    for (uint64_t round = 0; round < 6; round++) {
        for (uint64_t i = 0; i < 5; i++)
            call2(p, &frame, s.at, 100);
        while ((uint32_t)call1(p, &activations, s.at) < (round + 1) * 5)
            usleep(100);
    }
    usleep(20000);
    CHECK(call1(p, &activations, s.at) == 30); /* no more, and none without a completion */
    steering_end(&rx);
    CHECK(flexio_event_handler_destroy(eh) == OK); /* before its CQ */
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* From one thread of the DPA to another. */
static void empty_completions_wake_the_thread_of_a_queue(void)
{
    struct flexio_process *p = queue_process();
    struct flexio_event_handler *eh = NULL;
    struct flexio_event_handler_attr attr = {.host_stub_func = &on_receive};
    CHECK(flexio_event_handler_create(p, &attr, &eh) == OK);
    struct set s = ethernet(p, flexio_event_handler_get_thread(eh));
    CHECK(flexio_event_handler_run(eh, s.at) == OK);
    for (uint64_t round = 1; round <= 5; round++) {
        call1(p, &wake, s.q.receive_cqn);
        while ((uint32_t)call1(p, &activations, s.at) < round * 4)
            usleep(100);
    }
    CHECK(call1(p, &activations, s.at) == 20);
    for (uint64_t i = 0; i < DEPTH * 8; i++) { /* those of the second round, except four */
        const uint64_t owner = i / 8 < 4 ? 0 : UINT64_C(1) << 56;
        CHECK(call1(p, &peek, s.q.receive_cq + i * 8) == (i % 8 == 7 ? owner : 0));
    }
    CHECK(flexio_event_handler_destroy(eh) == OK);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* With no thread, they are polled. */
static void empty_completions_are_polled(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    call1(p, &wake, s.q.receive_cqn);
    for (int i = 0; i < 4; i++)
        CHECK(call1(p, &next_received, s.at) == 0);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* A UAR that verbs allocate is one for queues of its device, as long as it is there. */
static void queues_take_a_UAR_of_their_device(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct mlx5dv_devx_uar *uars[] = {mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC),
                                      mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_BF)};
    CHECK(uars[0] && uars[1] && uars[0]->page_id != uars[1]->page_id);
    for (unsigned i = 0; i < 2; i++) {
        CHECK((uint8_t *)uars[i]->reg_addr == (uint8_t *)uars[i]->base_addr + 0x800);
        *(volatile uint64_t *)uars[i]->reg_addr = 0; /* a store that nobody listens to */
    }
    const uint32_t page_id = uars[0]->page_id;
    struct flexio_cq_attr attr = {.log_cq_depth = LOG_DEPTH,
                                  .element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ,
                                  .uar_id = page_id,
                                  .uar_base_addr = uars[0]->base_addr,
                                  .cq_ring_qmem = {.daddr = zeros(p, DEPTH * 64)},
                                  .cq_dbr_daddr = zeros(p, 8)};
    struct flexio_cq *cq = NULL;
    CHECK(flexio_cq_create(p, NULL, &attr, &cq) == OK && flexio_cq_destroy(cq) == OK);
    struct ibv_context *other = open_device("mlx5_1");
    struct mlx5dv_devx_uar *third = mlx5dv_devx_alloc_uar(other, 0);
    CHECK(third);
    mlx5dv_devx_free_uar(uars[0]);
    CHECK(flexio_cq_create(p, NULL, &attr, &cq) == FLEXIO_STATUS_FAILED && !cq);
    mlx5dv_devx_free_uar(uars[1]);
    mlx5dv_devx_free_uar(third);
    mlx5dv_devx_free_uar(NULL);
    CHECK(ibv_close_device(other) == 0);
    CHECK(!mlx5dv_devx_alloc_uar(context, 0x40) && errno == EOPNOTSUPP);
    unsigned count = 0; /* a card has so many */
    struct mlx5dv_devx_uar *all[1000];
    while (count < 1000 && (all[count] = mlx5dv_devx_alloc_uar(context, 0)))
        count++;
    CHECK(count == 512 && errno == ENOMEM);
    while (count > 0)
        mlx5dv_devx_free_uar(all[--count]);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

static void a_device_opens_for_DevX(void)
{
    struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list && list[0]);
    struct ibv_context *c = mlx5dv_open_device(list[0], &attr);
    ibv_free_device_list(list);
    struct flexio_process *p = NULL;
    CHECK(c && flexio_process_create(c, queue_app, NULL, &p) == OK);
    CHECK(flexio_process_destroy(p) == OK && ibv_close_device(c) == 0);
}

static void a_doorbell_goes_through_another_uar(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct flexio_uar *uar = NULL;
    uint64_t result = 5;
    CHECK(flexio_uar_extend(flexio_process_get_uar(p), context, &uar) == OK);
    const uint64_t id = flexio_uar_get_extended_id(uar);
    CHECK(flexio_process_call(p, &ring_across, &result, id + 1, (uint64_t)s.q.send_number,
                              UINT64_C(1)) == OK &&
          result == 1); /* no such UAR */
    CHECK(flexio_process_call(p, &ring_across, &result, id, (uint64_t)s.q.send_number,
                              UINT64_C(1)) == OK &&
          result == 0); /* a block of zeros is a NOP of no queue: an error completion */
    CHECK(call1(p, &next_sent, s.at) >> 56 == 13);
    CHECK(flexio_uar_destroy(uar) == OK);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Queue pairs ---- */

#define EVERYTHING (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

static void pair_of(struct flexio_process *p, int permits, struct set *a, struct set *b)
{
    *a = queue_pair(p, permits);
    *b = queue_pair(p, permits);
    connect_pair(a->qp, b->qp);
    connect_pair(b->qp, a->qp);
}

/* Posts one WQE of `a` and waits for its completion. */
static uint64_t does(struct set *a, struct work w)
{
    flexio_uintptr_t at = 0;
    CHECK(flexio_copy_from_host(a->p, &w, sizeof w, &at) == OK);
    call2(a->p, &post, a->at, at);
    CHECK(flexio_buf_dev_free(a->p, at) == OK);
    return call1(a->p, &next_sent, a->at);
}

static struct work work_of(const struct set *a, const struct set *b, uint32_t kind, uint32_t size)
{
    return (struct work){.kind = kind,
                         .local = a->q.data,
                         .local_key = a->q.key,
                         .size = size,
                         .address = b->q.data + 512,
                         .key = b->q.key};
}

enum { SEND = 1, WRITE = 4, READ = 5, WRITE_IMM = 8, SWAP = 11, ADD = 12 };

static void put_word(struct set *s, uint64_t offset, uint64_t value)
{
    CHECK(flexio_host2dev_memcpy(s->p, &value, 8, s->q.data + offset) == OK);
}

static void queue_pairs_send_write_read_and_add(void)
{
    struct flexio_process *p = queue_process();
    struct set a, b;
    pair_of(p, EVERYTHING, &a, &b);
    put_word(&a, 0, 1234);
    CHECK(does(&a, work_of(&a, &b, SEND, 64)) == OUTCOME(0, 0, 0, 64u));
    CHECK(call1(p, &next_received, b.at) == OUTCOME(2, 0, 0, 64u));
    CHECK(call1(p, &peek, b.q.data) == 1234);
    CHECK(does(&a, work_of(&a, &b, WRITE, 8)) == OUTCOME(0, 0, 1, 8u));
    CHECK(call1(p, &peek, b.q.data + 512) == 1234);
    CHECK(does(&a, work_of(&a, &b, WRITE_IMM, 8)) == OUTCOME(0, 0, 2, 8u));
    CHECK(call1(p, &next_received, b.at) == OUTCOME(1, 0, 1, 8u));
    struct work add = work_of(&a, &b, ADD, 8);
    add.operand = 1000;
    put_word(&a, 0, 0);
    CHECK(does(&a, add) == OUTCOME(0, 0, 3, 8u));
    CHECK(call1(p, &peek, a.q.data) == 1234 && call1(p, &peek, b.q.data + 512) == 2234);
    struct work swap = work_of(&a, &b, SWAP, 8);
    swap.compare = 1;
    swap.operand = 5;
    CHECK(does(&a, swap) == OUTCOME(0, 0, 4, 8u));
    CHECK(call1(p, &peek, b.q.data + 512) == 2234);
    swap.compare = 2234;
    CHECK(does(&a, swap) == OUTCOME(0, 0, 5, 8u));
    CHECK(call1(p, &peek, b.q.data + 512) == 5);
    CHECK(does(&a, work_of(&a, &b, READ, 8)) == OUTCOME(0, 0, 6, 8u));
    CHECK(call1(p, &peek, a.q.data) == 5);
    set_end(&a);
    set_end(&b);
    CHECK(flexio_process_destroy(p) == OK);
}

static void sends_wait_for_receives(void)
{
    struct flexio_process *p = queue_process();
    struct set a, b;
    pair_of(p, EVERYTHING, &a, &b);
    for (uint32_t i = 0; i < DEPTH; i++)
        CHECK(does(&a, work_of(&a, &b, SEND, 8)) == OUTCOME(0, 0, i, 8u));
    for (uint32_t i = 0; i < DEPTH; i++)
        CHECK(call1(p, &next_received, b.at) == OUTCOME(2, 0, i, 8u));
    struct work w = work_of(&a, &b, SEND, 8);
    flexio_uintptr_t at = 0;
    CHECK(flexio_copy_from_host(p, &w, sizeof w, &at) == OK);
    call2(p, &post, a.at, at); /* no receive is left */
    call2(p, &repost, b.at, 1);
    CHECK(call1(p, &next_sent, a.at) == OUTCOME(0, 0, DEPTH, 8u));
    CHECK(call1(p, &next_received, b.at) == OUTCOME(2, 0, DEPTH, 8u));
    call2(p, &post, a.at, at);
    const uint32_t record = htobe32(DEPTH + 2); /* the host posts as well */
    CHECK(flexio_host2dev_memcpy(p, (void *)&record, sizeof record, b.q.receive_record) == OK);
    CHECK(call1(p, &next_sent, a.at) == OUTCOME(0, 0, DEPTH + 1, 8u));
    set_end(&a);
    set_end(&b);
    CHECK(flexio_process_destroy(p) == OK);
}

static void keys_and_rights_are_enforced(void)
{
    struct flexio_process *p = queue_process();
    const struct {
        uint32_t kind, size, wrong, syndrome;
        int permits;
    } cases[] = {
        {SEND, 8, 1, 0x04, EVERYTHING},  /* no such local key */
        {WRITE, 8, 2, 0x13, EVERYTHING}, /* no such remote key */
        {READ, 8, 2, 0x13, EVERYTHING},
        {ADD, 8, 2, 0x13, EVERYTHING},
        {WRITE, 8, 3, 0x13, EVERYTHING}, /* beyond the peer's memory */
        {WRITE, 8, 0, 0x13, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC},
        {READ, 8, 0, 0x13, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC},
        {ADD, 8, 0, 0x13, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE},
        {ADD, 16, 0, 0x01, EVERYTHING}, /* not 8 bytes */
        {SEND, DATA_SIZE, 0, 0x12, EVERYTHING} /* longer than the receive */,
        {SEND, DATA_SIZE + 1, 0, 0x04, EVERYTHING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct set a, b;
        pair_of(p, cases[i].permits, &a, &b);
        struct work w = work_of(&a, &b, cases[i].kind, cases[i].size);
        w.local_key += cases[i].wrong == 1;
        w.key += cases[i].wrong == 2;
        w.address += cases[i].wrong == 3 ? DATA_SIZE : 0;
        CHECK(does(&a, w) >> 48 == (13u << 8 | cases[i].syndrome));
        CHECK(flexio_qp_state_get(a.qp) == FLEXIO_QP_STATE_ERR);
        CHECK(call1(p, &peek, b.q.data + 512) == 0);
        set_end(&a);
        set_end(&b);
    }
    CHECK(flexio_err_status_get(p) == FLEXIO_DEV_NO_ERROR);
    CHECK(flexio_process_destroy(p) == OK);
}

static void states_come_in_their_order(void)
{
    struct flexio_process *p = queue_process();
    struct set s = queue_pair(p, 0);
    struct flexio_qp_attr attr = {.next_state = FLEXIO_QP_STATE_RTS};
    CHECK(flexio_qp_modify(s.qp, &attr, NULL) == FLEXIO_STATUS_FAILED);
    attr.next_state = FLEXIO_QP_STATE_ERR;
    CHECK(flexio_qp_modify(s.qp, &attr, NULL) == OK);
    for (uint32_t i = 0; i < DEPTH; i++)
        CHECK(call1(p, &next_received, s.at) >> 48 == (14u << 8 | 0x05));
    attr.next_state = (enum flexio_qp_state)5;
    CHECK(flexio_qp_modify(s.qp, &attr, NULL) == FLEXIO_STATUS_FAILED);
    attr.next_state = FLEXIO_QP_STATE_RST;
    CHECK(flexio_qp_modify(s.qp, &attr, NULL) == OK);
    CHECK(flexio_qp_modify(NULL, &attr, NULL) == FLEXIO_STATUS_FAILED);
    connect_pair(s.qp, s.qp);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Creation, destruction ---- */

static void creation_is_refused_with_a_reason(void)
{
    struct flexio_process *p = queue_process(), *other = queue_process();
    struct set s = ethernet(p, NULL);
    struct flexio_cq *cq = NULL;
    struct flexio_cq_attr good = {.log_cq_depth = LOG_DEPTH,
                                  .element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ,
                                  .cq_ring_qmem = {.daddr = s.q.send_cq},
                                  .cq_dbr_daddr = s.q.send_ci_at},
                          a;
#define REFUSED(change)                                                                            \
    (a = good, (change), flexio_cq_create(p, NULL, &a, &cq) == FLEXIO_STATUS_FAILED && !cq)
    CHECK(REFUSED(a.element_type = FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ));
    CHECK(REFUSED(a.element_type = FLEXIO_CQ_ELEMENT_TYPE_DPA_MSIX_EMULATED_CQ));
    CHECK(REFUSED(a.element_type = FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD));
    CHECK(REFUSED(a.cc = true));
    CHECK(REFUSED(a.cqe_comp_type = FLEXIO_CQE_COMP_BASIC));
    CHECK(REFUSED(a.log_cq_depth = 23));
    CHECK(REFUSED(a.cq_ring_qmem.daddr = 0));
    CHECK(REFUSED(a.cq_dbr_daddr = 12));
    CHECK(REFUSED(a.uar_id = 99));
    CHECK(REFUSED(a.cq_ring_qmem.memtype = FLEXIO_MEMTYPE_HOST));
    struct flexio_wq_attr wq = {.log_wq_depth = LOG_DEPTH, .wq_ring_qmem = {.daddr = s.q.sends}};
    struct flexio_sq *sq = NULL;
    CHECK(flexio_sq_create(p, NULL, 12345, &wq, &sq) == FLEXIO_STATUS_FAILED && !sq);
    CHECK(flexio_sq_create(other, NULL, s.q.send_cqn, &wq, &sq) == FLEXIO_STATUS_FAILED && !sq);
    CHECK(flexio_cq_destroy(s.send_cq) == FLEXIO_STATUS_FAILED); /* in use */
    uint16_t count = 0, period = 0, mode = 9;
    CHECK(flexio_cq_modify_moderation(s.send_cq, 7, 8, 1) == OK);
    CHECK(flexio_cq_query_moderation(s.send_cq, &count, &period, &mode) == OK);
    CHECK(count == 7 && period == 8 && mode == 1);
    CHECK(flexio_cq_get_cq_num(NULL) == UINT32_MAX && flexio_rq_get_wq_num(NULL) == UINT32_MAX &&
          !flexio_rq_get_tir(NULL) && flexio_rmp_destroy(NULL) == OK);
    set_end(&s);
    CHECK(flexio_process_destroy(other) == OK && flexio_process_destroy(p) == OK);
}

static void queues_go_with_their_process(void)
{
    struct flexio_process *p = queue_process(), *peer = queue_process();
    struct set s = ethernet(p, NULL), a = queue_pair(p, EVERYTHING),
               b = queue_pair(peer, EVERYTHING);
    struct steering rx = steer(s.rq, -1);
    connect_pair(a.qp, b.qp);
    connect_pair(b.qp, a.qp);
    CHECK(flexio_rq_set_err_state(s.rq) == OK);
    CHECK(call1(p, &next_received, s.at) >> 48 == (14u << 8 | 0x05));
    CHECK(flexio_process_destroy(p) == OK);
    steering_end(&rx); /* what refers to them may be given back later */
    CHECK(flexio_device_mkey_destroy(s.mkey) == OK && flexio_device_mkey_destroy(a.mkey) == OK);
    CHECK(does(&b, work_of(&b, &a, WRITE, 8)) >> 48 == (13u << 8 | 0x15));
    set_end(&b);
    CHECK(flexio_process_destroy(peer) == OK);
}

/* A queue that could not be destroyed exists as long as other queues use it: here a waiting send
 * completes while its peer is destroyed. */
static void a_queue_in_use_goes_last(void)
{
    struct flexio_process *p = queue_process();
    struct set a, b;
    pair_of(p, EVERYTHING, &a, &b);
    call2(p, &write_record, b.q.receive_record, 0);
    const struct work w = work_of(&a, &b, SEND, 8);
    flexio_uintptr_t at = 0;
    CHECK(flexio_copy_from_host(p, (void *)&w, sizeof w, &at) == OK);
    call2(p, &post, a.at, at);
    CHECK(flexio_cq_destroy(a.send_cq) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_process_destroy(p) == OK);
    CHECK(flexio_device_mkey_destroy(a.mkey) == OK && flexio_device_mkey_destroy(b.mkey) == OK);
}

static void doorbells_that_are_not_the_process_s_fault(void)
{
    struct flexio_process *owner = queue_process();
    struct set s = ethernet(owner, NULL), gone = ethernet(owner, NULL);
    set_end(&gone);
    for (uint64_t which = 0; which < 7; which++)
        for (int strange = 0; strange < 4; strange++) {
            struct flexio_process *p = queue_process();
            uint64_t result = 5;
            struct set mine = ethernet(p, NULL);
            const uint32_t numbers[] = {which == 0 ? s.q.send_number : s.q.send_cqn,
                                        which == 0 ? gone.q.send_number : gone.q.send_cqn, 0xffffff,
                                        0};
            const uint32_t number = numbers[strange];
            CHECK(flexio_process_call(p, &bad_doorbell, &result, which, (uint64_t)number) ==
                  FLEXIO_STATUS_FATAL_ERR);
            set_end(&mine);
            CHECK(flexio_process_destroy(p) == OK);
        }
    set_end(&s);
    CHECK(flexio_process_destroy(owner) == OK);
}

/* A thread may run while the host takes down what it uses. */
static void doorbells_of_destroyed_queues_are_dropped(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    const uint64_t sends = s.q.send_number, completions = s.q.send_cqn;
    set_end(&s);
    struct set pair = queue_pair(p, EVERYTHING);
    const uint64_t qp = pair.q.send_number;
    set_end(&pair);
    for (uint64_t which = 0; which < 4; which++)
        CHECK(call2(p, &bad_doorbell, which, which == 0 ? sends : completions) == 0);
    CHECK(call2(p, &bad_doorbell, 0, qp) == 0);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Outboxes (guide 2.2.1, 1.3.2.3) ---- */

static struct flexio_outbox *outbox_of(struct flexio_process *p, struct flexio_uar *uar)
{
    struct flexio_outbox *outbox = NULL;
    struct flexio_outbox_attr attr = {.uar = uar};
    CHECK(flexio_outbox_create(p, &attr, &outbox) == OK);
    return outbox;
}

/* What ringing the CQ of UAR `of` gives through an outbox of UAR `by` (NULL: the default), extended
 * to `across`; in a process of its own, which a fault ends. */
enum which_uar { DEFAULT, OWN, FIRST, SECOND, EXTENDED, DEVX };

static flexio_status rings_through(enum which_uar of, enum which_uar by, enum which_uar across)
{
    struct flexio_process *p = queue_process();
    struct mlx5dv_devx_uar *devx = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
    struct flexio_uar *uars[6] = {[OWN] = flexio_process_get_uar(p)};
    CHECK(devx && flexio_uar_create(p, &uars[FIRST]) == OK);
    CHECK(flexio_uar_create(p, &uars[SECOND]) == OK);
    CHECK(flexio_uar_extend(uars[FIRST], context, &uars[EXTENDED]) == OK);
    CHECK(flexio_uar_create(p, devx, &uars[DEVX]) == OK);
    uint64_t ring = 0, record = 0, result = 99;
    const uint32_t number = of == DEVX ? devx->page_id : of ? flexio_uar_get_id(uars[of]) : 0;
    struct flexio_cq *cq = make_cq_of(p, NULL, number, &ring, &record);
    struct flexio_outbox *outbox = by ? outbox_of(p, uars[by]) : NULL;
    const flexio_status status = flexio_process_call(
        p, &doorbell_through, &result,
        outbox ? (uint64_t)flexio_outbox_get_id(outbox) : UINT64_C(0),
        across ? (uint64_t)flexio_uar_get_extended_id(uars[across]) : UINT64_C(0), UINT64_C(1),
        (uint64_t)flexio_cq_get_cq_num(cq));
    CHECK(status != OK || result == 0);
    CHECK(flexio_outbox_destroy(outbox) == OK && flexio_cq_destroy(cq) == OK);
    for (unsigned i = FIRST; i <= DEVX; i++)
        CHECK(flexio_uar_destroy(uars[i]) == OK);
    mlx5dv_devx_free_uar(devx);
    CHECK(flexio_process_destroy(p) == OK);
    return status;
}

static void an_outbox_reaches_queues_of_its_UAR(void)
{
    CHECK(rings_through(DEFAULT, DEFAULT, 0) == OK && rings_through(OWN, DEFAULT, 0) == OK);
    CHECK(rings_through(DEFAULT, OWN, 0) == OK && rings_through(FIRST, FIRST, 0) == OK);
    CHECK(rings_through(DEVX, DEVX, 0) == OK && rings_through(EXTENDED, FIRST, 0) == OK);
    CHECK(rings_through(FIRST, SECOND, EXTENDED) == OK);
    CHECK(rings_through(SECOND, FIRST, SECOND) == OK);
}

static void an_outbox_reaches_no_queue_of_another_uar(void)
{
    const enum which_uar wrong[][3] = {
        {FIRST, DEFAULT, 0}, {FIRST, OWN, 0},    {OWN, FIRST, 0},
        {DEFAULT, FIRST, 0}, {FIRST, SECOND, 0}, {DEVX, FIRST, 0},
        {SECOND, DEVX, 0},   {DEVX, DEFAULT, 0}, {FIRST, FIRST, SECOND}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(rings_through(wrong[i][0], wrong[i][1], wrong[i][2]) == FLEXIO_STATUS_FATAL_ERR);
}

/* Each sort of queue, rung through an outbox of another UAR than its own. */
static void each_doorbell_asks_for_the_uar(void)
{
    for (uint64_t which = 0; which < 4; which++) {
        struct flexio_process *p = queue_process();
        struct set s = ethernet(p, NULL);
        struct flexio_uar *uar = NULL;
        CHECK(flexio_uar_create(p, &uar) == OK);
        struct flexio_outbox *outbox = outbox_of(p, uar);
        uint64_t result = 0;
        const uint64_t number = which == 0 ? s.q.send_number : s.q.send_cqn;
        CHECK(flexio_process_call(p, &doorbell_through, &result,
                                  (uint64_t)flexio_outbox_get_id(outbox), UINT64_C(0), which,
                                  number) == FLEXIO_STATUS_FATAL_ERR);
        CHECK(flexio_outbox_destroy(outbox) == OK && flexio_uar_destroy(uar) == OK);
        set_end(&s);
        CHECK(flexio_process_destroy(p) == OK);
    }
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(an_outbox_reaches_queues_of_its_UAR),
        CASE(an_outbox_reaches_no_queue_of_another_uar),
        CASE(each_doorbell_asks_for_the_uar),
        CASE(a_polled_frame_comes_back),
        CASE(a_frame_with_addresses_comes_back),
        CASE(doorbells_need_their_fences),
        CASE(one_WQE_sends_two_frames),
        CASE(each_frame_is_one_activation),
        CASE(empty_completions_wake_the_thread_of_a_queue),
        CASE(empty_completions_are_polled),
        CASE(queues_take_a_UAR_of_their_device),
        CASE(a_device_opens_for_DevX),
        CASE(a_doorbell_goes_through_another_uar),
        CASE(queue_pairs_send_write_read_and_add),
        CASE(sends_wait_for_receives),
        CASE(keys_and_rights_are_enforced),
        CASE(states_come_in_their_order),
        CASE(creation_is_refused_with_a_reason),
        CASE(queues_go_with_their_process),
        CASE(a_queue_in_use_goes_last),
        CASE(doorbells_that_are_not_the_process_s_fault),
        CASE(doorbells_of_destroyed_queues_are_dropped),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
