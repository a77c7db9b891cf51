/* Transfers between the worker, the target and initiators. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* A transfer under way. */
struct transfer {
    struct client *client;
    struct item *item;   /* a use, or NULL */
    struct queue *queue; /* the queue whose pointer is read, or NULL */
    uint8_t *own;        /* memory to free, or NULL */
    size_t own_size;
    bool is_put;
};

void rdmo_drop_item(struct item *i)
{
    if (--i->users > 0)
        return;
    if (i->holds_data)
        ucp_am_data_release(i->client->rdmo->worker, i->data);
    if (i->received)
        i->client->bytes_of_own -= i->length;
    free(i->received);
    free(i->notification);
    free(i);
}

static void end_transfer(struct transfer *t, ucs_status_t status)
{
    struct client *c = t->client;
    c->under_way--;
    c->bytes_of_own -= t->own_size;
    if (t->is_put)
        c->unflushed = true;
    if (t->queue)
        t->queue->loading = false;
    if (status != UCS_OK && !c->dead) {
        c->dead = true;
        rdmo_refuse(c->rdmo, RDMO_FAILED);
    }
    if (t->item)
        rdmo_drop_item(t->item);
    free(t->own);
    free(t);
}

static void on_end(void *request, ucs_status_t status, void *user_data)
{
    end_transfer(user_data, status);
    ucp_request_free(request);
}

static struct transfer *new_transfer(struct client *c)
{
    struct transfer *t = calloc(1, sizeof *t);
    if (!t) {
        c->dead = true;
        return NULL;
    }
    t->client = c;
    c->under_way++;
    return t;
}

static ucp_request_param_t told(struct transfer *t)
{
    return (ucp_request_param_t){.op_attr_mask =
                                     UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = on_end,
                                 .user_data = t};
}

static void started(struct transfer *t, void *request)
{
    if (!UCS_PTR_IS_PTR(request))
        end_transfer(t, UCS_PTR_STATUS(request));
}

void rdmo_write(struct client *c, struct memory *m, uint64_t place, uint8_t *bytes, size_t size,
                struct item *item)
{
    c->rdmo->puts++;
    if (m->direct) {
        memcpy(m->direct + (place - m->va), bytes, size);
        if (!item)
            free(bytes);
        return;
    }
    struct transfer *t = new_transfer(c);
    if (!t) {
        if (!item)
            free(bytes);
        return;
    }
    t->is_put = true;
    t->own = item ? NULL : bytes;
    t->own_size = item ? 0 : size;
    c->bytes_of_own += t->own_size;
    t->item = item;
    if (item)
        item->users++;
    const ucp_request_param_t param = told(t);
    started(t, ucp_put_nbx(c->ep, bytes, size, place, m->rkey, &param));
}

void rdmo_load(struct queue *q)
{
    if (q->ptr_memory->direct) {
        const uint8_t *at = q->ptr_memory->direct + (q->ptr_addr - q->ptr_memory->va);
        q->value = __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
        return;
    }
    struct transfer *t = new_transfer(q->client);
    if (!t)
        return;
    t->queue = q;
    q->loading = true;
    const ucp_request_param_t param = told(t);
    started(t, ucp_get_nbx(q->client->ep, &q->value, sizeof q->value, q->ptr_addr,
                           q->ptr_memory->rkey, &param));
}

/* ---- Rendezvous ---- */

static void end_receive(struct item *i, ucs_status_t status)
{
    i->client->under_way--;
    i->arrival = status == UCS_OK ? ARRIVED : LOST;
    rdmo_drop_item(i);
}

static void on_received(void *request, ucs_status_t status, size_t length, void *user_data)
{
    (void)length; /* UCX ends a shorter payload with an error */
    end_receive(user_data, status);
    ucp_request_free(request);
}

void rdmo_receive(struct item *i, const struct memory *m, uint64_t place)
{
    struct client *c = i->client;
    void *to = NULL;
    ucp_request_param_t param = {.op_attr_mask =
                                     UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.recv_am = on_received,
                                 .user_data = i};
    if (m && m->direct) {
        to = m->direct + (place - m->va);
    } else if (m && m->memh) {
        to = (void *)(uintptr_t)place; /* an address of the target */
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
        param.memh = m->memh;
    } else if ((to = i->received = malloc(i->length))) {
        c->bytes_of_own += i->length;
    }
    if (!to) {
        i->arrival = LOST;
        return;
    }
    i->arrival = ARRIVES;
    i->users++;
    i->holds_data = false; /* UCX owns the description again */
    c->under_way++;
    void *request = ucp_am_recv_data_nbx(c->rdmo->worker, i->data, to, i->length, &param);
    if (!UCS_PTR_IS_PTR(request))
        end_receive(i, UCS_PTR_STATUS(request));
}

/* ---- Fences ---- */

void rdmo_write_records(struct queue *q)
{
    if (q->size > 0)
        rdmo_write(q->client, q->memory, q->place, q->records, q->size, NULL);
    else
        free(q->records);
    q->records = NULL;
    q->size = 0;
}

/* Asks the target's side to complete all puts. */
static void flush_puts(struct client *c)
{
    struct transfer *t = new_transfer(c);
    if (!t)
        return;
    c->unflushed = false;
    const ucp_request_param_t param = told(t);
    started(t, ucp_ep_flush_nbx(c->ep, &param));
}

/* Writes the new value of a pointer, after its records. */
static void write_pointer(struct queue *q)
{
    struct memory *m = q->ptr_memory;
    q->dirty = false;
    if (m->direct) {
        uint8_t *at = m->direct + (q->ptr_addr - m->va);
        __atomic_store_n((uint64_t *)(void *)at, q->value, __ATOMIC_RELEASE);
        return;
    }
    uint8_t *value = malloc(sizeof q->value);
    if (!value) {
        q->client->dead = true;
        return;
    }
    memcpy(value, &q->value, sizeof q->value);
    rdmo_write(q->client, m, q->ptr_addr, value, sizeof q->value, NULL);
}

/* Returns true if all puts are visible in the target. */
static bool are_flushed(struct client *c)
{
    if (c->under_way == 0 && c->unflushed)
        flush_puts(c);
    return c->under_way == 0 && !c->unflushed;
}

bool rdmo_settle(struct client *c)
{
    for (struct queue *q = c->queues; q; q = q->next)
        rdmo_write_records(q);
    if (!are_flushed(c))
        return false;
    for (struct queue *q = c->queues; q; q = q->next)
        if (q->dirty)
            write_pointer(q);
    if (!are_flushed(c))
        return false;
    /* Between requests, the program of the target may change its pointers, so they must be read
     * again. */
    for (struct queue *q; (q = c->queues);) {
        c->queues = q->next;
        free(q);
    }
    return true;
}

/* ---- Answers ---- */

#define ANSWER_SIZE (sizeof(struct urom_rdmo_rsp_hdr) + sizeof(struct urom_rdmo_flush_rsp_hdr))

static void on_answered(void *request, ucs_status_t status, void *user_data)
{
    (void)status; /* a failure is ignored: the initiator may be gone */
    free(user_data);
    ucp_request_free(request);
}

void rdmo_answer_flush(struct item *i)
{
    const struct urom_rdmo_rsp_hdr first = {.rsp_id = UROM_RDMO_RSP_FLUSH};
    const struct urom_rdmo_flush_rsp_hdr second = {.flush_id = i->request.flush_id};
    uint8_t *answer = malloc(ANSWER_SIZE);
    if (!answer)
        return;
    memcpy(answer, &first, sizeof first);
    memcpy(answer + sizeof first, &second, sizeof second);
    const ucp_request_param_t param = {.op_attr_mask =
                                           UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.send = on_answered,
                                       .user_data = answer};
    void *request =
        ucp_am_send_nbx(i->rq->ep, UROM_RDMO_AM_ID, answer, ANSWER_SIZE, NULL, 0, &param);
    if (!UCS_PTR_IS_PTR(request))
        free(answer);
}
