/* dpapcc: its files are well-formed, whatever names and numbers a run has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc/sweep.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char hostile[] = "a\"b\\<script>'&\n\x01\xff,;";

/* Two runs of a made-up network, in which names are hostile and numbers are at their ends. */
struct world {
    struct cc_node nodes[2];
    struct scenario scenario;
    struct options options;
    struct algorithm algorithms[2];
    struct run runs[2];
    struct facts facts[2];
    struct report report;
};

static void make_run(struct world *w, size_t i)
{
    struct run *r = &w->runs[i];
    struct cc_results *res = &r->results;
    *r = (struct run){.scenario = &w->scenario, .algorithm = &w->algorithms[i]};
    snprintf(w->algorithms[i].name, sizeof w->algorithms[i].name, "%s", i ? "second" : hostile);
    dpk_text_clean(w->algorithms[i].name); /* as dpapcc_algorithm_open does */
    w->algorithms[i].word = hostile;
    res->flow_count = 2;
    res->flows = calloc(2, sizeof *res->flows);
    res->queue_count = 1;
    res->queues = calloc(1, sizeof *res->queues);
    assert_non_null(res->flows);
    assert_non_null(res->queues);
    res->flows[0] = (struct cc_flow){.to = 1, .size = 1000, .end_ns = 9000, .ideal_ns = 3000};
    res->flows[1] = (struct cc_flow){.from = 7, .to = UINT32_MAX, .acknowledged = UINT64_MAX};
    snprintf(res->queues[0].name, sizeof res->queues[0].name, "%s", hostile);
    res->queues[0].bytes.max = UINT32_MAX;
    res->time_ns = 10000;
    res->gbps = INFINITY; /* nobody promises a number */
    res->acknowledged = UINT64_MAX;
    if (i == 1) {
        r->status = DPK_ERR_FAULT;
        snprintf(r->error.message, sizeof r->error.message, "%s", hostile);
    }
    assert_true(dpapcc_series_start(&r->series, &w->scenario));
    for (uint64_t t = 0; t <= 10000; t += 1000) {
        const struct cc_flow_sample flows[2] = {{.rate = CC_RATE_ONE, .mbps = UINT32_MAX},
                                                {.rate = t > 5000, .rtt_ns = (uint32_t)t}};
        const uint32_t bytes = (uint32_t)t, peak = UINT32_MAX;
        const struct cc_sample sample = {.time_ns = t,
                                         .flow_count = 2,
                                         .queue_count = 1,
                                         .flows = flows,
                                         .queue_bytes = &bytes,
                                         .queue_peak = &peak};
        dpapcc_series_add(&r->series, &sample);
    }
    const struct mark marks[] = {{500, 0, 0, CC_MARK_DROP},
                                 {600, UINT32_MAX, UINT32_MAX, CC_MARK_PAUSE},
                                 {700, 1, 99, CC_MARK_CNP}};
    dpk_put(&r->marks, marks, sizeof marks);
    dpapcc_facts_of(r, &w->options, &w->facts[i]);
}

static int make_world(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (size_t i = 0; i < 2; i++)
        snprintf(w->nodes[i].name, sizeof w->nodes[i].name, "%s", hostile);
    w->scenario = (struct scenario){.net = {.nodes = w->nodes, .node_count = 2, .ecn = true},
                                    .topology = hostile,
                                    .time_ns = 10000,
                                    .interval_ns = 1000,
                                    .line_bps = 100e9};
    for (size_t i = 0; i < 2; i++)
        make_run(w, i);
    w->report = (struct report){.scenario = &w->scenario,
                                .options = &w->options,
                                .runs = w->runs,
                                .facts = w->facts,
                                .count = 2};
    *state = w;
    return 0;
}

static int free_world(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < 2; i++) {
        free(w->runs[i].results.flows);
        free(w->runs[i].results.queues);
        w->runs[i].results = (struct cc_results){0};
        dpapcc_run_close(&w->runs[i]);
    }
    free(w);
    return 0;
}

static xmlDocPtr parse(const struct dpk_buf *xml)
{
    assert_false(xml->failed);
    xmlDocPtr doc =
        xmlReadMemory((const char *)xml->data, (int)xml->size, "x", NULL, XML_PARSE_NONET);
    assert_non_null(doc);
    return doc;
}

static bool has(const struct dpk_buf *b, const char *text)
{
    return memmem(b->data, b->size, text, strlen(text)) != NULL;
}

static void pages_and_pictures_are_well_formed(void **state)
{
    struct world *w = *state;
    for (w->report.count = 1; w->report.count <= 2; w->report.count++) {
        struct dpk_buf page = {0};
        dpapcc_page_put(&w->report, &page);
        xmlFreeDoc(parse(&page));
        assert_false(has(&page, "<script"));
        assert_int_equal(has(&page, "role=\"alert\""), w->report.count == 2);
        dpk_buf_free(&page);
        for (unsigned i = 0; i < PICTURES; i++) {
            struct dpk_buf svg = {0};
            dpapcc_picture_put(&w->report, i, 720, NULL, &svg, NULL);
            xmlFreeDoc(parse(&svg));
            assert_false(has(&svg, "nan") || has(&svg, "inf"));
            dpk_buf_free(&svg);
        }
    }
}

static void traces_and_summaries_are_json(void **state)
{
    struct world *w = *state;
    struct dpk_buf trace = {0};
    dpapcc_trace_json(&w->report, &trace);
    assert_false(trace.failed);
    cJSON *json = cJSON_ParseWithLength((const char *)trace.data, trace.size);
    assert_non_null(json);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(json, "traceEvents")) > 40);
    cJSON_Delete(json);
    dpk_buf_free(&trace);
    cJSON *summary = dpapcc_report_json(&w->report);
    char *text = cJSON_Print(summary);
    cJSON_Delete(summary);
    json = cJSON_Parse(text);
    assert_non_null(json);
    const cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "runs"), 1);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(run, "complete")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(run, "throughput_gbps")));
    cJSON_Delete(json);
    cJSON_free(text);
}

/* Cells of a line, in which quotes hide commas. */
static size_t cells(const char *line, const char *end)
{
    size_t n = 1;
    bool quoted = false;
    for (; line < end; line++) {
        quoted ^= *line == '"';
        n += *line == ',' && !quoted;
    }
    assert_false(quoted);
    return n;
}

static void tables_have_the_same_cells_in_each_line(void **state)
{
    struct world *w = *state;
    void (*const put[])(const struct report *, struct dpk_buf *) = {dpapcc_csv_flows,
                                                                    dpapcc_csv_series};
    for (size_t i = 0; i < COUNT(put); i++) {
        struct dpk_buf csv = {0};
        size_t lines = 0, first = 0;
        put[i](&w->report, &csv);
        assert_false(csv.failed);
        const char *end = (const char *)csv.data + csv.size;
        for (const char *line = (const char *)csv.data, *next; line < end; line = next + 1) {
            next = memchr(line, '\n', (size_t)(end - line));
            assert_non_null(next);
            if (lines++ == 0)
                first = cells(line, next);
            assert_int_equal(cells(line, next), first);
        }
        assert_int_equal(lines, i == 0 ? 5 : 23);
        dpk_buf_free(&csv);
    }
}

static void quantiles_of_costs_are_close(void **state)
{
    (void)state;
    struct cost *c = calloc(1, sizeof *c);
    assert_non_null(c);
    assert_int_equal(dpapcc_cost_quantile(c, 0.5), 0);
    for (uint32_t i = 1; i <= 100000; i++)
        dpapcc_cost_add(c, i);
    assert_in_range(dpapcc_cost_quantile(c, 0.5), 50000, 50000 + 50000 / 64);
    assert_in_range(dpapcc_cost_quantile(c, 0.99), 99000, 100000);
    assert_int_equal(dpapcc_cost_quantile(c, 1), 100000);
    assert_int_equal(dpapcc_cost_quantile(c, 0), 1);
    dpapcc_cost_add(c, UINT32_MAX);
    assert_int_equal(dpapcc_cost_quantile(c, 1), UINT32_MAX);
    free(c);
}

static void busy_queues_come_first(void **state)
{
    (void)state;
    struct cc_queue queues[9] = {0};
    struct run r = {.results = {.queues = queues, .queue_count = COUNT(queues)}};
    uint32_t out[QUEUES_SHOWN];
    static const double means[COUNT(queues)] = {1, 5, 0, 5, 9, 2, 7, 0, 3};
    assert_int_equal(dpapcc_run_queues(&r, out), 0);
    for (size_t i = 0; i < COUNT(queues); i++)
        queues[i].bytes.mean = means[i], queues[i].bytes.max = (uint64_t)means[i];
    assert_int_equal(dpapcc_run_queues(&r, out), QUEUES_SHOWN);
    static const uint32_t want[QUEUES_SHOWN] = {4, 6, 1, 3};
    assert_memory_equal(out, want, sizeof want);
}

/* Means and intervals, against published tables of Student's t. */
static void intervals_are_those_of_students_t(void **state)
{
    (void)state;
    static const struct {
        size_t degrees;
        double t;
    } table[] = {{1, 12.706}, {4, 2.776},  {30, 2.042}, {31, 2.040},
                 {40, 2.021}, {60, 2.000}, {120, 1.980}};
    for (size_t i = 0; i < COUNT(table); i++)
        assert_true(fabs(dpapcc_student_t(table[i].degrees) - table[i].t) < 0.0006);
    const double values[] = {2, 4, NAN, 4, 6};
    const struct estimate e = dpapcc_estimate_of(values, 5);
    assert_int_equal(e.count, 4);
    assert_true(e.mean == 4 && e.least == 2 && e.most == 6);
    assert_true(fabs(e.half - 3.1824 * sqrt(8.0 / 3) / 2) < 1e-9);
    assert_true(isnan(dpapcc_estimate_of(values, 1).half));
    assert_true(dpapcc_estimate_of(values + 2, 1).count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_and_pictures_are_well_formed, make_world, free_world),
        cmocka_unit_test_setup_teardown(traces_and_summaries_are_json, make_world, free_world),
        cmocka_unit_test_setup_teardown(tables_have_the_same_cells_in_each_line, make_world,
                                        free_world),
        cmocka_unit_test(quantiles_of_costs_are_close),
        cmocka_unit_test(busy_queues_come_first),
        cmocka_unit_test(intervals_are_those_of_students_t),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
