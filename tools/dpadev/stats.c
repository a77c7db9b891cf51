/* dpadev stats: counters of a device's port and queues: sent, received, dropped. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/counters/counters.h"
#include "dpadev.h"
#include "rates.h"

struct stats_options {
    struct dpadev_options shared;
    bool reset;
};

static const char *kind_name(const struct dpk_counters_queue *q)
{
    return q->kind == DPK_COUNTED_SQ ? "SQ" : "RQ";
}

/* ---- Text ---- */

static void put_pair(struct dpk_buf *out, const char *what, uint64_t packets, uint64_t bytes)
{
    dpk_put_format(out, "%-24s %20" PRIu64 " %20" PRIu64 "\n", what, packets, bytes);
}

static void put_port(struct dpk_buf *out, const uint64_t values[DPK_COUNTERS])
{
    dpk_put_format(out, "%-24s %20s %20s\n", "PORT", "PACKETS", "BYTES");
    put_pair(out, "sent by queues", values[DPK_SENT], values[DPK_SENT_BYTES]);
    put_pair(out, "received by queues", values[DPK_RECEIVED], values[DPK_RECEIVED_BYTES]);
    put_pair(out, "sent to the wire", values[DPK_WIRE_OUT], values[DPK_WIRE_OUT_BYTES]);
    put_pair(out, "received from the wire", values[DPK_WIRE_IN], values[DPK_WIRE_IN_BYTES]);
    dpk_put_format(out, "%-24s %20" PRIu64 "\n", "copied by rules", values[DPK_COPIED]);
    dpk_put_format(out, "%-24s %20" PRIu64 "\n", "with a wrong checksum", values[DPK_BAD_CHECKSUM]);
    for (unsigned i = DPK_FIRST_DROP; i < DPK_COUNTERS; i++)
        if (values[i] > 0)
            dpk_put_format(out, "%s%-*s %20" PRIu64 "\n", i < DPK_DROPS_END ? "dropped: " : "",
                           i < DPK_DROPS_END ? 15 : 24, dpk_counter_name(i), values[i]);
}

static void put_queue(struct dpk_buf *out, const struct dpk_counters_queue *q)
{
    const bool sends = q->kind == DPK_COUNTED_SQ;
    dpk_put_format(out, "%s 0x%-9" PRIx32 " %10" PRIu32 "%s %20" PRIu64 " %20" PRIu64, kind_name(q),
                   q->number, q->process, q->gone ? "*" : " ",
                   q->values[sends ? DPK_SENT : DPK_RECEIVED],
                   q->values[sends ? DPK_SENT_BYTES : DPK_RECEIVED_BYTES]);
    for (unsigned i = DPK_FIRST_DROP; i < DPK_COUNTERS; i++)
        if (q->values[i] > 0)
            dpk_put_format(out, "  %s %" PRIu64, dpk_counter_name(i), q->values[i]);
    dpk_put_format(out, "\n");
}

/* Everything that is shown. */
struct seen {
    struct dpk_counters_seen counters;
    struct dpk_rates_seen rates;
};

static enum dpk_status print_text(const struct seen *all, struct dpk_error *err)
{
    struct dpk_buf out = {0};
    const struct dpk_counters_seen *seen = &all->counters;
    put_port(&out, seen->port);
    if (seen->count > 0)
        dpk_put_format(&out, "\n%-14s %10s  %20s %20s  %s\n", "QUEUE (*: gone)", "PROCESS",
                       "PACKETS", "BYTES", "DROPPED, ERRORS");
    for (size_t i = 0; i < seen->count; i++)
        put_queue(&out, &seen->queues[i]);
    dpadev_rates_put(&out, &all->rates);
    const bool failed = out.failed;
    if (!failed)
        fwrite(out.data, 1, out.size, stdout);
    dpk_buf_free(&out);
    return failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- JSON ---- */

static void add_counters(cJSON *o, const uint64_t values[DPK_COUNTERS], unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        dpk_json_integer(o, dpk_counter_name(i), values[i]);
}

static void add_all(cJSON *o, const uint64_t values[DPK_COUNTERS])
{
    add_counters(o, values, 0, DPK_FIRST_DROP);
    add_counters(o, values, DPK_DROPS_END, DPK_COUNTERS);
    add_counters(cJSON_AddObjectToObject(o, "drops"), values, DPK_FIRST_DROP, DPK_DROPS_END);
}

static cJSON *json_of(const struct seen *all)
{
    const struct dpk_counters_seen *seen = &all->counters;
    cJSON *o = cJSON_CreateObject();
    add_all(cJSON_AddObjectToObject(o, "port"), seen->port);
    cJSON *queues = cJSON_AddArrayToObject(o, "queues");
    for (size_t i = 0; i < seen->count; i++) {
        const struct dpk_counters_queue *q = &seen->queues[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(queues, item);
        cJSON_AddStringToObject(item, "kind", kind_name(q));
        cJSON_AddNumberToObject(item, "number", q->number);
        cJSON_AddNumberToObject(item, "process", q->process);
        cJSON_AddBoolToObject(item, "gone", q->gone);
        add_all(item, q->values);
    }
    cJSON_AddItemToObject(o, "congestion_control", dpadev_rates_json(&all->rates));
    return o;
}

/* ---- Command ---- */

/* Gets the folder of a device or of "switch:NAME". */
static enum dpk_status find_folder(const char *name, char out[PATH_MAX], struct dpk_error *err)
{
    static const char prefix[] = "switch:";
    struct dpk_device *device = NULL;
    enum dpk_status status;
    if (strncmp(name, prefix, strlen(prefix)) == 0) {
        name += strlen(prefix);
        status = dpadev_switch_folder(name, out, err);
        if (status == DPK_OK && access(out, F_OK) != 0)
            status = dpk_fail(err, DPK_ERR_NOT_FOUND, "no switch %s; make one: dpadev switch %s",
                              name, name);
        return status;
    }
    status = dpk_device_open(name, &device, err);
    if (status == DPK_OK)
        status = dpk_device_directory(device, out, err);
    dpk_device_close(device);
    return status;
}

/* A device that never had a queue pair has no rates. */
static enum dpk_status read_rates(const char *directory, struct dpk_rates_seen *seen,
                                  struct dpk_error *err)
{
    const enum dpk_status status = dpk_rates_read(directory, seen, err);
    return status == DPK_ERR_NOT_FOUND ? DPK_OK : status;
}

static enum dpk_status read_all(const char *name, bool reset, struct seen *seen,
                                struct dpk_error *err)
{
    char directory[PATH_MAX];
    struct dpk_counters *counters = NULL;
    enum dpk_status status = find_folder(name, directory, err);
    if (status == DPK_OK)
        status = dpk_counters_open(directory, &counters, err);
    if (status == DPK_OK)
        dpk_counters_read(counters, reset, &seen->counters);
    dpk_counters_close(counters);
    if (status == DPK_OK)
        status = read_rates(directory, &seen->rates, err);
    return status;
}

enum dpk_status dpadev_json_stats(const char *name, cJSON **out, struct dpk_error *err)
{
    struct seen *seen = calloc(1, sizeof *seen);
    if (!seen)
        return dpk_fail_nomem(err);
    enum dpk_status status = read_all(name, false, seen, err);
    if (status == DPK_OK)
        *out = json_of(seen);
    free(seen);
    return status;
}

static enum dpk_status stats(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct stats_options *o = options;
    struct seen *seen = calloc(1, sizeof *seen);
    if (!seen)
        return dpk_fail_nomem(err);
    const char *name = NULL;
    enum dpk_status status = dpadev_name(args, &name, err);
    if (status == DPK_OK)
        status = read_all(name, o->reset, seen, err);
    if (status == DPK_OK)
        status = o->shared.json ? dpk_json_print(json_of(seen), err) : print_text(seen, err);
    free(seen);
    return status;
}

static const struct dpk_option stats_options[] = {
    {"reset", .at = offsetof(struct stats_options, reset),
     .help = "show the counters, and set them to 0"},
    {0},
};

const struct dpk_command dpadev_stats = {
    "stats",
    "[NAME]",
    "show packets, bytes and drops of a device's port, rates of its flows",
    .takes = "json",
    .options = stats_options,
    .size = sizeof(struct stats_options),
    .run = stats};
