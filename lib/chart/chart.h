/*
 * chart: pictures of measured series as SVG: axes with round ticks and units, a legend, lines,
 * steps and bands. Pictures suit light and dark pages. Series also differ by dashes, for readers
 * who see few colours. Pictures contain no fonts, scripts or links.
 *
 *     const double t[] = {0, 1e-6, 2e-6}, rate[] = {0, 90e9, 99e9};
 *     const struct chart_series series[] = {
 *         {.name = "flow 1", .x = t, .y = rate, .count = 3, .style = 0}};
 *     const struct chart c = {.title = "Rates",
 *                             .about = "The rate rises to 99 Gbit/s in 2 us.",
 *                             .x = {.title = "time", .unit = "s"},
 *                             .y = {.title = "rate", .unit = "bit/s"},
 *                             .series = series, .count = 1, .width = 720};
 *     struct dpk_buf svg = {0};
 *     chart_svg(&c, &svg);                       // svg.failed: out of memory
 *
 * Documents: SVG 1.1 (second edition); XML 1.0, sections 2.2 (characters) and 2.4 (escapes).
 */
#ifndef DPK_CHART_CHART_H
#define DPK_CHART_CHART_H

#include "base/base.h"

enum chart_kind {
    CHART_LINE,   /* straight from point to point */
    CHART_STEP,   /* a value holds until the next one */
    CHART_BAND,   /* the area from `y` to `upper` */
    CHART_LEVEL,  /* a thin horizontal line at y[0], with its name on it; `x` is not used */
    CHART_POINTS, /* a line with a dot on each point */
};

/* Points are sorted by x. A value that is not finite leaves a gap. All arrays are borrowed. */
struct chart_series {
    const char *name; /* in the legend; NULL: not in the legend */
    const double *x, *y, *upper;
    size_t count;
    enum chart_kind kind;
    unsigned style; /* colour and dashes; equal numbers look equal */
};

struct chart_axis {
    const char *title;
    const char *unit; /* of the values: "s", "B", "bit/s"; a suitable prefix (k, M, G, m, u, n) is
                       * added; NULL: plain numbers */
    double most;      /* minimum end of the axis; 0: the largest value */
    bool logarithmic; /* values below the axis are drawn at its start; not for x */
    double least;     /* start of a logarithmic axis, rounded down to a power of ten; 0: 1 */
    bool cut; /* only for y: if few values are far above all others, the axis ends below them, and
               * the picture says how far they go */
    const char *const *names; /* only for x: labels at 0, 1, 2 ... instead of numbers */
    size_t name_count;
};

struct chart {
    const char *title; /* above the picture, and for screen readers */
    const char *about; /* the picture in words, for screen readers */
    const char *empty; /* text in the picture if no series has a point */
    struct chart_axis x, y;
    const struct chart_series *series;
    size_t count;
    unsigned width; /* pixels at 100 %, at least 320; the height follows */
    bool bare;      /* without title and chart_style, for a page that has both */
    const char *id; /* unique id within a page; NULL: "chart" */
};

/* Appends the picture, one <svg> element. Of points that share a column of pixels, it draws the
 * first, the least, the greatest and the last, so that no peak is lost. */
void chart_svg(const struct chart *c, struct dpk_buf *out);

/* ---- Heat maps ---- */

/* One row of a heat map. */
struct chart_heat_row {
    const char *name;
    const double *values; /* 0 to 1, from left to right; NaN leaves a gap */
};

/* A picture of many values over time: one row for each thing. A stronger colour means more use. */
struct chart_heat {
    const char *title, *about; /* as those of a chart */
    const char *rows_title;    /* kind of the rows' names: "unit" */
    struct chart_axis x;       /* from 0 to `most` */
    const struct chart_heat_row *rows;
    size_t row_count, columns;
    unsigned width; /* pixels at 100 %, at least 320; the height follows */
    const char *id; /* unique id within a page */
};

/* Appends the picture, one <svg> element, for a page with chart_style. Values are drawn in
 * CHART_HEATS steps; 0 has the colour of the page. */
#define CHART_HEATS 5
void chart_heat(const struct chart_heat *heat, struct dpk_buf *out);

/* The style sheet for a page with `bare` pictures. */
extern const char chart_style[];

/* Number of colours for `style` of a series; larger styles change the dashes. */
#define CHART_COLOURS 8

/* ---- Text ---- */

/* Appends text escaped for XML and HTML, for elements and for attributes in double quotes. Invalid
 * UTF-8, and characters that XML forbids, become '?'. */
void chart_put_xml(struct dpk_buf *out, const char *text);

/* Appends a number with three digits and a prefix of its unit: "12.3 kB", "99.8 Gbit/s", "417". */
void chart_put_value(struct dpk_buf *out, double value, const char *unit);

/* ---- Pages ----
 * A page is one file without scripts, and loads no other files. It suits light and dark screens,
 * phones, keyboards and paper. Its classes: tiles (a <dl> of numbers), bad (a <section> of errors),
 * scroll (around a wide table), text (a table of words), long (a value of hundreds of letters),
 * boxes (an <svg> of boxes, arrows and words), wide and narrow (a picture in two versions, one for
 * each kind of screen). */

/* Starts a page, up to its <body> and a link for keyboards to the element with the id `skip_to`.
 * The caller closes the elements. `title` is escaped here; the other texts must be XML already. */
void chart_page_begin(struct dpk_buf *out, const char *title, const char *skip_to,
                      const char *skip_text);

/* ---- Quantiles of many series ----
 * Ten thousand flows are too many lines, so a picture shows their quantiles at each time. */

/* Returns the quantile `q` (0 to 1) of `count` sorted values, with linear interpolation (type 7 of
 * Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996). NaN if `count` is 0. */
double chart_quantile(const double *sorted, size_t count, double q);
/* Sorts values in place and removes values that are not finite. Returns the number that stays. */
size_t chart_sort(double *values, size_t count);

#endif
