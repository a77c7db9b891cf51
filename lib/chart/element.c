/* Elements that all kinds of pictures share. */
#include <math.h>
#include <string.h>

#include "chart/inside.h"

void chart_put_pixel(struct dpk_buf *out, double pixel)
{
    long tenths = lround(pixel * 10);
    unsigned long size = (unsigned long)(tenths < 0 ? -tenths : tenths);
    dpk_put_format(out, "%s%lu", tenths < 0 ? "-" : "", size / 10);
    if (size % 10)
        dpk_put_format(out, ".%lu", size % 10);
}

double chart_svg_width(const char *text)
{
    double width = 0;
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c & 0xc0) != 0x80)
            width += strchr("iljtf.,:;|!' ()[]-r", *c) ? 4.6 : strchr("mwMW%@", *c) ? 11.4 : 7.5;
    return width;
}

void chart_svg_text(struct dpk_buf *out, double x, double y, const char *classes, const char *text)
{
    dpk_put_format(out, "<text x=\"");
    chart_put_pixel(out, x);
    dpk_put_format(out, "\" y=\"");
    chart_put_pixel(out, y);
    dpk_put_format(out, "\"%s%s%s>", classes ? " class=\"" : "", classes ? classes : "",
                   classes ? "\"" : "");
    chart_put_xml(out, text);
    dpk_put_format(out, "</text>\n");
}

void chart_svg_line(struct dpk_buf *out, const char *classes, double x1, double y1, double x2,
                    double y2)
{
    dpk_put_format(out, "<path class=\"%s\" d=\"M", classes);
    chart_put_pixel(out, x1);
    dpk_put_u8(out, ' ');
    chart_put_pixel(out, y1);
    dpk_put_u8(out, 'L');
    chart_put_pixel(out, x2);
    dpk_put_u8(out, ' ');
    chart_put_pixel(out, y2);
    dpk_put_format(out, "\"/>\n");
}

void chart_svg_begin(struct dpk_buf *out, double width, double height, const char *id,
                     const char *title, const char *about)
{
    dpk_put_format(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"%.0f\" "
                   "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
                   "aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
                   width, height, width, height, id, id, id);
    chart_put_xml(out, title);
    dpk_put_format(out, "</title>\n<desc id=\"%s-d\">", id);
    chart_put_xml(out, about);
    dpk_put_format(out, "</desc>\n");
}
