/* What the packet examples share on the host side. */
#include "packets.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern flexio_func_t packets_handled;

/* What matchers and rules that match everything are given (mlx5dv_flow_match_parameters). */
struct match {
    size_t size;
    uint8_t bytes[64];
};
#define PARAMETERS(m) ((struct mlx5dv_flow_match_parameters *)(void *)&(m))

void packets_give_up(const char *step)
{
    perror(step);
    exit(1);
}

void packets_must(const char *step, flexio_status status)
{
    if (status == FLEXIO_STATUS_SUCCESS)
        return;
    fprintf(stderr, "%s has failed\n", step);
    exit(1);
}
#define MUST(call) packets_must(#call, call)

static void *must_be(const char *step, void *made)
{
    if (!made)
        packets_give_up(step);
    return made;
}

static void start(struct packets_device *d, const char *device, const char *program)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    for (int i = 0; list && list[i] && !d->context; i++)
        if (strcmp(ibv_get_device_name(list[i]), device) == 0)
            d->context = ibv_open_device(list[i]);
    ibv_free_device_list(list);
    must_be(device, d->context);
    struct flexio_app_select_attr app = {
        .app_name = program, .hw_model_id = FLEXIO_HW_MODEL_DEF, .ibv_ctx = d->context};
    struct flexio_msg_stream_attr messages = {.data_bsize = 4096,
                                              .sync_mode = FLEXIO_MSG_DEV_SYNC_MODE_SYNC,
                                              .level = FLEXIO_MSG_DEV_INFO};
    MUST(flexio_version_set(FLEXIO_VER_USED));
    MUST(flexio_app_get(&app, &d->program));
    MUST(flexio_process_create(d->context, d->program, NULL, &d->process));
    MUST(flexio_msg_stream_create(d->process, &messages, stdout, NULL, &d->stream));
}

/* DPA memory that is filled with one byte. */
static uint64_t memory(struct packets_device *d, size_t size, int byte)
{
    uint64_t at;
    MUST(flexio_buf_dev_alloc(d->process, size, &at));
    MUST(flexio_buf_dev_memset(d->process, byte, size, at));
    return at;
}

/* Its CQEs are owned by hardware in the beginning: the owner bits are 1. */
static uint32_t make_cq(struct packets_device *d, struct flexio_cq_attr *attr, uint64_t *ring,
                        uint64_t *record, struct flexio_cq **out)
{
    *ring = memory(d, DEPTH * 64, 0xff);
    *record = memory(d, 8, 0);
    attr->log_cq_depth = LOG_DEPTH;
    attr->uar_id = flexio_uar_get_id(flexio_process_get_uar(d->process));
    attr->cq_ring_qmem.daddr = *ring;
    attr->cq_dbr_daddr = *record;
    MUST(flexio_cq_create(d->process, NULL, attr, out));
    return flexio_cq_get_cq_num(*out);
}

/* Memory for packets, and a receive in every place of the ring. */
static void post_receives(struct packets_device *d, struct packets_queue *q)
{
    struct mlx5_wqe_data_seg ring[DEPTH];
    uint32_t record[2] = {htobe32(DEPTH), 0};
    q->at.packets = memory(d, DEPTH * PACKET_SIZE, 0);
    q->at.receives = memory(d, sizeof ring, 0);
    q->at.receives_record = memory(d, sizeof record, 0);
    struct flexio_mkey_attr attr = {.pd = flexio_process_get_pd(d->process),
                                    .daddr = q->at.packets,
                                    .len = DEPTH * PACKET_SIZE,
                                    .access = IBV_ACCESS_LOCAL_WRITE};
    MUST(flexio_device_mkey_create(d->process, &attr, &q->key));
    q->at.key = flexio_mkey_get_id(q->key);
    for (uint32_t i = 0; i < DEPTH; i++)
        mlx5dv_set_data_seg(&ring[i], PACKET_SIZE, q->at.key, q->at.packets + i * PACKET_SIZE);
    MUST(flexio_host2dev_memcpy(d->process, ring, sizeof ring, q->at.receives));
    MUST(flexio_host2dev_memcpy(d->process, record, sizeof record, q->at.receives_record));
}

static void make_receives(struct packets_device *d, struct packets_queue *q)
{
    struct flexio_cq_attr cq = {.element_type = FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD,
                                .thread = flexio_event_handler_get_thread(q->handler)};
    q->at.receive_cqn =
        make_cq(d, &cq, &q->at.receive_cq, &q->at.receive_cq_record, &q->receive_cq);
    post_receives(d, q);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .pd = flexio_process_get_pd(d->process),
                                  .wq_ring_qmem = {.daddr = q->at.receives},
                                  .wq_dbr_qmem = {.daddr = q->at.receives_record}};
    MUST(flexio_rq_create(d->process, NULL, q->at.receive_cqn, &attr, &q->rq));
}

static void make_sends(struct packets_device *d, struct packets_queue *q)
{
    struct flexio_cq_attr cq = {.element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ};
    const uint32_t cqn = make_cq(d, &cq, &q->at.send_cq, &q->at.send_cq_record, &q->send_cq);
    q->at.sends = memory(d, DEPTH * 64, 0);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .uar_id = flexio_uar_get_id(flexio_process_get_uar(d->process)),
                                  .pd = flexio_process_get_pd(d->process),
                                  .wq_ring_qmem = {.daddr = q->at.sends}};
    MUST(flexio_sq_create(d->process, NULL, cqn, &attr, &q->sq));
    q->at.sqn = flexio_sq_get_wq_num(q->sq);
}

void packets_open(struct packets_device *d, const char *device, const char *program,
                  flexio_func_t *handler, unsigned queues, uint64_t user_size)
{
    struct flexio_event_handler_attr attr = {.host_stub_func = handler};
    *d = (struct packets_device){.count = queues};
    start(d, device, program);
    d->at = memory(d, queues * sizeof(struct packets), 0);
    d->user = user_size > 0 ? memory(d, user_size, 0) : 0;
    for (unsigned i = 0; i < queues; i++) {
        struct packets_queue *q = &d->queues[i];
        const flexio_uintptr_t at = d->at + i * sizeof q->at;
        q->at.user = d->user;
        MUST(flexio_event_handler_create(d->process, &attr, &q->handler));
        make_receives(d, q);
        make_sends(d, q);
        MUST(flexio_host2dev_memcpy(d->process, &q->at, sizeof q->at, at));
        MUST(flexio_event_handler_run(q->handler, at));
    }
}

/* ---- RSS: commands of the ConnectX PRM, big endian ---- */

enum { ALLOC_TRANSPORT_DOMAIN = 0x816, CREATE_TIR = 0x900, CREATE_RQT = 0x916 };
enum {
    COMMAND = 2048,
    CONTEXT = 32,
    ANSWER = 16,
    ANSWER_NUMBER = 8
}; /* bytes, and where they are */
enum { RQT_MAX = CONTEXT + 22, RQT_SIZE = CONTEXT + 26, RQT_LIST = CONTEXT + 240 };
enum { TIR_DISPATCH = CONTEXT + 4, TIR_TABLE = CONTEXT + 32, TIR_HASH = CONTEXT + 36 };
enum { TIR_KEY = CONTEXT + 40, TIR_FIELDS = CONTEXT + 80 };
enum { INDIRECT = 1u << 28, TOEPLITZ = 2u << 28 };
enum { HASHES_UDP = 1u << 30, HASHES_ADDRESSES = 3, HASHES_PORTS = 12 };

static void put32(uint8_t *at, uint32_t value)
{
    value = htobe32(value);
    memcpy(at, &value, sizeof value);
}

/* Makes an object; *number is how the device calls it. */
static struct mlx5dv_devx_obj *make(struct packets_device *d, const char *step, uint32_t opcode,
                                    uint8_t command[COMMAND], uint32_t *number)
{
    uint8_t answer[ANSWER];
    put32(command, opcode << 16);
    struct mlx5dv_devx_obj *made =
        must_be(step, mlx5dv_devx_obj_create(d->context, command, COMMAND, answer, sizeof answer));
    memcpy(number, answer + ANSWER_NUMBER, sizeof *number);
    *number = be32toh(*number);
    return made;
}

/* A receiver that chooses the queue by the hash of addresses and ports. */
static struct mlx5dv_devx_obj *make_receiver(struct packets_device *d)
{
    /* The key that Microsoft publishes with examples of hashes. */
    static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                    0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                    0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                    0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
    uint8_t domain[COMMAND] = {0}, table[COMMAND] = {0}, receiver[COMMAND] = {0};
    uint32_t number;
    d->transport = make(d, "transport domain", ALLOC_TRANSPORT_DOMAIN, domain, &number);
    put32(receiver + TIR_HASH, TOEPLITZ | number);
    put32(table + RQT_MAX - 2, d->count);
    put32(table + RQT_SIZE - 2, d->count);
    for (unsigned i = 0; i < d->count; i++)
        put32(table + RQT_LIST + (size_t)i * 4, flexio_rq_get_wq_num(d->queues[i].rq));
    d->table = make(d, "table of queues", CREATE_RQT, table, &number);
    put32(receiver + TIR_TABLE, number);
    put32(receiver + TIR_DISPATCH, INDIRECT);
    memcpy(receiver + TIR_KEY, key, sizeof key);
    put32(receiver + TIR_FIELDS, HASHES_UDP | HASHES_ADDRESSES | HASHES_PORTS);
    return d->receiver = make(d, "receiver", CREATE_TIR, receiver, &number);
}

void packets_steer(struct packets_device *d)
{
    struct match everything = {.size = sizeof everything.bytes};
    struct mlx5dv_devx_obj *to =
        d->count == 1 ? flexio_rq_get_tir(d->queues[0].rq) : make_receiver(d);
    d->domain =
        must_be("domain", mlx5dv_dr_domain_create(d->context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX));
    d->root = must_be("table", mlx5dv_dr_table_create(d->domain, 0));
    d->all = must_be("matcher", mlx5dv_dr_matcher_create(d->root, 0, 0, PARAMETERS(everything)));
    d->to = must_be("action", mlx5dv_dr_action_create_dest_devx_tir(to));
    d->rule = must_be("rule", mlx5dv_dr_rule_create(d->all, PARAMETERS(everything), 1, &d->to));
}

void packets_await(struct packets_device *d, uint64_t count)
{
    const uint64_t queues = d->count;
    for (uint64_t handled = 0; handled < count;) {
        usleep(1000);
        MUST(flexio_process_call(d->process, &packets_handled, &handled, d->at, queues));
    }
}

/* Waits until threads have sent what came before; they still use their queues until then. */
static void settle(struct packets_device *d)
{
    const uint64_t queues = d->count;
    uint64_t handled = 0, before;
    do {
        before = handled;
        usleep(20000);
        MUST(flexio_process_call(d->process, &packets_handled, &handled, d->at, queues));
    } while (handled != before);
}

static void queue_close(struct packets_queue *q)
{
    flexio_rq_destroy(q->rq);
    flexio_sq_destroy(q->sq);
    flexio_device_mkey_destroy(q->key);
    flexio_cq_destroy(q->receive_cq);
    flexio_cq_destroy(q->send_cq);
    flexio_event_handler_destroy(q->handler);
}

void packets_close(struct packets_device *d)
{
    mlx5dv_dr_rule_destroy(d->rule);
    mlx5dv_dr_action_destroy(d->to);
    mlx5dv_dr_matcher_destroy(d->all);
    mlx5dv_dr_table_destroy(d->root);
    for (unsigned i = 0; i < 3; i++) {
        struct mlx5dv_devx_obj *const made[] = {d->receiver, d->table, d->transport};
        if (made[i])
            mlx5dv_devx_obj_destroy(made[i]);
    }
    settle(d);
    for (unsigned i = 0; i < d->count; i++)
        queue_close(&d->queues[i]);
    mlx5dv_dr_domain_destroy(d->domain);
    flexio_msg_stream_destroy(d->stream);
    flexio_process_destroy(d->process);
    ibv_close_device(d->context);
}
