/* Reads the files of workloads: distributions of sizes, and traces of flows. Both are untrusted
 * lines of text. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc/model/model.h"
#include "shapes.h"

#define FILE_MAX       ((size_t)256 << 20)
#define LINE_MAX_BYTES 256
#define CELLS_MAX      4

/* Splits lines of a text into cells, without comments ('#') and empty lines. */
struct lines {
    const char *at, *end;
    uint32_t number; /* number of the line, from 1 */
    const char *separators;
    bool empty_cells; /* two adjacent separators enclose an empty cell */
    char line[LINE_MAX_BYTES];
    char *cells[CELLS_MAX + 1];
    unsigned count; /* number of cells; CELLS_MAX + 1 if there are more */
};

static enum dpk_status bad_line(const struct lines *l, struct dpk_error *err, const char *what)
{
    return dpk_fail(err, DPK_ERR_FORMAT, "line %" PRIu32 ": %s", l->number, what);
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static void split(struct lines *l)
{
    char *at = trim(l->line);
    l->count = 0;
    if (!*at)
        return;
    while (at && l->count <= CELLS_MAX) {
        char *next = strpbrk(at, l->separators);
        if (next)
            *next++ = '\0';
        if (*at || l->empty_cells)
            l->cells[l->count++] = trim(at);
        at = next;
    }
}

/* Reads the next line with cells. Returns false at the end, or after an error (*status). */
static bool next_line(struct lines *l, enum dpk_status *status, struct dpk_error *err)
{
    l->count = 0;
    while (!l->count && l->at < l->end && *status == DPK_OK) {
        const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));
        const size_t size = (size_t)((end ? end : l->end) - l->at);
        l->number++;
        if (size >= sizeof l->line || memchr(l->at, 0, size)) {
            *status = bad_line(l, err, "no line of text, or one of more than 255 bytes");
            break;
        }
        memcpy(l->line, l->at, size);
        l->line[size] = '\0';
        l->line[strcspn(l->line, "#\r")] = '\0';
        l->at = end ? end + 1 : l->end;
        dpk_text_clean_in(l->line, sizeof l->line);
        split(l);
    }
    return l->count && *status == DPK_OK;
}

/* ---- Distributions ---- */

/* Parses a share from 0 to 100, to units of CC_SHARE_ALL. */
static bool parse_share(const char *text, uint64_t *out)
{
    char *end;
    if ((*text < '0' || *text > '9') && *text != '.')
        return false;
    errno = 0;
    const double value = strtod(text, &end);
    if (*end || errno || !(value >= 0 && value <= 100))
        return false;
    *out = (uint64_t)(value * CC_SHARE_ALL + 0.5);
    return true;
}

/* Parses a size: a number of bytes as in topology files, or a number with a fraction, rounded
 * down. */
static bool parse_size(const char *text, uint64_t *out)
{
    char *end;
    if (model_cc_parse_bytes(text, out, NULL) == DPK_OK)
        return true;
    const double value = strtod(text, &end);
    if (*text < '0' || *text > '9' || *end || !(value >= 0 && value <= 0x1p40))
        return false;
    *out = (uint64_t)value;
    return true;
}

/* Scales shares from 0..1 or 0..100, depending on the last share. */
static void scale_shares(struct cc_work *w, const uint64_t *shares, uint64_t last)
{
    const uint64_t divisor = last == CC_SHARE_ALL ? 1 : 100;
    for (uint32_t i = 0; i < w->point_count; i++)
        w->points[i].share = (uint32_t)(shares[i] / divisor);
}

static enum dpk_status add_point(struct cc_work *w, uint64_t **shares, uint64_t bytes,
                                 uint64_t share, struct dpk_error *err)
{
    void *points = w->points, *list = *shares;
    const bool grown = model_shape_has_room(&points, w->point_count, sizeof *w->points) &&
                       model_shape_has_room(&list, w->point_count, sizeof **shares);
    w->points = points;
    *shares = list;
    if (!grown)
        return dpk_fail_nomem(err);
    (*shares)[w->point_count] = share;
    w->points[w->point_count++] = (struct cc_point){.bytes = bytes};
    return DPK_OK;
}

/* Reads a line with a size and a share. In a line of three cells, the share is last; some tools put
 * a number of packets between. */
static enum dpk_status read_point(const struct lines *l, struct cc_work *w, uint64_t **shares,
                                  struct dpk_error *err)
{
    uint64_t bytes, share;
    const uint32_t count = w->point_count;
    if (l->count < 2 || l->count > 3)
        return bad_line(l, err, "SIZE and CUMULATIVE-PROBABILITY are wanted");
    if (!parse_size(l->cells[0], &bytes))
        return bad_line(l, err, "the size is not a number of bytes up to 2^40");
    if (!parse_share(l->cells[l->count - 1], &share))
        return bad_line(l, err, "the probability is not a number of 0 to 1, or of 0 to 100");
    if (count && bytes < w->points[count - 1].bytes)
        return bad_line(l, err, "the size is below that of the line before");
    if (count && share < (*shares)[count - 1])
        return bad_line(l, err, "the probability is below that of the line before");
    if (count >= CC_POINTS_MAX)
        return bad_line(l, err, "more than 100000 points");
    enum dpk_status status = DPK_OK;
    if (!count && share) /* this share of flows has exactly this size */
        status = add_point(w, shares, bytes, 0, err);
    return status == DPK_OK ? add_point(w, shares, bytes, share, err) : status;
}

enum dpk_status model_cc_read_sizes(const void *bytes, size_t size, struct cc_work *work,
                                    struct dpk_error *err)
{
    struct lines l = {.at = bytes, .end = (const char *)bytes + size, .separators = " \t,;"};
    enum dpk_status status = DPK_OK;
    uint64_t *shares = NULL;
    while (next_line(&l, &status, err) && status == DPK_OK)
        status = read_point(&l, work, &shares, err);
    const uint64_t last = work->point_count ? shares[work->point_count - 1] : 0;
    if (status == DPK_OK && last != CC_SHARE_ALL && last != (uint64_t)100 * CC_SHARE_ALL)
        status = bad_line(&l, err, "the last probability is neither 1 nor 100");
    if (status == DPK_OK)
        scale_shares(work, shares, last);
    free(shares);
    if (status != DPK_OK) {
        free(work->points);
        work->points = NULL;
        work->point_count = 0;
    }
    return status;
}

/* ---- Traces ---- */

/* Parses a time with a unit, or a number of nanoseconds. */
static bool parse_start(const char *text, uint64_t *out)
{
    char with_unit[64];
    if (strlen(text) > 40)
        return false;
    snprintf(with_unit, sizeof with_unit, "%sns", text);
    return model_cc_parse_time(text, out, NULL) == DPK_OK ||
           model_cc_parse_time(with_unit, out, NULL) == DPK_OK;
}

static bool is_name(const char *text)
{
    return *text && strlen(text) < CC_NAME_MAX;
}

static enum dpk_status read_demand(const struct lines *l, struct cc_work *w, struct dpk_error *err)
{
    struct cc_demand d = {.line = l->number};
    if (l->count != 4)
        return bad_line(l, err, "START,SOURCE,DESTINATION,BYTES are wanted");
    if (!parse_start(l->cells[0], &d.start_ns) || d.start_ns > UINT64_C(10000000000))
        return bad_line(l, err, "the start is not a time of 0 to 10 s, as 1500 (ns) or 1.5us are");
    if (!is_name(l->cells[1]) || !is_name(l->cells[2]))
        return bad_line(l, err, "source and destination are names of 1 to 31 bytes");
    if (model_cc_parse_bytes(l->cells[3], &d.size, NULL) != DPK_OK || !d.size)
        return bad_line(l, err, "the size is not a number of bytes from 1 to 2^40");
    if (w->demand_count == CC_FLOWS_MAX)
        return bad_line(l, err, "more than 1000000 flows");
    snprintf(d.from, sizeof d.from, "%s", l->cells[1]);
    snprintf(d.to, sizeof d.to, "%s", l->cells[2]);
    void *demands = w->demands;
    if (!model_shape_has_room(&demands, w->demand_count, sizeof d))
        return dpk_fail_nomem(err);
    w->demands = demands;
    w->demands[w->demand_count++] = d;
    return DPK_OK;
}

/* The first line may have column names; its first cell then starts with a letter. */
static bool is_header(const struct lines *l, const struct cc_work *w)
{
    const char first = l->cells[0][0];
    return !w->demand_count && ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z'));
}

enum dpk_status model_cc_read_trace(const void *bytes, size_t size, struct cc_work *work,
                                    struct dpk_error *err)
{
    struct lines l = {
        .at = bytes, .end = (const char *)bytes + size, .separators = ",", .empty_cells = true};
    enum dpk_status status = DPK_OK;
    bool begun = false;
    while (next_line(&l, &status, err) && status == DPK_OK) {
        if (begun || !is_header(&l, work))
            status = read_demand(&l, work, err);
        begun = true;
    }
    if (status == DPK_OK && !work->demand_count)
        status = bad_line(&l, err, "the file has no flow");
    if (status != DPK_OK) {
        free(work->demands);
        work->demands = NULL;
        work->demand_count = 0;
    }
    return status;
}

/* ---- Files ---- */

static enum dpk_status load(struct cc_work *w, const char *folder, struct dpk_error *err)
{
    char path[PATH_MAX];
    struct dpk_buf file = {0};
    const bool inside = *folder && w->file[0] != '/';
    const int length =
        snprintf(path, sizeof path, "%s%s%s", inside ? folder : "", inside ? "/" : "", w->file);
    if (length < 0 || (size_t)length >= sizeof path)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: the path is too long", w->file);
    enum dpk_status status = dpk_file_read(path, FILE_MAX, &file, err);
    if (status == DPK_OK) {
        const size_t mark = dpk_text_mark(file.data, file.size);
        const uint8_t *text = file.data + mark;
        status = w->kind == CC_TRACE ? model_cc_read_trace(text, file.size - mark, w, err)
                                     : model_cc_read_sizes(text, file.size - mark, w, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", path);
    }
    dpk_buf_free(&file);
    return status;
}

enum dpk_status model_cc_load(struct cc_workload *work, const char *folder, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (uint32_t i = 0; i < work->count && status == DPK_OK; i++) {
        struct cc_work *w = &work->items[i];
        const bool wanted = w->kind == CC_TRACE || (w->kind == CC_POISSON && w->file[0]);
        if (wanted && !w->file[0])
            return dpk_fail(err, DPK_ERR_USAGE,
                            "the workload: a trace has a file (trace:file=flows.csv)");
        if (wanted && !w->points && !w->demands)
            status = load(w, folder, err);
    }
    return status;
}
