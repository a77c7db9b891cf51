/* Declarations that the files of urom-worker share: plugins, domains, the loop. */
#ifndef DPK_UROM_WORKER_WORKER_H
#define DPK_UROM_WORKER_WORKER_H

#include <doca_urom_plugin.h>

#include "base/base.h"
#include "bus/urom/urom.h"

struct plugin {
    struct urom_worker_ctx ctx; /* the first member: plugins hand it back */
    uint64_t id;
    void *library;
    bool open;
    struct worker *worker;
};

/* A command that has no notification yet. */
struct pending {
    struct pending *next;
    uint64_t cookie, plugin;
};

struct domain;

/* What plugins write before the bytes of a notification that the program gets. */
#define NOTIFY_HEAD offsetof(struct urom_worker_notify, plugin_notif)

struct worker {
    struct dpk_urom_channel channel;
    uint64_t id;
    size_t max_size;
    struct plugin *plugins;
    size_t plugin_count;
    struct pending *pending;
    struct domain *domains;
    uint8_t *packed; /* NOTIFY_HEAD + max_size bytes, for notifications */
};

/* ---- plugin.c ---- */

/* Loads a plugin, and gets its version. Errors: DPK_ERR_FORMAT if it is not a plugin. */
enum dpk_status worker_plugin_load(const char *path, struct plugin *p, uint64_t *version,
                                   struct dpk_error *err);
/* Opens the plugin. Set its worker before. */
enum dpk_status worker_plugin_open(struct plugin *p, struct dpk_error *err);
void worker_plugin_close(struct plugin *p);
/* Appends the plugin's address as a text, which is empty if the plugin has no address. */
void worker_plugin_put_address(struct plugin *p, struct dpk_buf *b);

/* ---- domain.c ---- */

/* Enters the domain of a message JOIN. Errors: INVALID_VALUE if the message is malformed,
 * NO_MEMORY. */
doca_error_t worker_domain_join(struct worker *w, uint64_t cookie, struct dpk_reader *body);
void worker_domain_leave(struct worker *w, uint64_t cookie);
void worker_domain_leave_all(struct worker *w);
extern const struct urom_domain_lookups_iface worker_domain_lookups;

/* ---- loop.c ---- */

/* Serves the program until it hangs up or says goodbye. */
void worker_serve(struct worker *w);

#endif
