/* Writes the summary of a report: JSON for programs, a table for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dpapcc.h"

void dpapcc_report_title(const struct report *r, struct dpk_buf *out)
{
    const struct scenario *s = r->scenario;
    for (size_t i = 0; i < r->count; i++)
        dpk_put_format(out, "%s%s", i ? ", " : "", r->runs[i].algorithm->name);
    dpk_put_format(out, " on %s%s%s, ", s->topology, s->workload ? " with " : "",
                   s->workload ? s->workload : "");
    chart_put_value(out, (double)s->time_ns * 1e-9, "s");
    dpk_put_format(out, ", seed %" PRIu64, s->seed);
}

/* ---- JSON ---- */

/* Returns the object for the last word of "queue.p99", and makes it if necessary. *word is that
 * word. */
static cJSON *object_of(cJSON *root, const char *key, const char **word)
{
    for (const char *dot; (dot = strchr(key, '.')) != NULL; key = dot + 1) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
        cJSON *next = cJSON_GetObjectItemCaseSensitive(root, name);
        root = next ? next : cJSON_AddObjectToObject(root, name);
    }
    *word = key;
    return root;
}

static void add_facts(cJSON *o, const struct facts *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const char *word;
        cJSON *in = object_of(o, f->at[i].key, &word);
        if (isfinite(f->at[i].value))
            cJSON_AddNumberToObject(in, word, f->at[i].value);
        else
            cJSON_AddNullToObject(in, word);
    }
}

static void add_failure(cJSON *o, const struct run *r)
{
    const struct cc_event *e = &r->results.failed;
    cJSON_AddBoolToObject(o, "complete", r->status == DPK_OK);
    if (r->status == DPK_OK)
        return;
    cJSON *f = cJSON_AddObjectToObject(o, "failure");
    dpk_json_text(f, "message", r->error.message);
    cJSON_AddStringToObject(f, "event", model_cc_event_name(e->type));
    cJSON_AddNumberToObject(f, "flow", e->flow);
    cJSON_AddNumberToObject(f, "time_ns", (double)e->time_ns);
}

/* Adds the parameters of the run, or the final counters. */
static void add_values(cJSON *o, struct algorithm *a, bool counters)
{
    struct dpk_pcc_value v;
    for (unsigned i = 0; counters ? dpk_pcc_counter(a->pcc, 0, a->about.slot, i, &v)
                                  : dpk_pcc_parameter(a->pcc, 0, a->about.slot, i, &v);
         i++)
        cJSON_AddNumberToObject(o, v.name, v.value);
}

static void add_run(cJSON *o, const struct run *r, const struct facts *facts)
{
    struct algorithm *a = r->algorithm;
    dpk_json_text(o, "algorithm", a->name);
    dpk_json_text(o, "source", a->word);
    if (a->pcc)
        dpk_json_text(o, "description", a->about.name);
    cJSON_AddNumberToObject(o, "simulated_ns", (double)r->results.time_ns);
    add_failure(o, r);
    add_facts(o, facts);
    if (r->results.busiest < r->results.queue_count)
        dpk_json_text(cJSON_GetObjectItem(o, "queue"), "name",
                      r->results.queues[r->results.busiest].name);
    for (uint32_t i = 0; a->mix && i < r->scenario->work.algorithms; i++) {
        char key[32];
        snprintf(key, sizeof key, "%u", (unsigned)i + 1);
        dpk_json_text(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "mix"), key), "algorithm",
                      dpapcc_mix_name(a, i));
    }
    if (!a->pcc)
        return;
    add_values(cJSON_AddObjectToObject(o, "parameters"), a, false);
    add_values(cJSON_AddObjectToObject(o, "counters"), a, true);
}

cJSON *dpapcc_report_json(const struct report *r)
{
    const struct scenario *s = r->scenario;
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "version", dpk_version);
    dpk_json_text(o, "topology", s->topology);
    dpk_json_text(o, "workload", s->workload);
    cJSON_AddNumberToObject(o, "seed", (double)s->seed);
    cJSON_AddNumberToObject(o, "time_ns", (double)s->time_ns);
    cJSON_AddNumberToObject(o, "interval_ns", (double)s->interval_ns);
    if (r->count == 1) {
        add_run(o, &r->runs[0], &r->facts[0]);
        return o;
    }
    cJSON *runs = cJSON_AddArrayToObject(o, "runs");
    for (size_t i = 0; i < r->count; i++) {
        cJSON *run = cJSON_CreateObject();
        cJSON_AddItemToArray(runs, run);
        add_run(run, &r->runs[i], &r->facts[i]);
    }
    return o;
}

/* ---- The table ---- */

int dpapcc_report_columns(const struct dpk_buf *text)
{
    int n = 0;
    for (size_t i = 0; i < text->size; i++)
        n += (text->data[i] & 0xc0) != 0x80;
    return n;
}

static void print_cell(const struct facts *f, const char *key, int width, FILE *to)
{
    struct dpk_buf text = {0};
    const struct fact *fact = dpapcc_fact_find(f, key);
    if (fact)
        dpapcc_fact_put(fact, &text);
    else
        dpk_put_format(&text, "\u2013");
    fprintf(to, "%*s%.*s", width - dpapcc_report_columns(&text), "", (int)text.size,
            (const char *)text.data);
    dpk_buf_free(&text);
}

/* Returns the facts of the run that ran longest: all runs have the same facts in the same order,
 * but failed runs have fewer. */
static const struct facts *longest(const struct report *r)
{
    const struct facts *most = &r->facts[0];
    for (size_t i = 1; i < r->count; i++)
        if (r->facts[i].count > most->count)
            most = &r->facts[i];
    return most;
}

/* Returns a label of the fact from any of the runs. */
static const char *label_of(const struct report *r, const char *key)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct fact *f = dpapcc_fact_find(&r->facts[i], key);
        if (f && f->label)
            return f->label;
    }
    return NULL;
}

void dpapcc_report_table(const struct report *r, FILE *to)
{
    const struct facts *all = longest(r);
    const char *group = "";
    struct dpk_buf title = {0};
    int width[64];
    dpapcc_report_title(r, &title);
    fprintf(to, "%.*s\n", (int)title.size, (const char *)title.data);
    dpk_buf_free(&title);
    if (r->count > 1)
        fprintf(to, "\n%-28s", "");
    for (size_t i = 0; i < r->count; i++) {
        const char *name = r->runs[i].algorithm->name;
        width[i] = strlen(name) > 12 ? (int)strlen(name) : 12;
        if (r->count > 1)
            fprintf(to, "  %*s", width[i], name);
    }
    for (size_t i = 0; i < all->count; i++) {
        const char *label = label_of(r, all->at[i].key);
        if (!label)
            continue;
        if (strcmp(group, all->at[i].group) != 0)
            fputc('\n', to);
        group = all->at[i].group;
        fprintf(to, "%-28s", label);
        for (size_t k = 0; k < r->count; k++) {
            fputs("  ", to);
            print_cell(&r->facts[k], all->at[i].key, width[k], to);
        }
        fputc('\n', to);
    }
}
