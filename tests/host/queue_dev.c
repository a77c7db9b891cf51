/* The device side of flexio_queue_cases.c, built by dpacc with the real libraries. */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_err.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#include "queue_com.h"

static struct flexio_dev_thread_ctx *context(void)
{
    struct flexio_dev_thread_ctx *c;
    flexio_dev_get_thread_ctx(&c);
    return c;
}

/* CQE number `ci`; NULL: it is not there yet. */
static struct flexio_dev_cqe64 *cqe_of(uint64_t ring, uint32_t ci)
{
    struct flexio_dev_cqe64 *cqe = (struct flexio_dev_cqe64 *)ring + (ci & (DEPTH - 1));
    uint8_t hardware = !(ci >> LOG_DEPTH & 1);
    return flexio_dev_cqe_get_owner(cqe) == hardware ? NULL : cqe;
}

static uint64_t consume(uint64_t ring, uint64_t record, uint32_t *ci)
{
    struct flexio_dev_cqe64 *cqe;
    while (!(cqe = cqe_of(ring, *ci)))
        ;
    uint64_t outcome =
        OUTCOME(flexio_dev_cqe_get_opcode(cqe), flexio_dev_cqe_get_err_synd(cqe),
                flexio_dev_cqe_get_wqe_counter(cqe), flexio_dev_cqe_get_byte_cnt(cqe));
    if (flexio_dev_cqe_get_opcode(cqe) < 13)
        outcome &= ~(0xffull << 48); /* where errors have syndromes others have a time */
    flexio_dev_dbr_cq_set_ci((uint32_t *)record, ++*ci);
    return outcome;
}

__dpa_rpc__ uint64_t next_sent(uint64_t at)
{
    struct queues *q = (struct queues *)at;
    return consume(q->send_cq, q->send_ci_at, &q->send_ci);
}

__dpa_rpc__ uint64_t next_received(uint64_t at)
{
    struct queues *q = (struct queues *)at;
    return consume(q->receive_cq, q->receive_ci_at, &q->receive_ci);
}

__dpa_rpc__ uint64_t repost(uint64_t at, uint64_t count)
{
    struct queues *q = (struct queues *)at;
    while (count--)
        flexio_dev_dbr_rq_inc_pi((uint32_t *)q->receive_record);
    return 0;
}

/* Without the library's help, as any store. */
__dpa_rpc__ uint64_t write_record(uint64_t at, uint64_t posted)
{
    __atomic_store_n((uint32_t *)at, cpu_to_be32((uint32_t)posted), __ATOMIC_RELEASE);
    return 0;
}

static union flexio_dev_sqe_seg *block(struct queues *q)
{
    return (union flexio_dev_sqe_seg *)q->sends + ((q->posted & (DEPTH - 1)) << LOG_SQE_NUM_SEGS);
}

static void send_frame(struct queues *q, uint32_t size, uint64_t address)
{
    union flexio_dev_sqe_seg *s = block(q);
    flexio_dev_swqe_seg_ctrl_set(s, q->posted, q->send_number, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_SEND_EN);
    flexio_dev_swqe_seg_eth_set(s + 1, 0, 0, 0, NULL);
    flexio_dev_swqe_seg_mem_ptr_data_set(s + 2, size, q->key, address);
    __dpa_thread_fence(__DPA_MEMORY, __DPA_W, __DPA_W);
    flexio_dev_qp_sq_ring_db(context(), (uint16_t)++q->posted, q->send_number);
}

__dpa_rpc__ uint64_t frame(uint64_t at, uint64_t size)
{
    struct queues *q = (struct queues *)at;
    send_frame(q, (uint32_t)size, q->data + DEPTH * BUFFER);
    return next_sent(at);
}

/* A frame with this word in it. `fences`: 1 has a fence after the WQE, 2 after the word. */
__dpa_rpc__ uint64_t hurried_frame(uint64_t at, uint64_t word, uint64_t fences)
{
    struct queues *q = (struct queues *)at;
    const uint64_t data = q->data + DEPTH * BUFFER;
    union flexio_dev_sqe_seg *s = block(q);
    flexio_dev_swqe_seg_ctrl_set(s, q->posted, q->send_number, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_SEND_EN); /* WQE */
    flexio_dev_swqe_seg_eth_set(s + 1, 0, 0, 0, NULL);
    flexio_dev_swqe_seg_mem_ptr_data_set(s + 2, 60, q->key, data);
    if (fences & 1)
        __dpa_thread_memory_writeback();
    *(volatile uint64_t *)(data + 16) = word; /* WORD */
    if (fences & 2)
        __dpa_thread_memory_writeback();
    flexio_dev_qp_sq_ring_db(context(), (uint16_t)++q->posted, q->send_number); /* DOORBELL */
    return next_sent(at);
}

/* Two frames in one WQE: of `size` bytes, and of one byte more. */
__dpa_rpc__ uint64_t two_frames(uint64_t at, uint64_t size)
{
    struct queues *q = (struct queues *)at;
    union flexio_dev_sqe_seg *s = block(q);
    flexio_dev_swqe_seg_ctrl_set(s, q->posted, q->send_number, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_SEND_EN);
    s->ctrl.idx_opcode =
        cpu_to_be32((q->posted & 0xffff) << 8 | MLX5_CTRL_SEG_OPCODE_ENHANCED_MPSW);
    s->ctrl.qpn_ds = cpu_to_be32(q->send_number << 8 | 4);
    flexio_dev_swqe_seg_eth_set(s + 1, 0, 0, 0, NULL);
    for (unsigned i = 0; i < 2; i++)
        flexio_dev_swqe_seg_mem_ptr_data_set(s + 2 + i, (uint32_t)size + i, q->key,
                                             q->data + DEPTH * BUFFER);
    __dpa_thread_fence(__DPA_MEMORY, __DPA_W, __DPA_W);
    flexio_dev_qp_sq_ring_db(context(), (uint16_t)++q->posted, q->send_number);
    return next_sent(at);
}

__dpa_rpc__ uint64_t post(uint64_t at, uint64_t work_at)
{
    struct queues *q = (struct queues *)at;
    const struct work *w = (const struct work *)work_at;
    union flexio_dev_sqe_seg *s = block(q), *data = s + 1;
    flexio_ctrl_seg_t kind = (flexio_ctrl_seg_t)w->kind;
    flexio_dev_swqe_seg_ctrl_set(s, q->posted, q->send_number, MLX5_CTRL_SEG_CE_CQE_ALWAYS, kind);
    s->ctrl.general_id = cpu_to_be32(w->immediate);
    if (kind != FLEXIO_CTRL_SEG_SEND_RC)
        flexio_dev_swqe_seg_rdma_set(data++, w->key, w->address);
    if (kind == FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP ||
        kind == FLEXIO_CTRL_SEG_ATOMIC_FETCH_AND_ADD)
        flexio_dev_swqe_seg_atomic_set(data++, w->operand, w->compare);
    flexio_dev_swqe_seg_mem_ptr_data_set(data, w->size, w->local_key, w->local);
    __dpa_thread_memory_writeback();
    flexio_dev_qp_sq_ring_db(context(), (uint16_t)++q->posted, q->send_number);
    return 0;
}

/* One completion an activation; those that are left lead to further ones. */
__dpa_global__ void on_receive(uint64_t at)
{
    struct queues *q = (struct queues *)at;
    if (!cqe_of(q->receive_cq, q->receive_ci))
        q->wrong++;
    else
        next_received(at);
    flexio_dev_dbr_rq_inc_pi((uint32_t *)q->receive_record);
    __atomic_fetch_add(&q->activations, 1, __ATOMIC_RELEASE);
    flexio_dev_cq_arm(context(), q->receive_ci, q->receive_cqn);
    flexio_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t activations(uint64_t at)
{
    struct queues *q = (struct queues *)at;
    return (uint64_t)q->wrong << 32 | __atomic_load_n(&q->activations, __ATOMIC_ACQUIRE);
}

__dpa_rpc__ uint64_t peek(uint64_t at)
{
    return *(uint64_t *)at;
}

__dpa_rpc__ uint64_t ring(uint64_t number, uint64_t posted)
{
    flexio_dev_qp_sq_ring_db(context(), (uint16_t)posted, (uint32_t)number);
    return 0;
}

__dpa_rpc__ uint64_t ring_across(uint64_t uar, uint64_t number, uint64_t posted)
{
    return flexio_dev_cross_device_ring_db((uint32_t)uar, (uint32_t)number, (uint32_t)posted);
}

/* An empty completion by each name, with and without the context. */
__dpa_rpc__ uint64_t wake(uint64_t cqn)
{
    flexio_dev_msix_send(context(), (uint32_t)cqn);
    flexio_dev_msix_send((uint32_t)cqn);
    flexio_dev_zcqe_gen(context(), (uint32_t)cqn);
    flexio_dev_zcqe_gen((uint32_t)cqn);
    return 0;
}

/* Polls an event queue until it has seen all that are wanted. Each is consumed, and the next
 * completion of its CQ is to be an event, too. */
__dpa_global__ void on_events(uint64_t at)
{
    struct events *e = (struct events *)at;
    struct flexio_dev_eqe *ring = (struct flexio_dev_eqe *)e->ring;
    const uint32_t depth = 1u << LOG_EVENTS;
    for (uint32_t ci = 0; ci < e->wanted; ci++) {
        struct flexio_dev_eqe *eqe = ring + ci % depth;
        const uint8_t hardware = !(ci / depth & 1);
        while (flexio_dev_eqe_get_owner(eqe) == hardware)
            ;
        if (flexio_dev_eqe_get_cqn(eqe) != e->cqn)
            e->strange++;
        flexio_dev_eq_update_ci(context(), ci + 1, e->number);
        flexio_dev_cq_arm(context(), ci + 1, e->cqn);
        __atomic_fetch_add(&e->seen, 1, __ATOMIC_RELEASE);
    }
    flexio_dev_thread_finish();
}

__dpa_rpc__ uint64_t seen(uint64_t at)
{
    struct events *e = (struct events *)at;
    return (uint64_t)e->strange << 32 | __atomic_load_n(&e->seen, __ATOMIC_ACQUIRE);
}

__dpa_rpc__ uint64_t empty_completion(uint64_t cqn)
{
    flexio_dev_msix_send(context(), (uint32_t)cqn);
    return 0;
}

/* Until its process ends. */
__dpa_rpc__ uint64_t arm_on_and_on(uint64_t at, uint64_t number)
{
    *(volatile uint64_t *)at = 1;
    for (;;)
        flexio_dev_cq_arm(context(), 0, (uint32_t)number);
}

__dpa_rpc__ uint64_t bad_doorbell(uint64_t which, uint64_t number)
{
    switch (which) {
    case 0:
        flexio_dev_qp_sq_ring_db(context(), 1, (uint32_t)number);
        break;
    case 1:
        flexio_dev_cq_arm(context(), 0, (uint32_t)number);
        break;
    case 2:
        flexio_dev_eq_update_ci(context(), 0, (uint32_t)number);
        break;
    case 3:
        flexio_dev_msix_send(context(), (uint32_t)number);
        break;
    case 4:
        flexio_dev_db_ctx_arm(context(), (uint32_t)number, 0);
        break;
    case 5:
        return flexio_dev_read_db_value(number);
    default:
        flexio_dev_cc_ring_db(context(), 0, 0, 0, CC_DB_NEXT_ACT_SINGLE);
        break;
    }
    return 0;
}

/* The same through an outbox, and what it is extended to; 0: none. */
__dpa_rpc__ uint64_t doorbell_through(uint64_t outbox, uint64_t uar, uint64_t which,
                                      uint64_t number)
{
    if (outbox &&
        flexio_dev_outbox_config(context(), (uint16_t)outbox) != FLEXIO_DEV_STATUS_SUCCESS)
        return 1;
    if (uar && flexio_dev_outbox_config_uar_extension(context(), (uint32_t)uar) !=
                   FLEXIO_DEV_STATUS_SUCCESS)
        return 2;
    return bad_doorbell(which, number);
}
