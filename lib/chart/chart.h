/*
 * chart: pictures of measured series as SVG: axes with round ticks and units, a legend, lines,
 * steps and bands. What is drawn looks right on light and on dark pages, and series differ by
 * dashes too, for those who see few colours. Only text is written: no fonts, scripts or links.
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
    CHART_LEVEL,  /* a thin line across the picture at y[0], with its name on it; no `x` */
    CHART_POINTS, /* a line with a dot on each point */
};

/* Points are in the order of their x. A value that is no finite number leaves a gap. All arrays are
 * borrowed. */
struct chart_series {
    const char *name; /* in the legend; NULL: not there */
    const double *x, *y, *upper;
    size_t count;
    enum chart_kind kind;
    unsigned style; /* which colour and dashes; the same number, the same look */
};

struct chart_axis {
    const char *title;
    const char *unit; /* of the values: "s", "B", "bit/s"; a prefix (k, M, G, m, u, n) is put in
                        * front as it fits; NULL: a number */
    double most;      /* the axis reaches this far at least; 0: as far as the values */
    bool logarithmic; /* values below the axis are drawn at its beginning; not for x */
    double least;     /* logarithmic: the axis begins here, or at the power of ten below; 0: at 1 */
    bool cut; /* y alone: when few values are far above all others, the axis ends before them, and
               * says how far they go */
    const char *const *names; /* x alone: what stands at 0, 1, 2 ... instead of numbers */
    size_t name_count;
};

struct chart {
    const char *title; /* above the picture, and for screen readers */
    const char *about; /* the picture in words: what a screen reader says of it */
    const char *empty; /* what stands in the picture when no series has a point */
    struct chart_axis x, y;
    const struct chart_series *series;
    size_t count;
    unsigned width; /* pixels at 100 %: 320 or more; the height follows */
    bool bare;      /* for a page that has the title, and chart_style, itself */
    const char *id; /* for a page: differs from those of its other pictures; NULL: "chart" */
};

/* Appends the picture, one <svg> element. Of the points of a line that share a column of pixels, the
 * first, the least, the greatest and the last are drawn, so that no peak is lost. */
void chart_svg(const struct chart *c, struct dpk_buf *out);

/* ---- Heat maps ---- */

/* One row of a heat map. */
struct chart_heat_row {
    const char *name;
    const double *values; /* 0 to 1, from left to right; NaN leaves a gap */
};

/* A picture of many values over time: a row for each thing, stronger in colour where more of it is used. */
struct chart_heat {
    const char *title, *about; /* as those of a chart */
    const char *rows_title;    /* what the names of rows are: "unit" */
    struct chart_axis x;       /* from 0 to `most` */
    const struct chart_heat_row *rows;
    size_t row_count, columns;
    unsigned width; /* pixels at 100 %: 320 or more; the height follows */
    const char *id; /* for a page: differs from those of its other pictures */
};

/* Appends the picture, one <svg> element, for a page with chart_style. Values are drawn in
 * CHART_HEATS steps; what is 0 has the colour of the page. */
#define CHART_HEATS 5
void chart_heat(const struct chart_heat *heat, struct dpk_buf *out);

/* The style sheet that pictures need, for a page with those that are `bare`. */
extern const char chart_style[];

/* Colours that `style` of a series chooses from; behind them, dashes change. */
#define CHART_COLOURS 8

/* ---- Text ---- */

/* Appends text for XML and HTML, for elements and for attributes between double quotes. What is no
 * UTF-8, or no character of XML, becomes '?'. */
void chart_put_xml(struct dpk_buf *out, const char *text);

/* Appends a number with a prefix of its unit and three digits, as it is read: "12.3 kB",
 * "99.8 Gbit/s", "417". */
void chart_put_value(struct dpk_buf *out, double value, const char *unit);

/* ---- Pages ----
 * One file without scripts, which asks for nothing from elsewhere: for light and dark screens, phones,
 * keyboards and paper. Its classes: tiles (a <dl> of numbers), bad (a <section> with what went wrong),
 * scroll (around a wide table), text (a table of words), long (a value of hundreds of letters), boxes (an
 * <svg> of boxes, arrows and words),
 * wide and narrow (a picture twice, for either screen). */

/* Begins a page, up to its <body> and a link for keyboards to the element with the id `skip_to`. The
 * caller ends the elements. `title` becomes XML here; the other texts are taken as they are. */
void chart_page_begin(struct dpk_buf *out, const char *title, const char *skip_to,
                      const char *skip_text);

/* ---- Many series as one ----
 * Ten thousand flows are no lines any more, but quantiles of them at each time. */

/* The quantile `q` (0 to 1) of `count` sorted values, between neighbours linearly (type 7 of
 * Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996). NaN if there is none. */
double chart_quantile(const double *sorted, size_t count, double q);
/* Sorts values in place and leaves those out that are no finite number; returns how many stay. */
size_t chart_sort(double *values, size_t count);

#endif
