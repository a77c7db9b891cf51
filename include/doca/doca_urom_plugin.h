/*
 * doca_urom_plugin: what a plugin of a UROM worker is: a shared library in the folder of plugins of
 * urom-service, which exports two functions.
 *
 *     doca_error_t urom_plugin_get_version(uint64_t *version);    // the host's part compares it
 *     doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
 *
 * The worker calls the functions of the interface from one thread. doca-urom(7) describes the service.
 */
#ifndef DOCA_UROM_PLUGIN_H
#define DOCA_UROM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "doca_error.h"
#include "doca_version.h"

/* The link of UCX's lists; a program without UCX's headers gets its two members. */
#if __has_include(<ucs/datastruct/list.h>)
#include <ucs/datastruct/list.h>
#else
typedef struct ucs_list_link {
    struct ucs_list_link *prev, *next;
} ucs_list_link_t;
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_UROM_PLUGIN_NAME_MAX_LEN 48

/* Writes the release of DOCA, for which a plugin is built, into its interface. */
#define DOCA_STRUCT_CTOR(iface) ((iface).__doca_api_version = DOCA_VERSION_EXACT)

/* A plugin, as doca_urom_service_get_plugins_list lists it. */
struct doca_urom_service_plugin_info {
    uint64_t id;                                     /* one bit */
    uint64_t version;                                /* of the plugin on the DPU */
    char plugin_name[DOCA_UROM_PLUGIN_NAME_MAX_LEN]; /* of its file, without ".so" */
};

struct urom_worker_ctx;

/* Bytes of any number follow these structures, which ISO C has at the end of a structure only. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/* A command for a plugin. */
struct urom_worker_cmd {
    uint64_t type;         /* the plugin's id */
    uint64_t urom_context; /* the notification of this command has the same */
    uint64_t len;          /* bytes of plugin_cmd */
    uint8_t plugin_cmd[];
};
/* An entry in a list of commands. The plugin takes it from the list, and frees it with free(). */
struct urom_worker_cmd_desc {
    struct ucs_list_link entry;
    uint64_t dest_id; /* number of the program that sent it */
    struct urom_worker_cmd worker_cmd;
};

/* A notification of a plugin: the answer to a command. */
struct urom_worker_notify {
    uint64_t type; /* the plugin's id */
    uint64_t urom_context;
    uint64_t len; /* bytes of it when it is packed */
    doca_error_t status;
    uint32_t reserved;
    uint8_t plugin_notif[];
};
/* An entry in a list of notifications, which the plugin allocates with malloc, and the worker frees. */
struct urom_worker_notif_desc {
    struct ucs_list_link entry;
    uint64_t dest_id; /* of the command */
    struct urom_worker_notify worker_notif;
};

#pragma GCC diagnostic pop

/* The functions of a plugin. */
struct urom_plugin_iface {
    uint64_t __doca_api_version; /* filled by DOCA_STRUCT_CTOR, or 0 */
    /* Opens the plugin; it keeps its state in ctx->plugin_ctx. */
    doca_error_t (*open)(struct urom_worker_ctx *ctx);
    void (*close)(struct urom_worker_ctx *ctx);
    /* Gets the address by which other workers of a domain reach this one. With a NULL `addr` it only
     * gets the size. May be NULL. */
    doca_error_t (*addr)(struct urom_worker_ctx *ctx, void *addr, uint64_t *addr_len);
    /* Takes all commands from a list of urom_worker_cmd_desc. */
    doca_error_t (*worker_cmd)(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list);
    /* Does pending work, and adds notifications to a list. Returns EMPTY if it added no notification. */
    doca_error_t (*progress)(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list);
    /* Writes the notification: struct urom_worker_notify, then the bytes that the host gets.
     * *packed_notif_len is the room, then the size of both. */
    doca_error_t (*notif_pack)(struct urom_worker_notify *notif, size_t *packed_notif_len,
                               void *packed_notif);
};

/* How a plugin finds what a domain knows (doca_urom_domain). */
struct urom_domain_lookups_iface {
    doca_error_t (*addr_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr);
    doca_error_t (*seg_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
                               int *seg);
    doca_error_t (*memh_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **memh);
    doca_error_t (*mkey_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **rkey);
};

struct urom_worker_ctx {
    struct urom_plugin_iface iface;
    struct urom_domain_lookups_iface domain_iface; /* of the worker */
    void *plugin_ctx;                              /* of the plugin */
};

/* Gets the address of this plugin in the worker that has this id in the domain. It belongs to the
 * worker, until the domain ends. Errors: NOT_FOUND. */
static inline doca_error_t doca_urom_worker_domain_addr_lookup(struct urom_worker_ctx *ctx,
                                                               uint64_t domain_id, void **addr)
{
    return ctx->domain_iface.addr_lookup(ctx, domain_id, addr);
}
/* Gets the number of the buffer of that worker's program that has this address. Errors: NOT_FOUND. */
static inline doca_error_t doca_urom_worker_domain_seg_lookup(struct urom_worker_ctx *ctx,
                                                              uint64_t domain_id, uint64_t va,
                                                              int *seg)
{
    return ctx->domain_iface.seg_lookup(ctx, domain_id, va, seg);
}
/* Get the packed memory handle and the packed key of a buffer. They belong to the worker. Errors:
 * NOT_FOUND. */
static inline doca_error_t doca_urom_worker_domain_memh_lookup(struct urom_worker_ctx *ctx,
                                                               uint64_t domain_id, int seg,
                                                               size_t *len, void **memh)
{
    return ctx->domain_iface.memh_lookup(ctx, domain_id, seg, len, memh);
}
static inline doca_error_t doca_urom_worker_domain_mkey_lookup(struct urom_worker_ctx *ctx,
                                                               uint64_t domain_id, int seg,
                                                               size_t *len, void **rkey)
{
    return ctx->domain_iface.mkey_lookup(ctx, domain_id, seg, len, rkey);
}

/* What a plugin exports. */
doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
doca_error_t urom_plugin_get_version(uint64_t *version);

#ifdef __cplusplus
}
#endif

#endif
