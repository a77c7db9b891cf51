/* Packets on the host side: a device, and threads of the DPA, each with a receive queue and a send
 * queue. A step that fails is told on stderr and ends the program. */
#ifndef EXAMPLES_PACKETS_H
#define EXAMPLES_PACKETS_H

#include "packets_com.h"

#include <libflexio/flexio_ver.h>
#define FLEXIO_VER_USED FLEXIO_VER(25, 7, 0)
#include <libflexio/flexio.h>

#define QUEUES_MAX 256u

/* A thread and what belongs to it. */
struct packets_queue {
    struct flexio_event_handler *handler;
    struct flexio_cq *receive_cq, *send_cq;
    struct flexio_rq *rq;
    struct flexio_sq *sq;
    struct flexio_mkey *key;
    struct packets at; /* as its thread begins */
};

struct packets_device {
    struct ibv_context *context;
    struct flexio_app *program;
    struct flexio_process *process;
    struct flexio_msg_stream *stream; /* of lines that the DPA prints */
    struct mlx5dv_dr_domain *domain;
    struct mlx5dv_devx_obj *transport, *table, *receiver; /* of RSS; NULL with one queue */
    struct mlx5dv_dr_table *root;
    struct mlx5dv_dr_matcher *all;
    struct mlx5dv_dr_action *to;
    struct mlx5dv_dr_rule *rule;
    unsigned count; /* of queues */
    struct packets_queue queues[QUEUES_MAX];
    flexio_uintptr_t at, user; /* struct packets of each, what they share; in DPA memory */
};

/* Makes the queues, and threads that run `handler`. They share `user_size` bytes of DPA memory, all
 * zero, at struct packets.user; 0: none. */
void packets_open(struct packets_device *d, const char *device, const char *program,
                  flexio_func_t *handler, unsigned queues, uint64_t user_size);
/* From now on packets arrive. Several queues share them by RSS: those of a flow, that is of the same
 * addresses and ports of UDP, are for one queue. */
void packets_steer(struct packets_device *d);
/* Waits until the threads have handled so many packets: those of them that they sent have left. */
void packets_await(struct packets_device *d, uint64_t count);
void packets_close(struct packets_device *d);

__attribute__((noreturn)) void packets_give_up(const char *step);
/* Ends the program if a step of FlexIO's has failed, which has said why. */
void packets_must(const char *step, flexio_status status);

#endif
