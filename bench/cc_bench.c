/* Runs the model of a network and prints one line of figures, NAME VALUE and so on, for bench/cc.sh.
 * Usage: cc_bench ALGORITHM TOPOLOGY WORKLOAD TIME [FAIR_AFTER_NS]
 * fair_ns: how long after that time Jain's index is 0.95 or more, to the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "dpapcc/model/model.h"

struct fairness {
    uint64_t after, since;
};

static void note(void *self, const struct cc_sample *s)
{
    struct fairness *f = self;
    if (s->time_ns <= f->after)
        return;
    if (s->fairness < 0.95)
        f->since = 0;
    else if (!f->since)
        f->since = s->time_ns;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print(const struct cc_results *r, const struct fairness *f, double cpu)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double p50, p95, p99;
    model_cc_slowdown(r, 0, 30000, &p50, &p95, &p99);
    printf("events %" PRIu64 " ns_event %.1f mb %ld flows %" PRIu32 " gbps %.2f fairness %.4f "
           "queue_mean %.0f queue_p99 %" PRIu64 " line %.4f rtt_p50 %" PRIu64 " base_rtt %" PRIu32
           " pauses %" PRIu64 " drops %" PRIu64 " short_p99 %.2f fair_ns %" PRIu64 "\n",
           r->events, cpu * 1e9 / (double)r->events, usage.ru_maxrss / 1024, r->flow_count, r->gbps,
           r->fairness, r->queue.mean, r->queue.p99,
           (double)r->queues[r->busiest].tx_bytes * 8000 / (double)r->time_ns /
               r->queues[r->busiest].rate_mbps,
           r->rtt_ns.p50, r->flows[0].base_rtt_ns, r->pauses, r->data_dropped, p99,
           f->since ? f->since - f->after : r->time_ns);
}

int main(int count, char **words)
{
    struct cc_topology net = {0};
    struct cc_workload work = {0}, pairs = {0};
    struct cc_results res = {0};
    struct dpk_error err = {0};
    struct fairness fairness = {0};
    uint64_t time = 0;
    if (count < 5 || !model_cc_algorithm(words[1])) {
        fputs("usage: cc_bench ALGORITHM TOPOLOGY WORKLOAD TIME [FAIR_AFTER_NS]\n", stderr);
        return 2;
    }
    fairness.after = count > 5 ? strtoull(words[5], NULL, 10) : 0;
    const struct cc_recorder recorder = {.self = &fairness, .interval_ns = 100000, .sample = note};
    enum dpk_status status = model_cc_named(words[2], &net, &pairs, &err);
    if (status == DPK_OK)
        status = model_cc_workload_named(words[3], &work, &err);
    if (status == DPK_OK)
        status = model_cc_parse_time(words[4], &time, &err);
    const double before = seconds();
    if (status == DPK_OK)
        status =
            model_cc_run(&net, &work, model_cc_algorithm(words[1]), 1, time, &recorder, &res, &err);
    if (status == DPK_OK)
        print(&res, &fairness, seconds() - before);
    else
        fprintf(stderr, "%s\n", err.message);
    model_cc_results_free(&res);
    model_cc_workload_free(&work);
    model_cc_workload_free(&pairs);
    model_cc_topology_free(&net);
    return status == DPK_OK ? 0 : 1;
}
