/* Completion queues and queue pairs that commands make, in memory of the program. Private to devx. */
#ifndef DPK_API_DEVX_QUEUE_H
#define DPK_API_DEVX_QUEUE_H

#include <pthread.h>
#include <sys/queue.h>

#include "api/nic/nic.h"
#include "api/verbs/verbs.h"
#include "command.h"

#define DEVX_LOG_COMPLETIONS 22u /* largest logarithms of the sizes of queues */
#define DEVX_LOG_WORKS       15u
#define DEVX_RECEIVE         16u  /* bytes of a receive */
#define DEVX_QPC             232u /* bytes of a queue pair's context (struct qpc) */

/* A ring or a doorbell record in a umem. */
struct devx_memory {
    struct dpk_nic_memory ops; /* first */
    struct ibv_context *context;
    uint32_t umem;
};
void devx_memory_init(struct devx_memory *m, struct ibv_context *context, uint32_t umem);

struct devx_queue {
    struct mlx5dv_devx_obj obj; /* first: programs hold a pointer to it */
    bool is_pair;
    LIST_ENTRY(devx_queue) link;
    struct dpk_queue *queue;
    struct devx_memory ring, record;
};

struct devx_cq {
    struct devx_queue q; /* first */
    struct dpk_nic_listener listener;
};

struct devx_pair {
    struct devx_queue q; /* first */
    struct ibv_pd *pd;   /* a use */
    struct dpk_queues *nic;
    uint64_t record_at;
    LIST_ENTRY(devx_pair) watched;
    pthread_mutex_t lock; /* of the rest; taken before that of the port */
    enum ibv_qp_state state;
    struct ibv_qp_attr attr;
    uint32_t rung[2]; /* words of the record that were seen */
    uint8_t created[DEVX_QPC],
        now[DEVX_QPC]; /* the context: as it was created, and with its changes */
};

/* ---- cq.c: CREATE_CQ ---- */
int devx_cq_create(const struct devx_command *c, struct ibv_context *context,
                   struct devx_queue **out);
/* ---- pair.c: CREATE_QP, destruction ---- */
int devx_pair_create(const struct devx_command *c, struct ibv_context *context,
                     struct devx_queue **out);
void devx_pair_free(struct devx_pair *p);
/* ---- states.c: changes and QUERY_QP ---- */
int devx_pair_modify(const struct devx_command *c, struct devx_pair *p);
int devx_pair_query(const struct devx_command *c, struct devx_pair *p);
/* ---- watch.c: one thread looks at the records of all queue pairs ---- */
/* Returns false if the thread cannot be started. */
bool devx_watch(struct devx_pair *p);
/* Looks at the record once more. After this call, nothing looks at the record. The caller must not hold the lock of the queue pair. */
void devx_unwatch(struct devx_pair *p);
/* Looks at the doorbell record, and carries out what it asks for. Returns true if it was rung. The caller has the lock
 * of the queue pair. */
bool devx_look(struct devx_pair *p);
/* ---- caps.c ---- */
int devx_query_caps(const struct devx_command *c, struct ibv_context *context);
int devx_query_roce_address(const struct devx_command *c, struct ibv_context *context);
/* ---- devx.c ---- */
/* Returns the completion queue of a device by its number, or NULL. It stays until another command of this thread. */
struct devx_cq *devx_find_cq(const struct ibv_context *context, uint32_t number);

#endif
