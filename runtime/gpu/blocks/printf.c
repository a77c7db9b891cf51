/* printf of device code: its arguments lie in memory, each at its natural alignment. */
#include "device.h"
#include "private.h"

#include <string.h>

enum { OUTPUT_MAX = 4096, SPECIFICATION_MAX = 32 };

struct output {
    char text[OUTPUT_MAX];
    size_t used;
};

struct arguments {
    const char *at;
    size_t used;
};

static uint64_t take_argument(struct arguments *a, size_t size)
{
    uint64_t value = 0;
    a->used = (a->used + size - 1) / size * size;
    memcpy(&value, a->at + a->used, size);
    a->used += size;
    return value;
}

static void put(struct output *o, const char *text, size_t size)
{
    const size_t room = OUTPUT_MAX - o->used;
    size = size < room ? size : room;
    memcpy(o->text + o->used, text, size);
    o->used += size;
}

/* A conversion specification such as "%-*.3lld", without its length modifiers. */
struct specification {
    char text[SPECIFICATION_MAX];
    size_t used;
    bool is_long;
    char kind;
};

static const char *read_specification(const char *p, struct specification *s, struct arguments *a)
{
    *s = (struct specification){.text = "%", .used = 1};
    for (p++; *p; p++) {
        if (strchr("hlLqjzt", *p)) {
            s->is_long |= *p != 'h' && *p != 'L';
        } else if (*p == '*') {
            const int n = snprintf(s->text + s->used, SPECIFICATION_MAX - s->used, "%d",
                                   (int)(int32_t)take_argument(a, 4));
            s->used += n > 0 ? (size_t)n : 0;
        } else if (strchr("-+ #0123456789.", *p)) {
            s->text[s->used++] = *p;
        } else {
            s->kind = *p++;
            break;
        }
        if (s->used > SPECIFICATION_MAX - 8)
            break;
    }
    return p;
}

static size_t length_of(int printed)
{
    return printed < 0 ? 0 : (size_t)printed;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_value(struct output *o, struct specification *s, struct arguments *a)
{
    char *at = o->text + o->used;
    const size_t room = OUTPUT_MAX - o->used;
    size_t n = 0;
    const char *end = s->kind && strchr("diuoxXc", s->kind) && s->is_long ? "ll" : "";
    snprintf(s->text + s->used, SPECIFICATION_MAX - s->used, "%s%c", end, s->kind);
    if (s->kind && strchr("eEfFgGaA", s->kind)) {
        const uint64_t bits = take_argument(a, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        n = length_of(snprintf(at, room, s->text, value));
    } else if (s->kind == 's' || s->kind == 'p') {
        const void *pointer = (const void *)take_argument(a, 8);
        n = length_of(snprintf(at, room, s->text, s->kind == 's' && !pointer ? "(null)" : pointer));
    } else if (s->kind && strchr("diuoxXc", s->kind) && s->is_long) {
        n = length_of(snprintf(at, room, s->text, (long long)take_argument(a, 8)));
    } else if (s->kind && strchr("diuoxXc", s->kind)) {
        n = length_of(snprintf(at, room, s->text, (int)(int32_t)take_argument(a, 4)));
    } else {
        put(o, s->text, strlen(s->text));
    }
    o->used += n < room ? n : room - 1;
}

int32_t dpk_gpu_vprintf(const char *format, const void *arguments)
{
    struct output o = {.used = 0};
    struct arguments a = {.at = arguments};
    int32_t count = 0;
    for (const char *p = format; *p && o.used < OUTPUT_MAX - 1;) {
        struct specification s;
        if (*p != '%') {
            const size_t n = strcspn(p, "%");
            put(&o, p, n);
            p += n;
        } else if (p[1] == '%') {
            put(&o, "%", 1);
            p += 2;
        } else {
            p = read_specification(p, &s, &a);
            put_value(&o, &s, &a);
            count++;
        }
    }
    fwrite(o.text, 1, o.used, stdout);
    return count;
}
