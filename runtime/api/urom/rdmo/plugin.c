/* worker_rdmo: the plugin of remote direct memory operations: commands of the target, notifications,
 * the plugin's life. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define CLIENTS_MAX 1024u

/* ---- Notifications ---- */

static struct urom_worker_notify_rdmo *body_of(struct urom_worker_notif_desc *n)
{
    return (struct urom_worker_notify_rdmo *)(void *)n->worker_notif.plugin_notif;
}

static struct urom_worker_notif_desc *new_notification(const struct urom_worker_cmd_desc *d,
                                                       uint64_t type)
{
    struct urom_worker_notif_desc *n =
        calloc(1, sizeof *n + sizeof(struct urom_worker_notify_rdmo));
    if (!n)
        return NULL;
    n->dest_id = d->dest_id;
    n->worker_notif.type = d->worker_cmd.type;
    n->worker_notif.urom_context = d->worker_cmd.urom_context;
    n->worker_notif.len = sizeof(struct urom_worker_notify_rdmo);
    n->worker_notif.status = DOCA_SUCCESS;
    body_of(n)->type = type;
    return n;
}

/* ---- Lists ---- */

static struct client *find_client(const struct rdmo *r, uint64_t dest_id)
{
    struct client *c = r->clients;
    while (c && c->dest_id != dest_id)
        c = c->next;
    return c;
}

struct memory *rdmo_find_memory(struct client *c, uint64_t id)
{
    struct memory *m = c->rdmo->memories;
    while (m && (m->id != id || m->client != c))
        m = m->next;
    return m;
}

static void remove_memory(struct rdmo *r, struct memory *m)
{
    struct memory **at = &r->memories;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    if (m->memh)
        ucp_mem_unmap(r->context, m->memh);
    ucp_rkey_destroy(m->rkey);
    free(m);
}

static void close_endpoint(struct rdmo *r, ucp_ep_h ep)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_EP_CLOSE_FLAG_FORCE};
    void *request = ucp_ep_close_nbx(ep, &param);
    for (int i = 0; UCS_PTR_IS_PTR(request) && i < 10000; i++) {
        if (ucp_request_check_status(request) != UCS_INPROGRESS)
            break;
        ucp_worker_progress(r->worker);
    }
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
}

static struct rq *find_rq(const struct client *c, uint64_t id)
{
    struct rq *q = c->rdmo->rqs;
    while (q && (q->id != id || q->client != c))
        q = q->next;
    return q;
}

/* Removes a receive queue from its list: later requests are refused. Earlier requests are still
 * carried out before the command. */
static void remove_rq(struct rdmo *r, struct rq *q)
{
    struct rq **at = &r->rqs;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    for (struct item *i = q->client->first; i; i = i->next)
        if (i->kind == ITEM_REQUEST && i->rq == q)
            i->rq = NULL;
    close_endpoint(r, q->ep);
    free(q);
}

/* ---- Commands ---- */

/* A side of the connection to a target is gone: pending writes to the target are lost. */
static void on_target_gone(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    struct client *c = arg;
    (void)ep, (void)status;
    if (!c->dead)
        rdmo_refuse(c->rdmo, RDMO_FAILED);
    c->dead = true;
}

static void on_initiator_gone(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)arg, (void)ep, (void)status; /* the target destroys the queue */
}

static doca_error_t connect_to(struct rdmo *r, const void *address, ucp_err_handler_cb_t cb,
                               void *arg, ucp_ep_h *ep)
{
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = address,
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                    .err_handler = {.cb = cb, .arg = arg}};
    return ucp_ep_create(r->worker, &params, ep) == UCS_OK ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

static doca_error_t init_client(struct rdmo *r, const struct urom_worker_cmd_desc *d,
                                const struct urom_worker_rdmo_cmd *cmd, const uint8_t *bytes,
                                struct urom_worker_notif_desc *n)
{
    size_t count = 0;
    for (const struct client *c = r->clients; c; c = c->next, count++)
        if (c->dest_id == d->dest_id || c->id == cmd->client_init.id)
            return DOCA_ERROR_ALREADY_EXIST;
    struct client *c = count < CLIENTS_MAX ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return DOCA_ERROR_NO_MEMORY;
    c->rdmo = r;
    c->id = cmd->client_init.id;
    c->dest_id = d->dest_id;
    const doca_error_t result = connect_to(r, bytes, on_target_gone, c, &c->ep);
    if (result != DOCA_SUCCESS) {
        free(c);
        return result;
    }
    c->next = r->clients;
    r->clients = c;
    body_of(n)->client_init.addr = r->address;
    body_of(n)->client_init.addr_len = r->address_size;
    n->worker_notif.len += r->address_size;
    return DOCA_SUCCESS;
}

static doca_error_t create_rq(struct client *c, const uint8_t *bytes,
                              struct urom_worker_notif_desc *n)
{
    struct rdmo *r = c->rdmo;
    struct rq *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    const doca_error_t result = connect_to(r, bytes, on_initiator_gone, q, &q->ep);
    if (result != DOCA_SUCCESS) {
        free(q);
        return result;
    }
    q->client = c;
    q->id = r->next_id++;
    q->next = r->rqs;
    r->rqs = q;
    body_of(n)->rq_create.rq_id = q->id;
    return DOCA_SUCCESS;
}

/* Takes the handle that the target exported. Without one, payloads go through the worker. */
static void map_exported(struct rdmo *r, struct memory *m, const uint8_t *handle)
{
#if UCP_API_VERSION >= UCP_VERSION(1, 16)
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER,
                                         .exported_memh_buffer = handle};
    if (ucp_mem_map(r->context, &params, &m->memh) != UCS_OK)
        m->memh = NULL;
#else
    (void)r, (void)m, (void)handle; /* older UCX has no such handles */
#endif
}

static doca_error_t register_memory(struct client *c, const struct urom_worker_rdmo_cmd *cmd,
                                    const uint8_t *bytes, struct urom_worker_notif_desc *n)
{
    struct rdmo *r = c->rdmo;
    void *direct;
    if (cmd->mr_reg.len == 0 || cmd->mr_reg.va > UINT64_MAX - cmd->mr_reg.len)
        return DOCA_ERROR_INVALID_VALUE;
    struct memory *m = calloc(1, sizeof *m);
    if (!m || ucp_ep_rkey_unpack(c->ep, bytes, &m->rkey) != UCS_OK) {
        free(m);
        return m ? DOCA_ERROR_DRIVER : DOCA_ERROR_NO_MEMORY;
    }
    m->client = c;
    m->va = cmd->mr_reg.va;
    m->len = cmd->mr_reg.len;
    m->id = r->next_id++;
    if (ucp_rkey_ptr(m->rkey, m->va, &direct) == UCS_OK)
        m->direct = direct;
    else if (cmd->mr_reg.packed_memh_len > 0)
        map_exported(r, m, bytes + cmd->mr_reg.packed_rkey_len);
    m->next = r->memories;
    r->memories = m;
    body_of(n)->mr_reg.rkey = m->id;
    return DOCA_SUCCESS;
}

/* Lets a command wait until earlier requests have been carried out. */
static doca_error_t wait_for_requests(struct client *c, enum item_kind kind, uint64_t id,
                                      struct urom_worker_notif_desc *n)
{
    struct item *i = calloc(1, sizeof *i);
    if (!i)
        return DOCA_ERROR_NO_MEMORY;
    i->kind = kind;
    i->request.client = id;
    i->notification = n;
    rdmo_put_item(c, i);
    return DOCA_ERROR_IN_PROGRESS;
}

void rdmo_end_command(struct item *i)
{
    struct rdmo *r = i->client->rdmo;
    struct urom_worker_notif_desc *n = i->notification;
    struct memory *m = NULL;
    struct rq *q = NULL;
    if (i->kind == ITEM_MR_DEREG && (m = rdmo_find_memory(i->client, i->request.client)))
        remove_memory(r, m);
    if (i->kind == ITEM_RQ_DESTROY && (q = find_rq(i->client, i->request.client)))
        remove_rq(r, q);
    if (!m && !q)
        n->worker_notif.status = DOCA_ERROR_NOT_FOUND;
    i->notification = NULL;
    ucs_list_add_tail(&r->done, &n->entry);
}

/* Returns the size of the bytes that follow a command, or SIZE_MAX if the command is wrong. */
static size_t size_behind(const struct urom_worker_rdmo_cmd *cmd, size_t most)
{
    uint64_t first = 0, second = 0;
    switch (cmd->type) {
    case UROM_WORKER_CMD_RDMO_CLIENT_INIT:
        first = cmd->client_init.addr_len;
        break;
    case UROM_WORKER_CMD_RDMO_RQ_CREATE:
        first = cmd->rq_create.addr_len;
        break;
    case UROM_WORKER_CMD_RDMO_MR_REG:
        first = cmd->mr_reg.packed_rkey_len;
        second = cmd->mr_reg.packed_memh_len;
        break;
    default:
        return 0;
    }
    return first > 0 && first <= most && second <= most - first ? (size_t)(first + second)
                                                                : SIZE_MAX;
}

/* Carries out a command. Returns IN_PROGRESS if its notification comes later. */
static doca_error_t carry_out(struct rdmo *r, const struct urom_worker_cmd_desc *d,
                              const struct urom_worker_rdmo_cmd *cmd,
                              struct urom_worker_notif_desc *n)
{
    const uint8_t *bytes = d->worker_cmd.plugin_cmd + sizeof *cmd;
    const size_t size = d->worker_cmd.len - sizeof *cmd;
    struct client *c = find_client(r, d->dest_id);
    if (size_behind(cmd, size) != size || cmd->type > UROM_WORKER_CMD_RDMO_MR_DEREG)
        return DOCA_ERROR_INVALID_VALUE;
    if (cmd->type == UROM_WORKER_CMD_RDMO_CLIENT_INIT)
        return init_client(r, d, cmd, bytes, n);
    if (!c)
        return DOCA_ERROR_BAD_STATE; /* CLIENT_INIT must be the first command */
    switch (cmd->type) {
    case UROM_WORKER_CMD_RDMO_RQ_CREATE:
        return create_rq(c, bytes, n);
    case UROM_WORKER_CMD_RDMO_MR_REG:
        return register_memory(c, cmd, bytes, n);
    case UROM_WORKER_CMD_RDMO_RQ_DESTROY:
        body_of(n)->rq_destroy.rq_id = cmd->rq_destroy.rq_id;
        return wait_for_requests(c, ITEM_RQ_DESTROY, cmd->rq_destroy.rq_id, n);
    default:
        body_of(n)->mr_dereg.rkey = cmd->mr_dereg.rkey;
        return wait_for_requests(c, ITEM_MR_DEREG, cmd->mr_dereg.rkey, n);
    }
}

static doca_error_t take_command(struct rdmo *r, const struct urom_worker_cmd_desc *d)
{
    struct urom_worker_rdmo_cmd cmd;
    if (d->worker_cmd.len < sizeof cmd)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(&cmd, d->worker_cmd.plugin_cmd, sizeof cmd);
    struct urom_worker_notif_desc *n = new_notification(d, cmd.type);
    if (!n)
        return DOCA_ERROR_NO_MEMORY;
    const doca_error_t result = carry_out(r, d, &cmd, n);
    if (result == DOCA_ERROR_IN_PROGRESS)
        return DOCA_SUCCESS;
    n->worker_notif.status = result;
    ucs_list_add_tail(&r->done, &n->entry);
    return DOCA_SUCCESS;
}

static doca_error_t rdmo_command(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    doca_error_t result = DOCA_SUCCESS;
    while (!ucs_list_is_empty(cmd_list)) {
        struct urom_worker_cmd_desc *d =
            ucs_list_extract_head(cmd_list, struct urom_worker_cmd_desc, entry);
        const doca_error_t one = take_command(ctx->plugin_ctx, d);
        if (one != DOCA_SUCCESS)
            result = one;
        free(d);
    }
    return result;
}

/* ---- Life ---- */

/* Prints a line with the worker's counts to the output of the service. */
static void report(const struct rdmo *r)
{
    fprintf(stderr,
            "rdmo: %" PRIu64 " appends, %" PRIu64 " scatters, %" PRIu64 " flushes, %" PRIu64
            " bytes in %" PRIu64 " puts",
            r->carried_out[UROM_RDMO_OP_APPEND], r->carried_out[UROM_RDMO_OP_SCATTER],
            r->carried_out[UROM_RDMO_OP_FLUSH], r->bytes, r->puts);
    for (int no = RDMO_GOOD + 1; no < RDMO_REFUSALS; no++)
        if (r->refused[no] > 0)
            fprintf(stderr, ", refused: %s %" PRIu64, rdmo_refusal_text((enum rdmo_refusal)no),
                    r->refused[no]);
    fprintf(stderr, "\n");
}

static void rdmo_close(struct urom_worker_ctx *ctx)
{
    struct rdmo *r = ctx->plugin_ctx;
    if (!r)
        return;
    report(r);
    for (struct client *c = r->clients; c; c = c->next)
        rdmo_forget(c);
    while (r->memories)
        remove_memory(r, r->memories);
    if (r->address)
        ucp_worker_release_address(r->worker, r->address);
    if (r->worker)
        ucp_worker_destroy(r->worker);
    if (r->context)
        ucp_cleanup(r->context);
    for (struct rq *q; (q = r->rqs);) {
        r->rqs = q->next;
        free(q);
    }
    for (struct client *c; (c = r->clients);) {
        r->clients = c->next;
        free(c);
    }
    while (!ucs_list_is_empty(&r->done))
        free(ucs_list_extract_head(&r->done, struct urom_worker_notif_desc, entry));
    free(r);
    ctx->plugin_ctx = NULL;
}

/* Shared memory of UCX reports processes that end only if both sides set MM_ERROR_HANDLING. A
 * worker outlives its initiators and needs these reports, so UCX would otherwise use other
 * transports. */
static ucs_status_t init_ucx(struct rdmo *r, const ucp_params_t *params)
{
    ucp_config_t *config;
    ucs_status_t status = ucp_config_read(NULL, NULL, &config);
    if (status != UCS_OK)
        return status;
    (void)ucp_config_modify(config, "MM_ERROR_HANDLING", "y"); /* older UCX does not have it */
    status = ucp_init(params, config, &r->context);
    ucp_config_release(config);
    return status;
}

static doca_error_t start_ucx(struct rdmo *r)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO64};
    const ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    const ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = UROM_RDMO_AM_ID,
        .flags = UCP_AM_FLAG_PERSISTENT_DATA,
        .cb = rdmo_on_request,
        .arg = r};
    return init_ucx(r, &params) == UCS_OK &&
                   ucp_worker_create(r->context, &worker, &r->worker) == UCS_OK &&
                   ucp_worker_get_address(r->worker, &r->address, &r->address_size) == UCS_OK &&
                   ucp_worker_set_am_recv_handler(r->worker, &handler) == UCS_OK
               ? DOCA_SUCCESS
               : DOCA_ERROR_DRIVER;
}

static doca_error_t rdmo_open(struct urom_worker_ctx *ctx)
{
    struct rdmo *r = calloc(1, sizeof *r);
    if (!r)
        return DOCA_ERROR_NO_MEMORY;
    ucs_list_head_init(&r->done);
    r->next_id = 1;
    ctx->plugin_ctx = r;
    const doca_error_t result = start_ucx(r);
    if (result != DOCA_SUCCESS)
        rdmo_close(ctx);
    return result;
}

static doca_error_t rdmo_address(struct urom_worker_ctx *ctx, void *addr, uint64_t *addr_len)
{
    const struct rdmo *r = ctx->plugin_ctx;
    if (addr)
        memcpy(addr, r->address, r->address_size);
    *addr_len = r->address_size;
    return DOCA_SUCCESS;
}

static doca_error_t rdmo_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct rdmo *r = ctx->plugin_ctx;
    for (int n = 0; n < 64 && ucp_worker_progress(r->worker) > 0; n++)
        ;
    for (struct client *c = r->clients; c; c = c->next)
        rdmo_carry_out(c);
    if (ucs_list_is_empty(&r->done))
        return DOCA_ERROR_EMPTY;
    while (!ucs_list_is_empty(&r->done)) {
        struct urom_worker_notif_desc *n =
            ucs_list_extract_head(&r->done, struct urom_worker_notif_desc, entry);
        ucs_list_add_tail(notif_list, &n->entry);
    }
    return DOCA_SUCCESS;
}

static doca_error_t rdmo_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
                              void *packed_notif)
{
    const struct urom_worker_notify_rdmo *n = (const void *)notif->plugin_notif;
    const size_t head = offsetof(struct urom_worker_notify, plugin_notif);
    if (head + notif->len > *packed_notif_len)
        return DOCA_ERROR_TOO_BIG;
    memcpy(packed_notif, notif, head + sizeof *n);
    if (notif->len > sizeof *n) /* the notification of CLIENT_INIT, which is larger */
        memcpy((uint8_t *)packed_notif + head + sizeof *n, n->client_init.addr,
               n->client_init.addr_len);
    *packed_notif_len = head + notif->len;
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (!iface)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){.open = rdmo_open,
                                        .close = rdmo_close,
                                        .addr = rdmo_address,
                                        .worker_cmd = rdmo_command,
                                        .progress = rdmo_progress,
                                        .notif_pack = rdmo_pack};
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (!version)
        return DOCA_ERROR_INVALID_VALUE;
    *version = 1;
    return DOCA_SUCCESS;
}
