/* Flow tables of an opened device, and frames on their way through them. Private to port. */
#ifndef DPK_NET_QUEUES_STEERING_H
#define DPK_NET_QUEUES_STEERING_H

#include <pthread.h>

#include "rules.h"

struct dpk_flow_table {
    struct dpk_steering *steering;
    enum dpk_flow_domain domain;
    bool root;
    struct rules own;
    struct rules *rules; /* `own`, or those that all root tables of the domain share */
};

struct dpk_steering {
    pthread_mutex_t lock; /* inside of that of the queues */
    struct rules roots[DPK_FLOW_DOMAINS];
    struct rule_list listed;
    TAILQ_HEAD(, dpk_flow_rqt) rqts;
    TAILQ_HEAD(, dpk_flow_tir) tirs;
    uint32_t last_number;   /* of both */
    struct dpk_queues *nic; /* NULL: it has none yet */
};

/* ---- rss.c; with the lock ---- */
struct frame_facts;
/* A rule leads to the receiver, or does not any more. */
void tir_lead(struct dpk_flow_tir *tir, bool leads);
/* The receive queue for a frame with these headers; NULL: it is dropped. Sets hash and type. */
struct dpk_queue *tir_choose(const struct dpk_flow_tir *tir, const struct words *headers,
                             struct frame_facts *facts);
/* The receive queue is destroyed. */
void rss_forget(struct dpk_steering *s, const struct dpk_queue *rq);

#endif
