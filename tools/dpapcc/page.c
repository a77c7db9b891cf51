/* Writes the report as a single HTML page with style and pictures inside. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dpapcc.h"

enum { WIDE = 860, NARROW = 340, ROWS_MAX = 100 };

static void put_fact_cell(const struct facts *facts, const char *key, size_t run, const char *tag,
                          struct dpk_buf *out)
{
    const struct fact *f = dpapcc_fact_find(facts, key);
    struct dpk_buf text = {0};
    if (!f) {
        dpk_put_format(out, "<%s>\u2013</%s>", tag, tag);
        return;
    }
    dpapcc_fact_put(f, &text);
    dpk_put_u8(&text, 0);
    dpk_put_format(out, "<%s data-run=\"%zu\" data-key=\"%s\" data-value=\"", tag, run, key);
    if (isfinite(f->value))
        dpk_put_format(out, "%.15g", f->value);
    dpk_put_format(out, "\">");
    chart_put_xml(out, text.failed ? "" : (const char *)text.data);
    dpk_put_format(out, "</%s>", tag);
    out->failed |= text.failed;
    dpk_buf_free(&text);
}

/* ---- Parts of the page ---- */

static void put_failure(const struct run *r, struct dpk_buf *out)
{
    if (r->status == DPK_OK)
        return;
    dpk_put_format(out, "<section class=\"bad\" role=\"alert\"><p><strong>");
    chart_put_xml(out, r->algorithm->name);
    dpk_put_format(out, " failed after ");
    chart_put_value(out, (double)r->results.time_ns * 1e-9, "s");
    dpk_put_format(out, "</strong>. The results show what it did until then.</p><p>");
    chart_put_xml(out, r->error.message);
    dpk_put_format(out, "</p></section>\n");
}

static void put_tiles(const struct report *r, struct dpk_buf *out)
{
    static const struct {
        const char *key, *label;
    } tiles[] = {{"throughput_gbps", "throughput"}, {"fairness", "fairness (Jain)"},
                 {"queue.p99", "queue, p99"},       {"rtt_ns.p99", "round trip, p99"},
                 {"packets.dropped", "drops"},      {"dpa.ns.mean", "DPA, an event"}};
    if (r->count > 1)
        return;
    dpk_put_format(out, "<dl class=\"tiles\">\n");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        if (!dpapcc_fact_find(&r->facts[0], tiles[i].key))
            continue;
        dpk_put_format(out, "<div><dt>%s</dt>", tiles[i].label);
        put_fact_cell(&r->facts[0], tiles[i].key, 0, "dd", out);
        dpk_put_format(out, "</div>\n");
    }
    dpk_put_format(out, "</dl>\n");
}

static void put_picture(const struct report *r, enum picture which, struct dpk_buf *out)
{
    static const char *const titles[PICTURES] = {"Rates of flows", "Longest queues", "Round trips",
                                                 "Slowdown of flows that ended"};
    const char *name = dpapcc_picture_names[which];
    struct dpk_buf about = {0}, narrow = {0};
    char id[16];
    snprintf(id, sizeof id, "%s-n", name);
    dpapcc_picture_put(r, which, NARROW, id, &narrow, NULL);
    dpk_put_format(out, "<figure id=\"%s\"><h2>%s</h2>\n<div class=\"wide\">", name, titles[which]);
    snprintf(id, sizeof id, "%s-w", name);
    dpapcc_picture_put(r, which, WIDE, id, out, &about);
    dpk_put_format(out, "</div><div class=\"narrow\">");
    dpk_put(out, narrow.data, narrow.size);
    dpk_put_format(out, "</div>\n<figcaption>");
    dpk_put_u8(&about, 0);
    chart_put_xml(out, about.failed ? "" : (const char *)about.data);
    dpk_put_format(out, "</figcaption></figure>\n");
    out->failed |= about.failed || narrow.failed;
    dpk_buf_free(&about);
    dpk_buf_free(&narrow);
}

/* Returns the label of a fact from any of the runs. */
static const char *label_in(const struct report *r, const char *key)
{
    const struct fact *f = NULL;
    for (size_t i = 0; i < r->count && !(f && f->label); i++)
        f = dpapcc_fact_find(&r->facts[i], key);
    return f ? f->label : NULL;
}

static void put_numbers(const struct report *r, struct dpk_buf *out)
{
    const struct facts *all = &r->facts[0];
    const char *group = "";
    for (size_t i = 1; i < r->count; i++)
        if (r->facts[i].count > all->count)
            all = &r->facts[i];
    dpk_put_format(out, "<section id=\"numbers\"><h2>In numbers</h2>\n<div class=\"scroll\" "
                        "tabindex=\"0\" role=\"region\" aria-label=\"In numbers\"><table>\n"
                        "<thead><tr><th scope=\"col\"></th>");
    for (size_t i = 0; i < r->count; i++) {
        dpk_put_format(out, "<th scope=\"col\">");
        chart_put_xml(out, r->runs[i].algorithm->name);
        dpk_put_format(out, "</th>");
    }
    dpk_put_format(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < all->count; i++) {
        const char *label = label_in(r, all->at[i].key);
        if (!label)
            continue;
        if (strcmp(group, all->at[i].group) != 0)
            dpk_put_format(out,
                           "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%zu\">%s</th>"
                           "</tr>\n",
                           r->count + 1, all->at[i].group);
        group = all->at[i].group;
        dpk_put_format(out, "<tr><th scope=\"row\">");
        chart_put_xml(out, label);
        dpk_put_format(out, "</th>");
        for (size_t k = 0; k < r->count; k++)
            put_fact_cell(&r->facts[k], all->at[i].key, k, "td", out);
        dpk_put_format(out, "</tr>\n");
    }
    dpk_put_format(out, "</tbody></table></div></section>\n");
}

static void put_cell(struct dpk_buf *out, double value, const char *unit)
{
    dpk_put_format(out, "<td>");
    chart_put_value(out, value, unit);
    dpk_put_format(out, "</td>");
}

static void put_flow(const struct run *r, uint32_t number, struct dpk_buf *out)
{
    const struct cc_flow *f = &r->results.flows[number];
    char from[CC_NAME_MAX + 8], to[CC_NAME_MAX + 8];
    double end = (double)(f->end_ns ? f->end_ns : r->results.time_ns);
    double active = (end - (double)f->start_ns) * 1e-9;
    dpk_put_format(out, "<tr><th scope=\"row\">%" PRIu32 ": ", number);
    chart_put_xml(out, dpapcc_node_name(r->scenario, f->from, from));
    dpk_put_format(out, " \u2192 ");
    chart_put_xml(out, dpapcc_node_name(r->scenario, f->to, to));
    dpk_put_format(out, "</th>");
    put_cell(out, f->size ? (double)f->size : NAN, "B");
    put_cell(out, active > 0 ? (double)f->acknowledged * 8 / active : NAN, "bit/s");
    put_cell(out,
             f->end_ns && f->ideal_ns ? (double)(f->end_ns - f->start_ns) / (double)f->ideal_ns
                                      : NAN,
             NULL);
    put_cell(out, (double)f->cnps, NULL);
    put_cell(out, (double)f->resent, NULL);
    dpk_put_format(out, "</tr>\n");
}

static void put_flows(const struct run *r, struct dpk_buf *out)
{
    uint32_t count = r->results.flow_count, shown = count < ROWS_MAX ? count : ROWS_MAX;
    dpk_put_format(out, "<section><details><summary>Flows of ");
    chart_put_xml(out, r->algorithm->name);
    if (shown < count)
        dpk_put_format(out, ": the first %" PRIu32 " of %" PRIu32, shown, count);
    dpk_put_format(out, "</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"Flows of ");
    chart_put_xml(out, r->algorithm->name);
    dpk_put_format(out, "\"><table>\n<thead><tr><th scope=\"col\">flow</th><th scope=\"col\">size"
                        "</th><th scope=\"col\">mean rate</th><th scope=\"col\">slowdown</th>"
                        "<th scope=\"col\">CNPs</th><th scope=\"col\">sent again</th></tr></thead>"
                        "\n<tbody>\n");
    for (uint32_t i = 0; i < shown; i++)
        put_flow(r, i, out);
    dpk_put_format(out, "</tbody></table></div></details></section>\n");
}

static void put_parameters(const struct run *r, struct dpk_buf *out)
{
    struct algorithm *a = r->algorithm;
    struct dpk_pcc_value v;
    if (!a->pcc || a->about.parameters == 0)
        return;
    dpk_put_format(out, "<section><details><summary>Parameters of ");
    chart_put_xml(out, a->name);
    dpk_put_format(out, "</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"Parameters of ");
    chart_put_xml(out, a->name);
    dpk_put_format(out, "\"><table>\n<thead><tr><th scope=\"col\">parameter</th>"
                        "<th scope=\"col\">value</th><th scope=\"col\">least</th>"
                        "<th scope=\"col\">most</th></tr></thead>\n<tbody>\n");
    for (unsigned i = 0; dpk_pcc_parameter(a->pcc, 0, a->about.slot, i, &v); i++) {
        dpk_put_format(out, "<tr><th scope=\"row\">");
        chart_put_xml(out, v.name);
        dpk_put_format(out,
                       "</th><td>%" PRIu32 "</td><td>%" PRIu32 "</td><td>%" PRIu32 "</td></tr>\n",
                       v.value, v.minimum, v.maximum);
    }
    dpk_put_format(out, "</tbody></table></div></details></section>\n");
}

/* Appends notes on the model and its limits. */
static void put_notes(const struct report *r, struct dpk_buf *out)
{
    bool program = false;
    for (size_t i = 0; i < r->count; i++)
        program |= r->runs[i].algorithm->pcc != NULL;
    dpk_put_format(
        out, "<footer><p>A model of a network, not a card: dpa-pcc(7) says what it leaves out. ");
    if (program)
        dpk_put_format(out,
                       "Times of events are instructions at %.1f GHz, one a cycle, without "
                       "waits for memory: a card takes longer. ",
                       DPA_GHZ);
    if (program && r->options->budget_ns == 0)
        dpk_put_format(out, "The budget is the time between events of the busiest card, times its "
                            "threads. ");
    else if (program)
        dpk_put_format(out, "The budget is that of --budget. ");
    dpk_put_format(out, "Made by dpapcc of dpakit %s.</p></footer>\n", dpk_version);
}

void dpapcc_page_put(const struct report *r, struct dpk_buf *out)
{
    struct dpk_buf title = {0};
    dpapcc_report_title(r, &title);
    dpk_put_u8(&title, 0);
    const char *text = title.failed ? "" : (const char *)title.data;
    chart_page_begin(out, text, "numbers", "To the numbers");
    dpk_put_format(out, "<header><h1>");
    for (size_t i = 0; i < r->count; i++) {
        dpk_put_format(out, "%s", i == 0 ? "" : i + 1 < r->count ? ", " : " and ");
        chart_put_xml(out, r->runs[i].algorithm->name);
    }
    dpk_put_format(out, "</h1>\n<p>");
    chart_put_xml(out, text);
    dpk_put_format(out, "</p></header>\n<main>\n");
    for (size_t i = 0; i < r->count; i++)
        put_failure(&r->runs[i], out);
    put_tiles(r, out);
    for (unsigned i = 0; i < PICTURES; i++)
        put_picture(r, i, out);
    put_numbers(r, out);
    for (size_t i = 0; i < r->count; i++) {
        put_parameters(&r->runs[i], out);
        put_flows(&r->runs[i], out);
    }
    dpk_put_format(out, "</main>\n");
    put_notes(r, out);
    dpk_put_format(out, "</body>\n</html>\n");
    out->failed |= title.failed;
    dpk_buf_free(&title);
}
