/* Connections: their ends, the peer's consumers, and counters. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "private.h"

/* ---- Queues of tasks ---- */

void comch_queue_put(struct queue *q, struct entry *e)
{
    e->next = NULL;
    if (q->last)
        q->last->next = e;
    else
        q->first = e;
    q->last = e;
}

struct entry *comch_queue_take(struct queue *q)
{
    struct entry *e = q->first;
    if (e && !(q->first = e->next))
        q->last = NULL;
    return e;
}

void comch_queue_put_ended(struct queue *q, struct entry *e, doca_error_t status)
{
    comch_entry_keep_reason(e);
    e->status = status;
    comch_queue_put(q, e);
}

void comch_entry_keep_reason(struct entry *e)
{
    char *why = dpk_doca_take_reason();
    if (!why)
        return;
    free(e->why);
    e->why = why;
}

void comch_entry_end(struct entry *e)
{
    dpk_doca_forget_reason();
    if (e->why)
        dpk_doca_because(e->status, "%s", e->why);
    free(e->why);
    e->why = NULL;
    dpk_task_end(&e->task, e->status);
}

/* ---- Consumers of the peer ---- */

void comch_remote_drop(struct remote *r)
{
    if (!r || atomic_fetch_sub(&r->references, 1) != 1)
        return;
    rings_free(&r->rings);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static struct remote *remote_new(const struct dpk_comch_word *w, struct consumer *owner)
{
    struct remote *r = calloc(1, sizeof *r);
    if (r && !dpk_pipe_open(&r->rings, w->memory)) {
        free(r);
        r = NULL;
    }
    if (!r)
        return NULL;
    atomic_init(&r->references, 1);
    pthread_mutex_init(&r->lock, NULL);
    r->id = w->value;
    r->owner = owner;
    memcpy(&r->imm_room, w->bytes, sizeof r->imm_room);
    return r;
}

/* Finds the link to a consumer, or the end of the list. Call this with the lock. */
static struct remote **place_of(struct connection *c, uint32_t id)
{
    struct remote **at = &c->remotes;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

bool comch_connection_add_remote(struct connection *c, const struct dpk_comch_word *w,
                                 struct consumer *owner)
{
    struct remote *r = w->value ? remote_new(w, owner) : NULL;
    bool good = r && r->imm_room <= DPK_PIPE_IMM_MAX;
    close(w->memory);
    pthread_mutex_lock(&c->object.lock);
    good = good && c->remote_count < CONSUMERS_MAX && !*place_of(c, w->value);
    if (good) {
        r->next = c->remotes;
        c->remotes = r;
        c->remote_count++;
    }
    pthread_mutex_unlock(&c->object.lock);
    if (!good)
        comch_remote_drop(r);
    return good;
}

bool comch_connection_expire_remote(struct connection *c, uint32_t id)
{
    pthread_mutex_lock(&c->object.lock);
    struct remote **at = place_of(c, id), *r = *at;
    if (r) {
        *at = r->next;
        c->remote_count--;
        atomic_store(&r->gone, true);
    }
    pthread_mutex_unlock(&c->object.lock);
    if (r) {
        pthread_mutex_lock(&r->lock);
        r->owner = NULL;
        pthread_mutex_unlock(&r->lock);
    }
    comch_remote_drop(r);
    return r != NULL;
}

struct remote *comch_connection_find_remote(struct connection *c, uint32_t id)
{
    pthread_mutex_lock(&c->object.lock);
    struct remote *r = *place_of(c, id);
    if (r)
        atomic_fetch_add(&r->references, 1);
    pthread_mutex_unlock(&c->object.lock);
    return r;
}

/* ---- Life ---- */

static void connection_release(void *object)
{
    struct connection *c = object;
    for (struct remote *r; (r = c->remotes);) {
        c->remotes = r->next;
        comch_remote_drop(r);
    }
    if (c->fd >= 0)
        close(c->fd);
    dpk_object_drop(c->consumer_dpa);
    dpk_object_drop(c->producer_dpa);
    dpk_object_drop(c->dev);
    free(c);
}
const struct dpk_kind comch_connection_kind = {.release = connection_release};

struct connection *comch_connection_new(int fd, struct dpk_dev *dev, void *endpoint, bool is_server)
{
    struct connection *c = calloc(1, sizeof *c);
    if (!c && fd >= 0)
        close(fd);
    if (!c)
        return NULL;
    c->fd = fd;
    c->endpoint = endpoint;
    c->is_server = is_server;
    c->consumers.max = c->producers.max = CONSUMERS_MAX;
    dpk_object_hold(c->dev = dev);
    void *handle = dpk_object_enter(c, &comch_connection_kind);
    return handle ? dpk_object_pin(handle, &comch_connection_kind) : NULL;
}

/* Shuts the socket down, because a child of fork() may keep it open after close(). */
void comch_connection_break(struct connection *c)
{
    if (!atomic_exchange(&c->broken, true) && c->fd >= 0)
        shutdown(c->fd, SHUT_RDWR);
}

bool comch_connection_is_lost(struct connection *c)
{
    return atomic_load(&c->broken) || (c->fd >= 0 && dpk_comch_has_hung_up(c->fd));
}

doca_error_t comch_connection_enter(struct connection *c, struct roll *roll, uint32_t *id)
{
    doca_error_t result = DOCA_SUCCESS;
    const uint32_t max = roll->max; /* constant */
    pthread_mutex_lock(&c->object.lock);
    if (comch_connection_is_lost(c))
        result = DOCA_ERROR_NOT_CONNECTED;
    else if (roll->count == max || roll->last == UINT32_MAX)
        result = DOCA_ERROR_FULL;
    if (result == DOCA_SUCCESS) {
        roll->count++;
        *id = ++roll->last;
    }
    pthread_mutex_unlock(&c->object.lock);
    if (result == DOCA_ERROR_NOT_CONNECTED)
        return dpk_doca_because(result, "the connection has ended, or the peer is gone");
    if (result == DOCA_ERROR_FULL)
        return dpk_doca_because(result, "this side of the connection has its %u %s already", max,
                                roll == &c->consumers ? "consumers" : "producers");
    return result;
}

void comch_connection_leave(struct connection *c, struct roll *roll)
{
    pthread_mutex_lock(&c->object.lock);
    roll->count--;
    pthread_mutex_unlock(&c->object.lock);
}

/* ---- Counters ---- */

void comch_connection_count(struct connection *c, bool sent, uint32_t size)
{
    pthread_mutex_lock(&c->object.lock);
    c->counters[sent ? DOCA_COMCH_COUNTER_SENT_MESSAGES : DOCA_COMCH_COUNTER_RECV_MESSAGES]++;
    c->counters[sent ? DOCA_COMCH_COUNTER_SENT_BYTES : DOCA_COMCH_COUNTER_RECV_BYTES] += size;
    pthread_mutex_unlock(&c->object.lock);
}

doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *connection)
{
    struct connection *c = dpk_object_lock(connection, &comch_connection_kind);
    if (c)
        memcpy(c->shown, c->counters, sizeof c->shown);
    const bool lost = c && comch_connection_is_lost(c);
    return dpk_doca_unlock(c, __func__, lost ? DOCA_ERROR_CONNECTION_ABORTED : DOCA_SUCCESS,
                           "the connection has ended, or the peer is gone");
}

doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value)
{
    if ((unsigned)counter_type < DOCA_COMCH_COUNTER_SENT_MESSAGES ||
        (unsigned)counter_type > DOCA_COMCH_COUNTER_RECV_BYTES)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "there is no counter %u", (unsigned)counter_type);
    struct connection *c =
        counter_value ? dpk_object_lock(connection, &comch_connection_kind) : NULL;
    if (c)
        *counter_value = c->shown[counter_type];
    return c ? dpk_object_unlock(c, DOCA_SUCCESS) : dpk_doca_no_object(__func__);
}

/* ---- Properties ---- */

doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data)
{
    struct connection *c = dpk_object_lock(connection, &comch_connection_kind);
    if (c)
        c->user_data = user_data;
    return c ? dpk_object_unlock(c, DOCA_SUCCESS) : dpk_doca_no_object(__func__);
}

union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
    struct connection *c = dpk_object_lock(connection, &comch_connection_kind);
    const union doca_data user_data = c ? c->user_data : (union doca_data){0};
    dpk_object_unlock(c, DOCA_SUCCESS);
    return user_data;
}

static void *endpoint_of(const struct doca_comch_connection *connection, bool is_server)
{
    struct connection *c = dpk_object_pin(connection, &comch_connection_kind);
    void *endpoint = c && c->is_server == is_server ? c->endpoint : NULL;
    dpk_object_drop(c);
    return endpoint;
}

struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
    return endpoint_of(connection, true);
}

struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
    return endpoint_of(connection, false);
}
