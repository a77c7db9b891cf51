/* Draws lines of many points as paths of few points. */
#include <math.h>

#include "chart/inside.h"

static void put_point(struct dpk_buf *out, char command, double x, double y)
{
    dpk_put_u8(out, (uint8_t)command);
    chart_put_pixel(out, x);
    dpk_put_u8(out, ' ');
    chart_put_pixel(out, y);
}

/* The points that share a column of pixels: where the line enters, its range, where it leaves. */
struct column {
    double x, first, least, most, last, last_x;
    size_t points, least_at, most_at;
};

static void column_begin(struct column *c, double x, double y)
{
    *c = (struct column){
        .x = x, .first = y, .least = y, .most = y, .last = y, .last_x = x, .points = 1};
}

static void column_add(struct column *c, double x, double y)
{
    if (y < c->least)
        c->least = y, c->least_at = c->points;
    if (y > c->most)
        c->most = y, c->most_at = c->points;
    c->last = y;
    c->last_x = x;
    c->points++;
}

static void column_put(const struct column *c, bool begin, bool step, double *before,
                       struct dpk_buf *out)
{
    if (step && !begin)
        put_point(out, 'L', c->x, *before);
    put_point(out, begin ? 'M' : 'L', c->x, c->first);
    /* Keep the order of the points. */
    double early = c->least_at < c->most_at ? c->least : c->most;
    double late = c->least_at < c->most_at ? c->most : c->least;
    if (early != c->first)
        put_point(out, 'L', c->x, early);
    if (late != early && late != c->first)
        put_point(out, 'L', c->x, late);
    if (c->last != late || c->last_x != c->x)
        put_point(out, 'L', c->last_x, c->last);
    *before = c->last;
}

void chart_path_line(const struct chart_series *s, const struct scale *x, const struct scale *y,
                     struct dpk_buf *out)
{
    struct column c = {0};
    bool begin = true, step = s->kind == CHART_STEP;
    double before = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(s->x[i]) || !isfinite(s->y[i])) {
            if (c.points)
                column_put(&c, begin, step, &before, out);
            c.points = 0;
            begin = true;
            continue;
        }
        double px = chart_scale_at(x, s->x[i]), py = chart_scale_at(y, s->y[i]);
        if (c.points && floor(px) == floor(c.x)) {
            column_add(&c, px, py);
            continue;
        }
        if (c.points) {
            column_put(&c, begin, step, &before, out);
            begin = false;
        }
        column_begin(&c, px, py);
    }
    if (c.points)
        column_put(&c, begin, step, &before, out);
}

/* Appends one edge of a band over the points [from, to): the outermost value of each column. The
 * upper edge runs backwards, so that the two edges enclose the band. */
static void put_edge(const struct chart_series *s, bool upper, size_t from, size_t to,
                     const struct scale *x, const struct scale *y, struct dpk_buf *out)
{
    size_t count = to - from;
    for (size_t k = 0; k < count;) {
        const double *values = upper ? s->upper : s->y;
        size_t at = upper ? to - 1 - k : from + k;
        double px = chart_scale_at(x, s->x[at]), far = values[at];
        for (k++; k < count; k++) {
            size_t next = upper ? to - 1 - k : from + k;
            if (floor(chart_scale_at(x, s->x[next])) != floor(px))
                break;
            far = upper ? fmax(far, values[next]) : fmin(far, values[next]);
        }
        put_point(out, at == from && !upper ? 'M' : 'L', px, chart_scale_at(y, far));
    }
}

static bool in_band(const struct chart_series *s, size_t i)
{
    return isfinite(s->x[i]) && isfinite(s->y[i]) && isfinite(s->upper[i]);
}

void chart_path_band(const struct chart_series *s, const struct scale *x, const struct scale *y,
                     struct dpk_buf *out)
{
    for (size_t from = 0; from < s->count;) {
        size_t to = from;
        while (to < s->count && in_band(s, to))
            to++;
        if (to > from) {
            put_edge(s, false, from, to, x, y, out);
            put_edge(s, true, from, to, x, y, out);
            dpk_put_u8(out, 'Z');
        }
        from = to + 1;
    }
}

void chart_path_dots(const struct chart_series *s, const struct scale *x, const struct scale *y,
                     unsigned style, struct dpk_buf *out)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(s->x[i]) || !isfinite(s->y[i]))
            continue;
        dpk_put_format(out, "<circle class=\"cf%u\" r=\"3\" cx=\"", style % CHART_COLOURS);
        chart_put_pixel(out, chart_scale_at(x, s->x[i]));
        dpk_put_format(out, "\" cy=\"");
        chart_put_pixel(out, chart_scale_at(y, s->y[i]));
        dpk_put_format(out, "\"/>");
    }
}
