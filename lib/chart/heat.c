/* Heat maps: rows of cells with a stronger colour for greater values. */
#include <math.h>
#include <string.h>

#include "chart/inside.h"

enum {
    EDGE = 10,  /* empty space around the picture */
    ROW = 18,   /* a line of text */
    LABEL = 13, /* minimum distance of row names */
    KEY = 14,   /* a cell of the legend */
};

struct layout {
    double width, left, right, top, bottom, high; /* pixels; `high`: height of a row */
    struct scale x;
};

/* Returns 0 for no use, CHART_HEATS for full use, SIZE_MAX for a gap. */
static size_t step_of(double value)
{
    if (!isfinite(value))
        return SIZE_MAX;
    if (!(value > 0))
        return 0;
    return value >= 1 ? CHART_HEATS : (size_t)ceil(value * CHART_HEATS);
}

/* Many rows are drawn flatter. */
static double row_height(size_t rows)
{
    return rows <= 24 ? 16 : rows <= 64 ? 9 : 4;
}

static struct layout lay_out(const struct chart_heat *h)
{
    struct layout l = {.width = h->width < 320 ? 320 : h->width, .high = row_height(h->row_count)};
    double widest = chart_svg_width(h->rows_title);
    for (size_t i = 0; i < h->row_count; i++)
        widest = fmax(widest, chart_svg_width(h->rows[i].name));
    l.left = EDGE + widest + 6;
    l.right = l.width - EDGE - 4;
    l.top = 2 * ROW;
    l.bottom = l.top + l.high * (double)h->row_count;
    l.x = chart_scale_make(&h->x, 0, h->x.most, l.width < 500 ? 5 : 10);
    l.x.low = 0;
    l.x.high = h->x.most;
    l.x.begin = l.left;
    l.x.size = l.right - l.left;
    return l;
}

/* ---- Cells ---- */

static void put_cell(double x, double y, double wide, double high, struct dpk_buf *out)
{
    dpk_put_u8(out, 'M');
    chart_put_pixel(out, x);
    dpk_put_u8(out, ' ');
    chart_put_pixel(out, y);
    dpk_put_u8(out, 'h');
    chart_put_pixel(out, wide);
    dpk_put_u8(out, 'v');
    chart_put_pixel(out, high);
    dpk_put_u8(out, 'h');
    chart_put_pixel(out, -wide);
    dpk_put_u8(out, 'Z');
}

static double column_at(const struct chart_heat *h, const struct layout *l, size_t column)
{
    return l->left + (l->right - l->left) * (double)column / (double)h->columns;
}

/* Appends the cells of one step in a row; neighbouring cells become one rectangle. */
static void put_row(const struct chart_heat *h, const struct layout *l, size_t row, size_t step,
                    struct dpk_buf *out)
{
    const double *values = h->rows[row].values;
    const double y = l->top + l->high * (double)row, gap = l->high > 4 ? 1 : 0;
    for (size_t from = 0; from < h->columns;) {
        size_t to = from;
        while (to < h->columns && step_of(values[to]) == step)
            to++;
        if (to > from)
            put_cell(column_at(h, l, from), y + gap / 2,
                     column_at(h, l, to) - column_at(h, l, from), l->high - gap, out);
        from = to > from ? to : from + 1;
    }
}

/* Appends one path for all cells of a step. */
static void put_step(const struct chart_heat *h, const struct layout *l, size_t step,
                     struct dpk_buf *out)
{
    struct dpk_buf cells = {0};
    for (size_t row = 0; row < h->row_count; row++)
        put_row(h, l, row, step, &cells);
    if (cells.size) {
        dpk_put_format(out, "<path class=\"hc cf0 h%zu\" d=\"", step);
        dpk_put(out, cells.data, cells.size);
        dpk_put_format(out, "\"/>\n");
    }
    out->failed |= cells.failed;
    dpk_buf_free(&cells);
}

/* ---- Legend and axes ---- */

/* Appends the legend at the right end: "0 %", a cell for each step, "100 %". */
static void put_legend(const struct layout *l, struct dpk_buf *out)
{
    double x = l->right - chart_svg_width("100 %") - 4 - KEY * (CHART_HEATS + 1);
    chart_svg_text(out, x - 4, ROW - 4, "cr", "0 %");
    for (unsigned step = 0; step <= CHART_HEATS; step++) {
        dpk_put_format(out, step ? "<path class=\"hc cf0 h%u\" d=\"" : "<path class=\"cp\" d=\"",
                       step);
        put_cell(x + KEY * step, ROW - 4 - 11, KEY, 12, out);
        dpk_put_format(out, "\"/>\n");
    }
    chart_svg_line(out, "ca", x, ROW - 3, x + KEY, ROW - 3);
    chart_svg_text(out, l->right, ROW - 4, "cr", "100 %");
}

static void put_names(const struct chart_heat *h, const struct layout *l, struct dpk_buf *out)
{
    double last = -LABEL;
    chart_svg_text(out, l->left - 6, l->top - 6, "cr", h->rows_title);
    for (size_t i = 0; i < h->row_count; i++) {
        double y = l->top + l->high * ((double)i + 0.5);
        if (y < last + LABEL)
            continue;
        chart_svg_text(out, l->left - 6, y + 4, "cr ck", h->rows[i].name);
        last = y;
    }
}

static void put_axis(const struct chart_heat *h, const struct layout *l, struct dpk_buf *out)
{
    char title[128];
    for (double mark = NAN; chart_scale_next(&l->x, &mark);) {
        struct dpk_buf text = {0};
        const double at = chart_scale_at(&l->x, mark);
        chart_scale_put(&l->x, mark, &text);
        dpk_put_u8(&text, 0);
        chart_svg_text(out, at, l->bottom + ROW - 2, "cm",
                       text.failed ? "" : (const char *)text.data);
        chart_svg_line(out, "ca", at, l->bottom, at, l->bottom + 4);
        out->failed |= text.failed;
        dpk_buf_free(&text);
    }
    chart_svg_line(out, "ca", l->left, l->bottom, l->right, l->bottom);
    chart_svg_line(out, "ca", l->left, l->top, l->left, l->bottom);
    snprintf(title, sizeof title, "%s (%s%s)", h->x.title, l->x.prefix, h->x.unit);
    chart_svg_text(out, l->right, l->bottom + 2 * ROW - 2, "cr", title);
}

void chart_heat(const struct chart_heat *h, struct dpk_buf *out)
{
    const struct layout l = lay_out(h);
    chart_svg_begin(out, l.width, l.bottom + 2 * ROW + 4, h->id, h->title, h->about);
    put_legend(&l, out);
    put_names(h, &l, out);
    for (size_t step = 1; step <= CHART_HEATS; step++)
        put_step(h, &l, step, out);
    put_axis(h, &l, out);
    dpk_put_format(out, "</svg>\n");
}
