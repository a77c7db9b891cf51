/*
 * sample: activity of a device between two measurements: its processes and threads, execution
 * units, queues, port and events, with totals and rates.
 *
 *     struct top *top = NULL;
 *     dpatop_top_open("mlx5_0", &top, &err);                  // counting begins
 *     for (;;) {
 *         for each 20 ms: dpatop_top_tick(top);               // samples only the units
 *         dpatop_top_measure(top, &err);                      // ends an interval, begins the next
 *         const struct dpatop_top_seen *seen = dpatop_top_seen(top);
 *     }
 *     dpatop_top_close(top);                                  // counting ends, if dpatop_top_open started it
 */
#ifndef DPK_DPATOP_SAMPLE_H
#define DPK_DPATOP_SAMPLE_H

#include "cli/cli.h"
#include "device/counters/counters.h"
#include "device/running/running.h"

#define TOP_TICK_MS 20
#define TOP_EVENTS  100 /* latest events of the log */

/* Activity of threads: totals since counting began, and rates in the interval. */
struct top_load {
    uint64_t instructions, ns, executions;
    double instructions_rate, executions_rate; /* per second */
    double busy; /* busy processors: 1.0 is one processor all the time */
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
    struct dpk_units units; /* its units at the end of the interval */
    struct top_load load;   /* sum of its threads */
    struct top_thread *threads;
    size_t thread_count;
};

struct top_queue {
    enum dpk_counted kind;
    uint32_t number, process;
    bool gone;
    uint64_t packets, bytes, drops;
    double packets_rate, bytes_rate, drops_rate; /* per second */
};

struct top_event {
    char time[DPK_TOOL_TIME];
    int64_t pid;
    char command[32], action[32], result[32], detail[160]; /* safe for a terminal; cut */
};

struct top_seen {
    double seconds; /* length of the interval; 0 before the first */
    struct top_process *processes;
    size_t count;
    double busy[DPK_UNITS_MAX]; /* of each unit: fraction of samples in which a process had it */
    uint64_t port[DPK_COUNTERS];
    double port_rates[DPK_COUNTERS]; /* per second */
    struct top_queue *queues;
    size_t queue_count;
    struct top_event events[TOP_EVENTS]; /* the latest event is last */
    size_t event_count;
};

struct top;
/* Opens the device and measures once; all rates are 0 then. Errors are those of state.h, running.h
 * and counters.h. */
enum dpk_status dpatop_top_open(const char *device, struct top **out, struct dpk_error *err);
/* Samples the used units. */
void dpatop_top_tick(struct top *top);
/* Measures everything, and invalidates earlier results of dpatop_top_seen. */
enum dpk_status dpatop_top_measure(struct top *top, struct dpk_error *err);
/* Returns the last measurement, borrowed until the next dpatop_top_measure. */
const struct top_seen *dpatop_top_seen(const struct top *top);
void dpatop_top_close(struct top *top); /* NULL is allowed */

/* Returns the measurement as JSON; release it with cJSON_Delete. json.c */
cJSON *dpatop_top_json(const char *device, const struct top_seen *seen);

#endif
