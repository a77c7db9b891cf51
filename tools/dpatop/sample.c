#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/state/state.h"

struct top {
    const char *device;
    char live[PATH_MAX]; /* the card's directory with its processes */
    struct dpk_live_watch *watch;
    struct dpk_counters *counters;
    struct dpk_counters_seen *read, *read_before;
    unsigned taken[DPK_UNITS_MAX], ticks;
    uint64_t time; /* time of the last measurement, ns; 0 before the first */
    bool collects; /* this program started counting */
    struct top_seen seen;
};

/* Returns the rate of a counter. A value below the last value means that the counter was reset. */
static double rate(uint64_t value, uint64_t before, double seconds)
{
    return seconds > 0 ? (double)(value - (value < before ? 0 : before)) / seconds : 0;
}

static void free_processes(struct top_process *processes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(processes[i].threads);
    free(processes);
}

/* ---- Processes and threads ---- */

static void set_rates(struct top_load *l, const struct top_load *before, double seconds)
{
    l->instructions_rate = rate(l->instructions, before->instructions, seconds);
    l->executions_rate = rate(l->executions, before->executions, seconds);
    l->busy = rate(l->ns, before->ns, seconds) / 1e9;
}

static void add_load(struct top_load *sum, const struct top_load *l)
{
    sum->instructions += l->instructions;
    sum->ns += l->ns;
    sum->executions += l->executions;
    sum->instructions_rate += l->instructions_rate;
    sum->executions_rate += l->executions_rate;
    sum->busy += l->busy;
}

/* Returns the same process in the last measurement, or NULL. */
static const struct top_process *process_before(const struct top_seen *seen,
                                                const struct dpk_live_process *p)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->processes[i].number == p->number && seen->processes[i].pid == p->pid)
            return &seen->processes[i];
    return NULL;
}

/* Both lists are sorted by number; the search continues at *from. */
static const struct top_load *thread_before(const struct top_process *before, unsigned number,
                                            size_t *from)
{
    static const struct top_load nothing;
    while (before && *from < before->thread_count && before->threads[*from].number < number)
        (*from)++;
    if (!before || *from == before->thread_count || before->threads[*from].number != number)
        return &nothing;
    return &before->threads[*from].load;
}

static bool take_process(struct top_process *to, const struct dpk_live_process *p,
                         const struct top_process *before, double seconds)
{
    size_t from = 0;
    *to = (struct top_process){
        .number = p->number, .vhca = p->vhca, .pid = p->pid, .units = p->units};
    memcpy(to->name, p->name, sizeof to->name);
    to->threads = calloc(p->thread_count + 1, sizeof *to->threads);
    if (!to->threads)
        return false;
    for (size_t i = 0; i < p->thread_count; i++) {
        const struct dpk_live_thread *t = &p->threads[i];
        struct top_thread *out = &to->threads[to->thread_count++];
        *out = (struct top_thread){.process = to, .number = t->number};
        memcpy(out->name, t->name, sizeof out->name);
        out->load.instructions = t->instructions;
        out->load.ns = t->ns;
        out->load.executions = t->executions;
        set_rates(&out->load, thread_before(before, t->number, &from), seconds);
        add_load(&to->load, &out->load);
    }
    return true;
}

static enum dpk_status take_processes(struct top *top, double seconds, struct dpk_error *err)
{
    struct dpk_live_seen live;
    enum dpk_status status = dpk_live_look(top->live, true, &live, err);
    if (status != DPK_OK)
        return status;
    struct top_process *all = calloc(live.count + 1, sizeof *all);
    size_t count = 0;
    if (!all)
        status = dpk_fail_nomem(err);
    for (; status == DPK_OK && count < live.count; count++)
        if (!take_process(&all[count], &live.processes[count],
                          process_before(&top->seen, &live.processes[count]), seconds))
            status = dpk_fail_nomem(err);
    if (status == DPK_OK) {
        free_processes(top->seen.processes, top->seen.count);
        top->seen.processes = all;
        top->seen.count = count;
    } else if (all) {
        free_processes(all, count);
    }
    /* Another program that counted, such as dpa-statistics with a time limit, may have ended
     * counting. */
    const bool counts = live.collects;
    dpk_live_seen_free(&live);
    if (status == DPK_OK && !counts) {
        status = dpk_live_collect(top->live, UINT_MAX, true, false, err);
        top->collects |= status == DPK_OK;
    }
    return status;
}

/* ---- Units ---- */

void dpatop_top_tick(struct top *top)
{
    const struct dpk_units taken = dpk_live_watch_units(top->watch);
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++)
        top->taken[i] += dpk_units_have(&taken, i);
    top->ticks++;
}

static void take_units(struct top *top)
{
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++)
        top->seen.busy[i] = top->ticks > 0 ? (double)top->taken[i] / top->ticks : 0;
    memset(top->taken, 0, sizeof top->taken);
    top->ticks = 0;
}

/* ---- Port and queues ---- */

struct traffic {
    uint64_t packets, bytes, drops;
};

static struct traffic traffic_of(const struct dpk_counters_queue *q)
{
    const bool sends = q->kind == DPK_COUNTED_SQ;
    struct traffic out = {q->values[sends ? DPK_SENT : DPK_RECEIVED],
                          q->values[sends ? DPK_SENT_BYTES : DPK_RECEIVED_BYTES], 0};
    for (unsigned i = DPK_FIRST_DROP; i < DPK_DROPS_END; i++)
        out.drops += q->values[i];
    return out;
}

static struct traffic queue_before(const struct dpk_counters_seen *before,
                                   const struct dpk_counters_queue *q)
{
    for (size_t i = 0; i < before->count; i++)
        if (before->queues[i].kind == q->kind && before->queues[i].number == q->number &&
            before->queues[i].process == q->process)
            return traffic_of(&before->queues[i]);
    return (struct traffic){0};
}

static void take_queue(struct top_queue *to, const struct dpk_counters_queue *q,
                       const struct dpk_counters_seen *before, double seconds)
{
    const struct traffic is = traffic_of(q), was = queue_before(before, q);
    *to = (struct top_queue){.kind = q->kind,
                             .number = q->number,
                             .process = q->process,
                             .gone = q->gone,
                             .packets = is.packets,
                             .bytes = is.bytes,
                             .drops = is.drops,
                             .packets_rate = rate(is.packets, was.packets, seconds),
                             .bytes_rate = rate(is.bytes, was.bytes, seconds),
                             .drops_rate = rate(is.drops, was.drops, seconds)};
}

static void take_traffic(struct top *top, double seconds)
{
    struct dpk_counters_seen *before = top->read;
    top->read = top->read_before;
    top->read_before = before;
    dpk_counters_read(top->counters, false, top->read);
    for (unsigned i = 0; i < DPK_COUNTERS; i++) {
        top->seen.port[i] = top->read->port[i];
        top->seen.port_rates[i] = rate(top->read->port[i], before->port[i], seconds);
    }
    top->seen.queue_count = top->read->count;
    for (size_t i = 0; i < top->read->count; i++)
        take_queue(&top->seen.queues[i], &top->read->queues[i], before, seconds);
}

/* ---- Events ---- */

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
    dpk_text_clean_in(to, size);
}

static void take_event(void *context, const struct dpk_device_event *e)
{
    struct top_seen *seen = context;
    if (seen->event_count == TOP_EVENTS)
        return;
    struct top_event *to = &seen->events[seen->event_count++];
    dpk_tool_time(e->time, to->time);
    to->pid = e->pid;
    copy_text(to->command, sizeof to->command, e->command);
    copy_text(to->action, sizeof to->action, e->action);
    copy_text(to->result, sizeof to->result, e->result);
    copy_text(to->detail, sizeof to->detail, e->detail);
}

static enum dpk_status take_events(struct top *top, struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(top->device, &dev, err);
    top->seen.event_count = 0;
    if (status == DPK_OK)
        status = dpk_device_events(dev, TOP_EVENTS, take_event, &top->seen, err);
    dpk_device_close(dev);
    return status;
}

/* ---- Measurement ---- */

enum dpk_status dpatop_top_measure(struct top *top, struct dpk_error *err)
{
    const uint64_t time = dpk_now_ns();
    const double seconds = top->time ? (double)(time - top->time) / 1e9 : 0;
    dpatop_top_tick(top);
    top->time = time;
    top->seen.seconds = seconds;
    take_units(top);
    take_traffic(top, seconds);
    enum dpk_status status = take_processes(top, seconds, err);
    return status == DPK_OK ? take_events(top, err) : status;
}

const struct top_seen *dpatop_top_seen(const struct top *top)
{
    return &top->seen;
}

static enum dpk_status find_folders(struct top *top, struct dpk_error *err)
{
    char port[PATH_MAX];
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(top->device, &dev, err);
    if (status == DPK_OK)
        status = dpk_device_card_directory(dev, top->live, err);
    if (status == DPK_OK)
        status = dpk_device_directory(dev, port, err);
    dpk_device_close(dev);
    if (status == DPK_OK)
        status = dpk_counters_open(port, &top->counters, err);
    return status == DPK_OK ? dpk_live_watch(top->live, &top->watch, err) : status;
}

enum dpk_status dpatop_top_open(const char *device, struct top **out, struct dpk_error *err)
{
    struct top *top = calloc(1, sizeof *top);
    *out = NULL;
    if (!top)
        return dpk_fail_nomem(err);
    top->device = device;
    top->read = calloc(1, sizeof *top->read);
    top->read_before = calloc(1, sizeof *top->read_before);
    top->seen.queues = calloc(DPK_COUNTERS_QUEUES, sizeof *top->seen.queues);
    enum dpk_status status = top->read && top->read_before && top->seen.queues
                                 ? find_folders(top, err)
                                 : dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpatop_top_measure(top, err);
    if (status == DPK_OK)
        *out = top;
    else
        dpatop_top_close(top);
    return status;
}

void dpatop_top_close(struct top *top)
{
    if (!top)
        return;
    if (top->collects)
        (void)dpk_live_collect(top->live, UINT_MAX, false, false, NULL);
    dpk_live_watch_end(top->watch);
    dpk_counters_close(top->counters);
    free_processes(top->seen.processes, top->seen.count);
    free(top->seen.queues);
    free(top->read);
    free(top->read_before);
    free(top);
}
