/* Profile files: folded stacks and speedscope's JSON. Flame graphs are in flame.c. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/inside.h"

enum { PROFILE_FILE_MAX = 1 << 30 }; /* maximum size of an input file, bytes */

enum dpk_status dpk_profile_format_of(const char *path, enum dpk_profile_format *out,
                                      struct dpk_error *err)
{
    static const char *const endings[] = {[DPK_PROFILE_FOLDED] = ".folded",
                                          [DPK_PROFILE_SPEEDSCOPE] = ".json",
                                          [DPK_PROFILE_FLAME] = ".svg"};
    const char *dot = strrchr(path, '.');
    for (unsigned i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0) {
            *out = (enum dpk_profile_format)i;
            return DPK_OK;
        }
    return dpk_fail(err, DPK_ERR_USAGE,
                    "%s: the name of a profile must end in .folded, .json or .svg", path);
}

/* Returns the next frame in pre-order: parents before their children. */
static unsigned walk_on(const struct dpk_profile *p, unsigned at)
{
    const struct dpk_profile_frame *f = dpk_profile_frame(p, at);
    if (f->first != DPK_PROFILE_NONE)
        return f->first;
    while (f->next == DPK_PROFILE_NONE && f->parent != DPK_PROFILE_NONE)
        f = dpk_profile_frame(p, f->parent);
    return f->next;
}

/* Gets the frames from the outermost frame to `at`, without the root. Returns their number. */
static unsigned stack_of(const struct dpk_profile *p, unsigned at,
                         unsigned stack[DPK_PROFILE_DEPTH])
{
    const unsigned depth = dpk_profile_frame(p, at)->depth;
    for (unsigned i = depth; i-- > 0; at = dpk_profile_frame(p, at)->parent)
        stack[i] = at;
    return depth;
}

void profile_put_folded(const struct dpk_profile *p, struct dpk_buf *out)
{
    unsigned stack[DPK_PROFILE_DEPTH];
    for (unsigned at = DPK_PROFILE_ROOT; at != DPK_PROFILE_NONE; at = walk_on(p, at)) {
        const struct dpk_profile_frame *f = dpk_profile_frame(p, at);
        const unsigned depth = f->self ? stack_of(p, at, stack) : 0;
        for (unsigned i = 0; i < depth; i++)
            dpk_put_format(out, "%s%s", i ? ";" : "", dpk_profile_frame(p, stack[i])->name);
        if (depth)
            dpk_put_format(out, " %" PRIu64 "\n", f->self);
    }
}

static void put_json(struct dpk_buf *out, const char *text)
{
    dpk_put_u8(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            dpk_put_u8(out, '\\');
        dpk_put_u8(out, (uint8_t)*c);
    }
    dpk_put_u8(out, '"');
}

/* Frames with the same name share a number, so that a viewer adds up a function with several
 * callers. */
static int by_name(const void *a, const void *b, void *context)
{
    return strcmp(dpk_profile_frame(context, *(const unsigned *)a)->name,
                  dpk_profile_frame(context, *(const unsigned *)b)->name);
}

static unsigned number_names(const struct dpk_profile *p, unsigned *order, unsigned *number)
{
    const unsigned count = dpk_profile_frames(p);
    unsigned names = 0;
    for (unsigned i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, by_name, (void *)p);
    for (unsigned i = 0; i < count; i++) {
        if (i == 0 || by_name(&order[i - 1], &order[i], (void *)p) != 0)
            names++;
        number[order[i]] = names - 1;
    }
    return names;
}

static void put_names(const struct dpk_profile *p, const unsigned *order, struct dpk_buf *out)
{
    for (unsigned i = 0; i < dpk_profile_frames(p); i++) {
        const char *name = dpk_profile_frame(p, order[i])->name;
        const char *colon = strrchr(name, ':');
        if (i && by_name(&order[i - 1], &order[i], (void *)p) == 0)
            continue;
        dpk_put_format(out, "%s\n{\"name\":", i ? "," : "");
        put_json(out, name);
        char *end;
        const unsigned long line = colon && colon[1] ? strtoul(colon + 1, &end, 10) : 0;
        if (line != 0 && *end == '\0') {
            char file[DPK_PROFILE_NAME];
            snprintf(file, sizeof file, "%.*s", (int)(colon - name), name);
            dpk_put_format(out, ",\"file\":");
            put_json(out, file);
            dpk_put_format(out, ",\"line\":%lu", line);
        }
        dpk_put_u8(out, '}');
    }
}

void profile_put_speedscope(const struct dpk_profile *p, struct dpk_buf *out)
{
    const unsigned count = dpk_profile_frames(p);
    unsigned stack[DPK_PROFILE_DEPTH], *order = malloc(2 * count * sizeof *order);
    bool any = false;
    if (!order) {
        out->failed = true;
        return;
    }
    unsigned *number = order + count;
    (void)number_names(p, order, number);
    dpk_put_format(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                        "\"exporter\":\"dpakit\",\"name\":\"DPA\",\"activeProfileIndex\":0,"
                        "\"shared\":{\"frames\":[");
    put_names(p, order, out);
    dpk_put_format(out,
                   "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"instructions\",\"unit\":"
                   "\"none\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
                   dpk_profile_frame(p, DPK_PROFILE_ROOT)->total);
    for (unsigned at = DPK_PROFILE_ROOT; at != DPK_PROFILE_NONE; at = walk_on(p, at)) {
        const unsigned depth = dpk_profile_frame(p, at)->self ? stack_of(p, at, stack) : 0;
        for (unsigned i = 0; i < depth; i++)
            dpk_put_format(out, "%s%u", i ? "," : any ? ",\n[" : "\n[", number[stack[i]]);
        if (depth)
            dpk_put_u8(out, ']');
        any |= depth != 0;
    }
    dpk_put_format(out, "],\n\"weights\":[");
    any = false;
    for (unsigned at = DPK_PROFILE_ROOT; at != DPK_PROFILE_NONE; at = walk_on(p, at)) {
        const struct dpk_profile_frame *f = dpk_profile_frame(p, at);
        if (f->self && f->depth)
            dpk_put_format(out, "%s%" PRIu64, any ? "," : "", f->self);
        any |= f->self && f->depth;
    }
    dpk_put_format(out, "]}]}\n");
    free(order);
}

enum dpk_status dpk_profile_write(struct dpk_profile *p, const char *path, struct dpk_error *err)
{
    static void (*const put[])(const struct dpk_profile *, struct dpk_buf *) = {
        [DPK_PROFILE_FOLDED] = profile_put_folded,
        [DPK_PROFILE_SPEEDSCOPE] = profile_put_speedscope,
        [DPK_PROFILE_FLAME] = profile_put_flame};
    enum dpk_profile_format format;
    struct dpk_buf out = {0};
    enum dpk_status status = dpk_profile_format_of(path, &format, err);
    if (status != DPK_OK)
        return status;
    dpk_profile_settle(p);
    put[format](p, &out);
    status =
        out.failed ? dpk_fail_nomem(err) : dpk_file_replace(path, out.data, out.size, 0644, err);
    dpk_buf_free(&out);
    return status;
}

/* ---- Reading folded stacks ---- */

/* Reads a line, and changes it. False: the line does not belong to a folded profile. */
static bool read_line(struct dpk_profile *p, char *line)
{
    char *space = strrchr(line, ' '), *end;
    if (!space || space == line || space[1] < '0' || space[1] > '9')
        return false;
    errno = 0;
    const unsigned long long weight = strtoull(space + 1, &end, 10);
    if (*end != '\0' || errno)
        return false;
    *space = '\0';
    unsigned at = DPK_PROFILE_ROOT;
    for (char *frame = line, *next; frame; frame = next) {
        if ((next = strchr(frame, ';')) != NULL)
            *next++ = '\0';
        at = dpk_profile_child(p, at, frame, 0);
    }
    dpk_profile_count(p, at, weight);
    return at != DPK_PROFILE_NONE;
}

enum dpk_status dpk_profile_read(struct dpk_profile *p, const char *path, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    unsigned number = 0;
    enum dpk_status status = dpk_file_read(path, PROFILE_FILE_MAX, &file, err);
    dpk_put_u8(&file, '\0');
    if (status == DPK_OK && file.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && strlen((char *)file.data) != file.size - 1)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: not text: it has a NUL", path);
    char *line = (char *)file.data;
    while (status == DPK_OK && line && *line) {
        char *end = strchr(line, '\n');
        number++;
        if (end)
            *end++ = '\0';
        if (!read_line(p, line))
            status = dpk_fail(err, DPK_ERR_FORMAT,
                              "%s: line %u is not \"frame;frame;... instructions\", as a profile "
                              "of the name .folded has it",
                              path, number);
        line = end;
    }
    dpk_buf_free(&file);
    return status;
}
