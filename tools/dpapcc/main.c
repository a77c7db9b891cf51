/* dpapcc: runs congestion control algorithms in a model of a network, and reports results. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "dpapcc.h"

enum { RUNS_MAX = 16 };

static enum dpk_status parse_duration(void *at, const char *text, struct dpk_error *err)
{
    enum dpk_status status = model_cc_parse_time(text, at, err);
    if (status == DPK_OK && *(uint64_t *)at == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "'%s': no time at all", text);
    return status == DPK_OK ? status
                            : dpk_fail(err, DPK_ERR_USAGE, "'%s' is not a time, as 1.5us is", text);
}

/* ---- Reports ---- */

static void print_speed(const struct report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct run *run = &r->runs[i];
        uint64_t calls = 0;
        for (size_t k = 0; k < CC_EVENT_TYPES; k++)
            calls += run->results.calls[k];
        if (run->algorithm->pcc) /* a program masks some events */
            calls = run->algorithm->cost.count;
        fprintf(stderr,
                "-I- %s: %.3f s of a processor, %.0f events of the model a second, %.0f of the "
                "algorithm\n",
                run->algorithm->name, run->seconds, (double)run->results.events / run->seconds,
                (double)calls / run->seconds);
    }
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        fprintf(stderr, "-I- %ld MB of memory at most\n", used.ru_maxrss / 1024);
}

/* Warns about runs that reached --time before their flows ended. */
static void warn_of_time(const struct report *r)
{
    for (size_t i = 0; i < r->count && r->options->until_end; i++) {
        const struct run *run = &r->runs[i];
        if (run->status == DPK_OK && run->results.time_ns == r->scenario->time_ns)
            fprintf(stderr,
                    "-W- %s: %" PRIu32 " of %" PRIu32
                    " flows have ended after --time; give it more time\n",
                    run->algorithm->name, run->results.finished, run->results.flow_count);
    }
}

/* Returns true if the parameter is probably a target round trip in nanoseconds, by its name:
 * TARGET_NS, rtt_target_ns, TARGET_RTT. */
static bool is_target(const char *name)
{
    const size_t length = strlen(name);
    const bool in_ns = length > 3 && strcasecmp(name + length - 3, "_ns") == 0;
    return strcasestr(name, "target") &&
           (in_ns || strcasestr(name, "rtt") || strcasestr(name, "delay"));
}

/* Returns the shortest possible round trip of any flow. */
static uint32_t least_round_trip(const struct cc_results *res)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < res->flow_count; i++)
        if (res->flows[i].base_rtt_ns < least)
            least = res->flows[i].base_rtt_ns;
    return least;
}

/* Warns about a target below the round trip of an empty network, because it cuts rates at each
 * probe. */
static void hint_at_targets(const struct report *r)
{
    struct dpk_pcc_value v;
    for (size_t k = 0; k < r->count; k++) {
        struct algorithm *a = r->runs[k].algorithm;
        const uint32_t least = least_round_trip(&r->runs[k].results);
        for (unsigned i = 0; a->pcc && dpk_pcc_parameter(a->pcc, 0, a->about.slot, i, &v); i++)
            if (r->runs[k].results.flow_count && is_target(v.name) && v.value && v.value < least)
                fprintf(stderr,
                        "-W- %s: %s = %" PRIu32 " is below the empty network's round trip, %" PRIu32
                        " ns: every probe looks like congestion\n",
                        a->name, v.name, v.value, least);
    }
}

static enum dpk_status show(const struct report *r, struct dpk_error *err)
{
    const struct options *o = r->options;
    enum dpk_status status = o->output ? dpapcc_folder_write(o->output, r, err) : DPK_OK;
    if (status == DPK_OK && o->json)
        status = dpk_json_print(dpapcc_report_json(r), err);
    else if (status == DPK_OK && !o->quiet)
        dpapcc_report_table(r, stdout);
    warn_of_time(r);
    hint_at_targets(r);
    if (o->stats)
        print_speed(r);
    return status;
}

/* A run that ended early makes the tool fail. */
static enum dpk_status failure_of(const struct report *r, struct dpk_error *err)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->runs[i].status != DPK_OK)
            return dpk_fail(err, DPK_ERR_FAULT, "%s: %s", r->runs[i].algorithm->word,
                            r->runs[i].error.message);
    return DPK_OK;
}

/* ---- Runs ---- */

struct job {
    struct run *runs;
    struct dpk_error *errors;
    enum dpk_status *status;
};

static void do_run(void *context, size_t i)
{
    struct job *job = context;
    job->status[i] = dpapcc_run_algorithm(&job->runs[i], &job->errors[i]);
}

static enum dpk_status run_all(struct run *runs, size_t count, struct dpk_error *err)
{
    struct dpk_error errors[RUNS_MAX] = {0};
    enum dpk_status status[RUNS_MAX];
    struct dpk_progress progress;
    struct job job = {.runs = runs, .errors = errors, .status = status};
    dpk_progress_start(&progress);
    runs[0].progress = &progress; /* shows progress for all runs, which run in parallel */
    dpk_parallel(count, 0, do_run, &job);
    for (size_t i = 0; i < count; i++)
        if (status[i] != DPK_OK) {
            *err = errors[i];
            return status[i];
        }
    return DPK_OK;
}

/* Numbers algorithms that have the same name. */
static void name_apart(struct algorithm *algorithms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(algorithms[k].name, algorithms[i].name) == 0) {
                size_t length = strlen(algorithms[i].name);
                length = length > 56 ? 56 : length;
                snprintf(algorithms[i].name + length, 8, "-%u", (unsigned)(i + 1) % 100);
            }
}

static enum dpk_status run_report(struct report *r, struct algorithm *algorithms,
                                  struct dpk_error *err)
{
    for (size_t i = 0; i < r->count; i++)
        r->runs[i] = (struct run){.scenario = r->scenario, .algorithm = &algorithms[i]};
    enum dpk_status status = run_all(r->runs, r->count, err);
    for (size_t i = 0; i < r->count && status == DPK_OK; i++)
        dpapcc_facts_of(&r->runs[i], r->options, &r->facts[i]);
    if (status == DPK_OK)
        status = show(r, err);
    if (status == DPK_OK)
        status = failure_of(r, err);
    for (size_t i = 0; i < r->count; i++)
        dpapcc_run_close(&r->runs[i]);
    return status;
}

/* Runs all words as one mix, in which they share the network. */
static enum dpk_status run_mix(struct report *r, struct algorithm *parts, size_t count,
                               struct dpk_error *err)
{
    struct algorithm *whole = calloc(1, sizeof *whole);
    enum dpk_status status =
        whole ? dpapcc_mix_open(parts, count, whole, err) : dpk_fail_nomem(err);
    r->count = 1;
    if (status == DPK_OK)
        status = run_report(r, whole, err);
    if (whole)
        dpapcc_algorithm_close(whole);
    free(whole);
    return status;
}

static enum dpk_status run_words(const struct options *o, const struct dpk_args *args,
                                 struct dpk_error *err)
{
    struct scenario scenario = {0};
    struct report report = {.scenario = &scenario, .options = o, .count = args->count};
    struct algorithm *algorithms = calloc(args->count, sizeof *algorithms);
    report.runs = calloc(args->count, sizeof *report.runs);
    report.facts = calloc(args->count, sizeof *report.facts);
    enum dpk_status status =
        algorithms && report.runs && report.facts ? DPK_OK : dpk_fail_nomem(err);
    if (status == DPK_OK && o->output)
        status = dpapcc_folder_check(o->output, err);
    if (status == DPK_OK)
        status = dpapcc_scenario_open(o, &scenario, err);
    scenario.work.algorithms = o->mixed ? (uint32_t)args->count : 1;
    uint32_t speed = (uint32_t)(scenario.line_bps / 1e9);
    for (size_t i = 0; i < args->count && status == DPK_OK; i++)
        status = dpapcc_algorithm_open(args->words[i], o, speed, &algorithms[i], err);
    if (status == DPK_OK) {
        name_apart(algorithms, args->count);
        status = o->mixed ? run_mix(&report, algorithms, args->count, err)
                          : run_report(&report, algorithms, err);
    }
    for (size_t i = 0; algorithms && i < args->count; i++)
        dpapcc_algorithm_close(&algorithms[i]);
    dpapcc_scenario_close(&scenario);
    free(report.facts);
    free(report.runs);
    free(algorithms);
    return status;
}

/* ---- Commands ---- */

static enum dpk_status run(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    return run_words(options, args, err);
}

static enum dpk_status compare(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    if (args->count < 2 || args->count > RUNS_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "compare takes 2 to %d algorithms", RUNS_MAX);
    if (o->parameters.count)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "--param goes with run, because compare and mix have several algorithms");
    return run_words(o, args, err);
}

static enum dpk_status mix(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct options *o = options;
    if (args->count < 2 || args->count > RUNS_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "mix takes 2 to %d algorithms", RUNS_MAX);
    o->mixed = true;
    return run_words(o, args, err);
}

static enum dpk_status sweep(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    return dpapcc_sweep_run(options, args->words[0], err);
}

static enum dpk_status list(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    struct algorithm *a = calloc(1, sizeof *a);
    if (!a)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpapcc_algorithm_open(args->words[0], o, 0, a, err);
    if (status == DPK_OK)
        status = dpapcc_algorithm_list(a, o->json, err);
    dpapcc_algorithm_close(a);
    free(a);
    return status;
}

/* ---- The command line ---- */

#define AT(field) offsetof(struct options, field)

static const struct dpk_option options[] = {
    {"topology", DPK_TEXT, "NET", AT(topology), .standard = "incast",
     .help = "file of YAML, or a shape: dumbbell, incast, parking-lot or fat-tree, with "
             "parameters after a colon (incast:senders=32,rate=100G)"},
    {"workload", DPK_TEXT, "WORK", AT(workload),
     .help = "traffic, instead of the topology's: long, "
             "bursts:size=64K,period=1ms, poisson:sizes=websearch,load=0.5, trace:file=flows.csv"},
    {"time", DPK_PARSED, "TIME", AT(time_ns), .parse = parse_duration,
     .help = "how long, in virtual time: 20ms, 500us (default 10ms)"},
    {"until-end", .at = AT(until_end),
     .help = "end when all flows have ended, and after --time at the latest"},
    {"fail", DPK_TEXTS, "LINK", AT(failures),
     .help = "a link that fails: NODE,NODE:down=1ms,up=2ms; may be given for several"},
    {"seed", DPK_NUMBER, "N", AT(seed), 0, UINT_MAX, .standard = "1",
     .help = "same seed, same results"},
    {"interval", DPK_PARSED, "TIME", AT(interval_ns), .parse = parse_duration,
     .help = "between samples for pictures (default: a thousandth of the time)"},
    {"o,output", DPK_FILE, "DIR", AT(output),
     .help = "folder for summary.json, CSV, pictures, report.html and trace.json"},
    {"param", DPK_TEXTS, "NAME=VALUE", AT(parameters),
     .help = "set a parameter of the algorithm, by the name that list shows"},
    {"slot", DPK_NUMBER, "N", AT(slot), 0, DPK_PCC_SLOTS - 1,
     .help = "which algorithm of a program that has several (default: the first enabled)"},
    {"log", .at = AT(logarithmic), .help = "draw pictures with logarithmic axes"},
    {"d,device", DPK_TEXT, "DEV", AT(device),
     .help = "emulated device that decides whether programs may run (default: the only one)"},
    {"app", DPK_TEXT, "NAME", AT(app), .help = "the program of a host file"},
    {"signature", DPK_FILE, "FILE", AT(signature), .help = "crypto data of a bare device ELF"},
    {"threads", DPK_NUMBER, "N", AT(threads), 1, DPK_PCC_THREADS_MAX, .standard = "16",
     .help = "threads of the DPA for a program's events; flows are spread over them"},
    {"budget", DPK_NUMBER, "NS", AT(budget_ns), 1, 1000000000,
     .help =
         "nanoseconds that a card may take for an event (default: so that its threads keep up)"},
    {"telemetry", .at = AT(telemetry),
     .help = "switches write their queues into packets, and probes bring them back"},
    {"json", .at = AT(json), .help = "print the summary, or the list, as JSON"},
    {"q,quiet", .at = AT(quiet), .help = "print neither the table nor the program's output"},
    {"stats", .at = AT(stats), .help = "print the model's speed and memory use"},
    {0},
};

#define SCENARIO                                                                                   \
    "topology,workload,time,until-end,fail,seed,interval,o,log,d,app,signature,threads,budget,"    \
    "telemetry,json,q,"                                                                            \
    "stats"

static const struct dpk_command run_command = {.names = "run",
                                               .words = "ALGO",
                                               .help = "run one algorithm",
                                               .takes = SCENARIO ",param,slot",
                                               .run = run};
static const struct dpk_option sweep_options[] = {
    {"over", DPK_TEXTS, "NAME=V,V,...", AT(over),
     .help = "values of a program parameter, or for @NAME in --topology or --workload; may be "
             "repeated; all combinations of values are run"},
    {"seeds", DPK_NUMBER, "N", AT(seeds), 1, 1000, .standard = "5",
     .help = "seeds at each point, from --seed on; means have intervals of 95 % confidence"},
    {0},
};

static const struct dpk_command compare_command = {
    .names = "compare",
    .words = "ALGO...",
    .help = "run several, one after another, in the same network with the same seed",
    .takes = SCENARIO,
    .run = compare};
static const struct dpk_command mix_command = {
    .names = "mix",
    .words = "ALGO...",
    .help = "run several in one network: flows use them in turn, or as the workload says",
    .takes = SCENARIO,
    .run = mix};
static const struct dpk_command sweep_command = {
    .names = "sweep",
    .words = "ALGO",
    .help = "run one with many values and many seeds, and show means with confidence intervals",
    .options = sweep_options,
    .takes = "topology,workload,time,until-end,fail,seed,interval,o,log,d,app,signature,threads,"
             "budget,telemetry,json,q,param,slot",
    .run = sweep};
static const struct dpk_command list_command = {
    .names = "list",
    .words = "ALGO",
    .help = "show the algorithms of a program, their parameters and counters",
    .takes = "d,app,signature,json",
    .run = list};
static const struct dpk_command *const commands[] = {&run_command,   &compare_command, &mix_command,
                                                     &sweep_command, &list_command,    NULL};

static const struct options defaults = {.time_ns = 10000000, .slot = NO_SLOT};

static const struct dpk_tool tool = {
    .name = "dpapcc",
    .usage = "dpapcc run ALGO [--topology NET] [--time TIME] [-o DIR]\n"
             "       dpapcc compare ALGO ALGO... [--topology NET] [--time TIME] [-o DIR]\n"
             "       dpapcc mix ALGO ALGO... [--topology NET] [--time TIME] [-o DIR]\n"
             "       dpapcc sweep ALGO --over NAME=V,V,... [--seeds N] [-o DIR]\n"
             "       dpapcc list ALGO",
    .about =
        "Runs congestion control algorithms in a model of a network, and shows the results.\n"
        "ALGO: a program of DOCA PCC (host executable, library, object or archive, or a device "
        "ELF),\n"
        "or the name of a reference: dcqcn, swift, hpcc, none.",
    .notes = "Exit status: 0 done, 1 failed, 2 wrong usage, 3 the algorithm failed (its results "
             "until then\n"
             "are written), 11 to 20 the device refused it (mlxdpa(1), EXIT STATUS).",
    .commands = commands,
    .options = options,
    .size = sizeof(struct options),
    .defaults = &defaults,
    .exit_code = dpk_tool_exit_run,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
