/* The section of a report with execution units over time: a heat map and a table. */
#include <math.h>
#include <stdlib.h>

#include "chart/chart.h"
#include "dpadev.h"

enum { WIDE = 860, NARROW = 340, COLUMNS_MOST = 1000, NAME = 12 };

/* The rows of the JSON, converted for a picture. */
struct rows {
    struct chart_heat_row *rows;
    double *values;
    char (*names)[NAME];
    size_t count, columns;
};

static double number_of(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static const cJSON *list_of(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static void free_rows(struct rows *r)
{
    free(r->rows);
    free(r->values);
    free(r->names);
}

static void take_row(struct rows *r, size_t i, const cJSON *row)
{
    double *values = &r->values[i * r->columns];
    const cJSON *v = list_of(row, "over_time");
    v = v ? v->child : NULL;
    for (size_t k = 0; k < r->columns; k++, v = v ? v->next : NULL)
        values[k] = cJSON_IsNumber(v) ? v->valuedouble / 100 : NAN;
    snprintf(r->names[i], NAME, "%.0f", number_of(row, "unit"));
    r->rows[i] = (struct chart_heat_row){r->names[i], values};
}

static bool take_rows(const cJSON *heat, struct rows *r)
{
    const cJSON *row, *list = list_of(heat, "rows");
    const double columns = number_of(heat, "columns");
    r->count = (size_t)cJSON_GetArraySize(list);
    r->columns = columns >= 1 && columns <= COLUMNS_MOST ? (size_t)columns : 1;
    r->rows = calloc(r->count, sizeof *r->rows);
    r->values = calloc(r->count * r->columns, sizeof *r->values);
    r->names = calloc(r->count, sizeof *r->names);
    if (!r->rows || !r->values || !r->names)
        return false;
    size_t i = 0;
    cJSON_ArrayForEach(row, list) take_row(r, i++, row);
    return true;
}

static void put_picture(struct dpk_buf *out, const cJSON *heat, const struct rows *r,
                        unsigned width)
{
    char about[160];
    snprintf(about, sizeof about,
             "%zu execution units were taken in %.0f s. The table has how much of that time.",
             r->count, number_of(heat, "seconds"));
    const struct chart_heat picture = {
        .title = "Execution units over time",
        .about = about,
        .rows_title = "unit",
        .x = {.title = "time", .unit = "s", .most = number_of(heat, "seconds")},
        .rows = r->rows,
        .row_count = r->count,
        .columns = r->columns,
        .width = width,
        .id = width == WIDE ? "heat-w" : "heat-n"};
    chart_heat(&picture, out);
}

static void put_table(struct dpk_buf *out, const cJSON *heat)
{
    const cJSON *row;
    dpk_put_format(out, "<details><summary>As a table</summary>\n"
                        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"Execution units over time\"><table class=\"text\">\n"
                        "<thead><tr><th scope=\"col\">Unit</th><th scope=\"col\">Taken, percent of "
                        "the time</th></tr></thead><tbody>\n");
    cJSON_ArrayForEach(row, list_of(heat, "rows"))
        dpk_put_format(out, "<tr><td>%.0f</td><td>%.0f</td></tr>\n", number_of(row, "unit"),
                       number_of(row, "busy"));
    dpk_put_format(out, "</tbody></table></div></details>\n");
}

static void put_map(struct dpk_buf *out, const cJSON *heat)
{
    struct rows r = {0};
    if (take_rows(heat, &r)) {
        dpk_put_format(out, "<p>Units that a process had; the stronger the colour, the more of the "
                            "time. Unused units are not listed.</p>\n<div class=\"wide\">");
        put_picture(out, heat, &r, WIDE);
        dpk_put_format(out, "</div><div class=\"narrow\">");
        put_picture(out, heat, &r, NARROW);
        dpk_put_format(out, "</div>\n");
        put_table(out, heat);
    } else {
        out->failed = true;
    }
    free_rows(&r);
}

void dpadev_put_heat(struct dpk_buf *out, const cJSON *heat)
{
    dpk_put_format(out, "<section id=\"units\"><h2>Execution units over time</h2>\n");
    if (number_of(heat, "seconds") == 0)
        dpk_put_format(out, "<p>No process ran, so no unit was followed.</p>\n");
    else if (cJSON_GetArraySize(list_of(heat, "rows")) == 0)
        dpk_put_format(out, "<p>No process had a unit in %.0f s.</p>\n",
                       number_of(heat, "seconds"));
    else
        put_map(out, heat);
    dpk_put_format(out, "</section>\n");
}
