/*
 * process: what the files of proc share of a process. sched's lock guards it; functions here want
 * it held unless they say otherwise.
 */
#ifndef DPK_PROC_PROCESS_H
#define DPK_PROC_PROCESS_H

#include <limits.h>

#include "guest/dpa_abi.h"
#include "proc/layout.h"
#include "proc/proc.h"
#include "rv64/rv64.h"
#include "sched/sched.h"

struct dpk_process {
    struct sched_group group; /* its harts */
    struct rv64_memory *memory;
    struct rv64_core *core;
    struct dpk_image *image;
    struct hart *harts[HARTS_MAX]; /* by id, made at first use */
    char device[64];          /* its name, for those who look; may be empty */
    char directory[PATH_MAX]; /* and where it is */
    struct list in_device;

    /* failure.c */
    enum dpk_status failed; /* DPK_OK: runs */
    char failure[800];
    bool ended_itself;
    struct hart *culprit;          /* whose fault it was, if anybody's */
    struct dpk_call error_handler; /* function 0: none */
    int failure_fd;                /* -1: nobody asked */

    /* launch.c */
    struct list launches; /* kernels, the first one runs or waits */
    uint64_t launches_made, launches_ended;

    /* thread.c, trigger.c, event.c */
    struct list threads;
    struct dpk_trigger **triggers; /* handle - 1 is the index */
    size_t trigger_count, trigger_capacity;
    struct dpk_event **events; /* handle - 1 is the index */
    size_t event_count, event_capacity;

    /* syscall.c */
    struct {
        dpk_device_call handler;
        void *context;
    } calls[DPA_SYS_FAMILIES];
    struct dpk_external_memory external;
    pthread_mutex_t sink_lock; /* held during a message; no other lock is taken inside */
    dpk_message_sink sink;
    void *sink_context;

    /* memory.c */
    pthread_rwlock_t in_flight; /* read: an access of the host's; no lock inside */
    pthread_mutex_t heap_lock;
    struct heap *heap;
    uint64_t heap_size, heap_mapped;

    /* stall.c */
    void (*warn)(const char *text);
    uint64_t warn_after; /* nanoseconds */
    bool warned;
    struct list stalls;

    /* debugger.c, control.c */
    struct dpk_debugger *debugger; /* changes only while the process stands still */
    int debugger_fd;               /* eventfd: there may be something to tell it; -1: no debugger */
    bool hold_new;                 /* the debugger wants harts that start to stay where they are */
    uint64_t token;                /* by which debuggers come; 0: none may */
};

static inline struct dpk_process *process_of(struct sched_group *g)
{
    return owner_of(g, struct dpk_process, group);
}

/* The failure as an error; DPK_OK if there is none. */
enum dpk_status process_state(const struct dpk_process *p, struct dpk_error *err);
/* DPK_ERR_NOMEM if the host gives no thread to run on. */
enum dpk_status process_start_workers(struct dpk_error *err);
/* Makes the process stand still, whoever else does so; waits for slices to end. */
void process_hold(struct dpk_process *p);
void process_release(struct dpk_process *p);
/* There may be something to tell the debugger, if there is one. */
void process_wake_debugger(const struct dpk_process *p);

#endif
