/* Runs one algorithm at many values of parameters, with many seeds. */
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Axes ---- */

static bool has_placeholder(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; at && (at = strchr(at, '@')) != NULL; at++)
        if (strncmp(at + 1, name, length) == 0)
            return true;
    return false;
}

/* Parses NAME=VALUE,VALUE,... */
static enum dpk_status parse_axis(const char *text, const struct options *o, struct axis *axis,
                                  struct dpk_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= sizeof axis->name)
        return dpk_fail(err, DPK_ERR_USAGE, "--over '%s' is not NAME=VALUE,VALUE,...", text);
    snprintf(axis->name, sizeof axis->name, "%.*s", (int)(equals - text), text);
    for (const char *at = equals + 1; at;) {
        const char *comma = strchr(at, ',');
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (!length)
            return dpk_fail(err, DPK_ERR_USAGE, "--over '%s': a value is empty", text);
        if (axis->count == VALUES_MAX)
            return dpk_fail(err, DPK_ERR_USAGE, "--over '%s': more than %d values", axis->name,
                            VALUES_MAX);
        axis->values[axis->count] = strndup(at, length);
        if (!axis->values[axis->count++])
            return dpk_fail_nomem(err);
        at = comma ? comma + 1 : NULL;
    }
    axis->in_text =
        has_placeholder(o->topology, axis->name) || has_placeholder(o->workload, axis->name);
    return DPK_OK;
}

/* Returns the longest name of an axis that the text begins with, as its number; axis_count if there is
 * none. */
static size_t find_axis(const struct sweep *s, const char *text)
{
    size_t best = s->axis_count, length = 0;
    for (size_t i = 0; i < s->axis_count; i++) {
        const size_t have = strlen(s->axes[i].name);
        if (have > length && strncmp(text, s->axes[i].name, have) == 0)
            best = i, length = have;
    }
    return best;
}

/* Refuses values that begin with @ but name no axis: they would be taken for numbers or files. */
static enum dpk_status check_placeholders(const struct sweep *s, const char *option,
                                          const char *text, struct dpk_error *err)
{
    for (const char *at = text; at && (at = strstr(at, "=@")) != NULL; at += 2)
        if (find_axis(s, at + 2) == s->axis_count)
            return dpk_fail(err, DPK_ERR_USAGE, "--%s: %.*s is not a NAME of --over", option,
                            (int)strcspn(at + 1, ",:"), at + 1);
    return DPK_OK;
}

static enum dpk_status parse_axes(struct sweep *s, struct dpk_error *err)
{
    const struct options *o = s->options;
    if (o->over.count > AXES_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "--over is given for %d at most", AXES_MAX);
    s->points = 1;
    s->seeds = o->seeds;
    for (size_t i = 0; i < o->over.count; i++) {
        struct axis *axis = &s->axes[s->axis_count++];
        enum dpk_status status = parse_axis(o->over.at[i], o, axis, err);
        if (status != DPK_OK)
            return status;
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->axes[k].name, axis->name) == 0)
                return dpk_fail(err, DPK_ERR_USAGE, "--over has %s twice", axis->name);
        s->points *= axis->count;
    }
    if (s->points * s->seeds > RUNS_OF_SWEEP_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "%zu points with %zu seeds are more than %d runs",
                        s->points, s->seeds, RUNS_OF_SWEEP_MAX);
    const enum dpk_status status = check_placeholders(s, "topology", o->topology, err);
    return status == DPK_OK ? check_placeholders(s, "workload", o->workload, err) : status;
}

const char *dpapcc_sweep_value(const struct sweep *s, size_t point, size_t axis)
{
    for (size_t i = s->axis_count; --i > axis;)
        point /= s->axes[i].count;
    return s->axes[axis].values[point % s->axes[axis].count];
}

void dpapcc_sweep_point_put(const struct sweep *s, size_t point, struct dpk_buf *out)
{
    for (size_t i = 0; i < s->axis_count; i++)
        dpk_put_format(out, "%s%s=%s", i ? ", " : "", s->axes[i].name,
                       dpapcc_sweep_value(s, point, i));
}

struct estimate dpapcc_sweep_estimate(const struct sweep *s, size_t point, size_t fact)
{
    struct estimate none = {.mean = NAN, .half = NAN, .least = NAN, .most = NAN};
    double *values = calloc(s->seeds, sizeof *values);
    if (!values)
        return none;
    for (size_t i = 0; i < s->seeds; i++)
        values[i] = s->facts[point * s->seeds + i].at[fact].value;
    const struct estimate e = dpapcc_estimate_of(values, s->seeds);
    free(values);
    return e;
}

/* ---- One run ---- */

/* Replaces @NAME in the text by the values of a point; the longest matching name wins. NULL stays
 * NULL. */
static bool fill_in(const struct sweep *s, size_t point, const char *text, struct dpk_buf *out)
{
    for (const char *at = text; at && *at;) {
        const size_t axis = *at == '@' ? find_axis(s, at + 1) : s->axis_count;
        if (axis < s->axis_count)
            dpk_put_format(out, "%s", dpapcc_sweep_value(s, point, axis));
        else
            dpk_put(out, at, 1);
        at += axis < s->axis_count ? strlen(s->axes[axis].name) + 1 : 1;
    }
    dpk_put_u8(out, 0);
    return !out->failed;
}

/* Options of a run, and the data that they borrow. */
struct one {
    struct options options;
    struct dpk_buf topology, workload;
    char parameters[AXES_MAX][DPK_PCC_NAME_MAX + 64];
    const char **list;
    struct scenario scenario;
    struct algorithm algorithm;
    struct run run;
};

static enum dpk_status prepare(const struct sweep *s, size_t index, struct one *one,
                               struct dpk_error *err)
{
    const size_t point = index / s->seeds;
    struct options *o = &one->options;
    *o = *s->options;
    o->quiet = true;
    o->seed += (unsigned)(index % s->seeds);
    one->list = calloc(o->parameters.count + AXES_MAX, sizeof *one->list);
    if (!one->list || !fill_in(s, point, o->topology, &one->topology) ||
        !fill_in(s, point, o->workload, &one->workload))
        return dpk_fail_nomem(err);
    o->topology = (const char *)one->topology.data;
    o->workload = o->workload ? (const char *)one->workload.data : NULL;
    for (size_t i = 0; i < o->parameters.count; i++)
        one->list[i] = o->parameters.at[i];
    o->parameters.at = one->list;
    for (size_t i = 0; i < s->axis_count; i++) {
        if (s->axes[i].in_text)
            continue;
        snprintf(one->parameters[i], sizeof one->parameters[i], "%s=%s", s->axes[i].name,
                 dpapcc_sweep_value(s, point, i));
        one->list[o->parameters.count++] = one->parameters[i];
    }
    enum dpk_status status = dpapcc_scenario_open(o, &one->scenario, err);
    const uint32_t speed = (uint32_t)(one->scenario.line_bps / 1e9);
    return status == DPK_OK ? dpapcc_algorithm_open(s->word, o, speed, &one->algorithm, err)
                            : status;
}

struct job {
    struct sweep *sweep;
    struct dpk_error *errors; /* of each run */
    enum dpk_status *status;
};

static enum dpk_status run_one(struct job *job, size_t index, struct one *one,
                               struct dpk_error *err)
{
    enum dpk_status status = prepare(job->sweep, index, one, err);
    one->run = (struct run){.scenario = &one->scenario, .algorithm = &one->algorithm};
    if (status == DPK_OK)
        status = dpapcc_run_algorithm(&one->run, err);
    if (status == DPK_OK && one->run.status != DPK_OK)
        status = dpk_fail(err, DPK_ERR_FAULT, "%s", one->run.error.message);
    if (status == DPK_OK)
        dpapcc_facts_of(&one->run, &one->options, &job->sweep->facts[index]);
    return status;
}

static void do_run(void *context, size_t index)
{
    struct job *job = context;
    struct one *one = calloc(1, sizeof *one);
    job->status[index] =
        one ? run_one(job, index, one, &job->errors[index]) : dpk_fail_nomem(&job->errors[index]);
    if (!one)
        return;
    dpapcc_run_close(&one->run);
    dpapcc_algorithm_close(&one->algorithm);
    dpapcc_scenario_close(&one->scenario);
    dpk_buf_free(&one->topology);
    dpk_buf_free(&one->workload);
    free(one->list);
    free(one);
}

static void do_later_run(void *context, size_t index)
{
    do_run(context, index + 1);
}

/* Reports the first run that failed, with its point. */
static enum dpk_status first_failure(const struct job *job, size_t runs, struct dpk_error *err)
{
    const struct sweep *s = job->sweep;
    for (size_t i = 0; i < runs; i++) {
        struct dpk_buf point = {0};
        if (job->status[i] == DPK_OK)
            continue;
        *err = job->errors[i];
        dpapcc_sweep_point_put(s, i / s->seeds, &point);
        /* Many messages begin with the name of the algorithm. */
        const bool named = strncmp(err->message, s->word, strlen(s->word)) == 0;
        dpk_error_prefix(err, "%s%s %.*s%sseed %zu", named ? "" : s->word, named ? "at" : " with",
                         (int)point.size, (const char *)point.data, point.size ? ", " : "",
                         s->options->seed + i % s->seeds);
        dpk_buf_free(&point);
        return job->status[i];
    }
    return DPK_OK;
}

static enum dpk_status run_points(struct sweep *s, struct dpk_error *err)
{
    const size_t runs = s->points * s->seeds;
    struct job job = {.sweep = s};
    s->facts = calloc(runs, sizeof *s->facts);
    job.errors = calloc(runs, sizeof *job.errors);
    job.status = calloc(runs, sizeof *job.status);
    enum dpk_status status = s->facts && job.errors && job.status ? DPK_OK : dpk_fail_nomem(err);
    if (status == DPK_OK) {
        /* An error that affects all runs is reported after the first run. */
        do_run(&job, 0);
        status = first_failure(&job, 1, err);
    }
    if (status == DPK_OK) {
        dpk_parallel(runs - 1, 0, do_later_run, &job);
        status = first_failure(&job, runs, err);
    }
    free(job.errors);
    free(job.status);
    return status;
}

enum dpk_status dpapcc_sweep_run(const struct options *o, const char *word, struct dpk_error *err)
{
    struct sweep *s = calloc(1, sizeof *s);
    if (!s)
        return dpk_fail_nomem(err);
    s->options = o;
    s->word = s->name = word;
    enum dpk_status status = parse_axes(s, err);
    if (status == DPK_OK && o->output)
        status = dpapcc_sweep_check_folder(o->output, err);
    if (status == DPK_OK)
        status = run_points(s, err);
    if (status == DPK_OK)
        status = dpapcc_sweep_show(s, err);
    for (size_t i = 0; i < s->axis_count; i++)
        for (size_t k = 0; k < s->axes[i].count; k++)
            free(s->axes[i].values[k]);
    free(s->facts);
    free(s);
    return status;
}
