/*
 * The host side: makes the queues, steers every packet to the DPA, waits until so many were sent
 * back, or for Enter. An emulated port is in NIC mode whether --nic-mode says so or not.
 *
 *     packet_swap mlx5_0 32
 *     packet_swap mlx5_0
 */
#include "../packet_swap_com.h"

#include <libflexio/flexio_ver.h>
#define FLEXIO_VER_USED FLEXIO_VER(25, 7, 0)
#include <libflexio/flexio.h>

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern flexio_func_t swap_packets, packets_sent;

/* Everything of the program, so that it ends in one place. */
struct app {
    struct ibv_context *context;
    struct flexio_app *program;
    struct flexio_process *process;
    struct flexio_msg_stream *stream;
    struct flexio_event_handler *handler;
    struct flexio_cq *receive_cq, *send_cq;
    struct flexio_rq *rq;
    struct flexio_sq *sq;
    struct flexio_mkey *receive_key, *send_key;
    struct mlx5dv_dr_domain *domain;
    struct mlx5dv_dr_table *table;
    struct mlx5dv_dr_matcher *matcher;
    struct mlx5dv_dr_action *action;
    struct mlx5dv_dr_rule *rule;
    struct packet_swap queues;
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
        .app_name = "packet_swap_app", .hw_model_id = FLEXIO_HW_MODEL_DEF, .ibv_ctx = a->context};
    struct flexio_msg_stream_attr messages = {.data_bsize = 4096,
                                              .sync_mode = FLEXIO_MSG_DEV_SYNC_MODE_SYNC,
                                              .level = FLEXIO_MSG_DEV_INFO};
    struct flexio_event_handler_attr handler = {.host_stub_func = &swap_packets};
    return is_ok(flexio_version_set(FLEXIO_VER_USED)) &&
           is_ok(flexio_app_get(&program, &a->program)) &&
           is_ok(flexio_process_create(a->context, a->program, NULL, &a->process)) &&
           is_ok(flexio_msg_stream_create(a->process, &messages, stdout, NULL, &a->stream)) &&
           is_ok(flexio_event_handler_create(a->process, &handler, &a->handler));
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

static int make_key(struct app *a, uint64_t at, struct flexio_mkey **out)
{
    struct flexio_mkey_attr attr = {.pd = flexio_process_get_pd(a->process),
                                    .daddr = at,
                                    .len = DEPTH * PACKET_SIZE,
                                    .access = IBV_ACCESS_LOCAL_WRITE};
    return is_ok(flexio_device_mkey_create(a->process, &attr, out));
}

/* Posts a receive in every place of the ring. */
static int post_receives(struct app *a, uint64_t packets)
{
    struct mlx5_wqe_data_seg ring[DEPTH];
    uint32_t record[2] = {htobe32(DEPTH), 0};
    for (uint32_t i = 0; i < DEPTH; i++)
        mlx5dv_set_data_seg(&ring[i], PACKET_SIZE, flexio_mkey_get_id(a->receive_key),
                            packets + i * PACKET_SIZE);
    return is_ok(flexio_host2dev_memcpy(a->process, ring, sizeof ring, a->queues.receives)) &&
           is_ok(flexio_host2dev_memcpy(a->process, record, sizeof record,
                                        a->queues.receives_record));
}

static int make_receives(struct app *a)
{
    uint64_t packets;
    struct packet_swap *q = &a->queues;
    struct flexio_cq_attr cq = {.element_type = FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD,
                                .thread = flexio_event_handler_get_thread(a->handler)};
    if (!make_cq(a, &cq, &q->receive_cq, &q->receive_cq_record, &a->receive_cq) ||
        !memory(a, DEPTH * PACKET_SIZE, 0, &packets) || !make_key(a, packets, &a->receive_key) ||
        !memory(a, DEPTH * 16, 0, &q->receives) || !memory(a, 8, 0, &q->receives_record))
        return 0;
    q->receive_cqn = flexio_cq_get_cq_num(a->receive_cq);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .pd = flexio_process_get_pd(a->process),
                                  .wq_ring_qmem = {.daddr = q->receives},
                                  .wq_dbr_qmem = {.daddr = q->receives_record}};
    return post_receives(a, packets) &&
           is_ok(flexio_rq_create(a->process, NULL, q->receive_cqn, &attr, &a->rq));
}

static int make_sends(struct app *a)
{
    uint64_t cq_ring, cq_record;
    struct packet_swap *q = &a->queues;
    struct flexio_cq_attr cq = {.element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ};
    if (!make_cq(a, &cq, &cq_ring, &cq_record, &a->send_cq) ||
        !memory(a, DEPTH * PACKET_SIZE, 0, &q->send_packets) ||
        !make_key(a, q->send_packets, &a->send_key) || !memory(a, DEPTH * 64, 0, &q->sends))
        return 0;
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .uar_id = flexio_uar_get_id(flexio_process_get_uar(a->process)),
                                  .pd = flexio_process_get_pd(a->process),
                                  .wq_ring_qmem = {.daddr = q->sends}};
    if (!is_ok(flexio_sq_create(a->process, NULL, flexio_cq_get_cq_num(a->send_cq), &attr, &a->sq)))
        return 0;
    q->sqn = flexio_sq_get_wq_num(a->sq);
    q->send_key = flexio_mkey_get_id(a->send_key);
    return 1;
}

/* One rule: whatever arrives goes to the receive queue. */
static int steer(struct app *a)
{
    struct mlx5dv_flow_match_parameters everything = {.match_sz = 0};
    a->domain = mlx5dv_dr_domain_create(a->context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    a->table = a->domain ? mlx5dv_dr_table_create(a->domain, 0) : NULL;
    a->matcher = a->table ? mlx5dv_dr_matcher_create(a->table, 0, 0, &everything) : NULL;
    a->action = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(a->rq));
    if (a->matcher && a->action)
        a->rule = mlx5dv_dr_rule_create(a->matcher, &everything, 1, &a->action);
    if (!a->rule)
        perror("Cannot steer packets");
    return a->rule != NULL;
}

/* Until `*count` packets were sent back, or for Enter if it is 0, and then it is how many they were;
 * 0: the DPA process has failed. */
static int wait_for(struct app *a, uint64_t *count)
{
    uint64_t sent = 0;
    if (*count == 0) {
        puts("Enter ends it");
        for (int c = getchar(); c != '\n' && c != EOF; c = getchar())
            ;
        return is_ok(flexio_process_call(a->process, &packets_sent, count));
    }
    while (sent < *count) {
        if (!is_ok(flexio_process_call(a->process, &packets_sent, &sent)))
            return 0;
        usleep(1000);
    }
    return 1;
}

static int run(struct app *a, uint64_t *count)
{
    flexio_uintptr_t queues;
    return is_ok(flexio_copy_from_host(a->process, &a->queues, sizeof a->queues, &queues)) &&
           is_ok(flexio_event_handler_run(a->handler, queues)) && steer(a) && wait_for(a, count);
}

static void end(struct app *a)
{
    if (a->rule)
        mlx5dv_dr_rule_destroy(a->rule);
    if (a->action)
        mlx5dv_dr_action_destroy(a->action);
    if (a->matcher)
        mlx5dv_dr_matcher_destroy(a->matcher);
    if (a->table)
        mlx5dv_dr_table_destroy(a->table);
    if (a->domain)
        mlx5dv_dr_domain_destroy(a->domain);
    flexio_rq_destroy(a->rq);
    flexio_sq_destroy(a->sq);
    flexio_device_mkey_destroy(a->receive_key);
    flexio_device_mkey_destroy(a->send_key);
    flexio_cq_destroy(a->receive_cq);
    flexio_cq_destroy(a->send_cq);
    flexio_event_handler_destroy(a->handler);
    flexio_msg_stream_destroy(a->stream);
    flexio_process_destroy(a->process);
    if (a->context)
        ibv_close_device(a->context);
}

/* DEVICE [PACKETS] [--nic-mode], in any order but that of the first two; NULL: something else. */
static const char *parse(int argc, char **argv, uint64_t *count)
{
    const char *device = NULL;
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (strcmp(argv[i], "--nic-mode") == 0)
            continue;
        if (argv[i][0] == '-')
            return NULL;
        if (!device) {
            device = argv[i];
            continue;
        }
        if (*count != 0)
            return NULL;
        *count = strtoull(argv[i], &end, 10);
        if (*count == 0 || *end != '\0')
            return NULL;
    }
    return device;
}

int main(int argc, char **argv)
{
    struct app a = {0};
    uint64_t count = 0;
    const char *device = parse(argc, argv, &count);
    if (!device) {
        fprintf(stderr, "usage: %s DEVICE [PACKETS] [--nic-mode]\n", argv[0]);
        return 2;
    }
    int ok = open_device(&a, device) && start(&a) && make_receives(&a) && make_sends(&a) &&
             run(&a, &count);
    if (ok) {
        flexio_msg_stream_flush(a.stream);
        printf("%llu packets sent back\n", (unsigned long long)count);
    }
    end(&a);
    return ok ? 0 : 1;
}
