/* chart: pictures are well-formed XML that shows every peak; quantiles; round marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static xmlDocPtr parse(const struct dpk_buf *svg)
{
    assert_false(svg->failed);
    xmlDocPtr doc = xmlReadMemory((const char *)svg->data, (int)svg->size, "chart.svg", NULL,
                                  XML_PARSE_NONET | XML_PARSE_NOERROR);
    assert_non_null(doc);
    return doc;
}

/* How many nodes an XPath finds; "s" is SVG's name space. */
static int count(xmlDocPtr doc, const char *path)
{
    xmlXPathContextPtr context = xmlXPathNewContext(doc);
    xmlXPathRegisterNs(context, (const xmlChar *)"s",
                       (const xmlChar *)"http://www.w3.org/2000/svg");
    xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)path, context);
    assert_non_null(found);
    int n = found->nodesetval ? found->nodesetval->nodeNr : 0;
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
    return n;
}

static struct dpk_buf draw(const struct chart_series *series, size_t n, const char *name)
{
    const struct chart c = {.title = name,
                            .about = name,
                            .empty = "nothing to see",
                            .x = {.title = "time", .unit = "s"},
                            .y = {.title = "rate", .unit = "bit/s"},
                            .series = series,
                            .count = n,
                            .width = 720};
    struct dpk_buf svg = {0};
    chart_svg(&c, &svg);
    return svg;
}

static bool has(const struct dpk_buf *svg, const char *text)
{
    return memmem(svg->data, svg->size, text, strlen(text)) != NULL;
}

static void hostile_names_stay_text(void **state)
{
    (void)state;
    const char *names[] = {"</text><script>alert(1)</script>", "a & b \"c\" 'd'",
                           "\xff\xfe \x1b[31m \x01", "\xef\xbf\xbe \xef\xbf\xbf", ""};
    const double x[] = {0, 1}, y[] = {1, 2};
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct chart_series s = {.name = names[i], .x = x, .y = y, .count = 2};
        struct dpk_buf svg = draw(&s, 1, names[i]);
        xmlDocPtr doc = parse(&svg);
        assert_int_equal(count(doc, "//s:script"), 0);
        assert_int_equal(count(doc, "//s:g"), 1);
        xmlFreeDoc(doc);
        dpk_buf_free(&svg);
    }
}

static void every_peak_is_drawn(void **state)
{
    (void)state;
    enum { POINTS = 100000, PEAK = 77777 };
    double *x = calloc(POINTS, sizeof *x), *y = calloc(POINTS, sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    for (size_t i = 0; i < POINTS; i++)
        x[i] = (double)i, y[i] = 10;
    y[PEAK] = 100;
    const struct chart_series s = {.name = "one", .x = x, .y = y, .count = POINTS};
    struct dpk_buf svg = draw(&s, 1, "peak");
    xmlFreeDoc(parse(&svg));
    /* From 10 to 100 is nine tenths of the picture. */
    const char *line = memmem(svg.data, svg.size, "<path class=\"cl cl0\" d=\"M", 24);
    assert_non_null(line);
    line = strstr(line + 24, "<path class=\"cl cl0\" d=\"M"); /* the first is the legend's */
    assert_non_null(line);
    double least = 1e9, most = 0, px, py;
    size_t points = 0;
    int used = 0;
    for (line += 24; sscanf(line, "%*[ML]%lf %lf%n", &px, &py, &used) == 2; line += used, points++)
        least = fmin(least, py), most = fmax(most, py);
    assert_in_range(points, 600, 4 * 720);
    assert_true(most - least > 200);
    dpk_buf_free(&svg);
    free(x);
    free(y);
}

static void gaps_and_odd_values_do_not_break_pictures(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {1, NAN, INFINITY, -INFINITY, 2, 3};
    const double up[] = {2, 2, 2, 2, NAN, 4}, level = 1e300, one = 5;
    const struct chart_series s[] = {
        {.name = "line", .x = x, .y = y, .count = 6},
        {.name = "step", .x = x, .y = y, .count = 6, .kind = CHART_STEP, .style = 9},
        {.name = "band", .x = x, .y = y, .upper = up, .count = 6, .kind = CHART_BAND},
        {.name = "dots", .x = x, .y = y, .count = 6, .kind = CHART_POINTS, .style = 40},
        {.name = "level", .y = &level, .kind = CHART_LEVEL},
        {.name = "one", .x = &one, .y = &one, .count = 1},
        {.name = "none", .x = x, .y = y, .count = 0}};
    struct dpk_buf svg = draw(s, COUNT(s), "odd");
    xmlDocPtr doc = parse(&svg);
    assert_int_equal(count(doc, "//s:circle"), 3);
    assert_false(has(&svg, "nan"));
    assert_false(has(&svg, "inf"));
    xmlFreeDoc(doc);
    dpk_buf_free(&svg);
}

static void a_picture_of_nothing_says_so(void **state)
{
    (void)state;
    struct dpk_buf svg = draw(NULL, 0, "nothing");
    xmlFreeDoc(parse(&svg));
    assert_true(has(&svg, ">nothing to see<"));
    dpk_buf_free(&svg);
}

static void axes_have_round_marks_and_units(void **state)
{
    (void)state;
    const double x[] = {0, 0.02}, y[] = {0, 98.7e9};
    const struct chart_series s = {.name = "rate", .x = x, .y = y, .count = 2};
    struct dpk_buf svg = draw(&s, 1, "units");
    assert_true(has(&svg, ">rate (Gbit/s)<"));
    assert_true(has(&svg, ">time (ms)<"));
    assert_true(has(&svg, ">100<"));
    assert_true(has(&svg, ">20<"));
    dpk_buf_free(&svg);
}

static void logarithmic_axes_have_1_2_and_5(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {1.2, 30};
    const char *const names[] = {"small", "large"};
    const struct chart_series s = {.name = "p99", .x = x, .y = y, .count = 2, .kind = CHART_POINTS};
    const struct chart c = {.title = "slowdown",
                            .x = {.title = "size", .names = names, .name_count = 2},
                            .y = {.title = "times", .logarithmic = true},
                            .series = &s,
                            .count = 1,
                            .width = 320};
    struct dpk_buf svg = {0};
    chart_svg(&c, &svg);
    xmlFreeDoc(parse(&svg));
    const char *const marks[] = {">1<", ">2<", ">5<", ">10<", ">20<", ">50<", ">small<", ">large<"};
    for (size_t i = 0; i < COUNT(marks); i++)
        assert_true(has(&svg, marks[i]));
    assert_false(has(&svg, ">100<"));
    dpk_buf_free(&svg);
}

static void few_peaks_do_not_flatten_the_rest(void **state)
{
    (void)state;
    double x[1000], y[1000];
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = (double)i, y[i] = i < 10 ? 100e9 : 5e9;
    const struct chart_series s = {.name = "rate", .x = x, .y = y, .count = COUNT(x)};
    for (int cut = 0; cut < 2; cut++) {
        const struct chart c = {.title = "cut",
                                .x = {.title = "time"},
                                .y = {.title = "rate", .unit = "bit/s", .cut = cut},
                                .series = &s,
                                .count = 1,
                                .width = 720};
        struct dpk_buf svg = {0};
        chart_svg(&c, &svg);
        xmlFreeDoc(parse(&svg));
        assert_int_equal(has(&svg, ">peaks to 100 Gbit/s<"), cut);
        assert_int_equal(has(&svg, ">80<"), !cut);
        dpk_buf_free(&svg);
    }
}

static void values_are_written_as_they_are_read(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *unit, *text;
    } cases[] = {{98.7654e9, "bit/s", "98.8 Gbit/s"},
                 {12345, "B", "12.3 kB"},
                 {999.96e3, "B", "1.00 MB"},
                 {0, "B", "0 B"},
                 {0.5, "B", "0.500 B"},
                 {1.5e-6, "s", "1.50 \u00b5s"},
                 {417, NULL, "417"},
                 {0.4, "%", "0.400 %"},
                 {0.98765, NULL, "0.988"},
                 {NAN, "s", "\u2013"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct dpk_buf b = {0};
        chart_put_value(&b, cases[i].value, cases[i].unit);
        dpk_put_u8(&b, 0);
        assert_string_equal((const char *)b.data, cases[i].text);
        dpk_buf_free(&b);
    }
}

static void quantiles_are_those_of_type_7(void **state)
{
    (void)state;
    double v[] = {4, NAN, 1, 3, INFINITY, 2};
    assert_int_equal(chart_sort(v, COUNT(v)), 4);
    assert_true(chart_quantile(v, 4, 0) == 1);
    assert_true(chart_quantile(v, 4, 0.5) == 2.5);
    assert_true(chart_quantile(v, 4, 0.25) == 1.75);
    assert_true(chart_quantile(v, 4, 1) == 4);
    assert_true(isnan(chart_quantile(v, 0, 0.5)));
}

static void heat_maps_have_their_cells_steps_and_gaps(void **state)
{
    (void)state;
    const double first[] = {0, 0.1, 0.2, 0.5, 1, 1}, second[] = {NAN, NAN, 0, 0, -1, INFINITY};
    const struct chart_heat_row rows[] = {{"7 & more", first}, {"8", second}};
    const struct chart_heat h = {.title = "<units>",
                                 .about = "All of it.",
                                 .rows_title = "unit",
                                 .x = {.title = "time", .unit = "s", .most = 0.6},
                                 .rows = rows,
                                 .row_count = COUNT(rows),
                                 .columns = COUNT(first),
                                 .width = 620,
                                 .id = "u"};
    struct dpk_buf svg = {0};
    chart_heat(&h, &svg);
    xmlDocPtr doc = parse(&svg);
    /* Neighbours of one step are one cell: 0.1 and 0.2; 1 and 1. Beside each the legend has one. */
    assert_int_equal(count(doc, "//s:path[contains(@class,'h1')]"), 2);
    assert_int_equal(count(doc, "//s:path[contains(@class,'h3')]"), 2);
    assert_int_equal(count(doc, "//s:path[contains(@class,'h5')]"), 2);
    assert_int_equal(count(doc, "//s:path[contains(@class,'h2')]"), 1);
    assert_int_equal(count(doc, "//s:path[contains(@class,'h4')]"), 1);
    assert_int_equal(count(doc, "//s:text[text()='7 & more' or text()='8']"), 2);
    assert_int_equal(count(doc, "//s:title[@id='u-t' and text()='<units>']"), 1);
    assert_true(has(&svg, "time (ms)"));
    assert_true(has(&svg, ">600</text>"));
    assert_false(has(&svg, "nan"));
    xmlFreeDoc(doc);
    dpk_buf_free(&svg);
}

static void names_of_many_flat_rows_do_not_overlap(void **state)
{
    (void)state;
    const double value[] = {1};
    struct chart_heat_row rows[256];
    for (size_t i = 0; i < COUNT(rows); i++)
        rows[i] = (struct chart_heat_row){"255", value};
    const struct chart_heat h = {.title = "units",
                                 .about = "units",
                                 .rows_title = "unit",
                                 .x = {.title = "time", .unit = "s", .most = 1},
                                 .rows = rows,
                                 .row_count = COUNT(rows),
                                 .columns = 1,
                                 .width = 1,
                                 .id = "u"};
    struct dpk_buf svg = {0};
    chart_heat(&h, &svg);
    xmlDocPtr doc = parse(&svg);
    assert_int_equal(count(doc, "//s:text[text()='255']"), 64);
    assert_int_equal(count(doc, "/s:svg[@width='320']"), 1);
    xmlFreeDoc(doc);
    dpk_buf_free(&svg);
}

/* An axis of times in seconds, all below 1. */
static void a_logarithmic_axis_begins_where_values_do(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {4e-6, 5e-5, 9e-4};
    const struct chart_series series[] = {{.name = "rtt", .x = x, .y = y, .count = 3}};
    struct chart c = {.title = "Times",
                      .about = "About.",
                      .x = {.title = "n"},
                      .y = {.title = "round trip", .unit = "s", .logarithmic = true, .least = 4e-6},
                      .series = series,
                      .count = 1,
                      .width = 720};
    struct dpk_buf svg = {0};
    chart_svg(&c, &svg);
    dpk_put_u8(&svg, 0);
    assert_false(svg.failed);
    const char *text = (const char *)svg.data;
    assert_non_null(strstr(text, "round trip (ms)"));
    assert_non_null(strstr(text, ">0.001<"));
    assert_non_null(strstr(text, ">0.05<"));
    assert_non_null(strstr(text, ">1<"));
    dpk_buf_free(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(every_peak_is_drawn),
        cmocka_unit_test(gaps_and_odd_values_do_not_break_pictures),
        cmocka_unit_test(a_picture_of_nothing_says_so),
        cmocka_unit_test(axes_have_round_marks_and_units),
        cmocka_unit_test(logarithmic_axes_have_1_2_and_5),
        cmocka_unit_test(few_peaks_do_not_flatten_the_rest),
        cmocka_unit_test(values_are_written_as_they_are_read),
        cmocka_unit_test(quantiles_are_those_of_type_7),
        cmocka_unit_test(heat_maps_have_their_cells_steps_and_gaps),
        cmocka_unit_test(names_of_many_flat_rows_do_not_overlap),
        cmocka_unit_test(a_logarithmic_axis_begins_where_values_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
