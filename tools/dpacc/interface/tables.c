#include "tables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WORTH_IT   1024 /* elements; shorter lists are parsed quickly */
#define HEADER_MIN 4096 /* bytes; smaller headers have no such list */
#define FILE_MAX   ((size_t)1 << 30)

/* Skips one integer with its suffixes. Returns NULL for other text. */
static const uint8_t *skip_number(const uint8_t *p, const uint8_t *end)
{
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    const uint8_t *digits = p;
    if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
        for (digits = p += 2; p < end && isxdigit(*p); p++)
            ;
    } else {
        for (; p < end && isdigit(*p); p++)
            ;
    }
    if (p == digits)
        return NULL;
    while (p < end && (*p == 'u' || *p == 'U' || *p == 'l' || *p == 'L'))
        p++;
    return p;
}

static const uint8_t *skip_space(const uint8_t *p, const uint8_t *end, size_t *lines)
{
    for (; p < end && isspace(*p); p++)
        *lines += *p == '\n';
    return p;
}

/* Skips a list of integers and its closing brace. Returns NULL for other text. */
static const uint8_t *skip_list(const uint8_t *p, const uint8_t *end, size_t *elements,
                                size_t *lines)
{
    *elements = *lines = 0;
    for (;;) {
        p = skip_space(p, end, lines);
        if (p < end && *p == '}')
            return p + 1;
        if (!(p = skip_number(p, end)))
            return NULL;
        ++*elements;
        p = skip_space(p, end, lines);
        if (p == end || (*p != ',' && *p != '}'))
            return NULL;
        p += *p == ',';
    }
}

static bool note(struct tables *t)
{
    size_t *offsets = reallocarray(t->offsets, t->count + 1, sizeof *offsets);
    if (!offsets)
        return false;
    t->offsets = offsets;
    offsets[t->count++] = t->text.size;
    return true;
}

/* Shortens the lists of a source; `count` stays 0 if there are none. Returns false if there is no
 * memory. */
static bool shorten(const struct dpk_buf *source, struct tables *out)
{
    const uint8_t *p = source->data, *end = p + source->size, *open;
    while (p < end && (open = memchr(p, '{', (size_t)(end - p)))) {
        size_t elements, lines;
        const uint8_t *close = skip_list(open + 1, end, &elements, &lines);
        if (!close || elements < WORTH_IT) {
            dpk_put(&out->text, p, (size_t)(open + 1 - p));
            p = open + 1;
            continue;
        }
        dpk_put(&out->text, p, (size_t)(open - p));
        if (!note(out))
            return false;
        dpk_put_format(&out->text, "{[%zu]=0", elements - 1);
        dpk_put_fill(&out->text, '\n', lines);
        dpk_put_u8(&out->text, '}');
        p = close;
    }
    if (p < end)
        dpk_put(&out->text, p, (size_t)(end - p));
    return !out->text.failed;
}

size_t interface_tables_at(const struct tables *t, size_t begin, size_t end)
{
    size_t found = 0;
    for (size_t i = 0; i < t->count; i++)
        found += t->offsets[i] >= begin && t->offsets[i] < end;
    return found;
}

/* ---- Files ---- */

static void free_one(struct tables *t)
{
    dpk_buf_free(&t->text);
    free(t->offsets);
    free(t->path);
}

void interface_tables_free(struct tables_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free_one(&files->at[i]);
    *files = (struct tables_files){0};
}

/* Adds a file if it has long lists. Returns false if there is no memory. */
static bool add(struct tables_files *files, const char *path, const struct dpk_buf *text)
{
    struct tables t = {.path = strdup(path)};
    bool done = t.path && shorten(text, &t);
    if (done && t.count && files->count < TABLES_FILES) {
        files->lists += t.count;
        files->at[files->count++] = t;
    } else {
        free_one(&t);
    }
    return done;
}

/* Returns the next NAME of an #include "NAME", or NULL. */
static const uint8_t *next_include(const uint8_t *p, const uint8_t *end, size_t *length)
{
    static const char word[] = "include";
    while (p < end && (p = memmem(p, (size_t)(end - p), word, sizeof word - 1))) {
        p += sizeof word - 1;
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        if (p == end || *p != '"')
            continue;
        p++;
        const uint8_t *close = memchr(p, '"', (size_t)(end - p));
        if (close && !memchr(p, '\n', (size_t)(close - p))) {
            *length = (size_t)(close - p);
            return p;
        }
    }
    return NULL;
}

static bool has(const struct tables_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->at[i].path, path) == 0)
            return true;
    return false;
}

/* Adds a header in the source's directory. Returns false if there is no memory. */
static bool add_header(struct tables_files *files, const char *source, const uint8_t *name,
                       size_t length)
{
    const char *slash = strrchr(source, '/');
    struct dpk_buf text = {0};
    struct stat st;
    char *path = NULL;
    if (asprintf(&path, "%.*s%.*s", slash ? (int)(slash + 1 - source) : 0, source, (int)length,
                 (const char *)name) < 0)
        return false;
    bool done = true;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= HEADER_MIN &&
        !has(files, path) && dpk_file_read(path, FILE_MAX, &text, NULL) == DPK_OK)
        done = add(files, path, &text);
    dpk_buf_free(&text);
    free(path);
    return done;
}

enum dpk_status interface_tables_read(const char *source, struct tables_files *out,
                                      struct dpk_error *err)
{
    struct dpk_buf text = {0};
    size_t length;
    enum dpk_status status = dpk_file_read(source, FILE_MAX, &text, err);
    if (status != DPK_OK)
        return status;
    const uint8_t *end = text.data + text.size;
    bool done = add(out, source, &text);
    for (const uint8_t *p = text.data; done && (p = next_include(p, end, &length)); p += length)
        done = add_header(out, source, p, length);
    dpk_buf_free(&text);
    return done ? DPK_OK : dpk_fail_nomem(err);
}
