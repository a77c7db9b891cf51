/* Receivers (TIRs) and indirection tables (RQTs): they choose a receive queue by a frame's hash. */
#include <stdlib.h>
#include <string.h>

#include "headers.h"
#include "model.h"
#include "steering.h"

#define INPUT_MAX 36u /* bytes: two addresses of IPv6, two ports */
#define NIBBLES   (2 * INPUT_MAX)
/* The hash type of a CQE: two bits for each field, in the order of DPK_RSS_... */
enum { TYPE_IPV4 = 1, TYPE_IPV6 = 2, TYPE_TCP = 1, TYPE_UDP = 2 };
enum { TYPE_SOURCE = 0, TYPE_DESTINATION = 2, TYPE_SOURCE_PORT = 4, TYPE_DESTINATION_PORT = 6 };
enum { TCP = 6, UDP = 17 };

struct dpk_flow_rqt {
    TAILQ_ENTRY(dpk_flow_rqt) in_steering;
    struct dpk_steering *steering;
    uint32_t number, count;
    struct dpk_queue **queues; /* an entry is NULL if its queue is destroyed */
    unsigned tirs;             /* TIRs that use this table */
    unsigned leads;            /* TIRs of these to which rules lead */
};

struct dpk_flow_tir {
    TAILQ_ENTRY(dpk_flow_tir) in_steering;
    struct dpk_steering *steering;
    uint32_t number;
    struct dpk_rss rss;
    struct dpk_queue *queue;     /* NULL with a table, or if the queue is destroyed */
    struct dpk_flow_rqt *rqt;    /* NULL with a single queue */
    unsigned leads;              /* rule targets that are this receiver */
    uint32_t parts[NIBBLES][16]; /* hash of each value of each 4 input bits */
};

/* ---- The hash ---- */

/* Returns 32 bits of the key from a bit position. Zeros follow the key. */
static uint32_t key_at(const uint8_t key[DPK_RSS_KEY], unsigned bit)
{
    uint64_t window = 0;
    for (unsigned i = 0; i < 5; i++)
        window = window << 8 | (bit / 8 + i < DPK_RSS_KEY ? key[bit / 8 + i] : 0u);
    return (uint32_t)(window >> (8 - bit % 8));
}

/* The hash is the XOR of the contributions of all input bits. The table has the contributions of
 * four bits at a time. */
static void prepare(struct dpk_flow_tir *tir)
{
    memset(tir->parts, 0, sizeof tir->parts);
    for (unsigned n = 0; n < NIBBLES; n++)
        for (unsigned value = 0; value < 16; value++)
            for (unsigned bit = 0; bit < 4; bit++)
                if (value & 8u >> bit)
                    tir->parts[n][value] ^= key_at(tir->rss.key, 4 * n + bit);
}

static uint32_t hash_of(const struct dpk_flow_tir *tir, const uint8_t *input, size_t size)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < size; i++)
        hash ^= tir->parts[2 * i][input[i] >> 4] ^ tir->parts[2 * i + 1][input[i] & 15];
    return hash;
}

/* Two fields of a frame. One or both are hashed. */
struct pair {
    const uint8_t *source, *destination;
    size_t size; /* of each field; 0 if the frame has neither */
    bool has_source, has_destination;
};

static size_t put_pair(uint8_t *to, const struct pair *p, bool symmetric)
{
    size_t size = 0;
    if (p->has_source) {
        memcpy(to, p->source, p->size);
        size += p->size;
    }
    if (p->has_destination) {
        memcpy(to + size, p->destination, p->size);
        size += p->size;
    }
    for (size_t i = 0; symmetric && p->has_source && p->has_destination && i < p->size; i++) {
        to[i] = p->source[i] | p->destination[i];
        to[p->size + i] = p->source[i] ^ p->destination[i];
    }
    return size;
}

/* Finds the fields of the frame to hash. Returns the hash type for the CQE. */
static uint8_t fields_of(const struct dpk_rss *rss, const uint8_t *headers, struct pair *addresses,
                         struct pair *ports)
{
    const unsigned version = headers[DPK_MATCH_TAGS] >> DPK_MATCH_VERSION_SHIFT & 15;
    uint8_t type = 0;
    *addresses = *ports = (struct pair){.size = 0};
    if (!rss->hashes || version != (rss->ipv6 ? 6 : 4))
        return 0;
    const size_t skipped = rss->ipv6 ? 0 : DPK_MATCH_IPV4;
    *addresses = (struct pair){.source = headers + DPK_MATCH_SOURCE + skipped,
                               .destination = headers + DPK_MATCH_DESTINATION + skipped,
                               .size = 16 - skipped,
                               .has_source = rss->fields & DPK_RSS_SOURCE,
                               .has_destination = rss->fields & DPK_RSS_DESTINATION};
    const unsigned ip = rss->ipv6 ? TYPE_IPV6 : TYPE_IPV4, l4 = rss->udp ? TYPE_UDP : TYPE_TCP;
    type |= (uint8_t)(addresses->has_source ? ip << TYPE_SOURCE : 0);
    type |= (uint8_t)(addresses->has_destination ? ip << TYPE_DESTINATION : 0);
    if (headers[DPK_MATCH_TAGS] & DPK_MATCH_FRAGMENT ||
        headers[DPK_MATCH_PROTOCOL] != (rss->udp ? UDP : TCP))
        return type;
    const uint8_t *at = headers + (rss->udp ? DPK_MATCH_UDP_PORTS : DPK_MATCH_TCP_PORTS);
    *ports = (struct pair){.source = at,
                           .destination = at + 2,
                           .size = 2,
                           .has_source = rss->fields & DPK_RSS_SOURCE_PORT,
                           .has_destination = rss->fields & DPK_RSS_DESTINATION_PORT};
    type |= (uint8_t)(ports->has_source ? l4 << TYPE_SOURCE_PORT : 0);
    type |= (uint8_t)(ports->has_destination ? l4 << TYPE_DESTINATION_PORT : 0);
    return type;
}

struct dpk_queue *queues_tir_choose(const struct dpk_flow_tir *tir, const struct words *headers,
                                    struct frame_facts *facts)
{
    uint8_t bytes[DPK_MATCH_BYTES], input[INPUT_MAX];
    struct pair addresses, ports;
    memcpy(bytes, headers, sizeof bytes);
    facts->hash_type = fields_of(&tir->rss, bytes, &addresses, &ports);
    size_t size = put_pair(input, &addresses, tir->rss.symmetric);
    size += put_pair(input + size, &ports, tir->rss.symmetric);
    facts->hash = hash_of(tir, input, size);
    return tir->rqt ? tir->rqt->queues[facts->hash % tir->rqt->count] : tir->queue;
}

/* ---- Counting rules that lead to queues ---- */

static void queue_lead(struct dpk_queue *rq, bool leads)
{
    if (rq)
        rq->leads += leads ? 1u : -1u;
}

static void entries_lead(const struct dpk_flow_rqt *rqt, bool leads)
{
    for (uint32_t i = 0; i < rqt->count; i++)
        queue_lead(rqt->queues[i], leads);
}

void queues_tir_lead(struct dpk_flow_tir *tir, bool leads)
{
    tir->leads += leads ? 1u : -1u;
    if (tir->leads != (leads ? 1 : 0))
        return; /* its state changes only with the first or last target */
    if (!tir->rqt) {
        queue_lead(tir->queue, leads);
        return;
    }
    tir->rqt->leads += leads ? 1u : -1u;
    if (tir->rqt->leads == (leads ? 1 : 0))
        entries_lead(tir->rqt, leads);
}

void queues_rss_forget(struct dpk_steering *s, const struct dpk_queue *rq)
{
    struct dpk_flow_rqt *rqt;
    struct dpk_flow_tir *tir;
    TAILQ_FOREACH(rqt, &s->rqts, in_steering)
    for (uint32_t i = 0; i < rqt->count; i++)
        if (rqt->queues[i] == rq)
            rqt->queues[i] = NULL;
    TAILQ_FOREACH(tir, &s->tirs, in_steering)
    if (tir->queue == rq)
        tir->queue = NULL;
}

/* ---- Life ---- */

/* Locks steering and, if they exist, the queues, so that no queue is destroyed meanwhile. */
static struct dpk_queues *lock_all(struct dpk_steering *s)
{
    pthread_mutex_lock(&s->lock);
    struct dpk_queues *nic = s->nic;
    pthread_mutex_unlock(&s->lock);
    if (nic)
        dpk_rc_lock(nic->rc);
    pthread_mutex_lock(&s->lock);
    return nic;
}

static void unlock_all(struct dpk_steering *s, struct dpk_queues *nic)
{
    pthread_mutex_unlock(&s->lock);
    if (nic)
        dpk_rc_unlock(nic->rc);
}

/* Call this with both locks. */
static struct dpk_queue *find_queue(const struct dpk_queues *nic, uint32_t number)
{
    struct dpk_queue *q;
    if (!nic)
        return NULL;
    TAILQ_FOREACH(q, &nic->queues, in_nic)
    if (q->number == number && q->options.kind == DPK_RQ)
        return q;
    return NULL;
}

static enum dpk_status no_queue(uint32_t number, struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "the device has no receive queue 0x%x", number);
}

enum dpk_status dpk_flow_rqt_set(struct dpk_flow_rqt *rqt, const uint32_t *numbers, uint32_t count,
                                 struct dpk_error *err)
{
    struct dpk_steering *s = rqt->steering;
    if (count == 0 || count > UINT16_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a table of %u receive queues, not of 1 to %u", count,
                        (unsigned)UINT16_MAX);
    struct dpk_queue **queues = calloc(count, sizeof(struct dpk_queue *));
    if (!queues)
        return dpk_fail_nomem(err);
    struct dpk_queues *nic = lock_all(s);
    uint32_t known = 0;
    while (known < count && (queues[known] = find_queue(nic, numbers[known])))
        known++;
    if (known == count) {
        struct dpk_queue **before = rqt->queues;
        if (rqt->leads > 0)
            entries_lead(rqt, false);
        rqt->queues = queues;
        rqt->count = count;
        if (rqt->leads > 0)
            entries_lead(rqt, true);
        queues = before;
    }
    unlock_all(s, nic);
    free(queues);
    if (known < count)
        return no_queue(numbers[known], err);
    dpk_queues_kick(nic, NULL); /* frames may wait for a queue with a listener */
    return DPK_OK;
}

enum dpk_status dpk_flow_rqt_new(struct dpk_steering *s, const uint32_t *numbers, uint32_t count,
                                 struct dpk_flow_rqt **out, struct dpk_error *err)
{
    *out = NULL;
    struct dpk_flow_rqt *rqt = calloc(1, sizeof *rqt);
    if (!rqt)
        return dpk_fail_nomem(err);
    rqt->steering = s;
    pthread_mutex_lock(&s->lock);
    rqt->number = ++s->last_number;
    TAILQ_INSERT_TAIL(&s->rqts, rqt, in_steering);
    pthread_mutex_unlock(&s->lock);
    const enum dpk_status status = dpk_flow_rqt_set(rqt, numbers, count, err);
    if (status == DPK_OK)
        *out = rqt;
    else
        dpk_flow_rqt_free(rqt);
    return status;
}

bool dpk_flow_rqt_free(struct dpk_flow_rqt *rqt)
{
    pthread_mutex_lock(&rqt->steering->lock);
    const bool unused = rqt->tirs == 0;
    if (unused)
        TAILQ_REMOVE(&rqt->steering->rqts, rqt, in_steering);
    pthread_mutex_unlock(&rqt->steering->lock);
    if (unused) {
        free(rqt->queues);
        free(rqt);
    }
    return unused;
}

uint32_t dpk_flow_rqt_number(const struct dpk_flow_rqt *rqt)
{
    return rqt->number;
}

/* Call this with both locks. Returns false if the table or queue does not exist. */
static bool attach(struct dpk_flow_tir *tir, const struct dpk_queues *nic, bool direct,
                   uint32_t number)
{
    if (direct)
        return (tir->queue = find_queue(nic, number)) != NULL;
    struct dpk_flow_rqt *rqt;
    TAILQ_FOREACH(rqt, &tir->steering->rqts, in_steering)
    if (rqt->number == number && rqt->count > 0)
        break;
    if (rqt)
        rqt->tirs++;
    return (tir->rqt = rqt) != NULL;
}

enum dpk_status dpk_flow_tir_new(struct dpk_steering *s, const struct dpk_rss *rss, bool direct,
                                 uint32_t number, struct dpk_flow_tir **out, struct dpk_error *err)
{
    *out = NULL;
    struct dpk_flow_tir *tir = calloc(1, sizeof *tir);
    if (!tir)
        return dpk_fail_nomem(err);
    tir->steering = s;
    tir->rss = *rss;
    prepare(tir);
    struct dpk_queues *nic = lock_all(s);
    const bool found = attach(tir, nic, direct, number);
    if (found) {
        tir->number = ++s->last_number;
        TAILQ_INSERT_TAIL(&s->tirs, tir, in_steering);
    }
    unlock_all(s, nic);
    if (found) {
        *out = tir;
        return DPK_OK;
    }
    free(tir);
    if (direct)
        return no_queue(number, err);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "the device has no table of receive queues 0x%x",
                    number);
}

void dpk_flow_tir_set(struct dpk_flow_tir *tir, const struct dpk_rss *rss)
{
    pthread_mutex_lock(&tir->steering->lock);
    tir->rss = *rss;
    prepare(tir);
    pthread_mutex_unlock(&tir->steering->lock);
}

void dpk_flow_tir_free(struct dpk_flow_tir *tir)
{
    pthread_mutex_lock(&tir->steering->lock);
    if (tir->rqt)
        tir->rqt->tirs--;
    TAILQ_REMOVE(&tir->steering->tirs, tir, in_steering);
    pthread_mutex_unlock(&tir->steering->lock);
    free(tir);
}

bool dpk_flow_tir_is_used(const struct dpk_flow_tir *tir)
{
    pthread_mutex_lock(&tir->steering->lock);
    const bool used = tir->leads > 0;
    pthread_mutex_unlock(&tir->steering->lock);
    return used;
}

uint32_t dpk_flow_tir_number(const struct dpk_flow_tir *tir)
{
    return tir->number;
}
