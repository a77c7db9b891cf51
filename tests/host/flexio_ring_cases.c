/* Behaviours of libflexio's queues whose rings and records are in host memory; host_rings.bats runs
 * them. */
#include "queue_world.h"

/* Where things are in that memory. */
enum { SENDS = 0, RECEIVES = 0x400, RECORD = 0x800, COMPLETIONS = 0xc00, SIZE = 0x1000 };

struct host_memory {
    uint8_t *bytes;
    struct mlx5dv_devx_umem *umem;
};

static struct host_memory host_memory(uint32_t access)
{
    struct host_memory m = {0};
    CHECK(posix_memalign((void **)&m.bytes, SIZE, SIZE) == 0);
    memset(m.bytes, 0, SIZE);
    CHECK((m.umem = mlx5dv_devx_umem_reg(context, m.bytes, SIZE, access)));
    return m;
}

static void host_memory_end(struct host_memory *m)
{
    CHECK(mlx5dv_devx_umem_dereg(m->umem) == 0);
    free(m->bytes);
}

static struct flexio_qmem in_host(const struct host_memory *m, uint64_t offset)
{
    return (struct flexio_qmem){
        .memtype = FLEXIO_MEMTYPE_HOST, .humem_offset = offset, .umem_id = m->umem->umem_id};
}

static void set_is_ready(struct set *s)
{
    CHECK(flexio_copy_from_host(s->p, &s->q, sizeof s->q, &s->at) == OK);
}

/* ---- What the host writes ---- */

/* Receives ever posted. */
static void post_receives(const struct host_memory *m, uint32_t posted)
{
    __atomic_store_n((uint32_t *)(m->bytes + RECORD), htobe32(posted), __ATOMIC_RELEASE);
}

static void write_receive(void *at, const struct set *s, uint32_t buffer)
{
    mlx5dv_set_data_seg(at, BUFFER, s->q.key, s->q.data + buffer * BUFFER);
}

/* A send from the buffer after the receives, `segments` with what lies before its data. */
static void write_send(const struct host_memory *m, uint64_t ring, const struct set *s,
                       uint32_t index, uint8_t segments, uint32_t size)
{
    uint8_t *at = m->bytes + ring + (size_t)(index & (DEPTH - 1)) * 64;
    memset(at, 0, 64);
    mlx5dv_set_ctrl_seg((void *)at, (uint16_t)index, MLX5_OPCODE_SEND, 0, s->q.send_number,
                        MLX5_WQE_CTRL_CQ_UPDATE, segments, 0, 0);
    mlx5dv_set_data_seg((void *)(at + 16 * (segments - 1)), size, s->q.key,
                        s->q.data + DEPTH * BUFFER);
}

static void put_word(const struct set *s, uint64_t offset, uint64_t value)
{
    CHECK(flexio_host2dev_memcpy(s->p, &value, 8, s->q.data + offset) == OK);
}

/* ---- Ethernet ---- */

static struct set ethernet_in(struct flexio_process *p, const struct host_memory *m)
{
    struct set s = set_begin(p, NULL, IBV_ACCESS_LOCAL_WRITE);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH, .wq_ring_qmem = in_host(m, SENDS)};
    CHECK(flexio_sq_create(p, NULL, s.q.send_cqn, &attr, &s.sq) == OK);
    attr.wq_ring_qmem = in_host(m, RECEIVES);
    attr.wq_dbr_qmem = in_host(m, RECORD);
    CHECK(flexio_rq_create(p, NULL, s.q.receive_cqn, &attr, &s.rq) == OK);
    s.q.send_number = flexio_sq_get_wq_num(s.sq);
    for (uint32_t i = 0; i < DEPTH; i++)
        write_receive(m->bytes + RECEIVES + i * 16, &s, i);
    post_receives(m, DEPTH);
    set_is_ready(&s);
    return s;
}

static void frames_go_through_rings_in_host_memory(void)
{
    struct flexio_process *p = queue_process();
    struct host_memory m = host_memory(0); /* the device only reads these rings */
    struct set s = ethernet_in(p, &m);
    struct steering rx = steer(s.rq, -1);
    for (uint32_t i = 0; i < 3 * DEPTH; i++) {
        put_word(&s, DEPTH * BUFFER + 16, 0xabcd0000 + i);
        write_send(&m, SENDS, &s, i, 3, 60);
        call2(p, &ring, s.q.send_number, i + 1);
        CHECK(call1(p, &next_sent, s.at) == OUTCOME(0, 0, i, 60u));
        CHECK(call1(p, &next_received, s.at) == OUTCOME(2, 0, i, 60u));
        CHECK(call1(p, &peek, s.q.data + i % DEPTH * BUFFER + 16) == 0xabcd0000 + i);
        post_receives(&m, DEPTH + i + 1);
    }
    steering_end(&rx);
    set_end(&s);
    host_memory_end(&m);
    CHECK(flexio_process_destroy(p) == OK);
}

static void rings_that_go_end_their_queues_with_errors(void)
{
    struct flexio_process *p = queue_process();
    struct host_memory sends = host_memory(0);
    struct set s = ethernet_in(p, &sends);
    struct steering rx = steer(s.rq, -1);
    write_send(&sends, SENDS, &s, 0, 3, 60);
    host_memory_end(&sends);
    call2(p, &ring, s.q.send_number, 1);
    CHECK(call1(p, &next_sent, s.at) >> 48 == (13u << 8 | 0x02));
    CHECK(flexio_err_status_get(p) == FLEXIO_DEV_NO_ERROR);
    struct set other = ethernet(p, NULL); /* what it sends finds no receive any more */
    CHECK(call2(p, &frame, other.at, 60) == OUTCOME(0, 0, 0, 60u));
    steering_end(&rx);
    set_end(&other);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Queue pairs ---- */

#define EVERYTHING (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/* Its receives, then its sends, in one piece of host memory. */
static struct set pair_in(struct flexio_process *p, const struct host_memory *m)
{
    struct set s = set_begin(p, NULL, EVERYTHING);
    struct flexio_qp_attr attr = {.transport_type = FLEXIO_QPC_ST_RC,
                                  .log_sq_depth = LOG_DEPTH,
                                  .log_rq_depth = LOG_DEPTH,
                                  .sq_cqn = s.q.send_cqn,
                                  .rq_cqn = s.q.receive_cqn,
                                  .qp_wq_buff_qmem = in_host(m, SENDS),
                                  .qp_wq_dbr_qmem = in_host(m, RECORD)};
    CHECK(flexio_qp_create(p, NULL, &attr, &s.qp) == OK);
    s.q.send_number = flexio_qp_get_qp_num(s.qp);
    for (uint32_t i = 0; i < DEPTH; i++)
        write_receive(m->bytes + SENDS + i * 16, &s, i);
    post_receives(m, DEPTH);
    set_is_ready(&s);
    return s;
}

static void queue_pairs_lie_in_host_memory(void)
{
    struct flexio_process *p = queue_process();
    struct host_memory m = host_memory(0), n = host_memory(0);
    struct set a = pair_in(p, &m), b = pair_in(p, &n);
    connect_pair(a.qp, b.qp);
    connect_pair(b.qp, a.qp);
    for (uint32_t i = 0; i < 2 * DEPTH; i++) {
        put_word(&a, DEPTH * BUFFER, 70 + i);
        write_send(&m, SENDS + DEPTH * 16, &a, i, 2, 8);
        call2(p, &ring, a.q.send_number, i + 1);
        CHECK(call1(p, &next_sent, a.at) == OUTCOME(0, 0, i, 8u));
        CHECK(call1(p, &next_received, b.at) == OUTCOME(2, 0, i, 8u));
        CHECK(call1(p, &peek, b.q.data + i % DEPTH * BUFFER) == 70 + i);
        post_receives(&n, DEPTH + i + 1);
    }
    set_end(&a);
    set_end(&b);
    host_memory_end(&m);
    host_memory_end(&n);
    CHECK(flexio_process_destroy(p) == OK);
}

/* Nothing but the record says that there is a receive. */
static void receives_posted_by_hand_wake_their_senders(void)
{
    struct flexio_process *p = queue_process();
    struct host_memory m = host_memory(0);
    struct set a = pair_in(p, &m), b = queue_pair(p, 0);
    connect_pair(a.qp, b.qp);
    connect_pair(b.qp, a.qp);
    const struct work w = {.kind = 1, .local = b.q.data, .local_key = b.q.key, .size = 8};
    flexio_uintptr_t at = 0;
    CHECK(flexio_copy_from_host(p, (void *)&w, sizeof w, &at) == OK);
    post_receives(&m, 0);
    call2(p, &post, b.at, at);
    post_receives(&m, 1); /* by the host, in its memory */
    CHECK(call1(p, &next_sent, b.at) == OUTCOME(0, 0, 0, 8u));
    call2(p, &write_record, b.q.receive_record, 0);
    write_send(&m, SENDS + DEPTH * 16, &a, 0, 2, 8);
    call2(p, &ring, a.q.send_number, 1);
    call2(p, &write_record, b.q.receive_record, 1); /* by the DPA */
    CHECK(call1(p, &next_sent, a.at) == OUTCOME(0, 0, 0, 8u));
    set_end(&a);
    set_end(&b);
    host_memory_end(&m);
    CHECK(flexio_process_destroy(p) == OK);
}

/* Each receive begins with the place of the next: here they go backwards. */
static struct flexio_rmp *backward_receives(struct flexio_process *p, const struct host_memory *m,
                                            const struct set *s)
{
    struct flexio_rmp *rmp = NULL;
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .log_wq_stride = 5,
                                  .rq = {.wq_type = FLEXIO_WQ_TYPE_LINKED_LIST},
                                  .wq_ring_qmem = in_host(m, RECEIVES),
                                  .wq_dbr_qmem = in_host(m, RECORD)};
    for (uint32_t i = 0; i < DEPTH; i++) {
        struct mlx5_wqe_srq_next_seg *next = (void *)(m->bytes + RECEIVES + i * 32);
        next->next_wqe_index = htobe16((uint16_t)((i - 1) & (DEPTH - 1)));
        write_receive(next + 1, s, i);
    }
    post_receives(m, DEPTH);
    CHECK(flexio_rmp_create(p, NULL, &attr, &rmp) == OK);
    return rmp;
}

static void shared_receives_lie_in_host_memory(void)
{
    struct flexio_process *p = queue_process();
    struct host_memory m = host_memory(0);
    struct set a = queue_pair(p, 0), b = set_begin(p, NULL, EVERYTHING);
    struct flexio_rmp *rmp = backward_receives(p, &m, &b);
    struct flexio_qp_attr attr = {.transport_type = FLEXIO_QPC_ST_RC,
                                  .no_sq = 1,
                                  .rq_type = FLEXIO_QP_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ,
                                  .rmpqn = flexio_rmp_get_wq_num(rmp),
                                  .rq_cqn = b.q.receive_cqn,
                                  .qp_wq_dbr_qmem = {.daddr = b.q.receive_record}};
    CHECK(flexio_qp_create(p, NULL, &attr, &b.qp) == OK);
    set_is_ready(&b);
    connect_pair(a.qp, b.qp);
    connect_pair(b.qp, a.qp);
    struct work w = {.kind = 1, .local = a.q.data, .local_key = a.q.key, .size = 8};
    flexio_uintptr_t at = 0;
    CHECK(flexio_copy_from_host(p, &w, sizeof w, &at) == OK);
    for (uint32_t i = 0; i < DEPTH; i++) {
        const uint32_t place = (DEPTH - i) & (DEPTH - 1);
        put_word(&a, 0, 90 + i);
        call2(p, &post, a.at, at);
        CHECK(call1(p, &next_sent, a.at) == OUTCOME(0, 0, i, 8u));
        CHECK(call1(p, &next_received, b.at) == OUTCOME(2, 0, place, 8u));
        CHECK(call1(p, &peek, b.q.data + place * BUFFER) == 90 + i);
    }
    CHECK(flexio_rmp_destroy(rmp) == FLEXIO_STATUS_FAILED); /* in use */
    set_end(&a);
    set_end(&b);
    CHECK(flexio_rmp_destroy(rmp) == OK);
    host_memory_end(&m);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Completions ---- */

static struct flexio_cq_attr completions(struct flexio_process *p, struct flexio_qmem ring)
{
    return (struct flexio_cq_attr){.log_cq_depth = LOG_DEPTH,
                                   .element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ,
                                   .cq_ring_qmem = ring,
                                   .cq_dbr_daddr = zeros(p, 8)};
}

/* Posts one WQE that does nothing but complete, to a send queue of the new CQ. */
static void complete_one(struct set *s, struct flexio_cq *cq)
{
    struct flexio_wq_attr wq = {.log_wq_depth = LOG_DEPTH, .wq_ring_qmem = {.daddr = s->q.sends}};
    const struct work nop = {.kind = 7};
    flexio_uintptr_t at = 0;
    CHECK(flexio_sq_destroy(s->sq) == OK);
    CHECK(flexio_sq_create(s->p, NULL, flexio_cq_get_cq_num(cq), &wq, &s->sq) == OK);
    s->q.send_number = flexio_sq_get_wq_num(s->sq);
    CHECK(flexio_host2dev_memcpy(s->p, &s->q, sizeof s->q, s->at) == OK);
    CHECK(flexio_copy_from_host(s->p, (void *)&nop, sizeof nop, &at) == OK);
    call2(s->p, &post, s->at, at);
}

static void completions_go_to_host_memory(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct host_memory m = host_memory(IBV_ACCESS_LOCAL_WRITE);
    struct mlx5_cqe64 *ring = (void *)(m.bytes + COMPLETIONS);
    memset(ring, 0xff, DEPTH * sizeof *ring);
    struct flexio_cq_attr attr = completions(p, in_host(&m, COMPLETIONS));
    struct flexio_cq *cq = NULL;
    CHECK(flexio_cq_create(p, NULL, &attr, &cq) == OK);
    complete_one(&s, cq);
    CHECK(mlx5dv_get_cqe_owner(ring) == 0 && mlx5dv_get_cqe_opcode(ring) == MLX5_CQE_REQ);
    CHECK((be32toh(ring->sop_drop_qpn) & 0xffffff) == s.q.send_number);
    set_end(&s);
    CHECK(flexio_cq_destroy(cq) == OK);
    host_memory_end(&m);
    CHECK(flexio_process_destroy(p) == OK);
}

static void rings_that_do_not_fit_are_refused(void)
{
    struct flexio_process *p = queue_process();
    struct host_memory m = host_memory(IBV_ACCESS_LOCAL_WRITE), fixed = host_memory(0);
    struct flexio_cq_attr attr = completions(p, in_host(&m, 0));
    struct flexio_cq *cq = NULL;
    const struct flexio_qmem bad[] = {
        in_host(&m, SIZE - DEPTH * 64 + 64), /* too long */
        in_host(&m, SIZE),
        in_host(&m, UINT64_MAX - 63),
        in_host(&m, 32),    /* not aligned */
        in_host(&fixed, 0), /* nothing may be written to it */
        {.memtype = FLEXIO_MEMTYPE_HOST, .umem_id = m.umem->umem_id + 1},
        {.memtype = FLEXIO_MEMTYPE_HOST},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        attr.cq_ring_qmem = bad[i];
        CHECK(flexio_cq_create(p, NULL, &attr, &cq) == FLEXIO_STATUS_FAILED && !cq);
    }
    host_memory_end(&m);
    host_memory_end(&fixed);
    CHECK(flexio_process_destroy(p) == OK);
}

static void memory_of_the_process_has_a_number(void)
{
    struct flexio_process *p = queue_process(), *other = queue_process();
    struct set s = ethernet(p, NULL);
    const uint32_t id = flexio_process_get_dumem_id(p);
    CHECK(id != 0 && id != UINT32_MAX && flexio_process_get_dumem_id(p) == id);
    CHECK(flexio_process_get_dumem_id(other) != id);
    struct flexio_cq_attr attr = completions(p, (struct flexio_qmem){.memtype = FLEXIO_MEMTYPE_HOST,
                                                                     .humem_offset = s.q.send_cq,
                                                                     .umem_id = id});
    struct flexio_cq *cq = NULL;
    CHECK(flexio_cq_create(p, NULL, &attr, &cq) == OK);
    complete_one(&s, cq);
    CHECK(call1(p, &next_sent, s.at) == OUTCOME(0, 0, 0, 0u));
    set_end(&s);
    CHECK(flexio_cq_destroy(cq) == OK);
    attr.cq_dbr_daddr = zeros(other, 8);
    CHECK(flexio_cq_create(other, NULL, &attr, &cq) == FLEXIO_STATUS_FAILED && !cq);
    CHECK(flexio_process_destroy(p) == OK && flexio_process_destroy(other) == OK);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(frames_go_through_rings_in_host_memory),
        CASE(rings_that_go_end_their_queues_with_errors),
        CASE(queue_pairs_lie_in_host_memory),
        CASE(receives_posted_by_hand_wake_their_senders),
        CASE(shared_receives_lie_in_host_memory),
        CASE(completions_go_to_host_memory),
        CASE(rings_that_do_not_fit_are_refused),
        CASE(memory_of_the_process_has_a_number),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
