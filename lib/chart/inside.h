/* chart: what its files share. */
#ifndef DPK_CHART_INSIDE_H
#define DPK_CHART_INSIDE_H

#include "chart/chart.h"

/* ---- element.c: elements of all kinds of pictures ---- */

/* About as wide as sans-serif fonts of 12 pixels draw it; too wide rather than too narrow. */
double svg_width(const char *text);
/* Text at a place; `classes`: of its style, or NULL. */
void svg_text(struct dpk_buf *out, double x, double y, const char *classes, const char *text);
void svg_line(struct dpk_buf *out, const char *classes, double x1, double y1, double x2, double y2);
/* Begins a picture: <svg> with what screen readers say of it. The caller ends it. */
void svg_begin(struct dpk_buf *out, double width, double height, const char *id, const char *title,
               const char *about);
/* Appends a coordinate: pixels with one digit behind the point, if that is not 0. */
void put_pixel(struct dpk_buf *out, double pixel);

/* ---- scale.c: from values to pixels ---- */

struct scale {
    double low, high;   /* values at the ends of the axis */
    double begin, size; /* pixels: where `low` is, how far `high` is from it (negative: upwards) */
    bool logarithmic;
    double step;        /* between marks; when logarithmic: 10 if they are powers of ten, else 0 */
    double unit;        /* what one of the prefixed unit is: 1e9 for Gbit/s */
    const char *prefix; /* "G" */
};

/* An axis over [low, high], widened to round marks, of which there are at most about `marks`. */
struct scale scale_make(const struct chart_axis *axis, double low, double high, unsigned marks);
double scale_at(const struct scale *s, double value);
/* The mark behind `*mark`, which begins as NaN; false: there is none. */
bool scale_next(const struct scale *s, double *mark);
/* Appends a mark's number, in the prefixed unit. */
void scale_put(const struct scale *s, double mark, struct dpk_buf *out);

/* ---- path.c: a series as the data of a path ---- */

/* A line: of each column of pixels its first, least, greatest and last point. */
void path_line(const struct chart_series *s, const struct scale *x, const struct scale *y,
               struct dpk_buf *out);
/* The area between y and upper. */
void path_band(const struct chart_series *s, const struct scale *x, const struct scale *y,
               struct dpk_buf *out);
/* A dot on each point, as circles. */
void path_dots(const struct chart_series *s, const struct scale *x, const struct scale *y,
               unsigned style, struct dpk_buf *out);

#endif
