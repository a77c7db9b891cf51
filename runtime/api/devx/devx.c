/* mlx5dv_devx_obj_create and its kin: commands about queues and capabilities. Commands about steering are those of
 * api/verbs. */
#include <errno.h>
#include <stdlib.h>

#include "net/queues/queues.h"
#include "queue.h"

/* A queue pair is made, and a completion queue is destroyed, under this lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, devx_queue) queues = LIST_HEAD_INITIALIZER(queues);

struct devx_cq *devx_find_cq(const struct ibv_context *context, uint32_t number)
{
    struct devx_queue *q;
    LIST_FOREACH(q, &queues, link)
    if (!q->is_pair && q->obj.context == context && dpk_queue_number(q->queue) == number)
        break;
    return (struct devx_cq *)q;
}

static bool makes_queue(const void *in, size_t size)
{
    const uint64_t opcode = devx_get((struct devx_in){in, in ? size : 0}, 0, 16);
    return opcode == DEVX_CREATE_CQ || opcode == DEVX_CREATE_QP;
}

struct mlx5dv_devx_obj *dpk_mlx5_devx_obj_create(struct ibv_context *context, const void *in,
                                                 size_t inlen, void *out, size_t outlen)
{
    enum { NUMBER = 0x48 }; /* in the answer */
    struct devx_queue *q = NULL;
    struct devx_command c;
    if (!context || !makes_queue(in, inlen))
        return dpk_verbs_devx_create(context, in, inlen, out, outlen);
    int why = devx_begin(&c, "mlx5dv_devx_obj_create", in, inlen, out, outlen);
    pthread_mutex_lock(&lock);
    if (!why)
        why = c.opcode == DEVX_CREATE_CQ ? devx_cq_create(&c, context, &q)
                                         : devx_pair_create(&c, context, &q);
    if (!why) {
        q->obj = (struct mlx5dv_devx_obj){.context = context, .maker = DPK_DEVX_OF_COMMAND};
        LIST_INSERT_HEAD(&queues, q, link);
        devx_put(c.out, NUMBER, 24, dpk_queue_number(q->queue));
    }
    pthread_mutex_unlock(&lock);
    errno = why ? why : errno;
    return why ? NULL : &q->obj;
}

static struct devx_queue *queue_of(struct mlx5dv_devx_obj *obj)
{
    return obj && obj->maker == DPK_DEVX_OF_COMMAND ? (struct devx_queue *)obj : NULL;
}

int dpk_mlx5_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                             size_t outlen)
{
    struct devx_queue *q = queue_of(obj);
    struct devx_command c;
    if (!q)
        return dpk_verbs_devx_modify(obj, in, inlen, out, outlen);
    const int why = devx_begin(&c, "mlx5dv_devx_obj_modify", in, inlen, out, outlen);
    if (why)
        return why;
    return q->is_pair ? devx_pair_modify(&c, (struct devx_pair *)q)
                      : devx_refuse(&c, DEVX_BAD_OPERATION, "completion queues do not change");
}

int dpk_mlx5_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                            size_t outlen)
{
    struct devx_queue *q = queue_of(obj);
    struct devx_command c;
    if (!q)
        return dpk_verbs_devx_query(obj, in, inlen, out, outlen);
    const int why = devx_begin(&c, "mlx5dv_devx_obj_query", in, inlen, out, outlen);
    if (why)
        return why;
    return q->is_pair ? devx_pair_query(&c, (struct devx_pair *)q)
                      : devx_refuse(&c, DEVX_BAD_OPERATION, "completion queues have no answer");
}

int dpk_mlx5_devx_general_cmd(struct ibv_context *context, const void *in, size_t inlen, void *out,
                              size_t outlen)
{
    struct devx_command c;
    const int why = devx_begin(&c, "mlx5dv_devx_general_cmd", in, inlen, out, outlen);
    if (why || !context)
        return why ? why : EINVAL;
    switch (c.opcode) {
    case DEVX_QUERY_HCA_CAP:
        return devx_query_caps(&c, context);
    case DEVX_QUERY_ROCE_ADDRESS:
        return devx_query_roce_address(&c, context);
    default:
        return devx_refuse(&c, DEVX_BAD_OPERATION, "emulated devices have no such general command");
    }
}

int dpk_mlx5_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
    struct devx_queue *q = queue_of(obj);
    int why = 0;
    if (!q)
        return dpk_verbs_devx_destroy(obj);
    pthread_mutex_lock(&lock);
    if (!q->is_pair && dpk_queue_destroy(q->queue, NULL) != DPK_OK)
        why = EBUSY; /* a queue pair has it */
    else
        LIST_REMOVE(q, link);
    pthread_mutex_unlock(&lock);
    if (!why && q->is_pair)
        devx_pair_free((struct devx_pair *)q);
    else if (!why)
        free(q);
    return why;
}
