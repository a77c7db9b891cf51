/* The transport for datagrams between machines. A line goes to each process to which this process sends
 * datagrams, whatever queue pairs they are of. It is found by the port of the target's number. A datagram has no
 * response: it is complete when it is sent, or lost. If a link is crowded, datagrams wait for a short time, as
 * the queue pair of a card waits for its port. */
#include <stdlib.h>
#include <string.h>

#include "line.h"

#define POSTS_MAX  64u /* lines of this process; a new line replaces the line that was made first */
#define GUESTS_MAX 1024u /* lines of peers */
#define CROWDED_MS 100   /* longest wait of a datagram for a crowded link */
#define SENT_MS    2000  /* longest wait of a completion for the end of sending */

/* ---- Sending ---- */

static struct line *new_line(struct fabric *f, const struct dpk_fabric_place *to)
{
    struct line *l = pairs_line_new(f, NULL, true);
    if (!l || dpk_fabric_link(f->net, to, l, &l->link, NULL) != DPK_OK) {
        free(l);
        return NULL;
    }
    if (f->posts_count == POSTS_MAX)
        pairs_line_drop(TAILQ_FIRST(&f->posts));
    l->to = *to;
    TAILQ_INSERT_TAIL(&f->posts, l, in_posts);
    f->posts_count++;
    pairs_line_say(l, POST, 0);
    return l;
}

/* Returns the line to the target of a queue pair's last or next datagram, or NULL. */
static struct line *find_line(const struct dpk_rc_qp *qp)
{
    const struct dpk_fabric_place *to = &qp->peer.place;
    struct line *l;
    TAILQ_FOREACH(l, &qp->end->fabric->posts, in_posts)
    if (l->to.port == to->port && memcmp(l->to.ip, to->ip, sizeof to->ip) == 0)
        return l;
    return NULL;
}

/* Lets a thread look at the fabric again, at latest after some milliseconds. */
static void look_again(struct fabric *f)
{
    if (!f->crowded)
        pairs_gateway_wake(f->rc->gateway);
    f->crowded = true;
}

/* The next datagram of a crowded line waits, unless earlier ones have waited too long. */
static enum sent wait(struct line *l)
{
    const uint64_t now = dpk_now_ms();
    if (l->crowded_since == 0)
        l->crowded_since = now;
    if (now - l->crowded_since >= CROWDED_MS)
        return SENT_NEVER;
    look_again(l->fabric);
    return SENT_LATER;
}

static enum sent datagrams_room(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload)
{
    struct line *l = find_line(qp);
    *payload = NULL;
    if (!l && !(l = new_line(qp->end->fabric, &qp->peer.place)))
        return SENT_NEVER;
    if (dpk_fabric_unsent(l->link) >= IN_FLIGHT / 2)
        return wait(l);
    l->crowded_since = 0;
    *payload = dpk_fabric_room(l->link, size);
    return *payload ? SENT : SENT_NEVER;
}

/* Returns whether the datagrams of a line are sent, or will be sent or lost later. */
static bool is_done(struct line *l)
{
    if (dpk_fabric_unsent(l->link) == 0) {
        l->unsent_since = 0;
        return true;
    }
    const uint64_t now = dpk_now_ms();
    if (l->unsent_since == 0)
        l->unsent_since = now;
    return now - l->unsent_since >= SENT_MS;
}

/* Completes the datagrams of a queue pair, which all have the same target, if they are sent. A program that ends
 * after a completion must not lose its datagram. */
static void complete(struct dpk_rc_qp *qp)
{
    struct line *l = find_line(qp);
    if (l && !is_done(l)) {
        look_again(qp->end->fabric);
        return;
    }
    while (qp->unanswered > 0 &&
           pairs_requester_response(qp, &(struct response){.status = DPK_RC_OK}, NULL))
        ;
}

static enum sent datagrams_send(struct dpk_rc_qp *qp, const struct request *r,
                                const uint8_t *payload)
{
    const struct frame f = {.kind = FRAME_REQUEST, .request = *r, .payload = request_payload(r)};
    (void)payload; /* it is in the room of the link */
    pairs_line_send(find_line(qp), &f, &qp->peer.number);
    complete(qp);
    return SENT;
}

void pairs_datagrams_resume(struct fabric *f)
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp;
    f->crowded = false;
    TAILQ_FOREACH(end, &f->rc->ends, link)
    TAILQ_FOREACH(qp, &end->qps, in_end)
    if (end->fabric == f && qp->transport == &pairs_transport_datagrams &&
        (qp->waits || qp->unanswered > 0)) {
        complete(qp);
        pairs_requester_resume(qp);
    }
}

static void nothing(struct dpk_rc_qp *qp)
{
    (void)qp; /* no request of a peer waits, and all lines belong to the fabric */
}

const struct transport pairs_transport_datagrams = {.room = datagrams_room,
                                                    .send = datagrams_send,
                                                    .resume = nothing,
                                                    .close = nothing,
                                                    .is_shared = true,
                                                    .is_far = true};

/* ---- Receiving ---- */

bool pairs_datagrams_welcome(struct fabric *f, struct dpk_fabric_link *link)
{
    struct line *l = f->guests_count < GUESTS_MAX ? pairs_line_new(f, NULL, false) : NULL;
    if (!l)
        return false;
    l->link = link;
    TAILQ_INSERT_TAIL(&f->guests, l, in_posts);
    f->guests_count++;
    dpk_fabric_own(link, l);
    return true;
}

bool pairs_datagrams_take(const struct line *l, uint32_t target, const struct frame *f,
                          const uint8_t *payload)
{
    struct response out;
    const struct request *r = &f->request;
    if (l->asks || f->kind != FRAME_REQUEST || r->service != DPK_RC_DATAGRAM ||
        r->opcode != DPK_RC_SEND || r->by_reference || r->offers || !r->first || !r->last ||
        r->size != r->total)
        return false;
    struct dpk_rc_qp *qp = pairs_qp_find(
        l->fabric->rc, &(struct address){.process = l->fabric->rc->identity, .number = target});
    if (!qp || qp->end->fabric != l->fabric || !qp->exposed || !qp_has_datagrams(qp))
        return true;
    pairs_responder_run(qp, r, payload, &out, NULL);
    if (response_breaks(&out))
        pairs_qp_fail(qp, DPK_RC_FLUSHED, true);
    return true;
}

void pairs_datagrams_stop(struct fabric *f)
{
    struct line *l;
    while ((l = TAILQ_FIRST(&f->posts)) || (l = TAILQ_FIRST(&f->guests)))
        pairs_line_drop(l);
}
