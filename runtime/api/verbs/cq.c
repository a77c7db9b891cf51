/* Completion queues of the host, and channels to wait for their events. Completions come from queue
 * pairs of the host, and from DPA threads (flexio_dev_msix_send). Completions of DPA threads do not
 * belong to a queue pair: a program waits for them, and polling only consumes them. In the ring
 * that mlx5dv_init_obj returns, only the owner bit of completions is not zero. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ah.h"
#include "context.h"
#include "cq.h"
#include "domains.h"
#include "qp.h"
#include "rdma/pairs/pairs.h"

#define CQE_SIZE   64u
#define OP_OWN     63u        /* offset of opcode and owner bit in a CQE */
#define INVALID    (15u << 4) /* opcode of a CQE that was never written */
#define CQE_MAX    ((1 << 22) - 1)
#define INDEX_MASK 0xffffffu /* bits of the consumer index in the doorbell record */
#define ALIGN      4096u

struct channel {
    struct ibv_comp_channel ib;  /* first: programs hold a pointer to it */
    STAILQ_HEAD(, cq) events;    /* queues with an event; counted by its fd, an eventfd */
    struct dpk_rc_waiter waiter; /* waits for an event */
};

/* Guards all of the following, for all contexts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SLIST_HEAD(, cq) cqs = SLIST_HEAD_INITIALIZER(cqs);
static uint32_t last_number = DPK_VERBS_FIRST_CQ - 1;

/* ---- Channels ---- */

static bool has_event(void *of)
{
    struct channel *c = of;
    pthread_mutex_lock(&lock);
    const bool any = !STAILQ_EMPTY(&c->events);
    pthread_mutex_unlock(&lock);
    return any;
}

struct ibv_comp_channel *dpk_verbs_create_comp_channel(struct ibv_context *context)
{
    struct channel *c = context ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        errno = context ? ENOMEM : EINVAL;
        return NULL;
    }
    c->ib.context = context;
    c->ib.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    c->waiter = (struct dpk_rc_waiter){.fd = c->ib.fd, .ready = has_event, .of = c};
    STAILQ_INIT(&c->events);
    if (c->ib.fd >= 0)
        return &c->ib;
    free(c);
    return NULL;
}

int dpk_verbs_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    if (!channel)
        return EINVAL;
    pthread_mutex_lock(&lock);
    const bool used = channel->refcnt > 0;
    pthread_mutex_unlock(&lock);
    if (used)
        return EBUSY;
    struct channel *c = (struct channel *)channel;
    if (atomic_load(&c->waiter.slept))
        dpk_rc_rest_end(verbs_context_known_rc(context_of(channel->context)), &c->waiter);
    close(channel->fd);
    free(channel);
    return 0;
}

/* Adds an event, unless the program has not yet taken the last one. Cards do the same. Call this
 * with the lock. */
static void raise_event(struct cq *cq)
{
    struct channel *channel = (struct channel *)cq->ib.channel;
    const uint64_t one = 1;
    cq->armed = UNARMED;
    if (!channel || cq->told)
        return;
    cq->told = true;
    cq->announced = cq->produced;
    STAILQ_INSERT_TAIL(&channel->events, cq, in_events);
    if (write(channel->ib.fd, &one, sizeof one) != sizeof one)
        fprintf(stderr, "-W- CQ 0x%x: its channel was closed, or counts no more events\n",
                cq->number);
}

/* Returns when reading the channel gives an event, or else is where to sleep. False: errno says
 * why. */
static bool await_event(struct channel *c)
{
    struct dpk_rc *rc = verbs_context_known_rc(context_of(c->ib.context));
    const int flags = rc ? fcntl(c->ib.fd, F_GETFL) : -1;
    if (flags < 0 || flags & O_NONBLOCK)
        return true;
    return dpk_rc_await(rc, &c->waiter);
}

int dpk_verbs_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
    uint64_t one;
    if (!channel || !cq || !cq_context) {
        errno = EINVAL;
        return -1;
    }
    /* The counted event may have been removed together with its CQ. */
    for (struct cq *from = NULL; !from;) {
        if (!await_event((struct channel *)channel) ||
            read(channel->fd, &one, sizeof one) != sizeof one)
            return -1;
        pthread_mutex_lock(&lock);
        if ((from = STAILQ_FIRST(&((struct channel *)channel)->events))) {
            STAILQ_REMOVE_HEAD(&((struct channel *)channel)->events, in_events);
            from->reported++;
            from->told = false;
            *cq = ibv_cq_ex_to_cq(&from->ib);
            *cq_context = from->ib.cq_context;
        }
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

/* ---- Queues ---- */

static uint32_t depth(const struct cq *cq)
{
    return 1u << cq->log_depth;
}

static struct cq_entry *entry_at(const struct cq *cq, uint32_t number)
{
    return &cq->entries[number & (depth(cq) - 1)];
}

/* Gives the queue a number and lists it. Returns false if no number is left. */
static bool list_cq(struct cq *cq)
{
    pthread_mutex_lock(&lock);
    const bool left = last_number < DPK_VERBS_LAST_CQ;
    if (left) {
        cq->number = ++last_number;
        SLIST_INSERT_HEAD(&cqs, cq, next);
        if (cq->ib.channel)
            cq->ib.channel->refcnt++;
    }
    pthread_mutex_unlock(&lock);
    return left;
}

static struct cq *cq_new(struct ibv_context *context, uint32_t cqe, void *cq_context,
                         struct ibv_comp_channel *channel, uint32_t comp_vector)
{
    if (!context || cqe < 1 || cqe > CQE_MAX ||
        comp_vector >= (uint32_t)context->num_comp_vectors ||
        (channel && channel->context != context)) {
        errno = EINVAL;
        return NULL;
    }
    struct cq *cq = calloc(1, sizeof *cq);
    if (!cq)
        return NULL;
    while (depth(cq) <= cqe)
        cq->log_depth++;
    const size_t size = (size_t)depth(cq) * CQE_SIZE;
    cq->ring = aligned_alloc(ALIGN, (size + CQE_SIZE + ALIGN - 1) / ALIGN * ALIGN);
    if (cq->ring) {
        memset(cq->ring, 0, size + CQE_SIZE);
        for (uint32_t i = 0; i < depth(cq); i++)
            cq->ring[i * CQE_SIZE + OP_OWN] = INVALID | 1;
        cq->record = (__be32 *)(void *)(cq->ring + size);
    }
    cq->ib = (struct ibv_cq_ex){.context = context,
                                .channel = channel,
                                .cq_context = cq_context,
                                .cqe = (int)depth(cq) - 1};
    if (!cq->ring || !list_cq(cq)) {
        free(cq->ring);
        free(cq);
        errno = ENOMEM;
        return NULL;
    }
    cq->ib.handle = cq->number;
    pthread_mutex_init(&cq->ib.mutex, NULL);
    pthread_cond_init(&cq->ib.cond, NULL);
    return cq;
}

struct ibv_cq *dpk_verbs_create_cq(struct ibv_context *context, int cqe, void *cq_context,
                                   struct ibv_comp_channel *channel, int comp_vector)
{
    struct cq *cq = cq_new(context, (uint32_t)cqe, cq_context, channel, (uint32_t)comp_vector);
    return cq ? ibv_cq_ex_to_cq(&cq->ib) : NULL;
}

#define CREATE_MASK  (IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)
#define CREATE_FLAGS (IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN)

/* Fails with EOPNOTSUPP for properties that emulated devices do not have. Overruns are never
 * ignored. */
struct ibv_cq_ex *verbs_cq_create_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
    if (!attr || attr->comp_mask & ~(uint32_t)CREATE_MASK ||
        attr->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS ||
        (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS && attr->flags & ~(uint32_t)CREATE_FLAGS)) {
        errno = attr ? EOPNOTSUPP : EINVAL;
        return NULL;
    }
    if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
        !verbs_domain_is_parent(attr->parent_domain)) {
        errno = EINVAL;
        return NULL;
    }
    struct cq *cq = cq_new(context, attr->cqe, attr->cq_context, attr->channel, attr->comp_vector);
    if (!cq)
        return NULL;
    verbs_cq_set_reader(&cq->ib);
    return &cq->ib;
}

/* Drops its event if the program has not taken the event. Returns the number of taken events. Call this with the
 * lock. */
static uint32_t forget_events(struct cq *cq)
{
    struct channel *channel = (struct channel *)cq->ib.channel;
    if (!channel)
        return 0;
    if (cq->told)
        STAILQ_REMOVE(&channel->events, cq, cq, in_events);
    channel->ib.refcnt--;
    return cq->reported;
}

/* Waits, as on a card, until the program has acknowledged each taken event. */
int dpk_verbs_destroy_cq(struct ibv_cq *ib)
{
    if (!ib)
        return EINVAL;
    struct cq *cq = (struct cq *)ib;
    pthread_mutex_lock(&lock);
    const bool used = cq->users > 0 || cq->awaited > 0;
    uint32_t reported = 0;
    if (!used) {
        SLIST_REMOVE(&cqs, cq, cq, next);
        reported = forget_events(cq);
    }
    pthread_mutex_unlock(&lock);
    if (used)
        return EBUSY;
    const uint32_t async = verbs_async_forget(&context_of(ib->context)->async, &cq->async);
    pthread_mutex_lock(&ib->mutex);
    while (ib->comp_events_completed != reported || ib->async_events_completed != async)
        pthread_cond_wait(&ib->cond, &ib->mutex);
    pthread_mutex_unlock(&ib->mutex);
    pthread_cond_destroy(&ib->cond);
    pthread_mutex_destroy(&ib->mutex);
    free(cq->entries);
    free(cq->ring);
    free(cq);
    return 0;
}

/* Returns the number of completions that the program has not consumed. The program may write to the
 * record. */
static uint32_t unconsumed(const struct cq *cq)
{
    const uint32_t consumed = be32toh(__atomic_load_n(cq->record, __ATOMIC_ACQUIRE));
    const uint32_t behind = (cq->produced - consumed) & INDEX_MASK;
    return behind <= depth(cq) ? behind : 0;
}

static void overrun(struct cq *cq)
{
    const struct ibv_async_event event = {.element.cq = ibv_cq_ex_to_cq(&cq->ib),
                                          .event_type = IBV_EVENT_CQ_ERR};
    cq->failed = true;
    fprintf(stderr,
            "-W- CQ 0x%x of the host is in the error state: overrun: %u completions that were not "
            "consumed (ibv_poll_cq)\n",
            cq->number, depth(cq));
    verbs_async_raise(&context_of(cq->ib.context)->async, &cq->async, &event);
}

/* Returns places to their queue, once. */
static void give_back(struct cq_places *places)
{
    if (places->freed)
        atomic_fetch_add(places->freed, places->count);
    places->freed = NULL;
}

/* `entry`: NULL for a completion of a DPA thread. Returns false if the queue has failed. Call this
 * with the lock. */
static bool complete(struct cq *cq, const struct cq_entry *entry, bool solicited)
{
    const uint32_t at = cq->produced & (depth(cq) - 1);
    uint8_t *cqe = cq->ring + (size_t)at * CQE_SIZE;
    if (!cq->failed && unconsumed(cq) >= depth(cq))
        overrun(cq);
    if (cq->failed)
        return false;
    if (cq->entries)
        cq->entries[at] = entry ? *entry : (struct cq_entry){.wc.qp_num = 0};
    memset(cqe, 0, OP_OWN);
    __atomic_store_n(cqe + OP_OWN, (uint8_t)(cq->produced >> cq->log_depth & 1), __ATOMIC_RELEASE);
    cq->produced++;
    if (cq->armed == ARMED || (cq->armed == ARMED_SOLICITED && solicited))
        raise_event(cq);
    return true;
}

bool verbs_cq_complete(struct ibv_cq *ib, const struct ibv_wc *wc, struct cq_places places,
                       bool solicited)
{
    const struct cq_entry entry = {*wc, places};
    pthread_mutex_lock(&lock);
    const bool good = complete((struct cq *)ib, &entry, solicited);
    pthread_mutex_unlock(&lock);
    verbs_sends_wake();
    return good;
}

/* With the lock. */
static struct cq *find_cq(const struct ibv_context *context, uint32_t number)
{
    struct cq *cq;
    SLIST_FOREACH(cq, &cqs, next)
    if (cq->number == number && cq->ib.context == context)
        break;
    return cq;
}

bool dpk_verbs_complete(struct ibv_context *context, uint32_t number)
{
    pthread_mutex_lock(&lock);
    struct cq *cq = find_cq(context, number);
    if (cq)
        complete(cq, NULL, true);
    const bool awaited = cq && cq->awaited > 0;
    pthread_mutex_unlock(&lock);
    struct dpk_rc *rc = awaited ? verbs_context_rc(context_of(context)) : NULL;
    if (rc) {
        dpk_rc_lock(rc);
        verbs_sends_wake();
        dpk_rc_unlock(rc);
    }
    return cq != NULL;
}

/* ---- Work requests that wait for completions ---- */

struct cq *verbs_cq_await(struct ibv_context *context, uint32_t number)
{
    pthread_mutex_lock(&lock);
    struct cq *cq = find_cq(context, number);
    if (cq)
        cq->awaited++;
    pthread_mutex_unlock(&lock);
    return cq;
}

void verbs_cq_unawait(struct cq *cq)
{
    pthread_mutex_lock(&lock);
    cq->awaited--;
    pthread_mutex_unlock(&lock);
}

bool verbs_cq_has_passed(const struct cq *cq, uint32_t produced)
{
    const uint32_t ahead = (cq->produced - produced) & INDEX_MASK;
    return ahead > 0 && ahead <= INDEX_MASK / 2;
}

/* ---- Queue pairs that use the queue ---- */

bool verbs_cq_use(struct ibv_cq *ib, struct dpk_rc *rc)
{
    struct cq *cq = (struct cq *)ib;
    pthread_mutex_lock(&lock);
    if (!cq->entries)
        cq->entries = calloc(depth(cq), sizeof *cq->entries);
    const bool good = cq->entries != NULL;
    cq->users += good;
    if (good)
        cq->rc = rc;
    pthread_mutex_unlock(&lock);
    return good;
}

void verbs_cq_leave(struct ibv_cq *ib)
{
    pthread_mutex_lock(&lock);
    struct cq *cq = (struct cq *)ib;
    if (--cq->users == 0)
        cq->rc = NULL;
    pthread_mutex_unlock(&lock);
}

void verbs_cq_forget(struct ibv_cq *ib, uint32_t qp_num)
{
    struct cq *cq = (struct cq *)ib;
    pthread_mutex_lock(&lock);
    for (uint32_t left = unconsumed(cq); left > 0; left--) {
        struct cq_entry *e = entry_at(cq, cq->produced - left);
        if (e->wc.qp_num != qp_num)
            continue;
        e->wc.qp_num = 0;
        give_back(&e->places);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Polling ---- */

/* Consumes completions. Those of DPA threads are not reported. Returns the number in `wc`. Call
 * this with the lock. */
static int consume(struct cq *cq, int room, struct ibv_wc *wc)
{
    int taken = 0;
    uint32_t left = unconsumed(cq);
    if (left == 0)
        return 0;
    for (int empty = 0; left > 0 && taken + empty < room; left--) {
        struct cq_entry *e = cq->entries ? entry_at(cq, cq->produced - left) : NULL;
        if (e && e->wc.qp_num != 0) {
            wc[taken++] = e->wc;
            give_back(&e->places);
        } else {
            empty += cq->users == 0; /* counts only for a program that waits only for DPA threads */
        }
    }
    __atomic_store_n(cq->record, htobe32((cq->produced - left) & INDEX_MASK), __ATOMIC_RELEASE);
    return taken;
}

int verbs_cq_poll(struct ibv_cq *ib, int num_entries, struct ibv_wc *wc)
{
    struct cq *cq = (struct cq *)ib;
    struct dpk_rc *rc = cq->rc;
    if (unconsumed(cq) == 0 && rc)
        dpk_rc_poll(rc);
    if (unconsumed(cq) == 0)
        return 0;
    pthread_mutex_lock(&lock);
    const int taken = consume(cq, num_entries, wc);
    pthread_mutex_unlock(&lock);
    return taken;
}

/* Messages of DPA threads are solicited. Completions that came since the last event, and are not
 * consumed, are reported at once: a program that arms the queue after it has polled misses no
 * completion. */
int verbs_cq_arm(struct ibv_cq *ib, int solicited_only)
{
    struct cq *cq = (struct cq *)ib;
    struct dpk_rc *rc = cq->rc;
    if (rc)
        dpk_rc_rest(rc, NULL);
    pthread_mutex_lock(&lock);
    if (!solicited_only || cq->armed == UNARMED)
        cq->armed = solicited_only ? ARMED_SOLICITED : ARMED;
    if (unconsumed(cq) > 0 && cq->produced != cq->announced)
        raise_event(cq);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void describe(const struct cq *cq, struct mlx5dv_cq *out)
{
    *out = (struct mlx5dv_cq){.buf = cq->ring,
                              .dbrec = cq->record,
                              .cqe_cnt = depth(cq),
                              .cqe_size = CQE_SIZE,
                              .cqn = cq->number};
}

int dpk_mlx5_init_obj(struct mlx5dv_obj *obj, uint64_t obj_type)
{
    const uint64_t known = MLX5DV_OBJ_CQ | MLX5DV_OBJ_PD | MLX5DV_OBJ_AH;
    if (!obj || ((obj_type & MLX5DV_OBJ_CQ) && (!obj->cq.in || !obj->cq.out)) ||
        ((obj_type & MLX5DV_OBJ_PD) && (!obj->pd.in || !obj->pd.out)) ||
        ((obj_type & MLX5DV_OBJ_AH) && (!obj->ah.in || !obj->ah.out)))
        return EINVAL;
    if (obj_type & ~known)
        return EOPNOTSUPP;
    if (obj_type & MLX5DV_OBJ_CQ)
        describe((const struct cq *)obj->cq.in, obj->cq.out);
    if (obj_type & MLX5DV_OBJ_PD)
        *obj->pd.out = (struct mlx5dv_pd){.pdn = dpk_verbs_pd_number(obj->pd.in)};
    if (obj_type & MLX5DV_OBJ_AH)
        *obj->ah.out = (struct mlx5dv_ah){.av = verbs_ah_vector(obj->ah.in)};
    return 0;
}
