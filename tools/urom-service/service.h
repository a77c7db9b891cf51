/* Declarations that the files of urom-service share: plugins, workers, programs. */
#ifndef DPK_UROM_SERVICE_SERVICE_H
#define DPK_UROM_SERVICE_SERVICE_H

#include <doca_error.h>
#include <limits.h>
#include <sys/types.h>

#include "base/base.h"
#include "bus/urom/urom.h"

struct plugin {
    uint64_t id, version;
    char name[DPK_UROM_NAME_MAX], path[PATH_MAX];
};

/* A connection of a program. */
struct program {
    struct program *next;
    struct dpk_urom_channel channel;
    bool greeted;
};

/* The process of a worker. The service keeps a copy of its socket, to inform the program when the
 * process ends. */
struct process {
    struct process *next;
    pid_t pid;
    int fd;
    uint64_t id;
    bool has_gid;
    uint32_t gid;
};

struct service {
    const char *device;
    char worker[PATH_MAX]; /* the program urom-worker */
    unsigned processors, max_workers;
    struct plugin plugins[DPK_UROM_PLUGINS_MAX];
    size_t plugin_count;
    struct dpk_comch_server *server;
    struct program *programs;
    struct process *processes;
    size_t program_count, process_count;
    uint64_t next_id;
};

/* ---- plugins.c ---- */

/* Finds the plugins in a folder. Other files are reported and ignored. Errors: DPK_ERR_NOT_FOUND if
 * there is no folder. */
enum dpk_status service_find_plugins(struct service *s, const char *folder, struct dpk_error *err);

/* ---- spawn.c ---- */

/* Starts a worker for a socket, which stays the caller's. Sends a refusal and returns false if it
 * cannot. */
bool service_spawn(struct service *s, struct dpk_urom_channel *c, const struct dpk_urom_wish *wish);
/* Handles the ends of processes. */
void service_reap(struct service *s);
/* Sends a refusal with its reason. */
void service_refuse(struct dpk_urom_channel *c, doca_error_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- programs.c ---- */

/* Serves programs until a signal ends the service. */
enum dpk_status service_serve(struct service *s, struct dpk_error *err);

#endif
