/*
 * process: the process as the files of proc see it. sched's lock guards it, and functions here are
 * called with it held unless they say otherwise.
 */
#ifndef DPK_ENGINE_PROC_PROCESS_H
#define DPK_ENGINE_PROC_PROCESS_H

#include <limits.h>

#include "device/running/running.h"
#include "engine/proc/layout.h"
#include "engine/proc/proc.h"
#include "engine/rv64/rv64.h"
#include "engine/sched/sched.h"
#include "guest/abi/dpa_abi.h"

/* Units by their numbers on the card. */
struct process_units {
    struct dpk_units all, ungrouped; /* ungrouped: units that are in no group, for users without
                                      * affinity */
    bool renumbered;                 /* the program numbers them from 0 */
    unsigned group_count;
    struct process_group {
        uint32_t id;
        struct dpk_units units;
    } groups[DPK_EUS_MAX];
};

struct dpk_process {
    struct sched_group group; /* its harts */
    struct rv64_memory *memory;
    struct rv64_core *core;
    struct dpk_image *image;
    struct process_layout layout;
    struct hart *harts[HARTS_MAX]; /* by id; each is made at first use */
    char device[64];               /* the device's name; may be empty */
    char directory[PATH_MAX];      /* the device's directory; may be empty */
    struct list in_device;

    /* place.c, affinity.c */
    struct dpk_live *live; /* data that other programs see; NULL if nothing is shared */
    struct device_share *place;   /* card of the process */
    struct list in_place;
    struct process_units units;

    struct {
        bool align;  /* misaligned loads and stores fault */
        bool memory; /* external memory has caches (window_cache.h), and stores wait for fences */
    } strict;        /* process.c: DPAKIT_STRICT */

    /* store_buffer.c */
    atomic_bool has_doorbells;
    _Atomic uint64_t told_early[16]; /* reported doorbells and stores; 0: none yet */

    /* failure.c */
    _Atomic enum dpk_status failed; /* DPK_OK if it has not failed; written with the lock */
    char failure[800];
    bool ended_itself;
    struct hart *culprit;          /* the hart that caused the failure, or NULL */
    struct dpk_call error_handler; /* function 0: not set */
    int failure_fd;                /* an eventfd; -1 if nobody requested it */
    void (*tell_failure)(const char *text);
    struct sched_timer telling; /* calls tell_failure */
    bool untold;                /* tell_failure is not called yet */

    /* kernel.c */
    struct list launches; /* its kernels that have not ended, in the order of their launches */
    uint64_t launches_made;

    /* thread.c, trigger.c, event.c */
    struct list threads;
    uint64_t activation_limit;     /* nanoseconds */
    bool limit_given;              /* the creator of the process gave the limit */
    struct dpk_trigger **triggers; /* index: handle - 1 */
    size_t trigger_count, trigger_capacity;
    struct dpk_event **events; /* index: handle - 1 */
    size_t event_count, event_capacity;

    /* syscall.c */
    struct {
        dpk_device_call handler;
        void *context;
    } calls[DPA_SYS_FAMILIES];
    struct dpk_external_memory external;
    pthread_mutex_t sink_lock; /* held while a message is delivered; taken without sched's lock */
    dpk_message_sink sink;
    void *sink_context;

    /* memory.c */
    pthread_rwlock_t in_flight; /* the host's accesses hold it for reading, dpk_heap_free writes */
    pthread_mutex_t heap_lock;
    struct heap *heap;
    uint64_t heap_size, heap_mapped;

    /* stall.c */
    void (*warn)(const char *text);
    uint64_t warn_after; /* nanoseconds */
    bool warned;
    struct list stalls;

    struct profiled *profiled; /* profile.c; NULL without a profile */
    struct asan *asan;         /* asan.c; NULL if the program is not compiled for it */
    struct recorded *recorded; /* recorded.c; NULL if it is not recorded */
    struct tsan *tsan;         /* tsan.c; NULL if the program is not compiled for it */
    struct covered *covered;   /* coverage.c; NULL if the program does not count */

    /* debugger.c, control.c */
    struct dpk_debugger *debugger; /* changes only while the process is held */
    int debugger_fd;               /* the debugger's eventfd (debugger.h); -1 without a debugger */
    bool hold_new;                 /* the debugger holds each hart that starts */
    uint64_t token;                /* number that debuggers must name; 0: debuggers may not
                                    * connect */
};

static inline struct dpk_process *process_of(struct sched_group *g)
{
    return owner_of(g, struct dpk_process, group);
}

/* Returns the failure as an error, or DPK_OK. */
enum dpk_status proc_process_state(const struct dpk_process *p, struct dpk_error *err);
/* Errors: DPK_ERR_NOMEM if the host cannot start a worker thread. */
enum dpk_status proc_process_start_workers(struct dpk_error *err);
/* Holds the process's harts, and waits until none of them runs. Holds of several callers add up. */
void proc_process_hold(struct dpk_process *p);
void proc_process_release(struct dpk_process *p);
/* Wakes the debugger, if there is one, because there may be a stop to report. */
void proc_process_wake_debugger(const struct dpk_process *p);

#endif
