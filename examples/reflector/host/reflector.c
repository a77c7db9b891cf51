/*
 * The host side: gives each of QUEUES threads of the DPA a receive queue and a send queue, spreads
 * UDP packets over them by their source ports, waits until so many were sent back.
 *
 *     reflector mlx5_0 128 1000000
 */
#include "../reflector_com.h"

#include <libflexio/flexio_ver.h>
#define FLEXIO_VER_USED FLEXIO_VER(25, 7, 0)
#include <libflexio/flexio.h>

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern flexio_func_t reflect, packets_sent;

/* What matchers and rules of the second layer to the fourth are given (fte_match_set_lyr_2_4). */
struct match {
    size_t size;
    uint8_t bytes[64];
};
#define PROTOCOL      16 /* of IP */
#define PROTOCOL_UDP  17
#define UDP_SOURCE    28 /* port, big endian */
#define PARAMETERS(m) ((struct mlx5dv_flow_match_parameters *)(void *)&(m))
#define OUTER_HEADERS 1 /* headers */
#define MICROSECONDS  2000

/* A thread and what belongs to it. */
struct queue {
    struct flexio_event_handler *handler;
    struct flexio_cq *receive_cq, *send_cq;
    struct flexio_rq *rq;
    struct flexio_sq *sq;
    struct flexio_mkey *key;
    struct mlx5dv_dr_action *action;
    struct mlx5dv_dr_rule *rule;
};

struct app {
    struct ibv_context *context;
    struct flexio_app *program;
    struct flexio_process *process;
    struct mlx5dv_dr_domain *domain;
    struct mlx5dv_dr_table *root, *table;
    struct mlx5dv_dr_matcher *all, *matcher;
    struct mlx5dv_dr_action *to_table;
    struct mlx5dv_dr_rule *rule;
    unsigned count; /* of queues; a power of two */
    struct queue queues[QUEUES_MAX];
    struct reflector reflectors[QUEUES_MAX];
    flexio_uintptr_t at; /* of the reflectors, in DPA memory */
};

static int is_ok(flexio_status status)
{
    return status == FLEXIO_STATUS_SUCCESS;
}

static int open_device(struct app *a, const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    for (int i = 0; list && list[i] && !a->context; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            a->context = ibv_open_device(list[i]);
    ibv_free_device_list(list);
    if (!a->context)
        fprintf(stderr, "Cannot open device %s\n", name);
    return a->context != NULL;
}

static int start(struct app *a)
{
    struct flexio_app_select_attr program = {
        .app_name = "reflector_app", .hw_model_id = FLEXIO_HW_MODEL_DEF, .ibv_ctx = a->context};
    return is_ok(flexio_version_set(FLEXIO_VER_USED)) &&
           is_ok(flexio_app_get(&program, &a->program)) &&
           is_ok(flexio_process_create(a->context, a->program, NULL, &a->process)) &&
           is_ok(flexio_buf_dev_alloc(a->process, a->count * sizeof *a->reflectors, &a->at));
}

/* DPA memory that is filled with one byte. */
static int memory(struct app *a, size_t size, int byte, uint64_t *out)
{
    return is_ok(flexio_buf_dev_alloc(a->process, size, out)) &&
           is_ok(flexio_buf_dev_memset(a->process, byte, size, *out));
}

/* Its CQEs are owned by hardware in the beginning: the owner bits are 1. */
static int make_cq(struct app *a, struct flexio_cq_attr *attr, uint64_t *ring, uint64_t *record,
                   struct flexio_cq **out)
{
    if (!memory(a, DEPTH * 64, 0xff, ring) || !memory(a, 8, 0, record))
        return 0;
    attr->log_cq_depth = LOG_DEPTH;
    attr->uar_id = flexio_uar_get_id(flexio_process_get_uar(a->process));
    attr->cq_ring_qmem.daddr = *ring;
    attr->cq_dbr_daddr = *record;
    return is_ok(flexio_cq_create(a->process, NULL, attr, out));
}

/* Memory for packets, and a receive in every place of the ring. */
static int post_receives(struct app *a, struct queue *q, struct reflector *r)
{
    struct mlx5_wqe_data_seg ring[DEPTH];
    uint32_t record[2] = {htobe32(DEPTH), 0};
    if (!memory(a, DEPTH * PACKET_SIZE, 0, &r->packets) ||
        !memory(a, sizeof ring, 0, &r->receives) ||
        !memory(a, sizeof record, 0, &r->receives_record))
        return 0;
    struct flexio_mkey_attr attr = {.pd = flexio_process_get_pd(a->process),
                                    .daddr = r->packets,
                                    .len = DEPTH * PACKET_SIZE,
                                    .access = IBV_ACCESS_LOCAL_WRITE};
    if (!is_ok(flexio_device_mkey_create(a->process, &attr, &q->key)))
        return 0;
    r->key = flexio_mkey_get_id(q->key);
    for (uint32_t i = 0; i < DEPTH; i++)
        mlx5dv_set_data_seg(&ring[i], PACKET_SIZE, r->key, r->packets + i * PACKET_SIZE);
    return is_ok(flexio_host2dev_memcpy(a->process, ring, sizeof ring, r->receives)) &&
           is_ok(flexio_host2dev_memcpy(a->process, record, sizeof record, r->receives_record));
}

static int make_receives(struct app *a, struct queue *q, struct reflector *r)
{
    struct flexio_cq_attr cq = {.element_type = FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD,
                                .thread = flexio_event_handler_get_thread(q->handler)};
    if (!make_cq(a, &cq, &r->receive_cq, &r->receive_cq_record, &q->receive_cq) ||
        !post_receives(a, q, r))
        return 0;
    r->receive_cqn = flexio_cq_get_cq_num(q->receive_cq);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .pd = flexio_process_get_pd(a->process),
                                  .wq_ring_qmem = {.daddr = r->receives},
                                  .wq_dbr_qmem = {.daddr = r->receives_record}};
    return is_ok(flexio_rq_create(a->process, NULL, r->receive_cqn, &attr, &q->rq));
}

static int make_sends(struct app *a, struct queue *q, struct reflector *r)
{
    struct flexio_cq_attr cq = {.element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ};
    if (!make_cq(a, &cq, &r->send_cq, &r->send_cq_record, &q->send_cq) ||
        !memory(a, DEPTH * 64, 0, &r->sends))
        return 0;
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .uar_id = flexio_uar_get_id(flexio_process_get_uar(a->process)),
                                  .pd = flexio_process_get_pd(a->process),
                                  .wq_ring_qmem = {.daddr = r->sends}};
    const uint32_t cqn = flexio_cq_get_cq_num(q->send_cq);
    if (!is_ok(flexio_sq_create(a->process, NULL, cqn, &attr, &q->sq)))
        return 0;
    r->sqn = flexio_sq_get_wq_num(q->sq);
    return 1;
}

static int make_queue(struct app *a, unsigned i)
{
    struct queue *q = &a->queues[i];
    struct reflector *r = &a->reflectors[i];
    const flexio_uintptr_t at = a->at + i * sizeof *r;
    struct flexio_event_handler_attr handler = {.host_stub_func = &reflect};
    return is_ok(flexio_event_handler_create(a->process, &handler, &q->handler)) &&
           make_receives(a, q, r) && make_sends(a, q, r) &&
           is_ok(flexio_host2dev_memcpy(a->process, r, sizeof *r, at)) &&
           is_ok(flexio_event_handler_run(q->handler, at));
}

/* A rule for each queue: UDP, and the last bits of the source port are the queue's number. */
static int spread(struct app *a)
{
    struct match m = {.size = sizeof m.bytes};
    m.bytes[PROTOCOL] = 0xff;
    m.bytes[UDP_SOURCE] = (uint8_t)((a->count - 1) >> 8);
    m.bytes[UDP_SOURCE + 1] = (uint8_t)(a->count - 1);
    a->table = mlx5dv_dr_table_create(a->domain, 1);
    a->matcher =
        a->table ? mlx5dv_dr_matcher_create(a->table, 0, OUTER_HEADERS, PARAMETERS(m)) : NULL;
    m.bytes[PROTOCOL] = PROTOCOL_UDP;
    for (unsigned i = 0; a->matcher && i < a->count; i++) {
        struct queue *q = &a->queues[i];
        m.bytes[UDP_SOURCE] = (uint8_t)(i >> 8);
        m.bytes[UDP_SOURCE + 1] = (uint8_t)i;
        q->action = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(q->rq));
        q->rule =
            q->action ? mlx5dv_dr_rule_create(a->matcher, PARAMETERS(m), 1, &q->action) : NULL;
        if (!q->rule)
            return 0;
    }
    return a->matcher != NULL;
}

/* The rule that leads to those of the queues comes last, so that none of them misses a packet. */
static int steer(struct app *a)
{
    struct match everything = {.size = 0};
    a->domain = mlx5dv_dr_domain_create(a->context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    if (a->domain && spread(a) && (a->root = mlx5dv_dr_table_create(a->domain, 0)) &&
        (a->all = mlx5dv_dr_matcher_create(a->root, 0, 0, PARAMETERS(everything))) &&
        (a->to_table = mlx5dv_dr_action_create_dest_table(a->table)))
        a->rule = mlx5dv_dr_rule_create(a->all, PARAMETERS(everything), 1, &a->to_table);
    if (!a->rule)
        perror("Cannot steer packets");
    return a->rule != NULL;
}

/* Until `packets` were sent back; 0: the DPA process has failed. */
static int wait_for(struct app *a, uint64_t packets)
{
    uint64_t sent = 0, count = a->count;
    while (sent < packets) {
        usleep(MICROSECONDS);
        if (!is_ok(flexio_process_call(a->process, &packets_sent, &sent, a->at, count)))
            return 0;
    }
    return 1;
}

static int run(struct app *a, uint64_t packets)
{
    for (unsigned i = 0; i < a->count; i++)
        if (!make_queue(a, i))
            return 0;
    return steer(a) && wait_for(a, packets);
}

static void queue_end(struct queue *q)
{
    if (q->rule)
        mlx5dv_dr_rule_destroy(q->rule);
    if (q->action)
        mlx5dv_dr_action_destroy(q->action);
    flexio_rq_destroy(q->rq);
    flexio_sq_destroy(q->sq);
    flexio_device_mkey_destroy(q->key);
    flexio_cq_destroy(q->receive_cq);
    flexio_cq_destroy(q->send_cq);
    flexio_event_handler_destroy(q->handler);
}

static void end(struct app *a)
{
    if (a->rule)
        mlx5dv_dr_rule_destroy(a->rule);
    for (unsigned i = 0; i < a->count; i++)
        queue_end(&a->queues[i]);
    if (a->all)
        mlx5dv_dr_matcher_destroy(a->all);
    if (a->matcher)
        mlx5dv_dr_matcher_destroy(a->matcher);
    if (a->to_table)
        mlx5dv_dr_action_destroy(a->to_table);
    if (a->root)
        mlx5dv_dr_table_destroy(a->root);
    if (a->table)
        mlx5dv_dr_table_destroy(a->table);
    if (a->domain)
        mlx5dv_dr_domain_destroy(a->domain);
    flexio_process_destroy(a->process);
    if (a->context)
        ibv_close_device(a->context);
}

int main(int argc, char **argv)
{
    static struct app a;
    const unsigned long queues = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    const uint64_t packets = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    if (queues < 1 || queues > QUEUES_MAX || (queues & (queues - 1)) != 0 || packets == 0) {
        fprintf(stderr, "usage: reflector DEVICE QUEUES PACKETS (queues: 1, 2, 4 ... %u)\n",
                QUEUES_MAX);
        return 2;
    }
    a.count = (unsigned)queues;
    const int ok = open_device(&a, argv[1]) && start(&a) && run(&a, packets);
    if (ok)
        printf("%llu packets sent back by %u threads\n", (unsigned long long)packets, a.count);
    end(&a);
    return ok ? 0 : 1;
}
