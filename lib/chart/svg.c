/* Draws a picture: title, legend, axes, series. */
#include <math.h>
#include <string.h>

#include "chart/inside.h"

enum {
    EDGE = 10,    /* empty space around the picture */
    ROW = 18,     /* a line of text */
    KEY = 20,     /* piece of line before a name in the legend */
    DASHES = 4,   /* line styles: solid and three others */
    MARK_GAP = 6, /* between a mark's number and its axis */
};

/* Positions in pixels. */
struct layout {
    double width, left, right, top, bottom, height;
    struct scale x, y;
    double cut; /* greatest value, if it is beyond the axis; else 0 */
    const char *id;
};

/* ---- Legend ---- */

/* Writes the classes of a series' line: its colour, and its dashes once all colours are used. */
static void line_classes(const struct chart_series *s, char out[32])
{
    unsigned dashes = s->style / CHART_COLOURS % DASHES;
    const char *kind = s->kind == CHART_LEVEL ? "cn" : "cl";
    if (s->kind == CHART_LEVEL)
        dashes = 2;
    if (dashes)
        snprintf(out, 32, "%s cl%u d%u", kind, s->style % CHART_COLOURS, dashes);
    else
        snprintf(out, 32, "%s cl%u", kind, s->style % CHART_COLOURS);
}

static void put_key(const struct chart_series *s, double x, double y, struct dpk_buf *out)
{
    char classes[32];
    if (s->kind == CHART_BAND) {
        dpk_put_format(out, "<path class=\"cb cf%u\" d=\"M", s->style % CHART_COLOURS);
        chart_put_pixel(out, x);
        dpk_put_u8(out, ' ');
        chart_put_pixel(out, y - 9);
        dpk_put_format(out, "h%dv10h-%dZ\"/>\n", KEY, KEY);
        return;
    }
    line_classes(s, classes);
    chart_svg_line(out, classes, x, y - 4, x + KEY, y - 4);
}

/* Appends the names of series, in as many rows as needed. Levels carry their own names. Returns the
 * end of the last row. If `out` is NULL, the function only measures. */
static double put_legend(const struct chart *c, double width, double top, struct dpk_buf *out)
{
    double x = EDGE, y = top;
    for (size_t i = 0; i < c->count; i++) {
        const struct chart_series *s = &c->series[i];
        if (!s->name || s->kind == CHART_LEVEL)
            continue;
        double wide = KEY + 5 + chart_svg_width(s->name) + 12;
        if (y == top || x + wide > width - EDGE)
            x = EDGE, y += ROW;
        if (out) {
            put_key(s, x, y, out);
            chart_svg_text(out, x + KEY + 5, y, "ck", s->name);
        }
        x += wide;
    }
    return y == top ? y : y + 6;
}

/* ---- Axes ---- */

/* Finds the least and the greatest of all values. Returns false if there are no values. */
static bool ends_of(const struct chart *c, bool of_x, double *low, double *high)
{
    bool found = false;
    for (size_t i = 0; i < c->count; i++) {
        const struct chart_series *s = &c->series[i];
        bool level = s->kind == CHART_LEVEL;
        const double *values[] = {of_x ? s->x : s->y, of_x ? NULL : s->upper};
        for (size_t k = 0; k < 2; k++)
            for (size_t j = 0; values[k] && !(of_x && level) && j < (level ? 1 : s->count); j++) {
                double v = values[k][j];
                if (!isfinite(v) || (!level && (!isfinite(s->x[j]) || !isfinite(s->y[j]))))
                    continue;
                *low = found ? fmin(*low, v) : v;
                *high = found ? fmax(*high, v) : v;
                found = found || !level;
            }
    }
    return found;
}

/* Returns 1.2 times the 98 % quantile if the greatest value is far above it; else the greatest
 * value. */
static double cut_of(const struct chart *c, double high)
{
    struct dpk_buf all = {0};
    for (size_t i = 0; i < c->count; i++) {
        const struct chart_series *s = &c->series[i];
        if (s->kind != CHART_LEVEL && s->count)
            dpk_put(&all, s->upper ? s->upper : s->y, s->count * sizeof *s->y);
    }
    double *values = (double *)(void *)all.data;
    size_t count = all.failed ? 0 : chart_sort(values, all.size / sizeof *values);
    double most = count ? chart_quantile(values, count, 0.98) * 1.2 : 0;
    dpk_buf_free(&all);
    return most > 0 && high > 3 * most ? most : high;
}

static void put_cut(const struct chart *c, const struct layout *l, struct dpk_buf *out)
{
    struct dpk_buf text = {0};
    dpk_put_format(&text, "peaks to ");
    chart_put_value(&text, l->cut, c->y.unit);
    dpk_put_u8(&text, 0);
    out->failed |= text.failed;
    if (!text.failed)
        chart_svg_text(out, l->right, l->top - 10, "cr", (const char *)text.data);
    dpk_buf_free(&text);
}

static void put_axis_title(const struct chart_axis *a, const struct scale *s, double x, double y,
                           const char *classes, struct dpk_buf *out)
{
    char text[256];
    if (a->unit)
        snprintf(text, sizeof text, "%s (%s%s)", a->title, s->prefix, a->unit);
    else
        snprintf(text, sizeof text, "%s", a->title);
    chart_svg_text(out, x, y, classes, text);
}

static void put_mark(const struct layout *l, const struct scale *s, double mark, bool on_x,
                     struct dpk_buf *out)
{
    struct dpk_buf text = {0};
    double at = chart_scale_at(s, mark);
    chart_scale_put(s, mark, &text);
    dpk_put_u8(&text, 0);
    out->failed |= text.failed;
    if (!text.failed && on_x)
        chart_svg_text(out, at, l->bottom + ROW - 2, "cm", (const char *)text.data);
    else if (!text.failed)
        chart_svg_text(out, l->left - MARK_GAP, at + 4, "cr", (const char *)text.data);
    dpk_buf_free(&text);
    if (on_x)
        chart_svg_line(out, "ca", at, l->bottom, at, l->bottom + 4);
    else
        chart_svg_line(out, at == l->bottom ? "ca" : "cg", l->left, at, l->right, at);
}

static void put_axes(const struct chart *c, const struct layout *l, struct dpk_buf *out)
{
    for (double mark = NAN; chart_scale_next(&l->y, &mark);)
        put_mark(l, &l->y, mark, false, out);
    chart_svg_line(out, "ca", l->left, l->bottom, l->right, l->bottom);
    if (c->x.names)
        for (size_t i = 0; i < c->x.name_count; i++)
            chart_svg_text(out, chart_scale_at(&l->x, (double)i), l->bottom + ROW - 2, "cm",
                           c->x.names[i]);
    else
        for (double mark = NAN; chart_scale_next(&l->x, &mark);)
            put_mark(l, &l->x, mark, true, out);
    put_axis_title(&c->y, &l->y, EDGE, l->top - 10, NULL, out);
    if (l->cut > 0)
        put_cut(c, l, out);
    put_axis_title(&c->x, &l->x, l->right, l->bottom + 2 * ROW - 2, "cr", out);
}

/* ---- Series ---- */

static void put_level(const struct chart_series *s, const struct layout *l, struct dpk_buf *out)
{
    char classes[32];
    double at = chart_scale_at(&l->y, s->y[0]);
    line_classes(s, classes);
    chart_svg_line(out, classes, l->left, at, l->right, at);
    if (s->name)
        chart_svg_text(out, l->right - 4, at - 4, "ch cr", s->name);
}

static void put_series(const struct chart_series *s, const struct layout *l, struct dpk_buf *out)
{
    char classes[32];
    if (s->kind == CHART_LEVEL) {
        put_level(s, l, out);
        return;
    }
    dpk_put_format(out, "<g>");
    if (s->name) {
        dpk_put_format(out, "<title>");
        chart_put_xml(out, s->name);
        dpk_put_format(out, "</title>");
    }
    line_classes(s, classes);
    if (s->kind == CHART_BAND)
        dpk_put_format(out, "<path class=\"cb cf%u\" d=\"", s->style % CHART_COLOURS);
    else
        dpk_put_format(out, "<path class=\"%s\" d=\"", classes);
    if (s->kind == CHART_BAND)
        chart_path_band(s, &l->x, &l->y, out);
    else
        chart_path_line(s, &l->x, &l->y, out);
    dpk_put_format(out, "\"/>");
    if (s->kind == CHART_POINTS)
        chart_path_dots(s, &l->x, &l->y, s->style, out);
    dpk_put_format(out, "</g>\n");
}

/* ---- Whole picture ---- */

/* Returns the width of the widest number at the axis. */
static double marks_width(const struct scale *s)
{
    double widest = 0;
    for (double mark = NAN; chart_scale_next(s, &mark);) {
        struct dpk_buf text = {0};
        chart_scale_put(s, mark, &text);
        dpk_put_u8(&text, 0);
        if (!text.failed)
            widest = fmax(widest, chart_svg_width((const char *)text.data));
        dpk_buf_free(&text);
    }
    return widest;
}

/* Returns false if there is nothing to draw. */
static bool lay_out(const struct chart *c, struct layout *l)
{
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    bool something = ends_of(c, true, &x_low, &x_high) && ends_of(c, false, &y_low, &y_high);
    *l = (struct layout){.width = c->width < 320 ? 320 : c->width, .id = c->id ? c->id : "chart"};
    double plot = l->width < 500 ? 190 : 230, end = c->y.cut ? cut_of(c, y_high) : y_high;
    l->cut = end < y_high ? y_high : 0;
    l->y = chart_scale_make(&c->y, fmin(y_low, 0), end, 5);
    l->x = chart_scale_make(&c->x, x_low, x_high, l->width < 500 ? 5 : 10);
    if (c->x.names) {
        l->x.low = -0.5;
        l->x.high = (double)c->x.name_count - 0.5;
    } else if (something && x_high > x_low) {
        l->x.high = fmax(x_high, c->x.most);
    }
    l->left = EDGE + fmax(marks_width(&l->y), 16) + MARK_GAP;
    l->right = l->width - EDGE - 4;
    l->top = put_legend(c, l->width, c->bare ? 0 : EDGE + ROW, NULL) + ROW + 10;
    l->bottom = l->top + plot;
    l->height = l->bottom + 2 * ROW + 4;
    l->y.begin = l->bottom;
    l->y.size = -plot;
    l->x.begin = l->left;
    l->x.size = l->right - l->left;
    return something;
}

void chart_svg(const struct chart *c, struct dpk_buf *out)
{
    struct layout l;
    bool something = lay_out(c, &l);
    chart_svg_begin(out, l.width, l.height, l.id, c->title, c->about);
    if (!c->bare) {
        dpk_put_format(out, "<style>%s</style>\n<path class=\"cp\" d=\"M0 0h%.0fv%.0fH0Z\"/>\n",
                       chart_style, l.width, l.height);
        chart_svg_text(out, EDGE, EDGE + 14, "ct", c->title);
    }
    if (something)
        put_legend(c, l.width, c->bare ? 0 : EDGE + ROW, out);
    put_axes(c, &l, out);
    for (size_t i = 0; something && i < c->count; i++)
        put_series(&c->series[i], &l, out);
    if (!something && c->empty)
        chart_svg_text(out, (l.left + l.right) / 2, (l.top + l.bottom) / 2, "cm", c->empty);
    dpk_put_format(out, "</svg>\n");
}
