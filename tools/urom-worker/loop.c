/* The loop of a worker: passes commands to plugins, and notifications to the program. Plugins have
 * no descriptor to wait for, so an idle worker asks them every millisecond. */
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#define BUSY_ROUNDS 2000 /* rounds without work before the worker sleeps */
/* Zeros behind each command. UCX reads packed keys and handles without their size, and a program may
 * have sent fewer bytes. */
#define BEHIND 1024u

static bool say_notify(struct worker *w, uint64_t plugin, uint64_t cookie, doca_error_t status,
                       const void *bytes, size_t size)
{
    struct dpk_buf *b = dpk_urom_begin(&w->channel, DPK_UROM_NOTIFY);
    dpk_put_le64(b, plugin);
    dpk_put_le64(b, cookie);
    dpk_put_le32(b, (uint32_t)status);
    if (size > 0)
        dpk_put(b, bytes, size);
    return dpk_urom_end(&w->channel);
}

/* Returns false if no command of the plugin waits for its notification. */
static bool take_pending(struct worker *w, uint64_t plugin, uint64_t cookie)
{
    for (struct pending **at = &w->pending; *at; at = &(*at)->next)
        if ((*at)->cookie == cookie && (*at)->plugin == plugin) {
            struct pending *p = *at;
            *at = p->next;
            free(p);
            return true;
        }
    return false;
}

static struct plugin *find_plugin(struct worker *w, uint64_t id)
{
    for (size_t i = 0; i < w->plugin_count; i++)
        if (w->plugins[i].id == id)
            return &w->plugins[i];
    return NULL;
}

/* ---- Commands ---- */

static doca_error_t hand_over(struct worker *w, struct plugin *p, uint64_t cookie,
                              const uint8_t *bytes, size_t size)
{
    struct urom_worker_cmd_desc *d = calloc(1, sizeof *d + size + BEHIND);
    struct pending *pending = d ? calloc(1, sizeof *pending) : NULL;
    if (!pending) {
        free(d);
        return DOCA_ERROR_NO_MEMORY;
    }
    *pending = (struct pending){.next = w->pending, .cookie = cookie, .plugin = p->id};
    w->pending = pending;
    d->dest_id = w->id;
    d->worker_cmd = (struct urom_worker_cmd){.type = p->id, .urom_context = cookie, .len = size};
    if (size > 0)
        memcpy(d->worker_cmd.plugin_cmd, bytes, size);
    struct ucs_list_link list = {.prev = &d->entry, .next = &d->entry};
    d->entry = (struct ucs_list_link){.prev = &list, .next = &list};
    return p->ctx.iface.worker_cmd(&p->ctx, &list);
}

static bool command(struct worker *w, struct dpk_reader *body)
{
    const uint64_t id = dpk_read_le64(body), cookie = dpk_read_le64(body);
    const size_t size = dpk_reader_left(body);
    const uint8_t *bytes = dpk_read_bytes(body, size);
    struct plugin *p = find_plugin(w, id);
    if (body->failed || size > w->max_size)
        return false;
    const doca_error_t result = p ? hand_over(w, p, cookie, bytes, size) : DOCA_ERROR_NOT_FOUND;
    if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
        return true;
    /* The plugin has refused the command. If it has also made a notification, the notification is
     * dropped. */
    take_pending(w, id, cookie);
    return say_notify(w, id, cookie, result, NULL, 0);
}

static bool join(struct worker *w, struct dpk_reader *body)
{
    const uint64_t cookie = dpk_read_le64(body);
    const doca_error_t result = worker_domain_join(w, cookie, body);
    struct dpk_buf *b = dpk_urom_begin(&w->channel, DPK_UROM_JOINED);
    dpk_put_le64(b, cookie);
    dpk_put_le32(b, (uint32_t)result);
    return dpk_urom_end(&w->channel);
}

/* Returns false if the worker shall end. */
static bool handle(struct worker *w, struct dpk_urom_message *m)
{
    switch (m->kind) {
    case DPK_UROM_COMMAND:
        return command(w, &m->body);
    case DPK_UROM_JOIN:
        return join(w, &m->body);
    case DPK_UROM_LEAVE:
        worker_domain_leave(w, dpk_read_le64(&m->body));
        return true;
    default: /* BYE, or a message that no program sends */
        return false;
    }
}

/* ---- Notifications ---- */

static bool send_notification(struct worker *w, struct plugin *p, struct urom_worker_notif_desc *d)
{
    const uint64_t cookie = d->worker_notif.urom_context;
    size_t size = NOTIFY_HEAD + w->max_size;
    if (!take_pending(w, p->id, cookie))
        return true;
    doca_error_t result = p->ctx.iface.notif_pack(&d->worker_notif, &size, w->packed);
    if (result == DOCA_SUCCESS && (size < NOTIFY_HEAD || size - NOTIFY_HEAD > w->max_size))
        result = DOCA_ERROR_TOO_BIG;
    if (result != DOCA_SUCCESS)
        return say_notify(w, p->id, cookie, result, NULL, 0);
    return say_notify(w, p->id, cookie, d->worker_notif.status, w->packed + NOTIFY_HEAD,
                      size - NOTIFY_HEAD);
}

/* Returns true if there were notifications. *good: the program still takes them. */
static bool progress(struct worker *w, struct plugin *p, bool *good)
{
    struct ucs_list_link list;
    list.prev = list.next = &list;
    p->ctx.iface.progress(&p->ctx, &list);
    const bool any = list.next != &list;
    while (list.next != &list) {
        struct urom_worker_notif_desc *d = (struct urom_worker_notif_desc *)list.next;
        list.next = d->entry.next;
        list.next->prev = &list;
        *good = send_notification(w, p, d) && *good;
        free(d);
    }
    return any;
}

/* ---- The loop ---- */

/* Returns false if the program has gone or the worker shall end. */
static bool hear(struct worker *w, bool *worked)
{
    struct dpk_urom_message m;
    for (int n = 0; n < 64; n++) {
        const enum dpk_comch_heard heard = dpk_urom_hear(&w->channel, &m);
        if (heard == DPK_COMCH_NOTHING)
            return true;
        if (heard != DPK_COMCH_HEARD || !handle(w, &m))
            return false;
        *worked = true;
    }
    return true;
}

static void rest(struct worker *w, int *idle)
{
    struct pollfd p = {.fd = w->channel.fd, .events = POLLIN};
    if (++*idle < BUSY_ROUNDS) {
        if (*idle > 64)
            sched_yield();
        return;
    }
    if (dpk_urom_waits(&w->channel))
        p.events |= POLLOUT;
    poll(&p, 1, 1);
}

void worker_serve(struct worker *w)
{
    int idle = 0;
    for (bool good = true; good;) {
        bool worked = false;
        good = dpk_urom_flush(&w->channel) && hear(w, &worked);
        for (size_t i = 0; good && i < w->plugin_count; i++)
            worked = progress(w, &w->plugins[i], &good) || worked;
        if (worked)
            idle = 0;
        else
            rest(w, &idle);
    }
    for (struct pending *p; (p = w->pending);) {
        w->pending = p->next;
        free(p);
    }
}
