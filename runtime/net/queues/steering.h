/* Flow tables of an opened device, and frames on their way through them. Private to this room. */
#ifndef DPK_NET_QUEUES_STEERING_H
#define DPK_NET_QUEUES_STEERING_H

#include <pthread.h>

#include "rules.h"

struct dpk_flow_table {
    struct dpk_steering *steering;
    enum dpk_flow_domain domain;
    bool root;
    struct rules own;
    struct rules *rules; /* `own`, or the rules that all root tables of the domain share */
};

struct dpk_steering {
    pthread_mutex_t lock; /* taken after the lock of the queues */
    struct rules roots[DPK_FLOW_DOMAINS];
    struct rule_list listed;
    TAILQ_HEAD(, dpk_flow_rqt) rqts;
    TAILQ_HEAD(, dpk_flow_tir) tirs;
    uint32_t last_number; /* of both */
    /* NULL: not attached yet. The queues live as long as the opened device, whose end frees this
     * struct, too. So whoever may call a function of this room may use them without the lock. */
    struct dpk_queues *nic;
};

/* ---- spread.c; with the lock ---- */
/* Chooses the entry of the next frame; not with DPK_SPREAD_FLOOD. */
uint32_t queues_spread_choose(struct dpk_flow_spread *spread, const struct words *headers);

/* ---- rss.c; with the lock ---- */
struct frame_facts;
/* Counts a rule that leads to the receiver, or no longer does. */
void queues_tir_lead(struct dpk_flow_tir *tir, bool leads);
/* Returns the receive queue for a frame with these headers, or NULL if the frame is dropped. Sets hash
 * and type. */
struct dpk_queue *queues_tir_choose(const struct dpk_flow_tir *tir, const struct words *headers,
                                    struct frame_facts *facts);
/* Removes a destroyed receive queue. */
void queues_rss_forget(struct dpk_steering *s, const struct dpk_queue *rq);

#endif
