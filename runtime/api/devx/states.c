/* States of queue pairs: the commands that change them, and QUERY_QP. */
#include <string.h>

#include "net/queues/queues.h"
#include "queue.h"

/* Fields of a change, and of the answer of QUERY_QP; those of struct qpc are offsets in it, those of its address path
 * begin at PATH. */
enum { NUMBER = 0x48, CHANGES = 0x80, CONTEXT = 0xc0, PATH = 0xc0 };
enum {
    STATE = 0x00,
    PATH_MTU = 0x40,
    REMOTE = 0xa8,
    PKEY = PATH + 0x10,
    TIMEOUT = PATH + 0x40,
    SOURCE = PATH + 0x48,
    RATE = PATH + 0x54,
    HOPS = PATH + 0x58,
    CLASS = PATH + 0x64,
    GID = PATH + 0x80,
    LEVEL = PATH + 0x124,
    PORT = PATH + 0x128,
    LOG_READS = 0x388,
    RETRIES = 0x38d,
    RNR_RETRIES = 0x390,
    SEND_PSN = 0x3c8,
    LOG_ANSWERS = 0x488,
    READS = 0x490,
    WRITES = 0x491,
    ATOMICS = 0x492,
    RNR_TIMER = 0x4a3,
    RECEIVE_PSN = 0x4a8,
};
enum { CHANGE_SIZE = CONTEXT / 8 + DEVX_QPC, ANSWER_SIZE = CONTEXT / 8 + DEVX_QPC };
/* Bits of opt_param_mask. */
enum { MAY_READ = 1 << 1, MAY_ATOMIC = 1 << 2, MAY_WRITE = 1 << 3, HAS_TIMER = 1 << 6 };

struct transition {
    enum devx_opcode opcode;
    enum ibv_qp_state from, to;
    bool from_any; /* the command has no context */
    int mask;      /* attributes that it always has */
};
static const struct transition transitions[] = {
    {DEVX_RST2INIT_QP, IBV_QPS_RESET, IBV_QPS_INIT, false,
     IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
    {DEVX_INIT2INIT_QP, IBV_QPS_INIT, IBV_QPS_INIT, false, 0},
    {DEVX_INIT2RTR_QP, IBV_QPS_INIT, IBV_QPS_RTR, false,
     IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
         IBV_QP_MIN_RNR_TIMER},
    {DEVX_RTR2RTS_QP, IBV_QPS_RTR, IBV_QPS_RTS, false,
     IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
         IBV_QP_MAX_QP_RD_ATOMIC},
    {DEVX_RTS2RTS_QP, IBV_QPS_RTS, IBV_QPS_RTS, false, 0},
    {DEVX_2ERR_QP, 0, IBV_QPS_ERR, true, 0},
    {DEVX_2RST_QP, 0, IBV_QPS_RESET, true, 0},
};

static const struct transition *transition_of(unsigned opcode)
{
    for (size_t i = 0; i < sizeof transitions / sizeof *transitions; i++)
        if (transitions[i].opcode == opcode)
            return &transitions[i];
    return NULL;
}

/* ---- Attributes ---- */

/* A change to INIT has all rights. Other changes have those that opt_param_mask names. */
static int read_rights(struct devx_in qpc, bool all, uint32_t changes, unsigned before,
                       struct ibv_qp_attr *a)
{
    const struct {
        uint32_t change;
        size_t field;
        unsigned right;
    } rights[] = {{MAY_READ, READS, IBV_ACCESS_REMOTE_READ},
                  {MAY_WRITE, WRITES, IBV_ACCESS_REMOTE_WRITE},
                  {MAY_ATOMIC, ATOMICS, IBV_ACCESS_REMOTE_ATOMIC}};
    a->qp_access_flags = before;
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        if (all || changes & rights[i].change)
            a->qp_access_flags = (a->qp_access_flags & ~rights[i].right) |
                                 (devx_get(qpc, rights[i].field, 1) ? rights[i].right : 0);
    return all || changes & (MAY_READ | MAY_ATOMIC | MAY_WRITE) ? IBV_QP_ACCESS_FLAGS : 0;
}

static uint8_t number(struct devx_in qpc, size_t field, unsigned bits)
{
    return (uint8_t)devx_get(qpc, field, bits);
}

/* A command that names no port means the first port. */
static void read_path(struct devx_in qpc, struct ibv_ah_attr *a)
{
    *a = (struct ibv_ah_attr){.sl = number(qpc, LEVEL, 4),
                              .static_rate = number(qpc, RATE, 4),
                              .is_global = 1,
                              .port_num = 1,
                              .grh = {.sgid_index = number(qpc, SOURCE, 8),
                                      .hop_limit = number(qpc, HOPS, 8),
                                      .traffic_class = number(qpc, CLASS, 8)}};
    for (size_t i = 0; i < sizeof a->grh.dgid.raw; i++)
        a->grh.dgid.raw[i] = number(qpc, GID + 8 * i, 8);
}

/* Returns the mask of the attributes that the command has. */
static int read_attributes(const struct devx_command *c, const struct transition *t,
                           unsigned rights, struct ibv_qp_attr *a)
{
    const struct devx_in qpc = devx_part(c->in, CONTEXT / 8);
    const uint32_t changes = (uint32_t)devx_get(c->in, CHANGES, 32);
    const uint8_t port = number(qpc, PORT, 8);
    *a = (struct ibv_qp_attr){.qp_state = t->to};
    if (t->from_any)
        return IBV_QP_STATE;
    a->pkey_index = (uint16_t)devx_get(qpc, PKEY, 16);
    a->port_num = port ? port : 1;
    a->path_mtu = (enum ibv_mtu)devx_get(qpc, PATH_MTU, 3);
    a->dest_qp_num = (uint32_t)devx_get(qpc, REMOTE, 24);
    a->rq_psn = (uint32_t)devx_get(qpc, RECEIVE_PSN, 24);
    a->sq_psn = (uint32_t)devx_get(qpc, SEND_PSN, 24);
    a->min_rnr_timer = number(qpc, RNR_TIMER, 5);
    a->max_dest_rd_atomic = (uint8_t)(1u << devx_get(qpc, LOG_ANSWERS, 3));
    a->max_rd_atomic = (uint8_t)(1u << devx_get(qpc, LOG_READS, 3));
    a->timeout = number(qpc, TIMEOUT, 5);
    a->retry_cnt = number(qpc, RETRIES, 3);
    a->rnr_retry = number(qpc, RNR_RETRIES, 3);
    read_path(qpc, &a->ah_attr);
    return IBV_QP_STATE | t->mask |
           read_rights(qpc, t->opcode == DEVX_RST2INIT_QP, changes, rights, a) |
           (changes & HAS_TIMER && t->to == IBV_QPS_RTS ? IBV_QP_MIN_RNR_TIMER : 0);
}

/* ---- The context ---- */

/* Copies the fields of a change to the context that QUERY_QP shows. */
static void keep_context(struct devx_pair *p, const struct devx_command *c, int mask)
{
    static const struct {
        int mask;
        uint16_t bit;
        uint8_t bits;
    } fields[] = {{IBV_QP_PKEY_INDEX, PKEY, 16},
                  {IBV_QP_PORT, PORT, 8},
                  {IBV_QP_PATH_MTU, PATH_MTU, 3},
                  {IBV_QP_DEST_QPN, REMOTE, 24},
                  {IBV_QP_RQ_PSN, RECEIVE_PSN, 24},
                  {IBV_QP_SQ_PSN, SEND_PSN, 24},
                  {IBV_QP_MIN_RNR_TIMER, RNR_TIMER, 5},
                  {IBV_QP_MAX_DEST_RD_ATOMIC, LOG_ANSWERS, 3},
                  {IBV_QP_MAX_QP_RD_ATOMIC, LOG_READS, 3},
                  {IBV_QP_TIMEOUT, TIMEOUT, 5},
                  {IBV_QP_RETRY_CNT, RETRIES, 3},
                  {IBV_QP_RNR_RETRY, RNR_RETRIES, 3},
                  {IBV_QP_AV, SOURCE, 24}, /* up to the hop limit */
                  {IBV_QP_AV, PATH + 0x20, 32},
                  {IBV_QP_AV, PATH + 0x60, 32},
                  {IBV_QP_AV, GID, 64},
                  {IBV_QP_AV, GID + 64, 64},
                  {IBV_QP_AV, PATH + 0x100, 32},
                  {IBV_QP_AV, PATH + 0x120, 8},
                  {IBV_QP_AV, PATH + 0x130, 48}}; /* the MAC */
    const struct devx_in qpc = devx_part(c->in, CONTEXT / 8);
    const struct devx_out to = {p->now, sizeof p->now};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (mask & fields[i].mask)
            devx_put(to, fields[i].bit, fields[i].bits,
                     devx_get(qpc, fields[i].bit, fields[i].bits));
    devx_put(to, READS, 1, (p->attr.qp_access_flags & IBV_ACCESS_REMOTE_READ) != 0);
    devx_put(to, WRITES, 1, (p->attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE) != 0);
    devx_put(to, ATOMICS, 1, (p->attr.qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC) != 0);
}

static void enter(struct devx_pair *p, const struct devx_command *c, int mask, enum ibv_qp_state to)
{
    if (to == IBV_QPS_RESET) {
        p->attr = (struct ibv_qp_attr){0};
        memset(p->rung, 0, sizeof p->rung);
        memcpy(p->now, p->created, sizeof p->now);
    } else {
        keep_context(p, c, mask);
    }
    p->state = to;
}

/* ---- Commands ---- */

static int refuse_attributes(const struct devx_command *c, const struct ibv_qp_attr *a)
{
    return devx_refuse(c, DEVX_BAD_PARAMETER,
                       "an attribute is not possible here: port %u, P_Key index %u, MTU %d, GID "
                       "index %u, or no device has the GID",
                       a->port_num, a->pkey_index, (int)a->path_mtu, a->ah_attr.grh.sgid_index);
}

static unsigned permits(unsigned access)
{
    return (access & IBV_ACCESS_REMOTE_READ ? DPK_MEMORY_REMOTE_READ : 0) |
           (access & IBV_ACCESS_REMOTE_WRITE ? DPK_MEMORY_REMOTE_WRITE : 0) |
           (access & IBV_ACCESS_REMOTE_ATOMIC ? DPK_MEMORY_REMOTE_ATOMIC : 0);
}

/* The caller has the lock. */
static int change(const struct devx_command *c, const struct transition *t, struct devx_pair *p)
{
    struct ibv_context *context = p->q.obj.context;
    struct dpk_error err = {0};
    struct ibv_qp_attr a;
    const int mask = read_attributes(c, t, p->attr.qp_access_flags, &a);
    if (!t->from_any && p->state != t->from)
        return devx_refuse(c, DEVX_BAD_QP_STATE, "the queue pair is in state %d, not %d",
                           (int)p->state, (int)t->from);
    if (dpk_verbs_check_change(context, IBV_QPT_RC, p->state, &a, mask) != 0)
        return refuse_attributes(c, &a);
    dpk_verbs_keep_change(&p->attr, &a, mask);
    const union ibv_gid *gid = &p->attr.ah_attr.grh.dgid;
    const struct dpk_qp_change change = {.state = (enum dpk_qp_state)t->to,
                                         .remote = p->attr.dest_qp_num,
                                         .remote_ip =
                                             dpk_verbs_is_far(context, gid) ? gid->raw : NULL,
                                         .changes_permits = (mask & IBV_QP_ACCESS_FLAGS) != 0,
                                         .permits = permits(p->attr.qp_access_flags)};
    if (dpk_qp_modify(p->q.queue, &change, &err) != DPK_OK)
        return devx_refuse(c, DEVX_BAD_PARAMETER, "%s", err.message);
    enter(p, c, mask, t->to);
    return 0;
}

int devx_pair_modify(const struct devx_command *c, struct devx_pair *p)
{
    const struct transition *t = transition_of(c->opcode);
    if (!t)
        return devx_refuse(c, DEVX_BAD_OPERATION, "it changes no queue pair");
    int why = devx_check_sizes(c, t->from_any ? DEVX_HEADER : CHANGE_SIZE, DEVX_HEADER);
    if (why)
        return why;
    if (devx_get(c->in, NUMBER, 24) != dpk_queue_number(p->q.queue))
        return devx_refuse(c, DEVX_BAD_RESOURCE, "qpn is not that of the object");
    pthread_mutex_lock(&p->lock);
    devx_look(p); /* what was rung before the change is carried out in the old state */
    why = change(c, t, p);
    pthread_mutex_unlock(&p->lock);
    return why;
}

int devx_pair_query(const struct devx_command *c, struct devx_pair *p)
{
    if (c->opcode != DEVX_QUERY_QP)
        return devx_refuse(c, DEVX_BAD_OPERATION, "it asks no queue pair");
    const int why = devx_check_sizes(c, DEVX_HEADER, ANSWER_SIZE);
    if (why)
        return why;
    if (devx_get(c->in, NUMBER, 24) != dpk_queue_number(p->q.queue))
        return devx_refuse(c, DEVX_BAD_RESOURCE, "qpn is not that of the object");
    pthread_mutex_lock(&p->lock);
    memcpy(c->out.bytes + CONTEXT / 8, p->now, sizeof p->now);
    /* Errors change the state, too. */
    const enum dpk_qp_state state = dpk_qp_state(p->q.queue);
    pthread_mutex_unlock(&p->lock);
    devx_put((struct devx_out){c->out.bytes + CONTEXT / 8, DEVX_QPC}, STATE, 4, (uint64_t)state);
    return 0;
}
