/* Flow tables of an opened device, and frames on their way through them. Private to port. */
#ifndef DPK_PORT_STEERING_H
#define DPK_PORT_STEERING_H

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
    struct dpk_queues *nic; /* NULL: it has none yet */
};

#endif
