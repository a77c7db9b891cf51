/* Shows the process that sets rates, and the rates of a device's queue pairs. */
#include "rates.h"

#include <inttypes.h>

#include "cli/cli.h"

#define LINE_GBPS 100.0

static const char *const names[DPK_RATES_TYPES] = {"tx", "ack", "nack", "rtt"};

static double gbps(uint32_t rate)
{
    return rate * LINE_GBPS / DPK_RATES_MAX;
}

static void put_flow(struct dpk_buf *out, const struct dpk_rates_row *r)
{
    dpk_put_format(out, "QP 0x%-9" PRIx32 " %10" PRIu32 "  %12.4f %14.1f %20" PRIu64 "\n", r->qp,
                   r->process, gbps(r->rate), r->rtt_ns / 1000.0, r->events);
}

void dpadev_rates_put(struct dpk_buf *out, const struct dpk_rates_seen *seen)
{
    if (seen->process == 0)
        return;
    dpk_put_format(out,
                   "\nCONGESTION CONTROL by process %" PRIu32 ": %" PRIu64 " programs, %" PRIu64
                   " flows, %" PRIu64 " changes of rates\nevents:",
                   seen->process, seen->programs, seen->flows, seen->changes);
    for (unsigned i = 0; i < DPK_RATES_TYPES; i++)
        dpk_put_format(out, " %" PRIu64 " %s,", seen->events[i], names[i]);
    dpk_put_format(out, " %" PRIu64 " lost for want of room, %" PRIu64 " bad\n", seen->lost,
                   seen->bad);
    if (seen->count > 0)
        dpk_put_format(out, "%-12s %10s  %12s %14s %20s\n", "FLOW", "PROCESS", "GBIT/S", "RTT (US)",
                       "EVENTS");
    for (size_t i = 0; i < seen->count; i++)
        put_flow(out, &seen->rows[i]);
}

static cJSON *flow_json(const struct dpk_rates_row *r)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "number", r->qp);
    cJSON_AddNumberToObject(o, "process", r->process);
    cJSON_AddNumberToObject(o, "rate", r->rate);
    cJSON_AddNumberToObject(o, "gbps", gbps(r->rate));
    if (r->rtt_ns > 0)
        cJSON_AddNumberToObject(o, "rtt_ns", r->rtt_ns);
    dpk_json_integer(o, "events", r->events);
    return o;
}

cJSON *dpadev_rates_json(const struct dpk_rates_seen *seen)
{
    if (seen->process == 0)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "process", seen->process);
    dpk_json_integer(o, "programs", seen->programs);
    dpk_json_integer(o, "flows", seen->flows);
    dpk_json_integer(o, "changes", seen->changes);
    cJSON *events = cJSON_AddObjectToObject(o, "events");
    for (unsigned i = 0; i < DPK_RATES_TYPES; i++)
        dpk_json_integer(events, names[i], seen->events[i]);
    dpk_json_integer(o, "lost", seen->lost);
    dpk_json_integer(o, "bad", seen->bad);
    cJSON *list = cJSON_AddArrayToObject(o, "list");
    for (size_t i = 0; i < seen->count; i++)
        cJSON_AddItemToArray(list, flow_json(&seen->rows[i]));
    return o;
}
