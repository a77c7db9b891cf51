/* dpapcc: what its files share. */
#ifndef DPK_DPAPCC_DPAPCC_H
#define DPK_DPAPCC_DPAPCC_H

#include "api/pcc/pcc.h"
#include "chart/chart.h"
#include "cli/cli.h"
#include "common/source.h"
#include "dpapcc/model/model.h"

#define NO_SLOT UINT_MAX /* of options: the first that is enabled */

/* What the command line says. */
struct options {
    const char *device, *app, *signature, *topology, *workload, *output;
    uint64_t time_ns, interval_ns, instructions;
    unsigned seed, threads, budget_ns, slot;
    struct dpk_list parameters; /* NAME=VALUE */
    struct dpk_list over;       /* NAME=VALUE,VALUE,... */
    unsigned seeds;
    struct dpk_list failures; /* NODE,NODE:down=TIME,up=TIME */
    bool json, quiet, stats, telemetry, until_end;
    bool logarithmic;
    bool mixed; /* the algorithms share the network */
};

/* ---- algorithm.c: a program on the emulated DPA, or a reference of the model ---- */

/* How often each number occurred, in bins that are at most 1/64 of their value wide. */
#define COST_BINS ((32 - 6) * 64 + 64)
struct cost {
    uint64_t bins[COST_BINS];
    uint64_t count, sum, most;
};

struct algorithm {
    const char *word; /* as the command line has it */
    char name[64];    /* unique among those of a run */
    struct cc_algorithm calls;
    /* Of a program alone, else NULL and zero: */
    struct dpk_pcc *pcc;
    struct dpk_pcc_algorithm about; /* the one that gets the events */
    unsigned threads;
    uint64_t now_ns;
    struct cost cost;       /* instructions of an event */
    struct dpk_buf by_host; /* uint64_t for each host: events of its card */
    uint64_t printed;       /* bytes that the program printed */
    bool quiet;
    struct mix *mix; /* several that share the network; NULL: it is one */
};

/* Opens what `word` names: a reference, or a program that its device lets run. Close it after
 * failures, too. `speed_gbps`: of the ports of cards. */
enum dpk_status algorithm_open(const char *word, const struct options *o, uint32_t speed_gbps,
                               struct algorithm *a, struct dpk_error *err);
void algorithm_close(struct algorithm *a);

/* ---- mix.c: several algorithms in one network ---- */

/* Makes one algorithm of several, which it borrows. algorithm_close releases it. */
enum dpk_status mix_open(struct algorithm *parts, size_t count, struct algorithm *a,
                         struct dpk_error *err);
void mix_close(struct algorithm *a);
/* The name of the algorithm that a flow has, of those of a mix, or the only one. */
const char *mix_name(const struct algorithm *a, uint32_t number);

/* sweep.c: the algorithm `word` at all values of --over, with --seeds. */
enum dpk_status sweep_run(const struct options *o, const char *word, struct dpk_error *err);

/* ---- list.c: contents of an algorithm ---- */

enum dpk_status algorithm_list(struct algorithm *a, bool json, struct dpk_error *err);

/* ---- cost.c ---- */

void cost_add(struct cost *c, uint32_t instructions);
/* The upper end of the bin that the quantile (nearest rank) is in; 0: nothing was counted. */
uint64_t cost_quantile(const struct cost *c, double q);

/* ---- scenario.c: the simulation, equal for all algorithms ---- */

struct scenario {
    struct cc_topology net;
    struct cc_workload work;
    const char *topology, *workload; /* as the command line has them */
    uint64_t time_ns, interval_ns, seed;
    double line_bps; /* of all hosts' ports; 0: they differ */
};

enum dpk_status scenario_open(const struct options *o, struct scenario *s, struct dpk_error *err);
void scenario_close(struct scenario *s);

/* ---- series.c: samples taken while the model runs ---- */

enum { FLOWS_SHOWN = 20, QUEUES_SHOWN = 4 };
enum { Q05, Q25, Q50, Q75, Q95, QUANTILES };

/* One number for each sample, NaN where there is none. */
struct series {
    size_t count, capacity;
    double *cells; /* all columns */
    double *time;  /* seconds */
    double *goodput, *fairness, *active;
    double *cnps, *drops, *pauses; /* so far */
    double *rate[QUANTILES];       /* of the flows that are active: of CC_RATE_ONE */
    double *rtt[QUANTILES];        /* seconds */
    double *flow_rate[FLOWS_SHOWN], *flow_rtt[FLOWS_SHOWN]; /* of the first flows */
    double *queue_most;                                     /* the longest of all queues, bytes */
    /* The peak of each queue: queue_count numbers for a sample. NULL: they are too many. */
    uint32_t *queues;
    uint32_t queue_count;
    double *sorted; /* room for one number of each flow */
    uint32_t sorted_capacity;
    bool failed; /* there was no memory */
};

/* What a trace marks. */
struct mark {
    uint64_t time_ns;
    uint32_t flow, queue;
    enum cc_mark what;
};

/* ---- run.c: one algorithm in the scenario ---- */

struct run {
    const struct scenario *scenario;
    struct algorithm *algorithm;
    struct cc_results results;
    struct series series;
    struct dpk_buf marks;  /* struct mark */
    uint64_t marks_missed; /* those that there was no room for */
    enum dpk_status status;
    struct dpk_error error; /* why it ended early, if it did */
    double seconds;         /* of the processor that it took */
    struct dpk_progress *progress;
};

bool series_start(struct series *s, const struct scenario *scenario);
void series_add(struct series *s, const struct cc_sample *sample);
/* The peaks of one queue over time, for at most s->count numbers. */
void series_queue(const struct series *s, uint32_t queue, double *out);
void series_end(struct series *s);

/* Runs the model. A failure of the algorithm is in r->error, and the results are those until
 * then; only other failures are returned. */
enum dpk_status run_algorithm(struct run *r, struct dpk_error *err);
void run_close(struct run *r);
const struct mark *run_marks(const struct run *r, size_t *count);
/* The queues with the greatest mean length, at most QUEUES_SHOWN of those that held anything. */
size_t run_queues(const struct run *r, uint32_t out[QUEUES_SHOWN]);
/* The name of a node of the network. */
const char *node_name(const struct scenario *s, uint32_t node, char out[CC_NAME_MAX + 8]);

/* ---- facts.c: a run in numbers ----
 * The terminal, the page and the JSON show the numbers of this list, and no others. */

struct fact {
    const char *group; /* "queues": those that stand together */
    const char *key;   /* "queue.p99": where JSON has it */
    const char *label; /* what people read; NULL: JSON alone */
    double value;      /* as JSON has it; NaN: none */
    double scale;      /* what is shown is value * scale ... */
    const char *unit;  /* ... of this */
};
#define FACTS_MAX 256
struct facts {
    struct fact at[FACTS_MAX];
    size_t count;
};

void fact_add(struct facts *f, const char *group, const char *key, const char *label, double value,
              double scale, const char *unit);
/* mix.c: what each of the algorithms of a mix got; nothing for other runs. */
void mix_facts(const struct run *r, struct facts *f);
void facts_of(const struct run *r, const struct options *o, struct facts *out);
/* What people read of a fact: "12.3 kB". */
void fact_put(const struct fact *f, struct dpk_buf *out);
const struct fact *fact_find(const struct facts *f, const char *key); /* NULL: there is none */
/* The classes of flow sizes whose slowdown is told. */
enum { SIZE_CLASSES = 5 };
struct size_class {
    uint64_t above, to; /* bytes */
    const char *name;
    const char *keys[4], *labels[4]; /* of facts: how many flows, p50, p95, p99 */
};
extern const struct size_class size_classes[SIZE_CLASSES];

/* The DPA's clock: 1.8 GHz (X. Chen et al., "Demystifying Datapath Accelerator Enhanced Off-path
 * SmartNIC", ICNP 2024, arXiv 2402.03041, section 2). */
#define DPA_GHZ 1.8
/* How long a card may take for an event, in nanoseconds, so that its threads keep up; 0: no event.
 * It is what `o` says, or the time between events of the busiest card, times its threads. */
double budget_of(const struct run *r, const struct options *o);

/* ---- Written files ---- */

struct report {
    const struct scenario *scenario;
    const struct options *options;
    struct run *runs;
    struct facts *facts; /* of each run */
    size_t count;
};

/* report.c: the summary as JSON, the table for a terminal. */
cJSON *report_json(const struct report *r);
void report_table(const struct report *r, FILE *to);
/* How many characters a text has, which are not its bytes. */
int report_columns(const struct dpk_buf *text);
/* "dcqcn in incast of 32 ..., 20 ms, seed 1": one line that says what was done. */
void report_title(const struct report *r, struct dpk_buf *out);

/* csv.c, trace.c */
void csv_flows(const struct report *r, struct dpk_buf *out);
void csv_series(const struct report *r, struct dpk_buf *out);
void trace_json(const struct report *r, struct dpk_buf *out);

/* pictures.c: rates, queue, rtt, fct. */
enum picture { PICTURE_RATES, PICTURE_QUEUE, PICTURE_RTT, PICTURE_FCT, PICTURES };
extern const char *const picture_names[PICTURES];
/* Appends a picture. `id` is NULL for a file of its own. `about`, if not NULL, gets the picture in
 * words. */
void picture_put(const struct report *r, enum picture which, unsigned width, const char *id,
                 struct dpk_buf *out, struct dpk_buf *about);

/* page.c */
void page_put(const struct report *r, struct dpk_buf *out);

/* folder.c: writes all of it to a folder that appears whole. */
/* DPK_ERR_EXISTS: there is something else that must not be lost. */
enum dpk_status folder_check(const char *path, struct dpk_error *err);
enum dpk_status folder_write(const char *path, const struct report *r, struct dpk_error *err);

#endif
