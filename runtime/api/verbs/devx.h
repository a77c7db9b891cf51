/* Objects of steering that mlx5dv_devx_obj_create makes. Private to verbs. */
#ifndef DPK_API_VERBS_DEVX_H
#define DPK_API_VERBS_DEVX_H

#include <stdatomic.h>

#include "api/verbs/verbs.h"
#include "net/queues/queues.h"

enum devx_kind { DEVX_RQT, DEVX_TIR, DEVX_COUNTERS, DEVX_TRANSPORT_DOMAIN };

struct devx {
    struct mlx5dv_devx_obj obj; /* first: programs hold a pointer to it */
    enum devx_kind kind;
    uint32_t number;
    uint32_t size_max; /* RQT: the largest number of entries */
    struct dpk_flow_rqt *rqt;
    struct dpk_flow_tir *tir;
    struct dpk_flow_counter *counters; /* their numbers start with the object's number */
    uint32_t counter_count;
    atomic_uint users; /* the program, until it destroys the object, and actions */
    atomic_bool gone;  /* the program has destroyed it */
};

/* Returns NULL if the object is not of that kind. */
struct devx *verbs_devx_of(struct mlx5dv_devx_obj *obj, enum devx_kind kind);
/* Ends a use by an action. The last user frees the object. */
void verbs_devx_release(struct devx *d);

#endif
