/* Links: each is an endpoint of UCX, with its messages. */
#if __has_include(<ucp/api/ucp.h>)
#include <stdlib.h>
#include <string.h>

#include "link.h"

/* The mark of a message, before its head: its number on the link, and its kind. */
#define MARK_SIZE 8u
enum kind { MESSAGE = 1, SIGN_OF_LIFE };

struct parcel {
    struct dpk_fabric_link *link;
    uint8_t head[MARK_SIZE + DPK_FABRIC_HEAD_MAX];
    uint8_t data[];
};

/* UCX may deliver a message before one that was sent earlier, while it connects two endpoints. */
struct early {
    STAILQ_ENTRY(early) link;
    uint32_t number;
    size_t head_size, size;
    uint8_t bytes[]; /* the head, then the data */
};

static size_t bucket_of(const ucp_ep_h ep)
{
    return (size_t)((uintptr_t)ep >> 6) % FABRIC_BUCKETS;
}

void fabric_wake(const struct dpk_fabric *f)
{
    if (!f->runs && !f->polled)
        f->ucx->ucp_worker_signal(f->worker);
}

/* ---- Life ---- */

static void end(struct dpk_fabric_link *l, enum link_state state)
{
    struct dpk_fabric *f = l->fabric;
    TAILQ_REMOVE(&f->links, l, in_list);
    TAILQ_INSERT_TAIL(&f->ending, l, in_list);
    l->state = state;
    fabric_wake(f);
}

void fabric_link_fail(struct dpk_fabric_link *l)
{
    if (l->state == OPEN)
        end(l, FAILED);
}

void dpk_fabric_drop(struct dpk_fabric_link *l)
{
    l->of = NULL;
    if (l->state == OPEN)
        end(l, DROPPED);
}

static void broken(void *of, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep, (void)status;
    fabric_link_fail(of);
}

enum dpk_status fabric_link_new(struct dpk_fabric *f, ucp_ep_params_t *params, void *of,
                                struct dpk_fabric_link **out, struct dpk_error *err)
{
    struct dpk_fabric_link *l = calloc(1, sizeof *l);
    if (!l)
        return dpk_fail_nomem(err);
    *l = (struct dpk_fabric_link){.fabric = f, .of = of, .since_ms = dpk_now_ms()};
    l->sent_ms = l->heard_ms = l->since_ms;
    STAILQ_INIT(&l->early);
    params->field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    params->err_mode = UCP_ERR_HANDLING_MODE_PEER;
    params->err_handler = (ucp_err_handler_t){.cb = broken, .arg = l};
    const ucs_status_t status = f->ucx->ucp_ep_create(f->worker, params, &l->ep);
    if (status != UCS_OK) {
        free(l);
        return dpk_fail(err, DPK_ERR_IO, "no endpoint of UCX: %s",
                        f->ucx->ucs_status_string(status));
    }
    TAILQ_INSERT_TAIL(&f->links, l, in_list);
    SLIST_INSERT_HEAD(&f->buckets[bucket_of(l->ep)], l, in_bucket);
    f->count++;
    f->next_ms = 0;
    fabric_wake(f);
    *out = l;
    return DPK_OK;
}

static void forget_early(struct dpk_fabric_link *l, struct early *e)
{
    STAILQ_REMOVE(&l->early, e, early, link);
    l->early_count--;
    free(e);
}

static void free_if_unused(struct dpk_fabric_link *l)
{
    if (l->state != CLOSED || l->in_flight > 0)
        return;
    TAILQ_REMOVE(&l->fabric->closing, l, in_list);
    l->fabric->count--;
    while (!STAILQ_EMPTY(&l->early))
        forget_early(l, STAILQ_FIRST(&l->early));
    free(l->room);
    free(l);
}

static void closed(void *request, ucs_status_t status, void *of)
{
    struct dpk_fabric_link *l = of;
    (void)status;
    l->fabric->ucx->ucp_request_free(request);
    l->state = CLOSED;
    free_if_unused(l);
}

static void close_link(struct dpk_fabric_link *l, bool at_once)
{
    struct dpk_fabric *f = l->fabric;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS |
                                                       UCP_OP_ATTR_FIELD_CALLBACK |
                                                       UCP_OP_ATTR_FIELD_USER_DATA,
                                       .flags = at_once ? UCP_EP_CLOSE_FLAG_FORCE : 0,
                                       .cb.send = closed,
                                       .user_data = l};
    SLIST_REMOVE(&f->buckets[bucket_of(l->ep)], l, dpk_fabric_link, in_bucket);
    TAILQ_REMOVE(&f->ending, l, in_list);
    TAILQ_INSERT_TAIL(&f->closing, l, in_list);
    l->state = CLOSING;
    if (UCS_PTR_IS_PTR(f->ucx->ucp_ep_close_nbx(l->ep, &param)))
        return; /* UCX calls `closed` later */
    l->state = CLOSED;
    free_if_unused(l);
}

bool fabric_links_end(struct dpk_fabric *f)
{
    struct dpk_fabric_link *l;
    bool any = false;
    while ((l = TAILQ_FIRST(&f->ending))) {
        void *of = l->of;
        const bool failed = l->state == FAILED;
        close_link(l, failed);
        if (failed && of)
            f->options.lost(f->options.context, of);
        any = true;
    }
    return any;
}

const uint8_t *dpk_fabric_from(const struct dpk_fabric_link *l)
{
    return l->from;
}

void dpk_fabric_own(struct dpk_fabric_link *l, void *of)
{
    l->of = of;
}

/* ---- Sending ---- */

static void sent(void *request, ucs_status_t status, void *of)
{
    struct parcel *p = of;
    struct dpk_fabric_link *l = p->link;
    (void)status; /* UCX also calls `broken`, which reports failures */
    l->fabric->ucx->ucp_request_free(request);
    free(p);
    l->in_flight--;
    free_if_unused(l);
}

static void post(struct dpk_fabric_link *l, struct parcel *p, size_t head_size, uint32_t size)
{
    struct dpk_fabric *f = l->fabric;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS |
                                                       UCP_OP_ATTR_FIELD_CALLBACK |
                                                       UCP_OP_ATTR_FIELD_USER_DATA,
                                       .flags = UCP_AM_SEND_FLAG_REPLY | UCP_AM_SEND_FLAG_EAGER,
                                       .cb.send = sent,
                                       .user_data = p};
    p->link = l;
    dpk_store_be32(p->head, l->sent++);
    l->sent_ms = dpk_now_ms();
    l->in_flight++;
    ucs_status_ptr_t request = f->ucx->ucp_am_send_nbx(
        l->ep, FABRIC_AM, p->head, MARK_SIZE + head_size, p->data, size, &param);
    if (UCS_PTR_IS_PTR(request)) {
        fabric_wake(f);
        if (l->in_flight > f->options.in_flight_max)
            fabric_link_fail(l);
        return; /* UCX calls `sent` later */
    }
    l->in_flight--;
    free(p);
    if (UCS_PTR_IS_ERR(request))
        fabric_link_fail(l);
}

unsigned dpk_fabric_unsent(const struct dpk_fabric_link *l)
{
    return l->in_flight;
}

uint8_t *dpk_fabric_room(struct dpk_fabric_link *l, uint32_t size)
{
    free(l->room);
    l->room = size <= DPK_FABRIC_DATA_MAX ? malloc(sizeof *l->room + size) : NULL;
    return l->room ? l->room->data : NULL;
}

static void send_kind(struct dpk_fabric_link *l, enum kind kind, const void *head, size_t head_size,
                      uint32_t size)
{
    if (l->state != OPEN || (!l->room && (size > 0 || !dpk_fabric_room(l, 0)))) {
        fabric_link_fail(l);
        return;
    }
    struct parcel *p = l->room;
    l->room = NULL;
    memset(p->head, 0, MARK_SIZE);
    p->head[4] = (uint8_t)kind;
    if (head_size > 0)
        memcpy(p->head + MARK_SIZE, head, head_size);
    post(l, p, head_size, size);
}

void dpk_fabric_send(struct dpk_fabric_link *l, const void *head, size_t head_size, uint32_t size)
{
    send_kind(l, MESSAGE, head, head_size, size);
}

void fabric_link_ping(struct dpk_fabric_link *l)
{
    send_kind(l, SIGN_OF_LIFE, NULL, 0, 0);
}

/* ---- Hearing ---- */

static struct dpk_fabric_link *find(const struct dpk_fabric *f, ucp_ep_h ep)
{
    struct dpk_fabric_link *l;
    SLIST_FOREACH(l, &f->buckets[bucket_of(ep)], in_bucket)
    if (l->ep == ep)
        return l;
    return NULL;
}

/* Handles the next message. Its head starts with the mark. */
static bool take(struct dpk_fabric_link *l, const uint8_t *head, size_t head_size,
                 const uint8_t *data, size_t size)
{
    struct dpk_fabric *f = l->fabric;
    const uint8_t kind = head[4];
    l->heard++;
    if (kind == SIGN_OF_LIFE)
        return true;
    return kind == MESSAGE && f->options.arrived(f->options.context, l, l->of, head + MARK_SIZE,
                                                 head_size - MARK_SIZE, data, size);
}

/* Keeps a message until those before it have arrived. */
static bool keep(struct dpk_fabric_link *l, uint32_t number, const uint8_t *head, size_t head_size,
                 const uint8_t *data, size_t size)
{
    const unsigned most = l->fabric->options.in_flight_max;
    struct early *e = number - l->heard <= most && l->early_count < most
                          ? malloc(sizeof *e + head_size + size)
                          : NULL;
    if (!e)
        return false;
    *e = (struct early){.number = number, .head_size = head_size, .size = size};
    memcpy(e->bytes, head, head_size);
    if (size > 0)
        memcpy(e->bytes + head_size, data, size);
    STAILQ_INSERT_TAIL(&l->early, e, link);
    l->early_count++;
    return true;
}

static struct early *next_early(const struct dpk_fabric_link *l)
{
    struct early *e;
    STAILQ_FOREACH(e, &l->early, link)
    if (e->number == l->heard)
        return e;
    return NULL;
}

/* Handles a message, and later messages that waited for it. */
static bool take_all(struct dpk_fabric_link *l, const uint8_t *head, size_t head_size,
                     const uint8_t *data, size_t size)
{
    struct early *e;
    bool good = take(l, head, head_size, data, size);
    while (good && l->state == OPEN && (e = next_early(l))) {
        good = take(l, e->bytes, e->head_size, e->bytes + e->head_size, e->size);
        forget_early(l, e);
    }
    return good;
}

static bool hear(struct dpk_fabric_link *l, const uint8_t *head, size_t head_size,
                 const uint8_t *data, size_t size)
{
    struct dpk_reader in = dpk_reader(head, head_size);
    const uint32_t number = dpk_read_be32(&in);
    dpk_read_skip(&in, MARK_SIZE - sizeof number);
    if (in.failed || head_size > MARK_SIZE + DPK_FABRIC_HEAD_MAX || size > DPK_FABRIC_DATA_MAX)
        return false;
    l->heard_ms = dpk_now_ms();
    return number == l->heard ? take_all(l, head, head_size, data, size)
                              : keep(l, number, head, head_size, data, size);
}

ucs_status_t fabric_link_hear(void *of, const void *header, size_t header_size, void *data,
                              size_t size, const ucp_am_recv_param_t *param)
{
    const struct dpk_fabric *f = of;
    struct dpk_fabric_link *l =
        param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP ? find(f, param->reply_ep) : NULL;
    if (!l || l->state != OPEN)
        return UCS_OK;
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) ||
        !hear(l, header, header_size, data, size))
        fabric_link_fail(l);
    return UCS_OK;
}
#endif
