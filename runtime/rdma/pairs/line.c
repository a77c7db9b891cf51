/* Lines: their life, and messages that are sent on them. */
#include <stdlib.h>
#include <string.h>

#include "line.h"

/* ---- Life ---- */

struct line *pairs_line_new(struct fabric *f, struct dpk_rc_qp *qp, bool asks)
{
    struct line *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    *l = (struct line){.fabric = f, .qp = qp, .asks = asks};
    STAILQ_INIT(&l->held);
    return l;
}

void pairs_line_end_wait(struct line *l)
{
    if (l->waits_since != 0)
        TAILQ_REMOVE(&l->fabric->waiting, l, in_waiting);
    l->waits_since = 0;
}

void pairs_line_forget_first(struct line *l)
{
    struct held *h = STAILQ_FIRST(&l->held);
    STAILQ_REMOVE_HEAD(&l->held, link);
    l->held_count--;
    free(h);
}

static void leave_posts(struct line *l)
{
    struct fabric *f = l->fabric;
    if (l->asks) {
        TAILQ_REMOVE(&f->posts, l, in_posts);
        f->posts_count--;
    } else {
        TAILQ_REMOVE(&f->guests, l, in_posts);
        f->guests_count--;
    }
}

/* Frees a line, whose link is lost or dropped. */
void pairs_line_free(struct line *l)
{
    struct dpk_rc_qp *qp = l->qp;
    if (!qp) {
        leave_posts(l);
        free(l);
        return;
    }
    if (qp->asks == l)
        qp->asks = NULL;
    if (qp->answers == l)
        qp->answers = NULL;
    pairs_line_end_wait(l);
    if (l->owes)
        TAILQ_REMOVE(&l->fabric->owing, l, in_owing);
    while (!STAILQ_EMPTY(&l->held))
        pairs_line_forget_first(l);
    free(l);
}

void pairs_line_drop(struct line *l)
{
    dpk_fabric_drop(l->link);
    pairs_line_free(l);
}

/* Ends a line whose link is lost or dropped. */
void pairs_line_end(struct line *l, bool peer_closed)
{
    struct dpk_rc_qp *qp = l->qp;
    const bool asks = l->asks;
    pairs_line_free(l);
    if (!qp)
        return;
    /* Responses of the peer may still be under way on the other line, whose end follows. */
    if (!asks && qp->asks && qp->unanswered > 0)
        return;
    if (qp->state == QP_READY)
        pairs_channel_lose(qp, asks, peer_closed);
}

bool pairs_line_is_peer(const struct dpk_rc_qp *qp, const struct address *claim, bool by_number)
{
    const struct address *peer = &qp->peer;
    if (!qp->transport || !qp->transport->is_far || by_number != (peer->secret == 0))
        return false;
    return by_number ? peer->number == claim->number &&
                           memcmp(peer->place.ip, claim->place.ip, sizeof peer->place.ip) == 0
                     : pairs_address_means(peer, claim);
}

/* ---- Sending ---- */

static uint64_t secret_of_peer(const struct line *l)
{
    if (!l->qp)
        return 0;
    return l->asks ? l->qp->peer.secret : l->claim.secret;
}

static void send_word(const struct line *l, uint32_t word, uint32_t number, uint32_t size)
{
    uint8_t head[WORD_SIZE];
    dpk_store_be64(head, secret_of_peer(l));
    dpk_store_be32(head + SECRET_SIZE, word);
    dpk_store_be32(head + SECRET_SIZE + 4, number);
    dpk_fabric_send(l->link, head, sizeof head, size);
}

void pairs_line_send(const struct line *l, const struct frame *f, const uint32_t *number)
{
    uint8_t head[HEAD_SIZE + NUMBER_SIZE];
    dpk_store_be64(head, secret_of_peer(l));
    pairs_frame_write(f, head + SECRET_SIZE);
    if (number)
        dpk_store_be32(head + HEAD_SIZE, *number);
    dpk_fabric_send(l->link, head, HEAD_SIZE + (number ? NUMBER_SIZE : 0), f->payload);
}

void pairs_line_say(const struct line *l, uint32_t word, uint32_t number)
{
    send_word(l, word, number, 0);
}

bool pairs_line_say_hello(const struct line *l)
{
    const struct dpk_rc_qp *qp = l->qp;
    struct dpk_buf addresses = {0};
    pairs_address_put(&qp->address, &addresses);
    pairs_address_put(&qp->peer, &addresses);
    uint8_t *room = dpk_fabric_room(l->link, HELLO_SIZE);
    const bool good = room && !addresses.failed && addresses.size == HELLO_SIZE;
    if (good) {
        memcpy(room, addresses.data, HELLO_SIZE);
        send_word(l, HELLO, qp->asked, HELLO_SIZE);
    }
    dpk_buf_free(&addresses);
    return good;
}
