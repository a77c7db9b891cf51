/* dpatop --once: prints one measurement as JSON. */
#include "sample.h"

static void add_load(cJSON *o, const struct top_load *l)
{
    dpk_json_integer(o, "instructions", l->instructions);
    dpk_json_integer(o, "ns", l->ns);
    dpk_json_integer(o, "executions", l->executions);
    cJSON_AddNumberToObject(o, "instructions_per_second", l->instructions_rate);
    cJSON_AddNumberToObject(o, "executions_per_second", l->executions_rate);
    cJSON_AddNumberToObject(o, "busy", l->busy);
}

/* Appends an object to an array. */
static cJSON *next(cJSON *array)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(array, o);
    return o;
}

static void add_process(cJSON *o, const struct top_process *p)
{
    struct dpk_buf units = {0};
    cJSON_AddNumberToObject(o, "number", p->number);
    cJSON_AddNumberToObject(o, "pid", p->pid);
    cJSON_AddNumberToObject(o, "vhca", p->vhca);
    cJSON_AddStringToObject(o, "name", p->name);
    dpk_units_put(&units, &p->units, true);
    dpk_put(&units, "", 1);
    cJSON_AddStringToObject(o, "units", units.failed ? "?" : (const char *)units.data);
    dpk_buf_free(&units);
    add_load(o, &p->load);
    cJSON *threads = cJSON_AddArrayToObject(o, "threads");
    for (size_t i = 0; i < p->thread_count; i++) {
        cJSON *t = next(threads);
        cJSON_AddNumberToObject(t, "number", p->threads[i].number);
        cJSON_AddStringToObject(t, "name", p->threads[i].name);
        add_load(t, &p->threads[i].load);
    }
}

static void add_units(cJSON *array, const struct top_seen *seen)
{
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++) {
        if (seen->busy[i] <= 0)
            continue;
        cJSON *o = next(array);
        cJSON_AddNumberToObject(o, "unit", i);
        cJSON_AddNumberToObject(o, "busy", seen->busy[i]);
    }
}

static void add_port(cJSON *o, const struct top_seen *seen)
{
    cJSON *rates = cJSON_AddObjectToObject(o, "per_second");
    for (unsigned i = 0; i < DPK_COUNTERS; i++) {
        dpk_json_integer(o, dpk_counter_name(i), seen->port[i]);
        cJSON_AddNumberToObject(rates, dpk_counter_name(i), seen->port_rates[i]);
    }
}

static void add_queue(cJSON *o, const struct top_queue *q)
{
    cJSON_AddStringToObject(o, "kind", q->kind == DPK_COUNTED_SQ ? "SQ" : "RQ");
    cJSON_AddNumberToObject(o, "number", q->number);
    cJSON_AddNumberToObject(o, "process", q->process);
    cJSON_AddBoolToObject(o, "gone", q->gone);
    dpk_json_integer(o, "packets", q->packets);
    dpk_json_integer(o, "bytes", q->bytes);
    dpk_json_integer(o, "drops", q->drops);
    cJSON_AddNumberToObject(o, "packets_per_second", q->packets_rate);
    cJSON_AddNumberToObject(o, "bytes_per_second", q->bytes_rate);
    cJSON_AddNumberToObject(o, "drops_per_second", q->drops_rate);
}

static void add_event(cJSON *o, const struct top_event *e)
{
    cJSON_AddStringToObject(o, "time", e->time);
    cJSON_AddNumberToObject(o, "pid", (double)e->pid);
    cJSON_AddStringToObject(o, "command", e->command);
    cJSON_AddStringToObject(o, "action", e->action);
    cJSON_AddStringToObject(o, "result", e->result);
    cJSON_AddStringToObject(o, "detail", e->detail);
}

cJSON *dpatop_top_json(const char *device, const struct top_seen *seen)
{
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "device", device);
    cJSON_AddNumberToObject(o, "seconds", seen->seconds);
    cJSON *list = cJSON_AddArrayToObject(o, "processes");
    for (size_t i = 0; i < seen->count; i++)
        add_process(next(list), &seen->processes[i]);
    add_units(cJSON_AddArrayToObject(o, "units"), seen);
    add_port(cJSON_AddObjectToObject(o, "port"), seen);
    list = cJSON_AddArrayToObject(o, "queues");
    for (size_t i = 0; i < seen->queue_count; i++)
        add_queue(next(list), &seen->queues[i]);
    list = cJSON_AddArrayToObject(o, "events");
    for (size_t i = 0; i < seen->event_count; i++)
        add_event(next(list), &seen->events[i]);
    return o;
}
