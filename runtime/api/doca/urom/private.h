/*
 * Declarations that the files of doca_urom share: services, workers and domains.
 *
 * Locks, in the order in which they are taken: of a domain, of a worker, of a service.
 */
#ifndef DPK_API_DOCA_UROM_PRIVATE_H
#define DPK_API_DOCA_UROM_PRIVATE_H

#include <doca_urom.h>

#include "api/doca/core/core.h"
#include "bus/urom/urom.h"

/* ---- Services: service.c ---- */

struct urom_service {
    struct dpk_ctx ctx;
    struct dpk_dev *dev; /* a use, or NULL */
    char folder[PATH_MAX];
    uint32_t max_workers, max_size;
    struct dpk_task_pool queries;
    /* Guarded by the lock: */
    struct dpk_urom_channel channel;
    bool lost; /* the service has hung up */
    struct urom_query *waiting;
    uint32_t workers; /* number of workers that are not idle */
    struct doca_urom_service_plugin_info *plugins;
    uint32_t plugin_count;
    uint8_t cpus[DPK_UROM_CPUS];
};
extern const struct dpk_kind urom_service_kind;

/* Connects to the service for a worker, and counts it. Errors: BAD_CONFIG if the service does not run,
 * FULL, NOT_FOUND. */
doca_error_t urom_service_enter(struct urom_service *s, int *fd);
void urom_service_leave(struct urom_service *s);
/* Returns true if all these plugins exist; any thread may call this while the service runs. */
bool urom_service_has_plugins(struct urom_service *s, uint64_t plugins);

/* ---- Workers: worker.c, command.c ---- */

struct urom_command;

/* The wait of a domain for a worker; the domain owns it. */
struct urom_join {
    struct urom_join *next;
    uint64_t cookie;
    bool ended;
    doca_error_t status;
};

struct urom_worker {
    struct dpk_ctx ctx;
    struct urom_service *service; /* a use, or NULL */
    bool has_gid, has_cpus;
    uint64_t wanted, plugins;
    uint32_t gid;
    uint8_t cpus[DPK_UROM_CPUS];
    struct dpk_buf env;
    struct dpk_task_pool commands;
    /* Guarded by the lock: */
    struct dpk_urom_channel channel;
    bool entered, said_bye, lost;
    uint64_t bye_at; /* time in milliseconds when the worker was asked to end */
    uint64_t id;
    struct dpk_buf addresses;           /* the body of READY after the id */
    struct urom_command *first, *ended; /* commands in progress; ended commands */
    struct urom_join *joins;
    /* Memory of commands while it runs: a payload and a response for each. */
    uint32_t max_size, slot_count;
    uint8_t *memory;
    bool *taken;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
};
extern const struct dpk_kind urom_worker_kind;

extern const struct dpk_task_type urom_command_type;
/* Make and free the memory of commands. Call these with the lock, while no command exists. */
doca_error_t urom_commands_begin(struct urom_worker *w);
void urom_commands_end(struct urom_worker *w);
/* Takes the answer to a command. Returns false if there is no such command, or its form is wrong. Call
 * this with the lock. */
bool urom_command_answered(struct urom_worker *w, struct dpk_reader *body);
/* Ends all commands under way. Call this with the lock. */
void urom_commands_fail(struct urom_worker *w, doca_error_t status);
/* Calls the program's callback for a command that has ended. Call this without the lock. Returns
 * false if no command has ended. */
bool urom_commands_tell(struct urom_worker *w);

#endif
