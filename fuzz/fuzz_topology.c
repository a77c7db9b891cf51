/* Topology files, named topologies and workloads: an error, or a network that runs for a moment and
 * accounts for every packet. */
#include <stdlib.h>
#include <string.h>

#include "dpapcc/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FLOWS_MAX 2000 /* larger networks take too long here */
#define NODES_MAX 500

static uint64_t flows_of(const struct cc_topology *net, const struct cc_workload *work)
{
    uint64_t flows = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct cc_work *w = &work->items[i];
        flows +=
            w->flows + (w->kind == CC_BURSTS ? net->node_count * (w->period_ns < 1000 ? 2000ull : 5)
                                             : net->node_count);
    }
    return flows;
}

static void run(const struct cc_topology *net, const struct cc_workload *work)
{
    struct cc_results res = {0};
    if (net->node_count > NODES_MAX || flows_of(net, work) > FLOWS_MAX)
        return;
    const enum dpk_status status =
        model_cc_run(net, work, model_cc_algorithm("dcqcn"), 1, 3000, NULL, &res, NULL);
    if (status == DPK_OK &&
        res.data_sent != res.data_received + res.data_dropped + res.data_in_flight)
        abort();
    model_cc_results_free(&res);
}

/* Distributions and traces: an error, or tables that a workload can draw from. */
static void read_tables(const uint8_t *data, size_t size)
{
    struct cc_work item = {.kind = CC_POISSON, .sizes = CC_SIZES_FILE, .load = 300000};
    struct cc_work trace = {.kind = CC_TRACE};
    struct cc_topology net = {0};
    struct cc_workload work = {0}, drawn = {.items = &item, .count = 1};
    struct cc_results res = {0};
    if (model_cc_read_sizes(data, size, &item, NULL) == DPK_OK) {
        if (model_cc_named("incast:senders=2", &net, &work, NULL) == DPK_OK)
            (void)model_cc_run(&net, &drawn, model_cc_algorithm("none"), 1, 500, NULL, &res, NULL);
        model_cc_results_free(&res);
        model_cc_workload_free(&work);
        model_cc_topology_free(&net);
    }
    (void)model_cc_read_trace(data, size, &trace, NULL);
    free(item.points);
    free(trace.demands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cc_topology net = {0};
    struct cc_workload work = {0};
    char text[2048];
    read_tables(data, size);
    if (model_cc_read(data, size, &net, &work, NULL) == DPK_OK)
        run(&net, &work);
    else if (net.nodes || net.links || work.items)
        abort();
    model_cc_topology_free(&net);
    model_cc_workload_free(&work);
    const size_t length = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, data, length);
    text[length] = '\0';
    if (model_cc_named(text, &net, &work, NULL) == DPK_OK)
        run(&net, &work);
    model_cc_topology_free(&net);
    model_cc_workload_free(&work);
    if (model_cc_named("dumbbell:senders=2", &net, &work, NULL) == DPK_OK)
        (void)model_cc_failure_named(text, &net, NULL);
    model_cc_topology_free(&net);
    model_cc_workload_free(&work);
    (void)model_cc_workload_named(text, &work, NULL);
    model_cc_workload_free(&work);
    return 0;
}
