/*
 * sample: what a device does between two looks: its processes and threads, execution units, queues,
 * port and events, with totals and rates.
 *
 *     struct top *top = NULL;
 *     top_open("mlx5_0", &top, &err);                  // counting begins
 *     for (;;) {
 *         for each 20 ms: top_tick(top);               // looks at the units alone
 *         top_measure(top, &err);                      // ends an interval, begins the next
 *         const struct top_seen *seen = top_seen(top);
 *     }
 *     top_close(top);                                  // counting ends, if it began it
 */
#ifndef DPK_DPATOP_SAMPLE_H
#define DPK_DPATOP_SAMPLE_H

#include "cli/cli.h"
#include "device/counters/counters.h"
#include "device/running/running.h"

#define TOP_TICK_MS 20
#define TOP_EVENTS  100 /* of the log, the latest */

/* What threads did: totals since counting began, and rates of the interval. */
struct top_load {
    uint64_t instructions, ns, executions;
    double instructions_rate, executions_rate; /* a second */
    double busy;                               /* processors: 1 is one, all the time */
};

struct top_thread {
    const struct top_process *process;
    unsigned number;
    char name[DPK_LIVE_NAME];
    struct top_load load;
};

struct top_process {
    unsigned number, vhca;
    uint32_t pid;
    char name[DPK_LIVE_NAME];
    struct dpk_units units; /* that it has at the end of the interval */
    struct top_load load;   /* of all its threads */
    struct top_thread *threads;
    size_t thread_count;
};

struct top_queue {
    enum dpk_counted kind;
    uint32_t number, process;
    bool gone;
    uint64_t packets, bytes, drops;
    double packets_rate, bytes_rate, drops_rate; /* a second */
};

struct top_event {
    char time[DPK_TOOL_TIME];
    int64_t pid;
    char command[32], action[32], result[32], detail[160]; /* fit for a terminal; cut */
};

struct top_seen {
    double seconds; /* how long the interval was; 0: there was none yet */
    struct top_process *processes;
    size_t count;
    double busy[DPK_UNITS_MAX]; /* of each unit: the part of the looks at which a process had it */
    uint64_t port[DPK_COUNTERS];
    double port_rates[DPK_COUNTERS]; /* a second */
    struct top_queue *queues;
    size_t queue_count;
    struct top_event events[TOP_EVENTS]; /* the latest last */
    size_t event_count;
};

struct top;
/* Opens the device and takes a first look, so that all rates are 0. Errors of state.h, running.h and
 * counters.h. */
enum dpk_status top_open(const char *device, struct top **out, struct dpk_error *err);
/* Looks at which units are taken. */
void top_tick(struct top *top);
/* Looks at all. What top_seen returned before is gone. */
enum dpk_status top_measure(struct top *top, struct dpk_error *err);
/* Borrowed, until the next top_measure. */
const struct top_seen *top_seen(const struct top *top);
void top_close(struct top *top); /* NULL is fine */

/* All of it as JSON, for cJSON_Delete. json.c */
cJSON *top_json(const char *device, const struct top_seen *seen);

#endif
