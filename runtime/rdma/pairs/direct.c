/*
 * Direct copies between processes. Large messages need not go through the rings, where they are copied
 * twice. The process that gets the bytes copies them out of the other process's memory by itself
 * (bus/exports/exports.h).
 *
 *   write   The requester offers the work's memory, with a request whose bytes it sends. Its later requests
 *           say only where the bytes are, and the responder fetches them.
 *   read    The requester asks for an offer, which comes with a response. From then on it fetches bytes
 *           when all its requests before are answered. The responder has no work then.
 *
 * No process writes to another process. When a process executes another program, its old memory does not
 * exist any more, and only reading notices this in time. A peer that does not know offers, or that may not
 * look into this process, gets bytes as before. An offer ends with its key: the owner waits for
 * processes that are inside then. A process that offers memory for reads says in the ring
 * that its queue pair has changed. After that, the peer asks again.
 */
#include <string.h>

#include "gateway.h"
#include "pace.h"

#define TOTAL_MIN   ((uint64_t)2 * SEGMENT) /* of a work; smaller works gain nothing */
#define REFUSED_MAX 4u                      /* after so many the peer gets no more offers */

/* ---- Offers ---- */

bool pairs_direct_offer(const struct channel *c, uint64_t key, uint8_t out[OFFER_SIZE])
{
    struct dpk_memory_share s;
    if (key > UINT32_MAX || dpk_memory_share((uint32_t)key, &c->rc->identity, &s) != DPK_OK)
        return false;
    memcpy(out, s.who.identity.bytes, sizeof s.who.identity.bytes);
    dpk_store_be32(out + 16, s.who.process);
    dpk_store_be32(out + 20, s.who.file);
    dpk_store_be32(out + 24, s.what.key);
    dpk_store_be64(out + 28, s.what.address);
    dpk_store_be64(out + 36, s.what.size);
    dpk_store_be64(out + 44, s.base);
    return true;
}

static struct dpk_memory_share read_offer(const uint8_t bytes[OFFER_SIZE])
{
    struct dpk_memory_share s = {0};
    struct dpk_reader in = dpk_reader(bytes + 16, OFFER_SIZE - 16);
    memcpy(s.who.identity.bytes, bytes, sizeof s.who.identity.bytes);
    s.who.process = dpk_read_be32(&in);
    s.who.file = dpk_read_be32(&in);
    s.what.key = dpk_read_be32(&in);
    s.what.address = dpk_read_be64(&in);
    s.what.size = dpk_read_be64(&in);
    s.base = dpk_read_be64(&in);
    return s;
}

bool pairs_direct_take(struct channel *c, const uint8_t bytes[OFFER_SIZE])
{
    struct direct *d = &c->direct;
    struct offered *to = &d->theirs[d->taken % OFFERS_MAX];
    uint8_t own[OFFER_SIZE]; /* the peer cannot change this copy */
    struct dpk_import *import;
    memcpy(own, bytes, sizeof own);
    struct dpk_memory_share s = read_offer(own);
    if (s.what.size > UINT64_MAX - s.base || s.what.size > UINT64_MAX - s.what.address ||
        dpk_import_open(&s.who, &s.what, &import, NULL) != DPK_OK)
        return false;
    dpk_import_close(to->import);
    *to = (struct offered){s.what.key, s.base, s.what.address, s.what.size, import};
    d->taken++;
    return true;
}

static struct offered *find_offered(struct channel *c, uint64_t key, uint64_t address,
                                    uint64_t size)
{
    struct offered *o = c->direct.theirs;
    for (size_t i = 0; i < OFFERS_MAX; i++, o++)
        if (o->import && o->key == key && address >= o->base && size <= o->size &&
            address - o->base <= o->size - size)
            return o;
    return NULL;
}

bool pairs_direct_find(struct channel *c, uint64_t key, uint64_t address, uint64_t size,
                       struct fetch *out)
{
    const struct offered *o = find_offered(c, key, address, size);
    if (o)
        *out = (struct fetch){o->import, o->address + (address - o->base)};
    return o != NULL;
}

void pairs_direct_free(struct channel *c)
{
    for (size_t i = 0; i < OFFERS_MAX; i++)
        dpk_import_close(c->direct.theirs[i].import);
}

/* ---- The requester ---- */

/* Returns the channel that may carry out a large work directly, or NULL. */
static struct channel *channel_of(const struct dpk_rc_qp *qp, uint64_t total)
{
    const bool may =
        qp->transport && qp->transport->is_shared && !qp_is_lossy(qp) && total >= TOTAL_MIN;
    return may && !pace_has(qp) ? qp->requests : NULL;
}

/* Returns the memory of a work that has only one piece, or NULL. */
static const struct dpk_memory_access *piece_of(const struct dpk_rc_work *w)
{
    if (w->count == 0)
        return &w->local;
    return w->count == 1 && !w->pieces[0].bytes ? &w->pieces[0].memory : NULL;
}

/* Returns whether the peer has taken the offer of a key. With the next offer the peer forgets its
 * oldest offer, so old offers are not used meanwhile. */
static bool is_taken(const struct direct *d, uint32_t key)
{
    if (d->offered != 0 && d->given >= OFFERS_MAX)
        return false;
    for (size_t i = 0; i < OFFERS_MAX; i++)
        if (key != 0 && d->ours[i] == key)
            return true;
    return false;
}

bool pairs_direct_refers(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w, uint64_t total)
{
    const struct channel *c = w->opcode == DPK_RC_WRITE ? channel_of(qp, total) : NULL;
    const struct dpk_memory_access *piece = c ? piece_of(w) : NULL;
    return piece && is_taken(&c->direct, piece->key);
}

/* Offers the memory of a write whose bytes are sent, so that the peer may fetch later writes. */
static void offer(struct channel *c, uint32_t key, struct request *r)
{
    struct direct *d = &c->direct;
    if (!d->known)
        r->compare = DIRECT_ASKS;
    else if (d->offered == 0 && d->refused < REFUSED_MAX && !is_taken(d, key) && r->first)
        r->offers = pairs_direct_offer(c, key, d->offer);
    if (r->offers)
        d->offering = key;
}

void pairs_direct_prepare(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w,
                          struct request *r)
{
    struct channel *c = channel_of(qp, r->total);
    const struct dpk_memory_access *piece = c ? piece_of(w) : NULL;
    if (c && r->opcode == DPK_RC_READ && c->direct.refused < REFUSED_MAX)
        r->compare = DIRECT_ASKS;
    if (!piece || r->opcode != DPK_RC_WRITE)
        return;
    if (w->by_reference) {
        r->by_reference = true;
        r->compare = piece->key;
        r->value = piece->address + (r->address - w->address);
    } else {
        offer(c, piece->key, r);
    }
}

void pairs_direct_sent(struct channel *c, const struct request *r)
{
    if (r->offers)
        c->direct.offered = c->direct.offering;
}

void pairs_direct_heard(struct channel *c, const struct response *r, const uint8_t *payload)
{
    struct direct *d = &c->direct;
    d->known = d->known || r->direct != 0;
    if (d->offered != 0 && r->direct & DIRECT_TAKEN)
        d->ours[d->given++ % OFFERS_MAX] = d->offered;
    if (r->direct & (DIRECT_TAKEN | DIRECT_REFUSED)) {
        d->refused += (r->direct & DIRECT_REFUSED) != 0;
        d->offered = 0;
    }
    if (r->direct & DIRECT_OFFERS && !pairs_direct_take(c, payload + r->size))
        d->refused++;
}

/* Returns whether the peer still allows the accesses that it allowed with its offers. */
static bool is_allowed(const struct channel *c)
{
    return c->fd >= 0 && !ring_has_left(&c->rings.out, RING_READER);
}

bool pairs_direct_can_read(const struct dpk_rc_qp *qp, const struct request *r)
{
    struct channel *c = r->opcode == DPK_RC_READ ? channel_of(qp, r->total) : NULL;
    return c && is_allowed(c) && find_offered(c, r->key, r->address, r->size);
}

bool pairs_direct_read(const struct dpk_rc_qp *qp, const struct dpk_rc_message *to, uint64_t at,
                       const struct request *r)
{
    struct channel *c = qp->requests;
    struct offered *o = find_offered(c, r->key, r->address, r->size);
    if (!o)
        return false;
    const struct fetch from = {o->import, o->address + (r->address - o->base)};
    if (dpk_rc_message_fetch(qp->end->options.domain, to, at, r->size, from.import, from.address) &&
        is_allowed(c))
        return true;
    dpk_import_close(o->import); /* the request that follows gets the reason from the peer */
    *o = (struct offered){0};
    c->direct.refused++;
    return false;
}
