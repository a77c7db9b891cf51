/* Shared by the files of this room. */
#ifndef DPK_CHART_INSIDE_H
#define DPK_CHART_INSIDE_H

#include "chart/chart.h"

/* ---- element.c: elements of all kinds of pictures ---- */

/* Returns the estimated width of text in sans-serif of 12 pixels; rather too wide than too
 * narrow. */
double chart_svg_width(const char *text);
/* Appends text at a place. `classes`: classes of the style, or NULL. */
void chart_svg_text(struct dpk_buf *out, double x, double y, const char *classes, const char *text);
void chart_svg_line(struct dpk_buf *out, const char *classes, double x1, double y1, double x2,
                    double y2);
/* Starts a picture: <svg> with the description for screen readers. The caller closes the
 * element. */
void chart_svg_begin(struct dpk_buf *out, double width, double height, const char *id,
                     const char *title, const char *about);
/* Appends a coordinate in pixels, with at most one digit after the point. */
void chart_put_pixel(struct dpk_buf *out, double pixel);

/* ---- scale.c: from values to pixels ---- */

struct scale {
    double low, high;   /* values at the ends of the axis */
    double begin, size; /* pixels: place of `low`, and distance of `high` from it (negative:
                         * upwards) */
    bool logarithmic;
    double step;        /* distance of marks; if logarithmic: 10 if marks are powers of ten, else
                         * 0 */
    double unit;        /* value of one prefixed unit: 1e9 for Gbit/s */
    const char *prefix; /* "G" */
};

/* Makes an axis over [low, high], widened to round marks; about `marks` at most. */
struct scale chart_scale_make(const struct chart_axis *axis, double low, double high,
                              unsigned marks);
double chart_scale_at(const struct scale *s, double value);
/* Moves `*mark` to the next mark; it is NaN at the start. Returns false after the last mark. */
bool chart_scale_next(const struct scale *s, double *mark);
/* Appends a mark's number, in the prefixed unit. */
void chart_scale_put(const struct scale *s, double mark, struct dpk_buf *out);

/* ---- path.c: a series as the data of a path ---- */

/* Appends a line: of each column of pixels the first, least, greatest and last point. */
void chart_path_line(const struct chart_series *s, const struct scale *x, const struct scale *y,
                     struct dpk_buf *out);
/* Appends the area between y and upper. */
void chart_path_band(const struct chart_series *s, const struct scale *x, const struct scale *y,
                     struct dpk_buf *out);
/* Appends a dot on each point, as circles. */
void chart_path_dots(const struct chart_series *s, const struct scale *x, const struct scale *y,
                     unsigned style, struct dpk_buf *out);

#endif
