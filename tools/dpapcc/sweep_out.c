/* Writes the results of a sweep: a table, JSON, CSV, and a picture of each number over the first
 * axis. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep.h"

/* Facts of the table and the pictures; the files have all facts. */
static const struct {
    const char *key, *title, *file;
} shown[] = {
    {"throughput_gbps", "throughput", "throughput.svg"},
    {"fairness", "fairness", "fairness.svg"},
    {"queue.p99", "queue, p99", "queue.svg"},
    {"rtt_ns.p99", "round trip, p99", "rtt.svg"},
    {"slowdown.all.p50", "slowdown, p50", "slowdown50.svg"},
    {"slowdown.all.p99", "slowdown, p99", "slowdown99.svg"},
    {"packets.dropped", "packets dropped", "dropped.svg"},
};
enum { SHOWN = sizeof shown / sizeof *shown };

/* Returns the index of a fact, or the number of facts if it is absent. */
static size_t find_fact(const struct sweep *s, const char *key)
{
    size_t i = 0;
    while (i < s->facts[0].count && strcmp(s->facts[0].at[i].key, key) != 0)
        i++;
    return i;
}

/* ---- The table ---- */

static void put_estimate(const struct sweep *s, size_t point, size_t fact, struct dpk_buf *out)
{
    const struct estimate e = dpapcc_sweep_estimate(s, point, fact);
    struct fact f = s->facts[0].at[fact];
    f.value = e.mean;
    chart_put_value(out, f.value * f.scale, f.unit);
    if (!isfinite(e.half))
        return;
    dpk_put_format(out, " \u00b1 ");
    chart_put_value(out, e.half * f.scale, f.unit);
}

static void print_row(const struct sweep *s, size_t point)
{
    struct dpk_buf name = {0};
    dpapcc_sweep_point_put(s, point, &name);
    printf("\n%.*s\n", (int)name.size, (const char *)name.data);
    dpk_buf_free(&name);
    for (size_t i = 0; i < SHOWN; i++) {
        const size_t fact = find_fact(s, shown[i].key);
        struct dpk_buf text = {0};
        if (fact == s->facts[0].count || !isfinite(dpapcc_sweep_estimate(s, point, fact).mean))
            continue;
        put_estimate(s, point, fact, &text);
        printf("%-20s%*s%.*s\n", shown[i].title, 32 - dpapcc_report_columns(&text), "",
               (int)text.size, (const char *)text.data);
        dpk_buf_free(&text);
    }
}

static void print_table(const struct sweep *s)
{
    printf("%s on %s%s%s, %zu %s of %zu %s from %u on: mean \u00b1 half of the 95 %% interval\n",
           s->name, s->options->topology, s->options->workload ? " with " : "",
           s->options->workload ? s->options->workload : "", s->points,
           s->points == 1 ? "point" : "points", s->seeds, s->seeds == 1 ? "seed" : "seeds",
           s->options->seed);
    for (size_t i = 0; i < s->points; i++)
        print_row(s, i);
}

/* ---- JSON ---- */

static void add_number(cJSON *o, const char *name, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(o, name, value);
    else
        cJSON_AddNullToObject(o, name);
}

static cJSON *point_json(const struct sweep *s, size_t point)
{
    cJSON *o = cJSON_CreateObject(), *at = cJSON_AddObjectToObject(o, "at"),
          *metrics = cJSON_AddObjectToObject(o, "metrics");
    for (size_t i = 0; i < s->axis_count; i++)
        dpk_json_text(at, s->axes[i].name, dpapcc_sweep_value(s, point, i));
    for (size_t i = 0; i < s->facts[0].count; i++) {
        const struct estimate e = dpapcc_sweep_estimate(s, point, i);
        cJSON *m = cJSON_AddObjectToObject(metrics, s->facts[0].at[i].key);
        cJSON_AddNumberToObject(m, "n", (double)e.count);
        add_number(m, "mean", e.mean);
        add_number(m, "ci95", e.half);
        add_number(m, "min", e.least);
        add_number(m, "max", e.most);
    }
    return o;
}

static cJSON *sweep_json(const struct sweep *s)
{
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "version", dpk_version);
    dpk_json_text(o, "algorithm", s->name);
    dpk_json_text(o, "topology", s->options->topology);
    dpk_json_text(o, "workload", s->options->workload);
    cJSON_AddNumberToObject(o, "time_ns", (double)s->options->time_ns);
    cJSON_AddNumberToObject(o, "seed", s->options->seed);
    cJSON_AddNumberToObject(o, "seeds", (double)s->seeds);
    cJSON *points = cJSON_AddArrayToObject(o, "points");
    for (size_t i = 0; i < s->points; i++)
        cJSON_AddItemToArray(points, point_json(s, i));
    return o;
}

static void put_json(const struct sweep *s, struct dpk_buf *out)
{
    cJSON *json = sweep_json(s);
    char *text = json ? cJSON_Print(json) : NULL;
    if (text)
        dpk_put_format(out, "%s\n", text);
    out->failed |= !text;
    cJSON_free(text);
    cJSON_Delete(json);
}

/* ---- CSV ---- */

static void put_names(const struct sweep *s, struct dpk_buf *out)
{
    for (size_t i = 0; i < s->axis_count; i++)
        dpk_put_format(out, "%s,", s->axes[i].name);
}

static void put_values(const struct sweep *s, size_t point, struct dpk_buf *out)
{
    for (size_t i = 0; i < s->axis_count; i++)
        dpk_put_format(out, "%s,", dpapcc_sweep_value(s, point, i));
}

/* Appends a cell and `end`, a comma or line end. A value that is not finite gives an empty cell. */
static void put_number(struct dpk_buf *out, double value, char end)
{
    if (isfinite(value))
        dpk_put_format(out, "%.10g", value);
    dpk_put_u8(out, (uint8_t)end);
}

static void put_estimates(const struct sweep *s, struct dpk_buf *out)
{
    put_names(s, out);
    dpk_put_format(out, "metric,runs,mean,ci95,min,max\n");
    for (size_t i = 0; i < s->points; i++)
        for (size_t k = 0; k < s->facts[0].count; k++) {
            const struct estimate e = dpapcc_sweep_estimate(s, i, k);
            put_values(s, i, out);
            dpk_put_format(out, "%s,%zu,", s->facts[0].at[k].key, e.count);
            put_number(out, e.mean, ',');
            put_number(out, e.half, ',');
            put_number(out, e.least, ',');
            put_number(out, e.most, '\n');
        }
}

static void put_runs(const struct sweep *s, struct dpk_buf *out)
{
    const size_t count = s->facts[0].count;
    put_names(s, out);
    dpk_put_format(out, "seed");
    for (size_t k = 0; k < count; k++)
        dpk_put_format(out, ",%s", s->facts[0].at[k].key);
    dpk_put_u8(out, '\n');
    for (size_t i = 0; i < s->points * s->seeds; i++) {
        put_values(s, i / s->seeds, out);
        dpk_put_format(out, "%zu,", s->options->seed + i % s->seeds);
        for (size_t k = 0; k < count; k++)
            put_number(out, s->facts[i].at[k].value, k + 1 == count ? '\n' : ',');
    }
}

/* ---- Pictures ---- */

/* Values along the first axis; `line` selects the values of the other axes. */
struct picture_line {
    double *x, *low, *mean, *high;
    char name[256];
};

static void fill_line(const struct sweep *s, size_t fact, size_t line, size_t lines,
                      struct picture_line *l)
{
    const struct fact *f = &s->facts[0].at[fact];
    struct dpk_buf name = {0};
    for (size_t i = 0; i < s->axes[0].count; i++) {
        const struct estimate e = dpapcc_sweep_estimate(s, i * lines + line, fact);
        const double half = isfinite(e.half) ? e.half : 0;
        l->x[i] = (double)i;
        l->mean[i] = e.mean * f->scale;
        l->low[i] = (e.mean - half) * f->scale;
        l->high[i] = (e.mean + half) * f->scale;
    }
    for (size_t k = 1; k < s->axis_count; k++)
        dpk_put_format(&name, "%s%s=%s", k > 1 ? ", " : "", s->axes[k].name,
                       dpapcc_sweep_value(s, line, k));
    snprintf(l->name, sizeof l->name, "%.*s", (int)name.size,
             name.size ? (const char *)name.data : "");
    dpk_buf_free(&name);
}

/* Returns the least mean above 0, for the start of a logarithmic axis. */
static double least_of(const struct picture_line *lines, size_t count, size_t values)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < values; k++)
            if (lines[i].mean[k] > 0)
                least = fmin(least, lines[i].mean[k]);
    return isfinite(least) ? least : 1;
}

static void draw(const struct sweep *s, size_t which, size_t fact, struct picture_line *lines,
                 size_t count, struct chart_series *series, struct dpk_buf *out)
{
    const struct axis *axis = &s->axes[0];
    for (size_t i = 0; i < count; i++) {
        struct picture_line *l = &lines[i];
        const unsigned style = (unsigned)i * (CHART_COLOURS + 1);
        series[2 * i] = (struct chart_series){.x = l->x,
                                              .y = l->low,
                                              .upper = l->high,
                                              .count = axis->count,
                                              .kind = CHART_BAND,
                                              .style = style};
        series[2 * i + 1] = (struct chart_series){.name = s->axis_count > 1 ? l->name : NULL,
                                                  .x = l->x,
                                                  .y = l->mean,
                                                  .count = axis->count,
                                                  .kind = CHART_POINTS,
                                                  .style = style};
    }
    const struct chart c = {
        .title = shown[which].title,
        .about = "The mean over all seeds at each value, with its 95 % confidence interval.",
        .empty = "No run has this number.",
        .x = {.title = axis->name,
              .names = (const char *const *)axis->values,
              .name_count = axis->count},
        .y = {.title = shown[which].title,
              .unit = s->facts[0].at[fact].unit,
              .logarithmic = s->options->logarithmic,
              .least = least_of(lines, count, axis->count)},
        .series = series,
        .count = 2 * count,
        .width = 720};
    chart_svg(&c, out);
}

static void put_picture(const struct sweep *s, size_t which, struct dpk_buf *out)
{
    const size_t fact = find_fact(s, shown[which].key), values = s->axes[0].count;
    const size_t count = s->axis_count ? s->points / values : 0;
    struct picture_line *lines = calloc(count + 1, sizeof *lines);
    struct chart_series *series = calloc(2 * count + 1, sizeof *series);
    double *numbers = calloc(4 * count * values + 1, sizeof *numbers);
    out->failed |= !lines || !series || !numbers;
    for (size_t i = 0; !out->failed && i < count; i++) {
        double *at = numbers + 4 * i * values;
        lines[i] = (struct picture_line){
            .x = at, .low = at + values, .mean = at + 2 * values, .high = at + 3 * values};
        fill_line(s, fact, i, count, &lines[i]);
    }
    if (!out->failed)
        draw(s, which, fact, lines, count, series, out);
    free(lines);
    free(series);
    free(numbers);
}

/* ---- The folder ---- */

static void put_file(const void *context, const char *name, struct dpk_buf *out)
{
    const struct sweep *s = context;
    if (strcmp(name, "summary.json") == 0)
        put_json(s, out);
    else if (strcmp(name, "sweep.csv") == 0)
        put_estimates(s, out);
    else if (strcmp(name, "runs.csv") == 0)
        put_runs(s, out);
    for (size_t i = 0; i < SHOWN; i++)
        if (strcmp(name, shown[i].file) == 0)
            put_picture(s, i, out);
}

static const char *const tables[] = {"summary.json", "sweep.csv", "runs.csv"};
enum { TABLES = sizeof tables / sizeof *tables, FILES = TABLES + SHOWN };

static void list(struct dpk_folder_file files[FILES], const struct sweep *s, unsigned mode)
{
    for (size_t i = 0; i < FILES; i++)
        files[i] = (struct dpk_folder_file){.name = i < TABLES ? tables[i] : shown[i - TABLES].file,
                                            .mode = mode,
                                            .put = put_file,
                                            .context = s};
}

enum dpk_status dpapcc_sweep_check_folder(const char *path, struct dpk_error *err)
{
    struct dpk_folder_file files[FILES];
    list(files, NULL, 0);
    return dpk_folder_replaceable(path, files, FILES, err);
}

enum dpk_status dpapcc_sweep_show(const struct sweep *s, struct dpk_error *err)
{
    const struct options *o = s->options;
    struct dpk_folder_file files[FILES];
    const mode_t mask = umask(0);
    umask(mask);
    list(files, s, 0666 & ~mask);
    enum dpk_status status =
        o->output ? dpk_folder_replace(o->output, 0777 & ~mask, files, FILES, err) : DPK_OK;
    if (status == DPK_OK && o->json)
        status = dpk_json_print(sweep_json(s), err);
    else if (status == DPK_OK && !o->quiet)
        print_table(s);
    return status;
}
