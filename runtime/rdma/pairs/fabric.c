/* The transport between machines: a queue pair has a line for its requests, and a line for those of its
 * peer. A line is a link of the device's fabric. Each message names the secret of the queue pair that
 * it is for, which a peer has from the address of this queue pair. A peer that knows only the number of a
 * queue pair and the IP address of its machine names 0 instead. Then both queue pairs must name each
 * other's number and machine. */
#include <stdlib.h>
#include <string.h>

#include "line.h"

#define LOOK_EACH_MS 50 /* how often lines that wait for a queue pair are looked at */

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
    l->answered = l->acknowledged = qp->asked;
    qp->asks = l;
    return DPK_OK;
}

void pairs_fabric_settle(struct dpk_rc_qp *qp)
{
    if (!pairs_line_is_peer(qp, &qp->answers->claim, qp->answers->by_number))
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

static bool has_result(const struct request *r, const struct response *a)
{
    return r->opcode > DPK_RC_WRITE || a->status != DPK_RC_OK || a->broken;
}

/* Carries out a request. The line may not exist any more after TAKEN. */
static enum taken run(struct line *l, const struct request *r, const uint8_t *payload)
{
    struct frame answer = {.kind = FRAME_RESPONSE};
    struct dpk_rc_qp *qp = l->qp;
    const bool reads = r->opcode == DPK_RC_READ;
    uint8_t *room = reads ? dpk_fabric_room(l->link, r->size) : NULL;
    if (reads && !room)
        return INVALID;
    if (pairs_responder_run(qp, r, payload, &answer.response, room) == ANSWER_LATER) {
        if (qp->state == QP_NEW)
            begin_wait(l);
        return LATER;
    }
    answer.payload = response_payload(&answer.response);
    if (has_result(r, &answer.response))
        pairs_acks_respond(l, &answer);
    else
        pairs_acks_owe(l, r->opcode == DPK_RC_SEND || r->has_immediate);
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
            break;
        if (qp->answers == l)
            pairs_line_forget_first(l);
        if (taken == INVALID)
            pairs_line_drop(l);
    }
    if (l && qp->answers == l)
        pairs_acks_pay(l);
}

/* ---- Messages ---- */

/* Returns whether a queue pair may have the peer that the other side claims to be. */
static bool may_claim(const struct dpk_rc_qp *qp, const struct address *claim, bool by_number)
{
    if (dpk_uuid_equal(&claim->process, &qp->end->rc->identity) || qp_is_lossy(qp) ||
        (by_number && !qp->exposed))
        return false;
    return qp->state == QP_NEW ||
           (qp->state == QP_READY && pairs_line_is_peer(qp, claim, by_number));
}

/* Returns whether the other side of a link has the IP address that it claims. */
static bool is_from(const struct dpk_fabric_link *link, const struct address *claim)
{
    return memcmp(dpk_fabric_from(link), claim->place.ip, sizeof claim->place.ip) == 0;
}

static bool hello(struct fabric *f, struct dpk_fabric_link *link, uint64_t secret, uint32_t number,
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
    l->answered = l->told = number;
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

static bool response(struct line *l, uint32_t number, const struct frame *f, const uint8_t *payload)
{
    struct dpk_rc_qp *qp = l->qp;
    if (f->response.direct != 0 || !pairs_acks_take_response(l, number, &f->response, payload))
        return false;
    if (qp->asks == l)
        pairs_requester_resume(qp);
    return true;
}

/* Handles an acknowledgement of requests of this side. */
static bool acknowledgement(struct dpk_rc_qp *qp, uint32_t number)
{
    const struct line *asks = qp->asks;
    if (!pairs_acks_take(qp, number))
        return false;
    if (asks && qp->asks == asks)
        pairs_requester_resume(qp);
    return true;
}

static bool word(struct line *l, struct dpk_reader *in)
{
    const uint32_t what = dpk_read_be32(in), number = dpk_read_be32(in);
    return what == BYE ? bye(l) : what == ACK && l->asks && acknowledgement(l->qp, number);
}

/* Handles a request, which may carry an acknowledgement of requests of this side. */
static bool request_with(struct line *l, const uint32_t *number, const struct frame *f,
                         const uint8_t *payload)
{
    struct dpk_rc_qp *qp = l->qp;
    if (number && pairs_line_is_peer(qp, &l->claim, l->by_number) && !acknowledgement(qp, *number))
        return false;
    return qp->answers != l || request(l, f, payload);
}

/* Handles the first message of a link. */
static bool first_word(struct fabric *f, struct dpk_fabric_link *link, uint64_t secret,
                       struct dpk_reader *in, const uint8_t *data, size_t size)
{
    const uint32_t what = dpk_read_be32(in), number = dpk_read_be32(in);
    return what == HELLO
               ? hello(f, link, secret, number, data, size)
               : what == POST && secret == 0 && size == 0 && pairs_datagrams_welcome(f, link);
}

static bool arrived(void *context, struct dpk_fabric_link *link, void *of, const uint8_t *head,
                    size_t head_size, const uint8_t *data, size_t size)
{
    struct line *l = of;
    struct frame f;
    struct dpk_reader in = dpk_reader(head, head_size);
    const uint64_t secret = dpk_read_be64(&in);
    if (!l)
        return head_size == WORD_SIZE && first_word(context, link, secret, &in, data, size);
    if (secret != (l->by_number || !l->qp ? 0 : l->qp->address.secret))
        return false;
    if (head_size == WORD_SIZE)
        return l->qp && size == 0 && word(l, &in);
    const bool numbered = head_size == HEAD_SIZE + NUMBER_SIZE;
    if ((head_size != HEAD_SIZE && !numbered) || !pairs_frame_read(head + SECRET_SIZE, &f) ||
        f.payload != size || f.kind != (l->asks ? FRAME_RESPONSE : FRAME_REQUEST))
        return false;
    dpk_read_skip(&in, FRAME_SIZE);
    const uint32_t number = numbered ? dpk_read_be32(&in) : 0;
    if (!l->qp)
        return numbered && pairs_datagrams_take(l, number, &f, data);
    if (l->asks)
        return numbered && response(l, number, &f, data);
    return request_with(l, numbered ? &number : NULL, &f, data);
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
    TAILQ_INIT(&f->owing);
    TAILQ_INIT(&f->posts);
    TAILQ_INIT(&f->guests);
    snprintf(f->spec, sizeof f->spec, "%s", spec);
    const enum dpk_status status = dpk_fabric_open(spec, &options, &f->net, err);
    if (status == DPK_OK)
        *out = f;
    else
        free(f);
    return status;
}

/* All fabrics of the process. A program that ends without destroying its queue pairs still owes
 * acknowledgements of sends that it has taken. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static SLIST_HEAD(, fabric) all = SLIST_HEAD_INITIALIZER(all);

static void pay_at_exit(void)
{
    struct fabric *f;
    if (pthread_mutex_trylock(&all_lock) != 0)
        return;
    SLIST_FOREACH(f, &all, in_all)
    if (pairs_rc_is_ours(f->rc) && pthread_mutex_trylock(&f->rc->lock) == 0) {
        pairs_acks_pay_all(f, true);
        pthread_mutex_unlock(&f->rc->lock);
    }
    pthread_mutex_unlock(&all_lock);
}

static void remember(struct fabric *f)
{
    static bool registered;
    pthread_mutex_lock(&all_lock);
    SLIST_INSERT_HEAD(&all, f, in_all);
    registered = registered || atexit(pay_at_exit) == 0;
    pthread_mutex_unlock(&all_lock);
}

static void forget(struct fabric *f)
{
    pthread_mutex_lock(&all_lock);
    SLIST_REMOVE(&all, f, fabric, in_all);
    pthread_mutex_unlock(&all_lock);
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
    remember(f);
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
    if (status == DPK_OK && qp->end->fabric && qp->end->options.service != DPK_RC_UNRELIABLE) {
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
        forget(f);
        pairs_datagrams_stop(f);
        dpk_fabric_close(f->net);
        free(f);
    }
}

/* Only a program that polls calls this function again soon. */
static bool run_fabric(struct fabric *f, bool polled)
{
    pairs_acks_pay_all(f, true);
    const bool any = dpk_fabric_run(f->net);
    pairs_acks_pay_all(f, !polled || !any);
    if (f->crowded)
        pairs_datagrams_resume(f);
    return any;
}

bool pairs_fabrics_run(struct dpk_rc *rc)
{
    struct fabric *f;
    bool any = false;
    SLIST_FOREACH(f, &rc->fabrics, link)
    any = run_fabric(f, rc->gateway && rc->gateway->polled) || any;
    return any;
}

void pairs_fabrics_poll(struct dpk_rc *rc, bool polls)
{
    struct fabric *f;
    SLIST_FOREACH(f, &rc->fabrics, link)
    {
        pairs_acks_pay_all(f, true);
        dpk_fabric_poll(f->net, polls);
    }
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
            pairs_line_say(l, BYE, 0);
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
        run_fabric(f, false);
        const uint64_t line = run_waits(f) || f->crowded ? LOOK_EACH_MS : UINT64_MAX;
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
    const struct frame f = {.kind = FRAME_REQUEST, .request = *r, .payload = request_payload(r)};
    uint32_t number;
    (void)payload; /* it is in the room of the link */
    const bool carries = pairs_acks_carried(qp, &number);
    qp->asked++;
    pairs_line_send(qp->asks, &f, carries ? &number : NULL);
    return SENT;
}

static void fabric_close(struct dpk_rc_qp *qp)
{
    if (qp->answers)
        pairs_acks_pay(qp->answers);
    if (qp->asks)
        pairs_line_say(qp->asks, BYE, 0);
    if (qp->answers)
        pairs_line_say(qp->answers, BYE, 0);
    pairs_fabric_forget(qp);
}

const struct transport pairs_transport_fabric = {.room = fabric_room,
                                                 .send = fabric_send,
                                                 .resume = fabric_resume,
                                                 .close = fabric_close,
                                                 .is_shared = true,
                                                 .is_far = true};
