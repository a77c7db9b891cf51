#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const dpatop_table_names[VIEWS] = {"processes", "threads", "queues", "events"};

void dpatop_table_put_number(struct dpk_buf *out, double value)
{
    static const char prefixes[] = " kMGTPE";
    size_t i = 0;
    for (; value >= 999.5 && prefixes[i + 1]; i++)
        value /= 1000;
    if (i > 0)
        dpk_put_format(out, "%.*f %c",
                       value < 9.995   ? 2
                       : value < 99.95 ? 1
                                       : 0,
                       value, prefixes[i]);
    else
        dpk_put_format(out, "%.0f", value);
}

static void put_rate(struct dpk_buf *out, double value)
{
    if (value > 0)
        dpatop_table_put_number(out, value);
    else
        dpk_put_format(out, "-");
}

static void put_percent(struct dpk_buf *out, double part)
{
    dpk_put_format(out, "%.1f %%", 100 * part);
}

/* ---- Columns of loads: of processes and of threads ---- */

#define COLUMN(name, type, value, put_it)                                                          \
    static double name##_of(const void *row)                                                       \
    {                                                                                              \
        const struct type *r = row;                                                                \
        return (double)(value);                                                                    \
    }                                                                                              \
    static void put_##name(struct dpk_buf *out, const void *row)                                   \
    {                                                                                              \
        const struct type *r = row;                                                                \
        put_it;                                                                                    \
    }

COLUMN(process, top_process, r->number, dpk_put_format(out, "%x", r->number))
COLUMN(pid, top_process, r->pid, dpk_put_format(out, "%" PRIu32, r->pid))
COLUMN(thread_count, top_process, r->thread_count, dpk_put_format(out, "%zu", r->thread_count))
COLUMN(units, top_process, dpk_units_count(&r->units),
       dpk_put_format(out, "%u", dpk_units_count(&r->units)))
COLUMN(process_busy, top_process, r->load.busy, put_percent(out, r->load.busy))
COLUMN(process_instructions, top_process, r->load.instructions_rate,
       put_rate(out, r->load.instructions_rate))
COLUMN(process_executions, top_process, r->load.executions_rate,
       put_rate(out, r->load.executions_rate))

COLUMN(owner, top_thread, r->process->number, dpk_put_format(out, "%x", r->process->number))
COLUMN(thread, top_thread, r->number, dpk_put_format(out, "%x", r->number))
COLUMN(thread_busy, top_thread, r->load.busy, put_percent(out, r->load.busy))
COLUMN(thread_instructions, top_thread, r->load.instructions_rate,
       put_rate(out, r->load.instructions_rate))
COLUMN(thread_executions, top_thread, r->load.executions_rate,
       put_rate(out, r->load.executions_rate))
COLUMN(per_execution, top_thread,
       r->load.executions ? (double)r->load.instructions / (double)r->load.executions : 0,
       put_rate(out, per_execution_of(r)))

COLUMN(number, top_queue, r->number, dpk_put_format(out, "0x%" PRIx32, r->number))
COLUMN(user, top_queue, r->process,
       dpk_put_format(out, "%" PRIu32 "%s", r->process, r->gone ? "*" : ""))
COLUMN(packets, top_queue, r->packets_rate, put_rate(out, r->packets_rate))
COLUMN(bytes, top_queue, r->bytes_rate, put_rate(out, r->bytes_rate))
COLUMN(all_packets, top_queue, r->packets, put_rate(out, (double)r->packets))
COLUMN(drops, top_queue, r->drops, put_rate(out, (double)r->drops))

COLUMN(event_pid, top_event, r->pid, dpk_put_format(out, "%" PRId64, r->pid))

/* ---- Columns of texts ---- */

static void put_process_name(struct dpk_buf *out, const void *row)
{
    dpk_put_format(out, "%s", ((const struct top_process *)row)->name);
}

static void put_thread_name(struct dpk_buf *out, const void *row)
{
    dpk_put_format(out, "%s", ((const struct top_thread *)row)->name);
}

static void put_kind(struct dpk_buf *out, const void *row)
{
    dpk_put_format(out, ((const struct top_queue *)row)->kind == DPK_COUNTED_SQ ? "SQ" : "RQ");
}

static void put_time(struct dpk_buf *out, const void *row)
{
    dpk_put_format(out, "%s", ((const struct top_event *)row)->time);
}

static void put_action(struct dpk_buf *out, const void *row)
{
    dpk_put_format(out, "%s", ((const struct top_event *)row)->action);
}

static void put_result(struct dpk_buf *out, const void *row)
{
    dpk_put_format(out, "%s", ((const struct top_event *)row)->result);
}

static void put_detail(struct dpk_buf *out, const void *row)
{
    const struct top_event *e = row;
    dpk_put_format(out, "%s%s%s", e->command, e->detail[0] ? ": " : "", e->detail);
}

/* ---- Views ---- */

static const struct table_column processes[] = {
    {"PROCESS", -9, process_of, put_process, false},
    {"PID", 9, pid_of, put_pid, false},
    {"THREADS", 9, thread_count_of, put_thread_count, false},
    {"UNITS", 7, units_of, put_units, true},
    {"BUSY", 10, process_busy_of, put_process_busy, false},
    {"INSTR/S", 10, process_instructions_of, put_process_instructions, false},
    {"EXEC/S", 10, process_executions_of, put_process_executions, true},
    {"NAME", 0, NULL, put_process_name, false},
    {0}};
static const struct table_column threads[] = {
    {"PROCESS", -9, owner_of, put_owner, false},
    {"THREAD", -8, thread_of, put_thread, false},
    {"BUSY", 9, thread_busy_of, put_thread_busy, false},
    {"INSTR/S", 10, thread_instructions_of, put_thread_instructions, false},
    {"EXEC/S", 10, thread_executions_of, put_thread_executions, false},
    {"INSTR/EXEC", 12, per_execution_of, put_per_execution, true},
    {"FUNCTION", 0, NULL, put_thread_name, false},
    {0}};
static const struct table_column queues[] = {{"QUEUE", -7, NULL, put_kind, false},
                                             {"NUMBER", -10, number_of, put_number, false},
                                             {"PACKETS/S", 11, packets_of, put_packets, false},
                                             {"BYTES/S", 11, bytes_of, put_bytes, false},
                                             {"PACKETS", 11, all_packets_of, put_all_packets, true},
                                             {"DROPS", 9, drops_of, put_drops, false},
                                             {"PID (*: GONE)", 0, user_of, put_user, false},
                                             {0}};
static const struct table_column events[] = {
    {"TIME", -21, NULL, put_time, false},     {"PID", 9, event_pid_of, put_event_pid, true},
    {"ACTION", -16, NULL, put_action, false}, {"RESULT", -10, NULL, put_result, false},
    {"PROGRAM", 0, NULL, put_detail, false},  {0}};
static const struct {
    const struct table_column *columns;
    unsigned first; /* initial column for sorting, descending */
} views[VIEWS] = {{processes, 4}, {threads, 2}, {queues, 2}, {events, 0}};

const struct table_column *dpatop_table_columns(enum view view)
{
    return views[view].columns;
}

unsigned dpatop_table_column_count(enum view view)
{
    unsigned n = 0;
    while (views[view].columns[n].title)
        n++;
    return n;
}

void dpatop_table_choose(struct table *t, enum view view)
{
    t->view = view;
    t->column = views[view].first;
    t->falling = true;
}

/* ---- Rows ---- */

static size_t most_rows(enum view view, const struct top_seen *seen)
{
    size_t n = 0;
    switch (view) {
    case VIEW_PROCESSES:
        return seen->count;
    case VIEW_QUEUES:
        return seen->queue_count;
    case VIEW_EVENTS:
        return seen->event_count;
    default:
        for (size_t i = 0; i < seen->count; i++)
            n += seen->processes[i].thread_count;
        return n;
    }
}

static void take_threads(struct table *t, const struct top_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        for (size_t k = 0; k < seen->processes[i].thread_count; k++)
            t->rows[t->count++] = &seen->processes[i].threads[k];
}

static void take_rows(struct table *t, const struct top_seen *seen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        t->rows[t->count++] = t->view == VIEW_PROCESSES ? (const void *)&seen->processes[i]
                              : t->view == VIEW_QUEUES  ? (const void *)&seen->queues[i]
                                                        : (const void *)&seen->events[i];
}

static int compare_texts(const struct table_column *c, const void *a, const void *b)
{
    struct dpk_buf x = {0}, y = {0};
    c->put(&x, a);
    c->put(&y, b);
    dpk_put(&x, "", 1);
    dpk_put(&y, "", 1);
    const int order = x.failed || y.failed ? 0 : strcmp((char *)x.data, (char *)y.data);
    dpk_buf_free(&x);
    dpk_buf_free(&y);
    return order;
}

/* Equal rows are ordered by address, which is the order of their numbers. */
static int compare(const void *left, const void *right, void *table)
{
    const struct table *t = table;
    const struct table_column *c = &views[t->view].columns[t->column];
    const void *a = *(const void *const *)left, *b = *(const void *const *)right;
    int order;
    if (c->number) {
        const double x = c->number(a), y = c->number(b);
        order = (x > y) - (x < y);
    } else {
        order = compare_texts(c, a, b);
    }
    if (order == 0)
        return t->view == VIEW_EVENTS ? (a < b) - (a > b) : (a > b) - (a < b);
    return t->falling ? -order : order;
}

bool dpatop_table_fill(struct table *t, const struct top_seen *seen)
{
    const size_t most = most_rows(t->view, seen);
    dpatop_table_free(t);
    t->rows = calloc(most + 1, sizeof *t->rows);
    if (!t->rows)
        return false;
    if (t->view == VIEW_THREADS)
        take_threads(t, seen);
    else
        take_rows(t, seen, most);
    qsort_r(t->rows, t->count, sizeof *t->rows, compare, t);
    return true;
}

void dpatop_table_free(struct table *t)
{
    free(t->rows);
    t->rows = NULL;
    t->count = 0;
}

void dpatop_table_put_cell(struct dpk_buf *out, const struct table *t, size_t row, unsigned column)
{
    views[t->view].columns[column].put(out, t->rows[row]);
}
