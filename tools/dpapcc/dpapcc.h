/* Shared by the files of dpapcc. */
#ifndef DPK_DPAPCC_DPAPCC_H
#define DPK_DPAPCC_DPAPCC_H

#include "api/pcc/pcc.h"
#include "chart/chart.h"
#include "cli/cli.h"
#include "common/source.h"
#include "dpapcc/model/model.h"

#define NO_SLOT UINT_MAX /* of options: use the first enabled slot */

/* The command line's options. */
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

/* Histogram of numbers, with bins that are at most 1/64 of their value wide. */
#define COST_BINS ((32 - 6) * 64 + 64)
struct cost {
    uint64_t bins[COST_BINS];
    uint64_t count, sum, most;
};

struct algorithm {
    const char *word; /* the word on the command line */
    char name[64];    /* unique among those of a run */
    struct cc_algorithm calls;
    /* For a program; for a reference these members are NULL and zero. */
    struct dpk_pcc *pcc;
    struct dpk_pcc_algorithm about; /* the algorithm that gets the events */
    unsigned threads;
    uint64_t now_ns;
    struct cost cost;       /* instructions of an event */
    struct dpk_buf by_host; /* uint64_t for each host: events of its card */
    uint64_t printed;       /* bytes that the program printed */
    bool quiet;
    struct mix *mix; /* the mix, for algorithms that share the network; else NULL */
};

/* Opens the algorithm `word`: a reference, or a program that the device accepts. Close it after
 * failures, too. `speed_gbps` is the speed of the cards' ports. */
enum dpk_status dpapcc_algorithm_open(const char *word, const struct options *o,
                                      uint32_t speed_gbps, struct algorithm *a,
                                      struct dpk_error *err);
void dpapcc_algorithm_close(struct algorithm *a);

/* ---- mix.c: several algorithms in one network ---- */

/* Combines several algorithms, which it borrows. dpapcc_algorithm_close releases the combination. */
enum dpk_status dpapcc_mix_open(struct algorithm *parts, size_t count, struct algorithm *a,
                                struct dpk_error *err);
void dpapcc_mix_close(struct algorithm *a);
/* Returns the name of algorithm `number` of a mix; for another algorithm, its name. */
const char *dpapcc_mix_name(const struct algorithm *a, uint32_t number);

/* sweep.c: runs the algorithm `word` at all values of --over, with all --seeds. */
enum dpk_status dpapcc_sweep_run(const struct options *o, const char *word, struct dpk_error *err);

/* ---- list.c: contents of an algorithm ---- */

enum dpk_status dpapcc_algorithm_list(struct algorithm *a, bool json, struct dpk_error *err);

/* ---- cost.c ---- */

void dpapcc_cost_add(struct cost *c, uint32_t instructions);
/* Returns the upper end of the bin with the quantile (nearest rank); 0 if nothing was counted. */
uint64_t dpapcc_cost_quantile(const struct cost *c, double q);

/* ---- scenario.c: the simulation, which is equal for all algorithms ---- */

struct scenario {
    struct cc_topology net;
    struct cc_workload work;
    const char *topology, *workload; /* the texts of the command line */
    uint64_t time_ns, interval_ns, seed;
    double line_bps; /* rate of the hosts' ports; 0 if it differs */
};

enum dpk_status dpapcc_scenario_open(const struct options *o, struct scenario *s,
                                     struct dpk_error *err);
void dpapcc_scenario_close(struct scenario *s);

/* ---- series.c: samples taken while the model runs ---- */

enum { FLOWS_SHOWN = 20, QUEUES_SHOWN = 4 };
enum { Q05, Q25, Q50, Q75, Q95, QUANTILES };

/* Each column has a number for each sample; NaN if there is none. */
struct series {
    size_t count, capacity;
    double *cells; /* all columns */
    double *time;  /* seconds */
    double *goodput, *fairness, *active;
    double *cnps, *drops, *pauses; /* totals so far */
    double *rate[QUANTILES];       /* of active flows, in units of CC_RATE_ONE */
    double *rtt[QUANTILES];        /* seconds */
    double *flow_rate[FLOWS_SHOWN], *flow_rtt[FLOWS_SHOWN]; /* of the first flows */
    double *queue_most;                                     /* the longest of all queues, bytes */
    /* The peak of each queue: queue_count numbers for each sample. NULL if they are too many. */
    uint32_t *queues;
    uint32_t queue_count;
    double *sorted; /* space for one number of each flow */
    uint32_t sorted_capacity;
    bool failed; /* there was no memory */
};

/* An event that a trace marks. */
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
    uint64_t marks_missed; /* marks that did not fit */
    enum dpk_status status;
    struct dpk_error error; /* reason of an early end, if any */
    double seconds;         /* processor time used */
    struct dpk_progress *progress;
};

bool dpapcc_series_start(struct series *s, const struct scenario *scenario);
void dpapcc_series_add(struct series *s, const struct cc_sample *sample);
/* Gets the peaks of one queue over time, at most s->count numbers. */
void dpapcc_series_queue(const struct series *s, uint32_t queue, double *out);
void dpapcc_series_end(struct series *s);

/* Runs the model. If the algorithm fails, r->error has the reason and the results end there; only
 * other failures are returned. */
enum dpk_status dpapcc_run_algorithm(struct run *r, struct dpk_error *err);
void dpapcc_run_close(struct run *r);
const struct mark *dpapcc_run_marks(const struct run *r, size_t *count);
/* Gets the queues with the greatest mean length: at most QUEUES_SHOWN, without queues that were
 * always empty. */
size_t dpapcc_run_queues(const struct run *r, uint32_t out[QUEUES_SHOWN]);
/* Returns the name of a node of the network. */
const char *dpapcc_node_name(const struct scenario *s, uint32_t node, char out[CC_NAME_MAX + 8]);

/* ---- facts.c: a run in numbers ---- The terminal, the page and the JSON show exactly the numbers
 * of this list. */

struct fact {
    const char *group; /* facts of a group are shown together: "queues" */
    const char *key;   /* place in JSON: "queue.p99" */
    const char *label; /* text for people; NULL: only in JSON */
    double value;      /* value in JSON; NaN if there is none */
    double scale;      /* the text shows value * scale ... */
    const char *unit;  /* ... in this unit */
};
#define FACTS_MAX 256
struct facts {
    struct fact at[FACTS_MAX];
    size_t count;
};

void dpapcc_fact_add(struct facts *f, const char *group, const char *key, const char *label,
                     double value, double scale, const char *unit);
/* mix.c: adds the facts of each algorithm of a mix; nothing for other runs. */
void dpapcc_mix_facts(const struct run *r, struct facts *f);
void dpapcc_facts_of(const struct run *r, const struct options *o, struct facts *out);
/* What people read of a fact: "12.3 kB". */
void dpapcc_fact_put(const struct fact *f, struct dpk_buf *out);
const struct fact *dpapcc_fact_find(const struct facts *f, const char *key); /* NULL if absent */
/* Classes of flow sizes with their own slowdowns. */
enum { SIZE_CLASSES = 5 };
struct size_class {
    uint64_t above, to; /* bytes */
    const char *name;
    const char *keys[4], *labels[4]; /* of facts: number of flows, p50, p95, p99 */
};
extern const struct size_class dpapcc_size_classes[SIZE_CLASSES];

/* The DPA's clock: 1.8 GHz (X. Chen et al., "Demystifying Datapath Accelerator Enhanced Off-path
 * SmartNIC", ICNP 2024, arXiv 2402.03041, section 2). */
#define DPA_GHZ 1.8
/* Returns the nanoseconds that a card may take for an event if its threads shall keep up; 0 without
 * events. This is the value in `o`, or the mean time between events of the busiest card, times its
 * threads. */
double dpapcc_budget_of(const struct run *r, const struct options *o);

/* ---- Written files ---- */

struct report {
    const struct scenario *scenario;
    const struct options *options;
    struct run *runs;
    struct facts *facts; /* facts of each run */
    size_t count;
};

/* report.c: the summary as JSON, and the table for a terminal. */
cJSON *dpapcc_report_json(const struct report *r);
void dpapcc_report_table(const struct report *r, FILE *to);
/* Returns the number of characters of a text. */
int dpapcc_report_columns(const struct dpk_buf *text);
/* Appends one line that describes the runs: "dcqcn in incast of 32 ..., 20 ms, seed 1". */
void dpapcc_report_title(const struct report *r, struct dpk_buf *out);

/* csv.c, trace.c */
void dpapcc_csv_flows(const struct report *r, struct dpk_buf *out);
void dpapcc_csv_series(const struct report *r, struct dpk_buf *out);
void dpapcc_trace_json(const struct report *r, struct dpk_buf *out);

/* pictures.c: rates, queue, rtt, fct. */
enum picture { PICTURE_RATES, PICTURE_QUEUE, PICTURE_RTT, PICTURE_FCT, PICTURES };
extern const char *const dpapcc_picture_names[PICTURES];
/* Appends a picture. `id` is NULL for a separate file. `about`, if not NULL, gets the picture in
 * words. */
void dpapcc_picture_put(const struct report *r, enum picture which, unsigned width, const char *id,
                        struct dpk_buf *out, struct dpk_buf *about);

/* page.c */
void dpapcc_page_put(const struct report *r, struct dpk_buf *out);

/* folder.c: writes all files to a folder that appears whole. */
/* Errors: DPK_ERR_EXISTS if the folder has other files, which must not be lost. */
enum dpk_status dpapcc_folder_check(const char *path, struct dpk_error *err);
enum dpk_status dpapcc_folder_write(const char *path, const struct report *r,
                                    struct dpk_error *err);

#endif
