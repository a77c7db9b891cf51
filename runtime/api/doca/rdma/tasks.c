/* DOCA RDMA: the public side of tasks. */
#include <doca_rdma.h>
#include <endian.h>

#include "api/doca/rdma/rdma.h"

static doca_error_t set_conf(struct doca_rdma *rdma, enum dpk_rdma_work_kind kind,
                             const struct dpk_task_type *type, dpk_task_callback completed,
                             dpk_task_callback failed, uint32_t num_tasks)
{
    if (!completed || !failed || num_tasks == 0 || num_tasks > DPK_RDMA_QUEUE_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a callback is NULL, or the number of tasks, %u, is not 1 to %u",
                                num_tasks, DPK_RDMA_QUEUE_MAX);
    struct dpk_rdma *r = dpk_object_pin(rdma, &dpk_rdma_kind);
    if (!r)
        return DOCA_ERROR_INVALID_VALUE;
    const doca_error_t result =
        dpk_task_pool_set(&r->ctx, &r->pools[kind], type, completed, failed, num_tasks);
    dpk_object_drop(r);
    return result;
}

/* ---- Members of tasks ---- */

/* Place of a member in struct dpk_rdma_work. */
struct field {
    size_t offset, size;
};
#define FIELD(member)                                                                              \
    (struct field)                                                                                 \
    {                                                                                              \
        offsetof(struct dpk_rdma_work, member), sizeof(((struct dpk_rdma_work *)0)->member)        \
    }

/* Sets a member of a task that is not submitted. */
static void set_field(void *task, const struct dpk_task_type *type, struct field f,
                      const void *from)
{
    struct dpk_task *t = dpk_task_pin(task, type);
    if (t && dpk_task_begin_change(t)) {
        memcpy((char *)t + f.offset, from, f.size);
        dpk_task_end_change(t);
    }
    dpk_object_drop(t);
}

/* Copies a field of a task to `to`, or zeros if `task` is not a task of this type. */
static void get_field(const void *task, const struct dpk_task_type *type, struct field f, void *to)
{
    struct dpk_task *t = dpk_task_pin(task, type);
    memset(to, 0, f.size);
    if (t)
        memcpy(to, (const char *)t + f.offset, f.size);
    dpk_object_drop(t);
}

static const struct doca_rdma_connection *connection_of(const void *task,
                                                        const struct dpk_task_type *type)
{
    struct dpk_task *t = dpk_task_pin(task, type);
    const struct doca_rdma_connection *connection = NULL;
    if (t) {
        pthread_mutex_lock(&t->ctx->object.lock);
        connection = ((struct dpk_rdma_work *)t)->connection->object.handle;
        pthread_mutex_unlock(&t->ctx->object.lock);
    }
    dpk_object_drop(t);
    return connection;
}

/* Sets the connection of a task that is not submitted, to another of its context. */
static void set_connection(void *task, const struct dpk_task_type *type,
                           struct doca_rdma_connection *connection)
{
    struct dpk_task *t = dpk_task_pin(task, type);
    struct dpk_rdma_connection *c = dpk_object_pin(connection, &dpk_rdma_connection_kind);
    if (t && c && (void *)c->rdma == (void *)t->ctx && dpk_task_begin_change(t)) {
        struct dpk_rdma_work *w = (struct dpk_rdma_work *)t;
        struct dpk_rdma_connection *before = w->connection;
        w->connection = c;
        c = before;
        dpk_task_end_change(t);
    }
    dpk_object_drop(c);
    dpk_object_drop(t);
}

/* Sets the event of a task that is not submitted. */
static void set_event(void *task, const struct dpk_task_type *type,
                      const struct doca_sync_event_remote_net *event)
{
    struct dpk_uuid owner;
    uint64_t key;
    struct dpk_task *t = dpk_task_pin(task, type);
    if (t && dpk_remote_event_of_handle((uintptr_t)event, &owner, &key) &&
        dpk_task_begin_change(t)) {
        struct dpk_rdma_work *w = (struct dpk_rdma_work *)t;
        w->event = event;
        w->event_owner = owner;
        w->event_key = key;
        dpk_task_end_change(t);
    }
    dpk_object_drop(t);
}

static uint32_t length_of(const void *task, const struct dpk_task_type *type)
{
    struct dpk_rc_completion c;
    get_field(task, type, FIELD(completion), &c);
    return (uint32_t)c.bytes;
}

/* Defines a setter and a getter of a member. */
#define ACCESS(setter, getter, name, type, member)                                                 \
    void setter(struct doca_rdma_task_##name *task, type value)                                    \
    {                                                                                              \
        set_field(task, &name##_type, FIELD(member), &value);                                      \
    }                                                                                              \
    type getter(const struct doca_rdma_task_##name *task)                                          \
    {                                                                                              \
        type value;                                                                                \
        get_field(task, &name##_type, FIELD(member), &value);                                      \
        return value;                                                                              \
    }

/* Defines a setter and a getter of the event. */
#define EVENT(setter, getter, name, type)                                                          \
    void setter(struct doca_rdma_task_##name *task, type event)                                    \
    {                                                                                              \
        set_event(task, &name##_type, event);                                                      \
    }                                                                                              \
    type getter(const struct doca_rdma_task_##name *task)                                          \
    {                                                                                              \
        type event;                                                                                \
        get_field(task, &name##_type, FIELD(event), &event);                                       \
        return event;                                                                              \
    }

/* Defines a getter of the number of received bytes. */
#define LENGTH(getter, name)                                                                       \
    uint32_t getter(const struct doca_rdma_task_##name *task)                                      \
    {                                                                                              \
        return length_of(task, &name##_type);                                                      \
    }

/* Defines the functions that all types of tasks have. */
#define TYPE(is_supported, set_conf_of, as_task, name, KIND)                                       \
    static void name##_tell(dpk_task_callback callback, void *task, union doca_data task_data,     \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        ((doca_rdma_task_##name##_completion_cb_t)callback)(task, task_data, ctx_data);            \
    }                                                                                              \
    static const struct dpk_task_type name##_type = {.size = sizeof(struct dpk_rdma_work),         \
                                                     .take = dpk_rdma_work_take,                   \
                                                     .release = dpk_rdma_work_release,             \
                                                     .tell = name##_tell};                         \
    doca_error_t is_supported(const struct doca_devinfo *devinfo)                                  \
    {                                                                                              \
        return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));         \
    }                                                                                              \
    doca_error_t set_conf_of(struct doca_rdma *rdma,                                               \
                             doca_rdma_task_##name##_completion_cb_t completed,                    \
                             doca_rdma_task_##name##_completion_cb_t failed, uint32_t num_tasks)   \
    {                                                                                              \
        const doca_error_t result =                                                                \
            set_conf(rdma, KIND, &name##_type, (dpk_task_callback)completed,                       \
                     (dpk_task_callback)failed, num_tasks);                                        \
        return dpk_doca_end(rdma, __func__, result);                                               \
    }                                                                                              \
    struct doca_task *as_task(struct doca_rdma_task_##name *task)                                  \
    {                                                                                              \
        return dpk_task_handle(task, &name##_type);                                                \
    }

/* Defines the functions of types with a connection. */
#define CONNECTED(getter, setter, name)                                                            \
    const struct doca_rdma_connection *getter(const struct doca_rdma_task_##name *task)            \
    {                                                                                              \
        return connection_of(task, &name##_type);                                                  \
    }                                                                                              \
    void setter(struct doca_rdma_task_##name *task, struct doca_rdma_connection *connection)       \
    {                                                                                              \
        set_connection(task, &name##_type, connection);                                            \
    }

/* ---- Making tasks ---- */

/* The arguments of a new task. */
struct order {
    enum dpk_rdma_work_kind kind;
    struct doca_rdma_connection *connection;
    struct doca_buf *local;
    const struct doca_buf *remote;
    const struct doca_sync_event_remote_net *event;
    doca_be32_t immediate;
    uint64_t value, compare;
};

static bool is_buf_or_null(const struct doca_buf *buf)
{
    return !buf || dpk_is_buf(buf);
}

/* Returns true if all required buffers are given, and all given buffers are valid. */
static bool has_buffers(const struct order *o)
{
    const bool whole = o->kind == DPK_RDMA_RECEIVE || o->kind == DPK_RDMA_SEND ||
                       o->kind == DPK_RDMA_SEND_IMM || o->kind == DPK_RDMA_WRITE ||
                       o->kind == DPK_RDMA_WRITE_IMM || o->local;
    const bool reaches = o->kind >= DPK_RDMA_READ && o->kind <= DPK_RDMA_FETCH_ADD;
    return whole && is_buf_or_null(o->local) && (!reaches || dpk_is_buf(o->remote));
}

/* Makes a task for the order's connection `c`, or NULL if it has none. */
static struct dpk_rdma_work *work_new(struct dpk_rdma *r, struct dpk_rdma_connection *c,
                                      const struct order *o, union doca_data user_data,
                                      doca_error_t *result)
{
    struct dpk_uuid owner = {{0}};
    uint64_t key = 0;
    const bool connected = o->kind == DPK_RDMA_RECEIVE || (c && c->rdma == r);
    const bool signals = o->kind >= DPK_RDMA_EVENT_GET;
    const char *wrong = NULL;
    if (!connected)
        wrong = "the connection is NULL, was destroyed, or is of another context";
    else if (!has_buffers(o))
        wrong = "a buffer is NULL, was freed, or is of another kind";
    else if (signals && !dpk_remote_event_of_handle((uintptr_t)o->event, &owner, &key))
        wrong = "the event is NULL, was destroyed, or is of another kind";
    if (wrong) {
        *result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%s", wrong);
        return NULL;
    }
    struct dpk_rdma_work *w =
        (struct dpk_rdma_work *)dpk_task_new(&r->ctx, &r->pools[o->kind], user_data, result);
    if (!w)
        return NULL;
    if (c)
        dpk_object_hold(w->connection = c);
    w->kind = o->kind;
    w->local = o->local;
    w->remote = o->remote;
    w->event = o->event;
    w->event_owner = owner;
    w->event_key = key;
    w->immediate = o->immediate;
    w->value = o->value;
    w->compare = o->compare;
    return w;
}

static doca_error_t make(struct doca_rdma *rdma, const struct order *o, union doca_data user_data,
                         void **task)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (task)
        *task = NULL;
    struct dpk_rdma *r = task ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    struct dpk_rdma_connection *c = dpk_object_pin(o->connection, &dpk_rdma_connection_kind);
    struct dpk_rdma_work *w = r ? work_new(r, c, o, user_data, &result) : NULL;
    if (w)
        *task = w->task.object.handle;
    dpk_object_drop(w);
    dpk_object_drop(c);
    dpk_object_drop(r);
    return result;
}

/* ---- receive ---- */

TYPE(doca_rdma_cap_task_receive_is_supported, doca_rdma_task_receive_set_conf,
     doca_rdma_task_receive_as_task, receive, DPK_RDMA_RECEIVE)
ACCESS(doca_rdma_task_receive_set_dst_buf, doca_rdma_task_receive_get_dst_buf, receive,
       struct doca_buf *, local)

doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                  union doca_data user_data,
                                                  struct doca_rdma_task_receive **task)
{
    const struct order order = {.kind = DPK_RDMA_RECEIVE, .local = dst_buf};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- send ---- */

TYPE(doca_rdma_cap_task_send_is_supported, doca_rdma_task_send_set_conf,
     doca_rdma_task_send_as_task, send, DPK_RDMA_SEND)
CONNECTED(doca_rdma_task_send_get_rdma_connection, doca_rdma_task_send_set_rdma_connection, send)
ACCESS(doca_rdma_task_send_set_src_buf, doca_rdma_task_send_get_src_buf, send,
       const struct doca_buf *, local)

doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *connection,
                                               const struct doca_buf *src_buf,
                                               union doca_data user_data,
                                               struct doca_rdma_task_send **task)
{
    const struct order order = {
        .kind = DPK_RDMA_SEND, .connection = connection, .local = (struct doca_buf *)src_buf};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- send_imm ---- */

TYPE(doca_rdma_cap_task_send_imm_is_supported, doca_rdma_task_send_imm_set_conf,
     doca_rdma_task_send_imm_as_task, send_imm, DPK_RDMA_SEND_IMM)
CONNECTED(doca_rdma_task_send_imm_get_rdma_connection, doca_rdma_task_send_imm_set_rdma_connection,
          send_imm)
ACCESS(doca_rdma_task_send_imm_set_src_buf, doca_rdma_task_send_imm_get_src_buf, send_imm,
       const struct doca_buf *, local)
ACCESS(doca_rdma_task_send_imm_set_immediate_data, doca_rdma_task_send_imm_get_immediate_data,
       send_imm, doca_be32_t, immediate)

doca_error_t doca_rdma_task_send_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, const struct doca_buf *src_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_send_imm **task)
{
    const struct order order = {.kind = DPK_RDMA_SEND_IMM,
                                .connection = connection,
                                .local = (struct doca_buf *)src_buf,
                                .immediate = immediate_data};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- read ---- */

TYPE(doca_rdma_cap_task_read_is_supported, doca_rdma_task_read_set_conf,
     doca_rdma_task_read_as_task, read, DPK_RDMA_READ)
CONNECTED(doca_rdma_task_read_get_rdma_connection, doca_rdma_task_read_set_rdma_connection, read)
ACCESS(doca_rdma_task_read_set_src_buf, doca_rdma_task_read_get_src_buf, read,
       const struct doca_buf *, remote)
ACCESS(doca_rdma_task_read_set_dst_buf, doca_rdma_task_read_get_dst_buf, read, struct doca_buf *,
       local)
LENGTH(doca_rdma_task_read_get_result_len, read)

doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *connection,
                                               const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task)
{
    const struct order order = {
        .kind = DPK_RDMA_READ, .connection = connection, .remote = src_buf, .local = dst_buf};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- write ---- */

TYPE(doca_rdma_cap_task_write_is_supported, doca_rdma_task_write_set_conf,
     doca_rdma_task_write_as_task, write, DPK_RDMA_WRITE)
CONNECTED(doca_rdma_task_write_get_rdma_connection, doca_rdma_task_write_set_rdma_connection, write)
ACCESS(doca_rdma_task_write_set_src_buf, doca_rdma_task_write_get_src_buf, write,
       const struct doca_buf *, local)
ACCESS(doca_rdma_task_write_set_dst_buf, doca_rdma_task_write_get_dst_buf, write, struct doca_buf *,
       remote)

doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                struct doca_rdma_connection *connection,
                                                const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task)
{
    const struct order order = {.kind = DPK_RDMA_WRITE,
                                .connection = connection,
                                .local = (struct doca_buf *)src_buf,
                                .remote = dst_buf};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- write_imm ---- */

TYPE(doca_rdma_cap_task_write_imm_is_supported, doca_rdma_task_write_imm_set_conf,
     doca_rdma_task_write_imm_as_task, write_imm, DPK_RDMA_WRITE_IMM)
CONNECTED(doca_rdma_task_write_imm_get_rdma_connection,
          doca_rdma_task_write_imm_set_rdma_connection, write_imm)
ACCESS(doca_rdma_task_write_imm_set_src_buf, doca_rdma_task_write_imm_get_src_buf, write_imm,
       const struct doca_buf *, local)
ACCESS(doca_rdma_task_write_imm_set_dst_buf, doca_rdma_task_write_imm_get_dst_buf, write_imm,
       struct doca_buf *, remote)
ACCESS(doca_rdma_task_write_imm_set_immediate_data, doca_rdma_task_write_imm_get_immediate_data,
       write_imm, doca_be32_t, immediate)

doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, const struct doca_buf *src_buf,
    struct doca_buf *dst_buf, doca_be32_t immediate_data, union doca_data user_data,
    struct doca_rdma_task_write_imm **task)
{
    const struct order order = {.kind = DPK_RDMA_WRITE_IMM,
                                .connection = connection,
                                .local = (struct doca_buf *)src_buf,
                                .remote = dst_buf,
                                .immediate = immediate_data};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- atomic_cmp_swp ---- */

TYPE(doca_rdma_cap_task_atomic_cmp_swp_is_supported, doca_rdma_task_atomic_cmp_swp_set_conf,
     doca_rdma_task_atomic_cmp_swp_as_task, atomic_cmp_swp, DPK_RDMA_COMPARE_SWAP)
CONNECTED(doca_rdma_task_atomic_cmp_swp_get_rdma_connection,
          doca_rdma_task_atomic_cmp_swp_set_rdma_connection, atomic_cmp_swp)
ACCESS(doca_rdma_task_atomic_cmp_swp_set_dst_buf, doca_rdma_task_atomic_cmp_swp_get_dst_buf,
       atomic_cmp_swp, struct doca_buf *, remote)
ACCESS(doca_rdma_task_atomic_cmp_swp_set_result_buf, doca_rdma_task_atomic_cmp_swp_get_result_buf,
       atomic_cmp_swp, struct doca_buf *, local)
ACCESS(doca_rdma_task_atomic_cmp_swp_set_cmp_data, doca_rdma_task_atomic_cmp_swp_get_cmp_data,
       atomic_cmp_swp, uint64_t, compare)
ACCESS(doca_rdma_task_atomic_cmp_swp_set_swap_data, doca_rdma_task_atomic_cmp_swp_get_swap_data,
       atomic_cmp_swp, uint64_t, value)

doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task)
{
    const struct order order = {.kind = DPK_RDMA_COMPARE_SWAP,
                                .connection = connection,
                                .remote = dst_buf,
                                .local = result_buf,
                                .compare = cmp_data,
                                .value = swap_data};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- atomic_fetch_add ---- */

TYPE(doca_rdma_cap_task_atomic_fetch_add_is_supported, doca_rdma_task_atomic_fetch_add_set_conf,
     doca_rdma_task_atomic_fetch_add_as_task, atomic_fetch_add, DPK_RDMA_FETCH_ADD)
CONNECTED(doca_rdma_task_atomic_fetch_add_get_rdma_connection,
          doca_rdma_task_atomic_fetch_add_set_rdma_connection, atomic_fetch_add)
ACCESS(doca_rdma_task_atomic_fetch_add_set_dst_buf, doca_rdma_task_atomic_fetch_add_get_dst_buf,
       atomic_fetch_add, struct doca_buf *, remote)
ACCESS(doca_rdma_task_atomic_fetch_add_set_result_buf,
       doca_rdma_task_atomic_fetch_add_get_result_buf, atomic_fetch_add, struct doca_buf *, local)
ACCESS(doca_rdma_task_atomic_fetch_add_set_add_data, doca_rdma_task_atomic_fetch_add_get_add_data,
       atomic_fetch_add, uint64_t, value)

doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_atomic_fetch_add **task)
{
    const struct order order = {.kind = DPK_RDMA_FETCH_ADD,
                                .connection = connection,
                                .remote = dst_buf,
                                .local = result_buf,
                                .value = add_data};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- remote_net_sync_event_get ---- */

TYPE(doca_rdma_cap_task_remote_net_sync_event_get_is_supported,
     doca_rdma_task_remote_net_sync_event_get_set_conf,
     doca_rdma_task_remote_net_sync_event_get_as_task, remote_net_sync_event_get,
     DPK_RDMA_EVENT_GET)
CONNECTED(doca_rdma_task_remote_net_sync_event_get_get_rdma_connection,
          doca_rdma_task_remote_net_sync_event_get_set_rdma_connection, remote_net_sync_event_get)
EVENT(doca_rdma_task_remote_net_sync_event_get_set_sync_event,
      doca_rdma_task_remote_net_sync_event_get_get_sync_event, remote_net_sync_event_get,
      const struct doca_sync_event_remote_net *)
ACCESS(doca_rdma_task_remote_net_sync_event_get_set_dst_buf,
       doca_rdma_task_remote_net_sync_event_get_get_dst_buf, remote_net_sync_event_get,
       struct doca_buf *, local)
LENGTH(doca_rdma_task_remote_net_sync_event_get_get_result_len, remote_net_sync_event_get)

doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection,
    const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task)
{
    const struct order order = {
        .kind = DPK_RDMA_EVENT_GET, .connection = connection, .event = event, .local = dst_buf};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- remote_net_sync_event_notify_set ---- */

TYPE(doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported,
     doca_rdma_task_remote_net_sync_event_notify_set_set_conf,
     doca_rdma_task_remote_net_sync_event_notify_set_as_task, remote_net_sync_event_notify_set,
     DPK_RDMA_EVENT_SET)
CONNECTED(doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection,
          doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection,
          remote_net_sync_event_notify_set)
EVENT(doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event,
      doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event,
      remote_net_sync_event_notify_set, struct doca_sync_event_remote_net *)
ACCESS(doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf,
       doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf,
       remote_net_sync_event_notify_set, const struct doca_buf *, local)

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection,
    struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
    const struct order order = {.kind = DPK_RDMA_EVENT_SET,
                                .connection = connection,
                                .event = event,
                                .local = (struct doca_buf *)src_buf};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- remote_net_sync_event_notify_add ---- */

TYPE(doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported,
     doca_rdma_task_remote_net_sync_event_notify_add_set_conf,
     doca_rdma_task_remote_net_sync_event_notify_add_as_task, remote_net_sync_event_notify_add,
     DPK_RDMA_EVENT_ADD)
CONNECTED(doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection,
          doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection,
          remote_net_sync_event_notify_add)
EVENT(doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event,
      doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event,
      remote_net_sync_event_notify_add, struct doca_sync_event_remote_net *)
ACCESS(doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf,
       doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf,
       remote_net_sync_event_notify_add, struct doca_buf *, local)
ACCESS(doca_rdma_task_remote_net_sync_event_notify_add_set_add_data,
       doca_rdma_task_remote_net_sync_event_notify_add_get_add_data,
       remote_net_sync_event_notify_add, uint64_t, value)

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection,
    struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
    const struct order order = {.kind = DPK_RDMA_EVENT_ADD,
                                .connection = connection,
                                .event = event,
                                .local = result_buf,
                                .value = add_data};
    return dpk_doca_end(rdma, __func__, make(rdma, &order, user_data, (void **)task));
}

/* ---- Results of receives ---- */

doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type,
                                                    uint32_t *max_buf_list_len)
{
    const doca_error_t result =
        max_buf_list_len
            ? dpk_doca_inner(doca_rdma_cap_transport_type_is_supported(devinfo, transport_type))
            : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *max_buf_list_len = DPK_RDMA_LIST_MAX;
    return dpk_doca_end(devinfo, __func__, result);
}

static struct dpk_rc_completion completion_of(const struct doca_rdma_task_receive *task)
{
    struct dpk_rc_completion c;
    get_field(task, &receive_type, FIELD(completion), &c);
    return c;
}

enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task)
{
    switch (completion_of(task).event) {
    case DPK_RC_RECEIVED_IMMEDIATE:
        return DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM;
    case DPK_RC_WRITTEN_IMMEDIATE:
        return DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM;
    default:
        return DOCA_RDMA_OPCODE_RECV_SEND;
    }
}

LENGTH(doca_rdma_task_receive_get_result_len, receive)

doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task)
{
    return htobe32(completion_of(task).immediate);
}

const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task)
{
    const struct doca_rdma_connection *from;
    get_field(task, &receive_type, FIELD(from), &from);
    return from;
}
