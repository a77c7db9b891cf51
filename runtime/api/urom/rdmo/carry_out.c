/* Carries out requests: checks a request first, then writes. A refused request changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define SMALL_MAX   8192u                /* larger records are written at once */
#define RECORDS_MAX 65536u               /* most bytes that are written together */
#define OWN_MAX     ((size_t)16 << 20)   /* most bytes of the worker's own memory in transfers */
#define PAYLOAD_MAX ((size_t)256 << 20)  /* largest payload that the worker itself receives */
#define WAITING_MAX ((size_t)1024 << 20) /* most bytes of waiting payloads of a client */

enum result { DONE, WAITS };

void rdmo_refuse(struct rdmo *r, enum rdmo_refusal no)
{
    if (r->refused[no]++ == 0)
        fprintf(stderr, "-W- rdmo: a request is refused: %s\n", rdmo_refusal_text(no));
}

static enum result refuse(struct item *i, enum rdmo_refusal no)
{
    rdmo_refuse(i->client->rdmo, no);
    return DONE;
}

/* ---- Append ---- */

static struct queue *find_queue(struct client *c, struct memory *m, uint64_t ptr_addr)
{
    for (struct queue *q = c->queues; q; q = q->next)
        if (q->ptr_addr == ptr_addr && q->ptr_memory == m)
            return q;
    struct queue *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    *q = (struct queue){.next = c->queues, .client = c, .ptr_memory = m, .ptr_addr = ptr_addr};
    c->queues = q;
    rdmo_load(q);
    return q;
}

/* Adds a small record to the records that are written together. */
static enum result collect(struct queue *q, struct memory *m, const uint8_t *bytes, size_t size)
{
    if (q->size > 0 &&
        (q->memory != m || q->size + size > RECORDS_MAX || q->place + q->size != q->value))
        rdmo_write_records(q);
    if (!q->records) {
        if (q->client->bytes_of_own > OWN_MAX)
            return WAITS;
        q->records = malloc(RECORDS_MAX);
        q->place = q->value;
        q->memory = m;
    }
    if (!q->records) {
        q->client->dead = true;
        return DONE;
    }
    if (size > 0)
        memcpy(q->records + q->size, bytes, size);
    q->size += size;
    return DONE;
}

/* Receives a record as a whole: directly into the target's memory if this process can map it or has its
 * exported handle, else into memory of the worker. The pointer advances after the whole record has arrived, so the target
 * never sees a part of a record. */
static enum result receive_record(struct item *i, struct queue *q, struct memory *m)
{
    if (i->arrival == NOT_ASKED) {
        if (!m->direct && i->client->bytes_of_own > OWN_MAX)
            return WAITS;
        rdmo_write_records(q);
        rdmo_receive(i, m, q->value);
    }
    if (i->arrival == ARRIVES)
        return WAITS;
    if (i->arrival == LOST)
        return refuse(i, RDMO_FAILED);
    if (i->received)
        rdmo_write(i->client, m, q->value, i->received, i->length, i);
    return DONE;
}

static enum result append(struct item *i)
{
    struct client *c = i->client;
    const struct rdmo_request *r = &i->request;
    struct memory *ptr = rdmo_find_memory(c, r->ptr_rkey);
    struct memory *m = rdmo_find_memory(c, r->data_rkey);
    if (!ptr || !m)
        return refuse(i, RDMO_KEY);
    if (r->ptr_addr % sizeof(uint64_t) != 0 ||
        !rdmo_fits(r->ptr_addr, sizeof(uint64_t), ptr->va, ptr->len))
        return refuse(i, RDMO_BOUNDS);
    if (i->rendezvous && !m->direct && i->length > PAYLOAD_MAX)
        return refuse(i, RDMO_TOO_BIG);
    struct queue *q = find_queue(c, ptr, r->ptr_addr);
    if (!q)
        return refuse(i, RDMO_TOO_BIG);
    if (q->loading)
        return WAITS;
    if (!rdmo_fits(q->value, i->length, m->va, m->len))
        return refuse(i, RDMO_BOUNDS);
    enum result result = DONE;
    const uint64_t refused = c->rdmo->refused[RDMO_FAILED];
    if (i->rendezvous)
        result = receive_record(i, q, m);
    else if (i->length <= SMALL_MAX)
        result = collect(q, m, i->data, i->length);
    else {
        rdmo_write_records(q);
        rdmo_write(c, m, q->value, i->data, i->length, i);
    }
    if (result == WAITS || c->rdmo->refused[RDMO_FAILED] != refused || c->dead)
        return result;
    q->value += i->length;
    q->dirty = q->dirty || i->length > 0;
    c->rdmo->carried_out[UROM_RDMO_OP_APPEND]++;
    c->rdmo->bytes += i->length;
    return DONE;
}

/* ---- Scatter ---- */

static enum rdmo_refusal check_pieces(struct client *c, const struct rdmo_piece *pieces,
                                      size_t count)
{
    const struct memory *m = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct rdmo_piece *p = &pieces[i];
        if (!m || m->id != p->rkey)
            m = rdmo_find_memory(c, p->rkey);
        if (!m)
            return RDMO_KEY;
        if (!rdmo_fits(p->addr, p->len, m->va, m->len))
            return RDMO_BOUNDS;
    }
    return RDMO_GOOD;
}

static enum result write_pieces(struct item *i, uint8_t *payload)
{
    struct client *c = i->client;
    struct rdmo_piece *pieces;
    size_t count;
    enum rdmo_refusal no = rdmo_read_scatter(payload, i->length, i->request.count, &pieces, &count);
    if (no == RDMO_GOOD)
        no = check_pieces(c, pieces, count);
    for (size_t k = 0; no == RDMO_GOOD && k < count; k++)
        rdmo_write(c, rdmo_find_memory(c, pieces[k].rkey), pieces[k].addr, payload + pieces[k].at,
                   pieces[k].len, i);
    free(pieces);
    if (no != RDMO_GOOD)
        return refuse(i, no);
    c->rdmo->carried_out[UROM_RDMO_OP_SCATTER]++;
    c->rdmo->bytes += i->length;
    return DONE;
}

static enum result scatter(struct item *i)
{
    if (!i->rendezvous)
        return write_pieces(i, i->data);
    if (i->length > PAYLOAD_MAX)
        return refuse(i, RDMO_TOO_BIG);
    if (i->arrival == NOT_ASKED) {
        if (i->client->bytes_of_own > OWN_MAX)
            return WAITS;
        rdmo_receive(i, NULL, 0);
    }
    if (i->arrival == ARRIVES)
        return WAITS;
    return i->arrival == ARRIVED ? write_pieces(i, i->received) : refuse(i, RDMO_FAILED);
}

/* ---- All requests ---- */

static enum result carry_out_request(struct item *i)
{
    if (!i->rq)
        return refuse(i, RDMO_CONNECTION);
    if (i->client->dead)
        return refuse(i, RDMO_FAILED);
    if (i->request.flags & UROM_RDMO_REQ_FLAG_FENCE && !i->settled) {
        if (!rdmo_settle(i->client))
            return WAITS;
        i->settled = true;
    }
    if (i->client->dead) /* after a failed transfer, later requests are refused */
        return refuse(i, RDMO_FAILED);
    switch (i->request.op) {
    case UROM_RDMO_OP_APPEND:
        return append(i);
    case UROM_RDMO_OP_SCATTER:
        return scatter(i);
    default:
        i->client->rdmo->carried_out[UROM_RDMO_OP_FLUSH]++;
        rdmo_answer_flush(i);
        return DONE;
    }
}

static enum result carry_out_command(struct item *i)
{
    if (!i->client->dead && !rdmo_settle(i->client))
        return WAITS;
    if (i->client->under_way > 0)
        return WAITS;
    rdmo_end_command(i);
    return DONE;
}

void rdmo_carry_out(struct client *c)
{
    for (struct item *i; (i = c->first);) {
        if ((i->kind == ITEM_REQUEST ? carry_out_request(i) : carry_out_command(i)) == WAITS)
            return;
        c->first = i->next;
        if (!c->first)
            c->last = NULL;
        c->waiting -= i->length;
        rdmo_drop_item(i);
    }
}

void rdmo_put_item(struct client *c, struct item *i)
{
    i->users = 1;
    i->client = c;
    if (c->last)
        c->last->next = i;
    else
        c->first = i;
    c->last = i;
    c->waiting += i->length;
}

void rdmo_forget(struct client *c)
{
    for (struct item *i; (i = c->first);) {
        c->first = i->next;
        rdmo_drop_item(i);
    }
    for (struct queue *q; (q = c->queues);) {
        c->queues = q->next;
        free(q->records);
        free(q);
    }
}

/* ---- Arrival ---- */

static struct rq *find_rq(const struct rdmo *r, ucp_ep_h ep)
{
    struct rq *q = r->rqs;
    while (q && q->ep != ep)
        q = q->next;
    return q;
}

/* Makes the checks that do not depend on earlier requests. */
static enum rdmo_refusal check(const struct rdmo *r, const struct rdmo_request *request,
                               const ucp_am_recv_param_t *param, struct rq **rq)
{
    *rq = param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP ? find_rq(r, param->reply_ep) : NULL;
    return !*rq ? RDMO_CONNECTION : (*rq)->client->id != request->client ? RDMO_CLIENT : RDMO_GOOD;
}

/* Copies bytes that UCX frees when the handler returns. */
static bool copy_data(struct client *c, struct item *i)
{
    i->received = malloc(i->length);
    if (!i->received)
        return false;
    memcpy(i->received, i->data, i->length);
    i->data = i->received;
    c->bytes_of_own += i->length;
    return true;
}

/* Carries out an append of a small record at once, because most requests are such. Returns false if
 * the request must wait. */
static bool append_now(struct rq *rq, const struct rdmo_request *request, void *data, size_t length)
{
    struct client *c = rq->client;
    if (c->first || c->dead || request->flags || request->op != UROM_RDMO_OP_APPEND ||
        length > SMALL_MAX)
        return false;
    struct item i = {.client = c, .rq = rq, .request = *request, .data = data, .length = length};
    return append(&i) == DONE;
}

/* Puts a request into the list. Returns the result for UCX's handler. */
static ucs_status_t enqueue(struct rq *rq, const struct item *like)
{
    struct client *c = rq->client;
    struct item *i = calloc(1, sizeof *i);
    if (i)
        *i = *like;
    if (!i || (!i->holds_data && i->length > 0 && !copy_data(c, i))) {
        free(i);
        rdmo_refuse(c->rdmo, RDMO_TOO_BIG);
        return UCS_OK;
    }
    rdmo_put_item(c, i);
    return i->holds_data ? UCS_INPROGRESS : UCS_OK;
}

ucs_status_t rdmo_on_request(void *arg, const void *header, size_t header_size, void *data,
                             size_t length, const ucp_am_recv_param_t *param)
{
    struct rdmo *r = arg;
    struct item i = {.kind = ITEM_REQUEST, .data = data, .length = length};
    enum rdmo_refusal no = rdmo_read_header(header, header_size, &i.request);
    if (no == RDMO_GOOD)
        no = check(r, &i.request, param, &i.rq);
    if (no == RDMO_GOOD && (length > WAITING_MAX || i.rq->client->waiting > WAITING_MAX - length))
        no = RDMO_TOO_BIG;
    if (no != RDMO_GOOD) {
        rdmo_refuse(r, no);
        return UCS_OK;
    }
    i.rendezvous = param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV;
    i.holds_data = i.rendezvous || (length > 0 && param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA);
    if (!i.rendezvous && append_now(i.rq, &i.request, data, length))
        return UCS_OK;
    return enqueue(i.rq, &i);
}
