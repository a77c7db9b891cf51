/* The transport between machines: a queue pair has a line for its requests, and a line for those of its
 * peer. A line is a link of the device's fabric. Each message names the secret of the queue pair that
 * it is for, which a peer has from the address of this queue pair. A peer that knows only the number of a
 * queue pair and the IP address of its machine names 0 instead. Then both queue pairs must name each
 * other's number and machine. */
#include <stdlib.h>
#include <string.h>

#include "line.h"

#define IN_FLIGHT    (4 * WINDOW) /* messages of a line that wait to be sent */
#define LOOK_EACH_MS 50           /* how often lines that wait for a queue pair are looked at */

/* ---- Lines ---- */

enum dpk_status pairs_fabric_attach(struct dpk_rc_qp *qp, struct dpk_error *err)
{
    struct line *l = pairs_line_new(qp->end->fabric, qp, true);
    if (!l)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_fabric_link(l->fabric->net, &qp->peer.place, l, &l->link, err);
    if (status != DPK_OK) {
        pairs_line_free(l);
        return status;
    }
    if (!pairs_line_say_hello(l)) {
        pairs_line_drop(l);
        return dpk_fail_nomem(err);
    }
    qp->asks = l;
    return DPK_OK;
}

/* Returns whether the peer of a queue pair is the one that a line claims. */
static bool is_peer(const struct dpk_rc_qp *qp, const struct address *claim, bool by_number)
{
    const struct address *peer = &qp->peer;
    if (qp->transport != &pairs_transport_fabric || by_number != (peer->secret == 0))
        return false;
    return by_number ? peer->number == claim->number &&
                           memcmp(peer->place.ip, claim->place.ip, sizeof peer->place.ip) == 0
                     : pairs_address_means(peer, claim);
}

void pairs_fabric_settle(struct dpk_rc_qp *qp)
{
    if (!is_peer(qp, &qp->answers->claim, qp->answers->by_number))
        pairs_line_drop(qp->answers);
}

void pairs_fabric_forget(struct dpk_rc_qp *qp)
{
    if (qp->asks)
        pairs_line_drop(qp->asks);
    if (qp->answers)
        pairs_line_drop(qp->answers);
}

/* ---- Requests of the peer ---- */

enum taken { TAKEN, LATER, INVALID };

static void begin_wait(struct line *l)
{
    if (l->waits_since != 0)
        return;
    l->waits_since = dpk_now_ms();
    TAILQ_INSERT_TAIL(&l->fabric->waiting, l, in_waiting);
    pairs_gateway_wake(l->fabric->rc->gateway);
}

/* Carries out a request. The line may not exist any more after TAKEN. */
static enum taken run(struct line *l, const struct request *r, const uint8_t *payload)
{
    struct frame answer = {.kind = FRAME_RESPONSE};
    struct dpk_rc_qp *qp = l->qp;
    uint8_t *room = dpk_fabric_room(l->link, r->opcode == DPK_RC_READ ? r->size : 0);
    if (!room)
        return INVALID;
    if (pairs_responder_run(qp, r, payload, &answer.response, room) == ANSWER_LATER) {
        if (qp->state == QP_NEW)
            begin_wait(l);
        return LATER;
    }
    answer.payload = response_payload(&answer.response);
    pairs_line_send(l, l->claim.secret, &answer);
    if (response_breaks(&answer.response))
        pairs_qp_fail(qp, DPK_RC_FLUSHED, true);
    return TAKEN;
}

/* Keeps a request for later. Returns false if the peer sends more requests than it may. */
static bool keep(struct line *l, const struct request *r, const uint8_t *payload, uint32_t size)
{
    struct held *h = l->held_count < WINDOW ? malloc(sizeof *h + size) : NULL;
    if (!h)
        return false;
    h->request = *r;
    if (size > 0)
        memcpy(h->payload, payload, size);
    STAILQ_INSERT_TAIL(&l->held, h, link);
    l->held_count++;
    return true;
}

static bool request(struct line *l, const struct frame *f, const uint8_t *payload)
{
    const struct request *r = &f->request;
    if (r->by_reference || r->offers || r->service != DPK_RC_RELIABLE)
        return false; /* these are for one machine */
    const enum taken taken = STAILQ_EMPTY(&l->held) ? run(l, r, payload) : LATER;
    return taken == LATER ? keep(l, r, payload, f->payload) : taken == TAKEN;
}

static void fabric_resume(struct dpk_rc_qp *qp)
{
    struct line *l = qp->answers;
    struct held *h;
    while (l && qp->answers == l && (h = STAILQ_FIRST(&l->held))) {
        const enum taken taken = run(l, &h->request, h->payload);
        if (taken == LATER)
            return;
        if (qp->answers == l)
            pairs_line_forget_first(l);
        if (taken == INVALID)
            pairs_line_drop(l);
    }
}

/* ---- Messages ---- */

/* Returns whether a queue pair may have the peer that the other side claims to be. */
static bool may_claim(const struct dpk_rc_qp *qp, const struct address *claim, bool by_number)
{
    if (dpk_uuid_equal(&claim->process, &qp->end->rc->identity) || qp_is_lossy(qp) ||
        (by_number && !qp->exposed))
        return false;
    return qp->state == QP_NEW || (qp->state == QP_READY && is_peer(qp, claim, by_number));
}

/* Returns whether the other side of a link has the IP address that it claims. */
static bool is_from(const struct dpk_fabric_link *link, const struct address *claim)
{
    return memcmp(dpk_fabric_from(link), claim->place.ip, sizeof claim->place.ip) == 0;
}

static bool hello(struct fabric *f, struct dpk_fabric_link *link, uint64_t secret,
                  const uint8_t *addresses, size_t size)
{
    struct address claim, self;
    struct line *l;
    if (size != HELLO_SIZE ||
        pairs_address_parse(addresses, DPK_RC_ADDRESS_MAX, &claim, NULL) != DPK_OK ||
        pairs_address_parse(addresses + DPK_RC_ADDRESS_MAX, DPK_RC_ADDRESS_MAX, &self, NULL) !=
            DPK_OK ||
        self.secret != secret || claim.secret == 0)
        return false;
    const bool by_number = secret == 0;
    if (by_number)
        self.process = f->rc->identity;
    if (by_number && !is_from(link, &claim))
        return false;
    struct dpk_rc_qp *qp = pairs_qp_find(f->rc, &self);
    if (!qp || qp->end->fabric != f || qp->answers || !may_claim(qp, &claim, by_number) ||
        !(l = pairs_line_new(f, qp, false)))
        return false;
    l->link = link;
    l->by_number = by_number;
    l->claim = claim;
    qp->answers = l;
    dpk_fabric_own(link, l);
    return true;
}

static bool bye(struct line *l)
{
    dpk_fabric_drop(l->link);
    pairs_line_end(l, true);
    return true;
}

static bool response(struct line *l, const struct frame *f, const uint8_t *payload)
{
    struct dpk_rc_qp *qp = l->qp;
    if (f->response.direct != 0 || !pairs_requester_response(qp, &f->response, payload))
        return false;
    if (qp->asks == l)
        pairs_requester_resume(qp);
    return true;
}

static bool arrived(void *context, struct dpk_fabric_link *link, void *of, const uint8_t *head,
                    size_t head_size, const uint8_t *data, size_t size)
{
    struct line *l = of;
    struct frame f;
    struct dpk_reader in = dpk_reader(head, head_size);
    const uint64_t secret = dpk_read_be64(&in);
    if (!l)
        return head_size == WORD_SIZE && dpk_read_be32(&in) == HELLO &&
               hello(context, link, secret, data, size);
    if (secret != (l->by_number ? 0 : l->qp->address.secret))
        return false;
    if (head_size == WORD_SIZE)
        return size == 0 && dpk_read_be32(&in) == BYE && bye(l);
    if (head_size != SECRET_SIZE + FRAME_SIZE || !pairs_frame_read(head + SECRET_SIZE, &f) ||
        f.payload != size || f.kind != (l->asks ? FRAME_RESPONSE : FRAME_REQUEST))
        return false;
    return l->asks ? response(l, &f, data) : request(l, &f, data);
}

static void lost(void *context, void *of)
{
    (void)context;
    pairs_line_end(of, false);
}

/* ---- Fabrics ---- */

static struct fabric *find(const struct dpk_rc *rc, const char *spec)
{
    struct fabric *f;
    SLIST_FOREACH(f, &rc->fabrics, link)
    if (strcmp(f->spec, spec) == 0)
        return f;
    return NULL;
}

/* Opens a fabric, which takes long. Call this without the lock. */
static enum dpk_status open_fabric(struct dpk_rc *rc, const char *spec, struct fabric **out,
                                   struct dpk_error *err)
{
    struct fabric *f = calloc(1, sizeof *f);
    const struct dpk_fabric_options options = {
        .arrived = arrived, .lost = lost, .context = f, .in_flight_max = IN_FLIGHT};
    if (!f)
        return dpk_fail_nomem(err);
    f->rc = rc;
    TAILQ_INIT(&f->waiting);
    snprintf(f->spec, sizeof f->spec, "%s", spec);
    const enum dpk_status status = dpk_fabric_open(spec, &options, &f->net, err);
    if (status == DPK_OK)
        *out = f;
    else
        free(f);
    return status;
}

/* Lets the threads of the gateway work for a fabric. Call this with the lock. */
static enum dpk_status enter(struct dpk_rc *rc, struct fabric *f, struct dpk_error *err)
{
    enum dpk_status status = rc->gateway ? DPK_OK : pairs_gateway_start(rc, err);
    if (status == DPK_OK && !pairs_gateway_watch_fabric(rc, dpk_fabric_fd(f->net)))
        status = dpk_fail_errno(err, "no events of the fabric");
    if (status != DPK_OK)
        return status;
    SLIST_INSERT_HEAD(&rc->fabrics, f, link);
    pairs_gateway_wake(rc->gateway);
    return DPK_OK;
}

static enum dpk_status start(struct dpk_rc *rc, const char *spec, struct fabric **out,
                             struct dpk_error *err)
{
    dpk_rc_lock(rc);
    *out = find(rc, spec);
    dpk_rc_unlock(rc);
    enum dpk_status status = *out ? DPK_OK : open_fabric(rc, spec, out, err);
    if (status != DPK_OK)
        return status;
    dpk_rc_lock(rc);
    if (!find(rc, spec))
        status = enter(rc, *out, err);
    dpk_rc_unlock(rc);
    if (status != DPK_OK) {
        dpk_fabric_close((*out)->net);
        free(*out);
    }
    return status;
}

enum dpk_status pairs_fabric_start(struct dpk_rc_qp *qp, struct dpk_error *err)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    const char *spec = qp->end->options.domain->fabric;
    struct fabric *f = NULL;
    if (!spec)
        return DPK_OK;
    pthread_mutex_lock(&one_at_a_time);
    const enum dpk_status status = start(qp->end->rc, spec, &f, err);
    pthread_mutex_unlock(&one_at_a_time);
    if (status != DPK_OK)
        return status;
    dpk_rc_lock(qp->end->rc);
    qp->end->fabric = f;
    qp->address.place = *dpk_fabric_place(f->net);
    dpk_rc_unlock(qp->end->rc);
    return DPK_OK;
}

enum dpk_status pairs_fabric_expose(struct dpk_rc_qp *qp, struct dpk_error *err)
{
    enum dpk_status status = pairs_fabric_start(qp, err);
    dpk_rc_lock(qp->end->rc);
    if (status == DPK_OK && qp->end->fabric && !qp_is_lossy(qp)) {
        status =
            dpk_fabric_listen(qp->end->fabric->net, pairs_number_port(qp->address.number), err);
        qp->exposed = status == DPK_OK;
    }
    dpk_rc_unlock(qp->end->rc);
    return status;
}

void pairs_fabrics_stop(struct dpk_rc *rc)
{
    struct fabric *f;
    while ((f = SLIST_FIRST(&rc->fabrics))) {
        SLIST_REMOVE_HEAD(&rc->fabrics, link);
        dpk_fabric_close(f->net);
        free(f);
    }
}

bool pairs_fabrics_run(struct dpk_rc *rc)
{
    struct fabric *f;
    bool any = false;
    SLIST_FOREACH(f, &rc->fabrics, link)
    any = dpk_fabric_run(f->net) || any;
    return any;
}

void pairs_fabrics_poll(struct dpk_rc *rc, bool polls)
{
    struct fabric *f;
    SLIST_FOREACH(f, &rc->fabrics, link)
    dpk_fabric_poll(f->net, polls);
}

/* Ends the wait of lines whose queue pair was not connected in time. Returns whether a line waits. */
static bool run_waits(struct fabric *f)
{
    const uint64_t now = dpk_now_ms();
    for (struct line *l = TAILQ_FIRST(&f->waiting), *next; l; l = next) {
        next = TAILQ_NEXT(l, in_waiting);
        if (l->qp->state != QP_NEW) {
            pairs_line_end_wait(l);
        } else if (now - l->waits_since >= f->rc->connect_wait_ms) {
            pairs_line_say_bye(l);
            pairs_line_drop(l);
        }
    }
    return !TAILQ_EMPTY(&f->waiting);
}

uint64_t pairs_fabrics_look(struct dpk_rc *rc)
{
    struct fabric *f;
    uint64_t due = UINT64_MAX;
    SLIST_FOREACH(f, &rc->fabrics, link)
    {
        dpk_fabric_run(f->net);
        const uint64_t line = run_waits(f) ? LOOK_EACH_MS : UINT64_MAX;
        const uint64_t net = dpk_fabric_look(f->net);
        due = line < due ? line : due;
        due = net < due ? net : due;
    }
    return due;
}

/* ---- The transport ---- */

static enum sent fabric_room(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload)
{
    *payload = qp->asks ? dpk_fabric_room(qp->asks->link, size) : NULL;
    return *payload ? SENT : SENT_NEVER;
}

static enum sent fabric_send(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload)
{
    (void)payload; /* it is in the room of the link */
    pairs_line_send(
        qp->asks, qp->peer.secret,
        &(struct frame){.kind = FRAME_REQUEST, .request = *r, .payload = request_payload(r)});
    return SENT;
}

static void fabric_close(struct dpk_rc_qp *qp)
{
    if (qp->asks)
        pairs_line_say_bye(qp->asks);
    if (qp->answers)
        pairs_line_say_bye(qp->answers);
    pairs_fabric_forget(qp);
}

const struct transport pairs_transport_fabric = {.room = fabric_room,
                                                 .send = fabric_send,
                                                 .resume = fabric_resume,
                                                 .close = fabric_close,
                                                 .is_shared = true};
