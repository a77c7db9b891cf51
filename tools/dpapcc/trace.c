/* Writes a trace for Perfetto (ui.perfetto.dev) and Chrome's viewer: Trace Event Format, JSON. Each
 * algorithm is a process; flows and queues are counters, events of packets are instants. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dpapcc.h"

static void put_text(struct dpk_buf *out, const char *text)
{
    char clean[256];
    snprintf(clean, sizeof clean, "%s", text);
    dpk_text_clean(clean);
    dpk_put_u8(out, '"');
    for (const char *c = clean; *c; c++) {
        if (*c == '"' || *c == '\\')
            dpk_put_u8(out, '\\');
        dpk_put(out, c, 1);
    }
    dpk_put_u8(out, '"');
}

/* "ts" is in microseconds. */
static void put_head(struct dpk_buf *out, const char *phase, size_t process, uint64_t time_ns,
                     const char *name)
{
    dpk_put_format(out, ",\n{\"ph\":\"%s\",\"pid\":%zu,\"tid\":0,\"ts\":%" PRIu64 ".%03u,\"name\":",
                   phase, process, time_ns / 1000, (unsigned)(time_ns % 1000));
    put_text(out, name);
}

/* Appends a counter over all samples; equal consecutive values are written once. */
static void put_counter(struct dpk_buf *out, size_t process, const struct series *s,
                        const char *name, const char *unit, const double *values, double scale)
{
    double before = NAN;
    for (size_t i = 0; i < s->count; i++) {
        double v = isfinite(values[i]) ? values[i] * scale : 0;
        if (v == before)
            continue;
        before = v;
        put_head(out, "C", process, (uint64_t)llround(s->time[i] * 1e9), name);
        dpk_put_format(out, ",\"args\":{\"%s\":%.6g}}", unit, v);
    }
}

static void put_mark(struct dpk_buf *out, size_t process, const struct run *r, const struct mark *m)
{
    static const char *const names[] = {
        [CC_MARK_DROP] = "drop",      [CC_MARK_PAUSE] = "pause", [CC_MARK_RESUME] = "resume",
        [CC_MARK_CNP] = "CNP",        [CC_MARK_START] = "start", [CC_MARK_END] = "end",
        [CC_MARK_DOWN] = "link down", [CC_MARK_UP] = "link up"};
    put_head(out, "i", process, m->time_ns, names[m->what]);
    dpk_put_format(out, ",\"s\":\"p\",\"args\":{");
    if (m->flow != UINT32_MAX)
        dpk_put_format(out, "\"flow\":%" PRIu32 "%s", m->flow, m->queue != UINT32_MAX ? "," : "");
    if (m->queue < r->results.queue_count) {
        dpk_put_format(out, "\"queue\":");
        put_text(out, r->results.queues[m->queue].name);
    } else if (m->queue != UINT32_MAX) {
        dpk_put_format(out, "\"queue\":%" PRIu32, m->queue);
    }
    dpk_put_format(out, "}}");
}

static void put_run(struct dpk_buf *out, size_t process, const struct run *r, double *room)
{
    const struct series *s = &r->series;
    char name[64 + sizeof r->results.queues[0].name];
    uint32_t queues[QUEUES_SHOWN];
    size_t count;
    put_head(out, "M", process, 0, "process_name");
    dpk_put_format(out, ",\"args\":{\"name\":");
    put_text(out, r->algorithm->name);
    dpk_put_format(out, "}}");
    put_counter(out, process, s, "throughput", "Gbit/s", s->goodput, 1e-9);
    for (uint32_t i = 0; i < FLOWS_SHOWN && i < r->results.flow_count; i++) {
        snprintf(name, sizeof name, "flow %" PRIu32 " rate", i);
        put_counter(out, process, s, name, "% of line", s->flow_rate[i], 100);
        snprintf(name, sizeof name, "flow %" PRIu32 " round trip", i);
        put_counter(out, process, s, name, "us", s->flow_rtt[i], 1e6);
    }
    count = dpapcc_run_queues(r, queues);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "queue %s", r->results.queues[queues[i]].name);
        dpapcc_series_queue(s, queues[i], room);
        put_counter(out, process, s, name, "bytes", room, 1);
    }
    const struct mark *marks = dpapcc_run_marks(r, &count);
    for (size_t i = 0; i < count; i++)
        put_mark(out, process, r, &marks[i]);
}

void dpapcc_trace_json(const struct report *r, struct dpk_buf *out)
{
    struct dpk_buf room = {0};
    dpk_put_format(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                        "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_labels\","
                        "\"args\":{\"labels\":\"virtual time\"}}");
    for (size_t i = 0; i < r->count; i++) {
        if (dpk_buf_reserve(&room, r->runs[i].series.count * sizeof(double) + 1))
            put_run(out, i + 1, &r->runs[i], (double *)(void *)room.data);
    }
    out->failed |= room.failed;
    dpk_put_format(out, "\n]}\n");
    dpk_buf_free(&room);
}
