/* The section of a report with a profile: a flame graph and a table. */
#include <stdlib.h>

#include "chart/chart.h"
#include "dpadev.h"

enum { WIDE = 860, NARROW = 340, ROW = 20, LETTER = 7, DEPTH_MOST = 600 };

static const char *text_of(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(v) || cJSON_IsRaw(v) ? v->valuestring : "";
}

static double number_of(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) ? v->valuedouble : strtod(text_of(o, key), NULL);
}

static unsigned depth_of(const cJSON *frame)
{
    const double depth = number_of(frame, "depth");
    return depth >= 0 && depth < DEPTH_MOST ? (unsigned)depth : DEPTH_MOST;
}

static unsigned deepest(const cJSON *frames)
{
    const cJSON *f;
    unsigned most = 0;
    cJSON_ArrayForEach(f, frames) most = depth_of(f) > most ? depth_of(f) : most;
    return most;
}

/* A frame clips a name that does not fit. Neighbours differ in the strength of their colour. */
static void put_frame(struct dpk_buf *out, const cJSON *f, double scale, unsigned height,
                      unsigned *shade)
{
    const double x = number_of(f, "begin") * scale, w = number_of(f, "instructions") * scale;
    const unsigned y = height - (depth_of(f) + 1) * ROW;
    if (w < 1)
        return;
    dpk_put_format(out, "<svg x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"><title>", x, y, w,
                   ROW);
    chart_put_xml(out, text_of(f, "name"));
    dpk_put_format(out, ": %s instructions, %s of its own</title>", text_of(f, "instructions"),
                   text_of(f, "own"));
    dpk_put_format(out, "<rect class=\"cf1 h%u\" width=\"%.2f\" height=\"%d\" rx=\"2\"/>",
                   1 + ++*shade % 2, w > 2 ? w - 1 : w, ROW - 1);
    if (w >= 3 * LETTER) {
        dpk_put_format(out, "<text class=\"ck\" x=\"4\" y=\"%d\">", ROW - 6);
        chart_put_xml(out, text_of(f, "name"));
        dpk_put_format(out, "</text>");
    }
    dpk_put_format(out, "</svg>\n");
}

static void put_picture(struct dpk_buf *out, const cJSON *profile, const cJSON *frames,
                        unsigned width)
{
    const double all = number_of(profile, "instructions");
    const unsigned height = (deepest(frames) + 1) * ROW;
    const cJSON *f;
    unsigned shade = 0;
    dpk_put_format(
        out,
        "<svg class=\"chart\" viewBox=\"0 0 %u %u\" width=\"%u\" role=\"img\" "
        "aria-label=\"Flame graph: instructions by call stack. The table has the same.\">\n",
        width, height, width);
    cJSON_ArrayForEach(f, frames) put_frame(out, f, width / all, height, &shade);
    dpk_put_format(out, "</svg>\n");
}

static void put_table(struct dpk_buf *out, const cJSON *frames)
{
    const cJSON *f;
    dpk_put_format(out, "<details><summary>As a table</summary>\n"
                        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"Profile\"><table class=\"text\">\n"
                        "<thead><tr><th scope=\"col\">Depth</th><th scope=\"col\">Frame</th>"
                        "<th scope=\"col\">Instructions</th><th scope=\"col\">Its own</th></tr>"
                        "</thead><tbody>\n");
    cJSON_ArrayForEach(f, frames)
    {
        dpk_put_format(out, "<tr><td>%.0f</td><td>", number_of(f, "depth"));
        chart_put_xml(out, text_of(f, "name"));
        dpk_put_format(out, "</td><td>%s</td><td>%s</td></tr>\n", text_of(f, "instructions"),
                       text_of(f, "own"));
    }
    dpk_put_format(out, "</tbody></table></div></details>\n");
}

void dpadev_put_flame(struct dpk_buf *out, const cJSON *profile)
{
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(profile, "frames");
    if (!profile)
        return;
    dpk_put_format(out, "<section id=\"profile\"><h2>Where instructions ran</h2>\n<p>");
    chart_put_xml(out, text_of(profile, "file"));
    if (cJSON_GetArraySize(frames) == 0) {
        dpk_put_format(out, " has no instructions.</p>\n</section>\n");
        return;
    }
    dpk_put_format(out,
                   ": %s instructions. A frame is as wide as what ran in it and in what it called; "
                   "callers are below. Frames of less than a thousandth are left out.</p>\n"
                   "<div class=\"wide\">",
                   text_of(profile, "instructions"));
    put_picture(out, profile, frames, WIDE);
    dpk_put_format(out, "</div><div class=\"narrow\">");
    put_picture(out, profile, frames, NARROW);
    dpk_put_format(out, "</div>\n");
    put_table(out, frames);
    dpk_put_format(out, "</section>\n");
}
