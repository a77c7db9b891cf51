/* worker_graph: the plugin of DOCA's sample urom_multi_workers_bootstrap. It answers each command
 * with the number in the command, which shows that a worker runs. */
#include <doca_urom_plugin.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Commands and notifications, as the sample packs them: a type, which is 0, and a number. */
struct graph_message {
    uint64_t type, data;
};
enum { GRAPH_LOOPBACK };

struct graph {
    struct ucs_list_link done; /* notifications */
};

static void list_init(struct ucs_list_link *list)
{
    list->prev = list->next = list;
}

static void list_add(struct ucs_list_link *list, struct ucs_list_link *entry)
{
    entry->prev = list->prev;
    entry->next = list;
    list->prev->next = entry;
    list->prev = entry;
}

static struct ucs_list_link *list_take(struct ucs_list_link *list)
{
    struct ucs_list_link *first = list->next;
    if (first == list)
        return NULL;
    list->next = first->next;
    list->next->prev = list;
    return first;
}

static doca_error_t graph_open(struct urom_worker_ctx *ctx)
{
    struct graph *g = calloc(1, sizeof *g);
    if (!g)
        return DOCA_ERROR_NO_MEMORY;
    list_init(&g->done);
    ctx->plugin_ctx = g;
    return DOCA_SUCCESS;
}

static void graph_close(struct urom_worker_ctx *ctx)
{
    struct graph *g = ctx->plugin_ctx;
    while (g && g->done.next != &g->done)
        free(list_take(&g->done));
    free(g);
}

static void answer(struct graph *g, const struct urom_worker_cmd_desc *d)
{
    struct graph_message m = {0};
    struct urom_worker_notif_desc *n = calloc(1, sizeof *n + sizeof m);
    if (!n)
        return;
    const struct urom_worker_cmd *cmd = &d->worker_cmd;
    const bool good = cmd->len == sizeof m;
    if (good)
        memcpy(&m, cmd->plugin_cmd, sizeof m);
    n->dest_id = d->dest_id;
    n->worker_notif.type = cmd->type;
    n->worker_notif.urom_context = cmd->urom_context;
    n->worker_notif.len = sizeof m;
    n->worker_notif.status =
        good && m.type == GRAPH_LOOPBACK ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    memcpy(n->worker_notif.plugin_notif, &m, sizeof m);
    list_add(&g->done, &n->entry);
}

static doca_error_t graph_command(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    for (struct ucs_list_link *entry; (entry = list_take(cmd_list));) {
        answer(ctx->plugin_ctx, (struct urom_worker_cmd_desc *)entry);
        free(entry);
    }
    return DOCA_SUCCESS;
}

static doca_error_t graph_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct graph *g = ctx->plugin_ctx;
    struct ucs_list_link *entry = list_take(&g->done);
    if (!entry)
        return DOCA_ERROR_EMPTY;
    for (; entry; entry = list_take(&g->done))
        list_add(notif_list, entry);
    return DOCA_SUCCESS;
}

static doca_error_t graph_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
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
    *iface = (struct urom_plugin_iface){.open = graph_open,
                                        .close = graph_close,
                                        .worker_cmd = graph_command,
                                        .progress = graph_progress,
                                        .notif_pack = graph_pack};
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (!version)
        return DOCA_ERROR_INVALID_VALUE;
    *version = 1;
    return DOCA_SUCCESS;
}
