/*
 * core: what all of DOCA stands on: handles of objects (object.h), descriptors for peers
 * (descriptor.h), devices, contexts with their tasks and progress engines, errors and the log of
 * the SDK. It knows no kind of context.
 *
 *     struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);   // NULL: not a device
 *     ... d->context ...
 *     dpk_object_drop(d);
 */
#ifndef DPK_DOCA_CORE_H
#define DPK_DOCA_CORE_H

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>

#include "doca/core/descriptor.h"
#include "doca/core/object.h"
#include "host/host.h"
#include "memory/memory.h"

/* What a DOCA function returns for a status of ours. */
doca_error_t dpk_doca_error(enum dpk_status status);

/* One line in the log of the SDK; where the program has none, on stderr. */
#define dpk_doca_log(level, ...) dpk_doca_log_at((level), __FILE__, __LINE__, __func__, __VA_ARGS__)
void dpk_doca_log_at(uint32_t level, const char *file, int line, const char *function,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Logs `err` and says what a DOCA function returns for it. `call`: the function's name. */
doca_error_t dpk_doca_failed(const char *call, const struct dpk_error *err);

/* ---- Devices ---- */

struct dpk_devinfo {
    struct dpk_object object;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
};
extern const struct dpk_kind dpk_devinfo_kind;

struct dpk_dev {
    struct dpk_object object;
    struct dpk_devinfo *info; /* a reference; its handle is doca_dev_as_devinfo's */
    struct ibv_context *context;
    struct dpk_memory_domain *domain; /* one for a device, however often that is open */
};
extern const struct dpk_kind dpk_dev_kind;

/* ---- Contexts ---- */

struct dpk_ctx;

struct dpk_ctx_ops {
    /* With the object's lock held. `stop` may return IN_PROGRESS: then dpk_ctx_stopped follows. */
    doca_error_t (*start)(struct dpk_ctx *ctx);
    doca_error_t (*stop)(struct dpk_ctx *ctx);
    /* Does one piece of work, calls back; false: there was none. Without the lock. May be NULL. */
    bool (*progress)(struct dpk_ctx *ctx);
    bool has_datapath; /* dpk_ctx_set_datapath is for it */
};

/* The first member of every object that is a context. */
struct dpk_ctx {
    struct dpk_object object;
    const struct dpk_ctx_ops *ops;
    _Atomic(enum doca_ctx_states) state;
    void *datapath; /* the object that carries out its data path: a reference; NULL: not set */
    union doca_data user_data;
    doca_ctx_state_changed_callback_t changed;
    struct dpk_pe *pe; /* a use */
    struct dpk_ctx *next_in_pe;
};

void dpk_ctx_init(struct dpk_ctx *ctx, const struct dpk_ctx_ops *ops);
/* The context of an object whose kind begins with one; for the doca_..._as_ctx functions. NULL: it
 * is not an object of that kind. */
struct doca_ctx *dpk_ctx_of(const void *handle, const struct dpk_kind *kind);
/* Takes it out of its progress engine; for the kind's `left`. */
void dpk_ctx_left(struct dpk_ctx *ctx);
/* Drops what it holds; for the kind's release. */
void dpk_ctx_clear(struct dpk_ctx *ctx);
/* Ends a stop that was IN_PROGRESS, and tells the program. Without the lock. */
void dpk_ctx_stopped(struct dpk_ctx *ctx);
/* Says which object carries out its data path. NOT_SUPPORTED: not of this kind. BAD_STATE: not
 * idle. */
doca_error_t dpk_ctx_set_datapath(struct dpk_ctx *ctx, void *object);
bool dpk_ctx_is_running(const struct dpk_ctx *ctx);
doca_error_t dpk_ctx_start(struct dpk_ctx *ctx);
doca_error_t dpk_ctx_stop(struct dpk_ctx *ctx);

/* ---- Tasks ---- */

/* The first member of every task. A task uses its context until it is freed. */
struct dpk_task {
    struct dpk_object object;
    struct dpk_work *work; /* the queue that it waits in */
    struct dpk_ctx *ctx;   /* a use */
    struct dpk_task *next;
    enum { DPK_TASK_NEW, DPK_TASK_SUBMITTED, DPK_TASK_ENDED } state;
    bool freed;          /* while it was submitted */
    doca_error_t status; /* once it has ended */
    union doca_data user_data;
    /* Carries it out, and tells the program that it has ended. Without a lock. */
    doca_error_t (*run)(struct dpk_task *task);
    void (*ended)(struct dpk_task *task, union doca_data ctx_user_data);
};
extern const struct dpk_kind dpk_task_kind;

/* The tasks of a context: under its lock. */
struct dpk_work {
    struct dpk_task *first, *last; /* submitted ones */
    uint32_t count, max;           /* that are not freed */
};

/* Makes a task of `size` bytes known; NULL: as many as there may be, or out of memory. With the
 * context's lock. */
struct dpk_task *dpk_task_new(struct dpk_ctx *ctx, struct dpk_work *work, size_t size);
/* For struct dpk_ctx_ops: the next task; a stop that waits for tasks. */
bool dpk_work_progress(struct dpk_ctx *ctx, struct dpk_work *work);
doca_error_t dpk_work_stop(const struct dpk_work *work);

/* A number that no other process has, nor a child of fork(). */
const struct dpk_uuid *dpk_process_identity(void);

#endif
