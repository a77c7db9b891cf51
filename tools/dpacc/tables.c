#include "tables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORTH_IT 1024 /* elements; a shorter list is quickly read */

/* One integer of digits and suffixes, NULL: something else. */
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

/* Behind the closing brace of a list of integers that begins behind `p`, NULL: no such list. */
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

bool tables_shorten(const struct dpk_buf *source, struct tables *out)
{
    const uint8_t *p = source->data, *end = p + source->size, *open;
    *out = (struct tables){0};
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

void tables_free(struct tables *t)
{
    dpk_buf_free(&t->text);
    free(t->offsets);
    *t = (struct tables){0};
}

size_t tables_at(const struct tables *t, size_t begin, size_t end)
{
    size_t found = 0;
    for (size_t i = 0; i < t->count; i++)
        found += t->offsets[i] >= begin && t->offsets[i] < end;
    return found;
}
