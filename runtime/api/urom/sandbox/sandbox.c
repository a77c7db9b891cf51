/* worker_sandbox: the plugin of DOCA's sample urom_ping_pong: tagged messages of UCX between the
 * workers of a domain. Data is in the commands and notifications; handles of the host's memory are
 * refused, because UCX before 1.16 cannot import them. */
#include <doca_urom_plugin.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#define DATA_MAX (UINT64_C(1) << 20)
#define PEERS    1024u

enum { SANDBOX_MEM_MAP, SANDBOX_TAG_SEND, SANDBOX_TAG_RECV };

/* Commands and notifications, as the sample packs them. Data follows the structure. */
struct sandbox_command {
    uint64_t type;
    union {
        struct {
            uint64_t context;
            ucp_mem_map_params_t params;
            size_t size;
        } map;
        struct {
            uint64_t context, dest, buffer, count, tag, memh_id;
        } send;
        struct {
            uint64_t context, buffer, count, tag, tag_mask, memh_id;
        } recv;
    };
};
struct sandbox_notification {
    uint64_t type;
    union {
        struct {
            uint64_t context, memh_id;
        } map;
        struct {
            uint64_t context;
            ucs_status_t status;
        } send;
        struct {
            uint64_t context;
            void *buffer; /* not NULL: data follows */
            uint64_t count, sender_tag;
            ucs_status_t status;
        } recv;
    };
};

struct peer {
    uint64_t id;
    ucp_ep_h ep;
};

struct sandbox {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_size;
    ucs_list_link_t done; /* notifications */
    struct peer *peers;
    size_t peer_count;
    size_t under_way;
};

/* A send or a receive under way. */
struct transfer {
    struct sandbox *of;
    struct urom_worker_notif_desc *notification; /* has room for the data of a receive */
    struct urom_worker_cmd_desc *command;        /* the command with the data of a send, or NULL */
};

/* ---- Notifications ---- */

static struct sandbox_notification *body_of(struct urom_worker_notif_desc *n)
{
    return (struct sandbox_notification *)n->worker_notif.plugin_notif;
}

static struct urom_worker_notif_desc *new_notification(const struct urom_worker_cmd_desc *d,
                                                       uint64_t type, uint64_t room)
{
    struct urom_worker_notif_desc *n =
        calloc(1, sizeof *n + sizeof(struct sandbox_notification) + room);
    if (!n)
        return NULL;
    n->dest_id = d->dest_id;
    n->worker_notif.type = d->worker_cmd.type;
    n->worker_notif.urom_context = d->worker_cmd.urom_context;
    n->worker_notif.len = sizeof(struct sandbox_notification);
    n->worker_notif.status = DOCA_SUCCESS;
    body_of(n)->type = type;
    return n;
}

static void end_transfer(struct transfer *t)
{
    t->of->under_way--;
    ucs_list_add_tail(&t->of->done, &t->notification->entry);
    free(t->command);
    free(t);
}

static void sent(struct transfer *t, ucs_status_t status)
{
    body_of(t->notification)->send.status = status;
    end_transfer(t);
}

static void on_sent(void *request, ucs_status_t status, void *user_data)
{
    sent(user_data, status);
    ucp_request_free(request);
}

static void received(struct transfer *t, ucs_status_t status, const ucp_tag_recv_info_t *info)
{
    struct sandbox_notification *n = body_of(t->notification);
    n->recv.status = status;
    if (status == UCS_OK && info) {
        n->recv.buffer = n + 1;
        n->recv.count = info->length;
        n->recv.sender_tag = info->sender_tag;
        t->notification->worker_notif.len += info->length;
    }
    end_transfer(t);
}

static void on_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
                        void *user_data)
{
    received(user_data, status, info);
    ucp_request_free(request);
}

/* ---- Commands ---- */

/* Returns the endpoint of a worker of the domain, or NULL. */
static ucp_ep_h endpoint_of(struct urom_worker_ctx *ctx, uint64_t id)
{
    struct sandbox *s = ctx->plugin_ctx;
    void *address;
    for (size_t i = 0; i < s->peer_count; i++)
        if (s->peers[i].id == id)
            return s->peers[i].ep;
    if (s->peer_count == PEERS ||
        doca_urom_worker_domain_addr_lookup(ctx, id, &address) != DOCA_SUCCESS)
        return NULL;
    struct peer *more = reallocarray(s->peers, s->peer_count + 1, sizeof *more);
    if (!more)
        return NULL;
    s->peers = more;
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = address};
    struct peer *p = &more[s->peer_count];
    p->id = id;
    if (ucp_ep_create(s->worker, &params, &p->ep) != UCS_OK)
        return NULL;
    s->peer_count++;
    return p->ep;
}

static struct transfer *new_transfer(struct sandbox *s, struct urom_worker_cmd_desc *d,
                                     uint64_t type, uint64_t room)
{
    struct transfer *t = calloc(1, sizeof *t);
    if (t && (t->notification = new_notification(d, type, room))) {
        t->of = s;
        t->command = d;
        s->under_way++;
        return t;
    }
    free(t);
    return NULL;
}

static doca_error_t send_tagged(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *d,
                                const struct sandbox_command *c)
{
    if (c->send.memh_id != 0)
        return DOCA_ERROR_NOT_SUPPORTED;
    if (c->send.count != d->worker_cmd.len - sizeof *c)
        return DOCA_ERROR_INVALID_VALUE;
    ucp_ep_h ep = endpoint_of(ctx, c->send.dest);
    if (!ep)
        return DOCA_ERROR_NOT_FOUND;
    struct transfer *t = new_transfer(ctx->plugin_ctx, d, SANDBOX_TAG_SEND, 0);
    if (!t)
        return DOCA_ERROR_NO_MEMORY;
    body_of(t->notification)->send.context = c->send.context;
    const ucp_request_param_t param = {.op_attr_mask =
                                           UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.send = on_sent,
                                       .user_data = t};
    void *request = ucp_tag_send_nbx(ep, d->worker_cmd.plugin_cmd + sizeof *c, c->send.count,
                                     c->send.tag, &param);
    if (!UCS_PTR_IS_PTR(request))
        sent(t, UCS_PTR_STATUS(request));
    return DOCA_SUCCESS;
}

static doca_error_t receive_tagged(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *d,
                                   const struct sandbox_command *c)
{
    struct sandbox *s = ctx->plugin_ctx;
    if (c->recv.memh_id != 0)
        return DOCA_ERROR_NOT_SUPPORTED;
    if (c->recv.count > DATA_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    struct transfer *t = new_transfer(s, d, SANDBOX_TAG_RECV, c->recv.count);
    if (!t)
        return DOCA_ERROR_NO_MEMORY;
    body_of(t->notification)->recv.context = c->recv.context;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                       UCP_OP_ATTR_FIELD_USER_DATA |
                                                       UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                       .cb.recv = on_received,
                                       .user_data = t};
    void *request = ucp_tag_recv_nbx(s->worker, body_of(t->notification) + 1, c->recv.count,
                                     c->recv.tag, c->recv.tag_mask, &param);
    if (!UCS_PTR_IS_PTR(request))
        received(t, UCS_PTR_STATUS(request), NULL); /* the receive failed at once */
    return DOCA_SUCCESS;
}

/* Carries out a command. After SUCCESS it owns `d`; after an error the caller still owns it. */
static doca_error_t carry_out(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *d)
{
    struct sandbox_command c;
    if (d->worker_cmd.len < sizeof c)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(&c, d->worker_cmd.plugin_cmd, sizeof c);
    switch (c.type) {
    case SANDBOX_TAG_SEND:
        return send_tagged(ctx, d, &c);
    case SANDBOX_TAG_RECV:
        return receive_tagged(ctx, d, &c);
    case SANDBOX_MEM_MAP:
        return DOCA_ERROR_NOT_SUPPORTED;
    default:
        return DOCA_ERROR_INVALID_VALUE;
    }
}

static doca_error_t sandbox_command(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    doca_error_t result = DOCA_SUCCESS;
    while (!ucs_list_is_empty(cmd_list)) {
        struct urom_worker_cmd_desc *d =
            ucs_list_extract_head(cmd_list, struct urom_worker_cmd_desc, entry);
        const doca_error_t one = carry_out(ctx, d);
        if (one != DOCA_SUCCESS) {
            result = one;
            free(d);
        }
    }
    return result;
}

/* ---- Life ---- */

static void sandbox_close(struct urom_worker_ctx *ctx)
{
    struct sandbox *s = ctx->plugin_ctx;
    if (!s)
        return;
    if (s->address)
        ucp_worker_release_address(s->worker, s->address);
    if (s->worker)
        ucp_worker_destroy(s->worker);
    if (s->context)
        ucp_cleanup(s->context);
    while (!ucs_list_is_empty(&s->done))
        free(ucs_list_extract_head(&s->done, struct urom_worker_notif_desc, entry));
    free(s->peers);
    free(s);
    ctx->plugin_ctx = NULL;
}

static doca_error_t sandbox_open(struct urom_worker_ctx *ctx)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_TAG};
    const ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    struct sandbox *s = calloc(1, sizeof *s);
    if (!s)
        return DOCA_ERROR_NO_MEMORY;
    ucs_list_head_init(&s->done);
    ctx->plugin_ctx = s;
    if (ucp_init(&params, NULL, &s->context) == UCS_OK &&
        ucp_worker_create(s->context, &worker, &s->worker) == UCS_OK &&
        ucp_worker_get_address(s->worker, &s->address, &s->address_size) == UCS_OK)
        return DOCA_SUCCESS;
    sandbox_close(ctx);
    return DOCA_ERROR_DRIVER;
}

static doca_error_t sandbox_address(struct urom_worker_ctx *ctx, void *addr, uint64_t *addr_len)
{
    const struct sandbox *s = ctx->plugin_ctx;
    if (addr)
        memcpy(addr, s->address, s->address_size);
    *addr_len = s->address_size;
    return DOCA_SUCCESS;
}

static doca_error_t sandbox_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct sandbox *s = ctx->plugin_ctx;
    ucp_worker_progress(s->worker);
    if (ucs_list_is_empty(&s->done))
        return DOCA_ERROR_EMPTY;
    while (!ucs_list_is_empty(&s->done)) {
        struct urom_worker_notif_desc *n =
            ucs_list_extract_head(&s->done, struct urom_worker_notif_desc, entry);
        ucs_list_add_tail(notif_list, &n->entry);
    }
    return DOCA_SUCCESS;
}

static doca_error_t sandbox_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
                                 void *packed_notif)
{
    const size_t size = offsetof(struct urom_worker_notify, plugin_notif) + notif->len;
    if (size > *packed_notif_len)
        return DOCA_ERROR_TOO_BIG;
    memcpy(packed_notif, notif, size);
    *packed_notif_len = size;
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (!iface)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){.open = sandbox_open,
                                        .close = sandbox_close,
                                        .addr = sandbox_address,
                                        .worker_cmd = sandbox_command,
                                        .progress = sandbox_progress,
                                        .notif_pack = sandbox_pack};
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (!version)
        return DOCA_ERROR_INVALID_VALUE;
    *version = 1;
    return DOCA_SUCCESS;
}
