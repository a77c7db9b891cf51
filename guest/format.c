#include "format.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct sink {
    char *to;
    size_t size;
    size_t length;
    char last; /* last character of the whole text */
};

struct spec {
    bool left, plus, space, alternate, zero;
    int width;
    int precision; /* -1: not given */
    char length;   /* 'H' for hh, 'h', 'l' for all 64-bit lengths, 0 */
};

static void put(struct sink *s, char c)
{
    if (s->length + 1 < s->size)
        s->to[s->length] = c;
    s->length++;
    s->last = c;
}

static void fill(struct sink *s, char c, int count)
{
    while (count-- > 0)
        put(s, c);
}

static void put_text(struct sink *s, const char *text, int length)
{
    for (int i = 0; i < length; i++)
        put(s, text[i]);
}

static void put_string(struct sink *s, const struct spec *f, const char *text)
{
    if (!text)
        text = "(null)";
    int length = 0;
    while ((f->precision < 0 || length < f->precision) && text[length])
        length++;
    if (!f->left)
        fill(s, ' ', f->width - length);
    put_text(s, text, length);
    if (f->left)
        fill(s, ' ', f->width - length);
}

static void put_number(struct sink *s, const struct spec *f, uint64_t value, unsigned base,
                       bool upper, const char *prefix)
{
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[24];
    int count = 0, prefix_length = 0;
    for (uint64_t v = value; v; v /= base)
        reversed[count++] = digits[v % base];
    int wanted = f->precision < 0 ? 1 : f->precision;
    if (base == 8 && f->alternate && wanted <= count)
        wanted = count + 1;
    while (prefix[prefix_length])
        prefix_length++;
    int zeros = wanted > count ? wanted - count : 0;
    int padding = f->width - prefix_length - zeros - count;
    if (f->zero && !f->left && f->precision < 0 && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!f->left)
        fill(s, ' ', padding);
    put_text(s, prefix, prefix_length);
    fill(s, '0', zeros);
    while (count > 0)
        put(s, reversed[--count]);
    if (f->left)
        fill(s, ' ', padding);
}

static void put_signed(struct sink *s, const struct spec *f, int64_t value)
{
    const char *prefix = value < 0 ? "-" : f->plus ? "+" : f->space ? " " : "";
    put_number(s, f, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, false, prefix);
}

static int64_t narrow_signed(char length, int64_t v)
{
    return length == 'H' ? (signed char)v : length == 'h' ? (short)v : length ? v : (int)v;
}

static uint64_t narrow_unsigned(char length, uint64_t v)
{
    return length == 'H'   ? (unsigned char)v
           : length == 'h' ? (unsigned short)v
           : length        ? v
                           : (unsigned)v;
}

static const char *parse_number(const char *p, int *out)
{
    int v = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        v = v > (INT_MAX - 9) / 10 ? INT_MAX / 16 : v * 10 + (*p - '0');
    *out = v;
    return p;
}

static const char *parse_flags(const char *p, struct spec *f)
{
    for (;; p++) {
        switch (*p) {
        case '-':
            f->left = true;
            break;
        case '+':
            f->plus = true;
            break;
        case ' ':
            f->space = true;
            break;
        case '#':
            f->alternate = true;
            break;
        case '0':
            f->zero = true;
            break;
        default:
            return p;
        }
    }
}

static const char *parse_length(const char *p, struct spec *f)
{
    if (*p == 'h') {
        f->length = p[1] == 'h' ? 'H' : 'h';
        return p + (p[1] == 'h' ? 2 : 1);
    }
    if (*p == 'l' || *p == 'z' || *p == 'j' || *p == 't') {
        f->length = 'l';
        return p + (p[0] == 'l' && p[1] == 'l' ? 2 : 1);
    }
    return p;
}

struct values {
    va_list list;
};

/* Parses the specification between '%' and the conversion. */
static const char *parse_spec(const char *p, struct spec *f, struct values *values)
{
    *f = (struct spec){.precision = -1};
    p = parse_flags(p, f);
    if (*p == '*') {
        f->width = va_arg(values->list, int);
        if (f->width < 0) {
            f->left = true;
            f->width = f->width == INT_MIN ? INT_MAX : -f->width;
        }
        p++;
    } else {
        p = parse_number(p, &f->width);
    }
    if (*p == '.') {
        p++;
        if (*p == '*') {
            f->precision = va_arg(values->list, int);
            p++;
        } else {
            p = parse_number(p, &f->precision);
        }
    }
    return parse_length(p, f);
}

static int64_t next_signed(const struct spec *f, struct values *v)
{
    return f->length == 'l' ? va_arg(v->list, int64_t)
                            : narrow_signed(f->length, va_arg(v->list, int));
}

static uint64_t next_unsigned(const struct spec *f, struct values *v)
{
    return f->length == 'l' ? va_arg(v->list, uint64_t)
                            : narrow_unsigned(f->length, va_arg(v->list, unsigned));
}

/* Returns false for an unknown conversion. */
static bool convert(struct sink *s, struct spec *f, char conversion, struct values *values)
{
    uint64_t value;
    char c[2] = {0, 0};
    switch (conversion) {
    case 'd':
    case 'i':
        put_signed(s, f, next_signed(f, values));
        return true;
    case 'u':
        put_number(s, f, next_unsigned(f, values), 10, false, "");
        return true;
    case 'o':
        put_number(s, f, next_unsigned(f, values), 8, false, "");
        return true;
    case 'x':
    case 'X':
        value = next_unsigned(f, values);
        put_number(s, f, value, 16, conversion == 'X',
                   f->alternate && value ? (conversion == 'X' ? "0X" : "0x") : "");
        return true;
    case 'p':
        put_number(s, f, (uintptr_t)va_arg(values->list, void *), 16, false, "0x");
        return true;
    case 's':
        put_string(s, f, va_arg(values->list, const char *));
        return true;
    case 'c':
        c[0] = (char)va_arg(values->list, int);
        if (!f->left)
            fill(s, ' ', f->width - 1);
        put(s, c[0]);
        if (f->left)
            fill(s, ' ', f->width - 1);
        return true;
    case '%':
        put(s, '%');
        return true;
    default:
        return false;
    }
}

static void put_all(struct sink *s, const char *format, va_list values)
{
    struct values v;
    va_copy(v.list, values);
    for (const char *p = format; *p;) {
        if (*p != '%') {
            put(s, *p++);
            continue;
        }
        struct spec f;
        const char *end = parse_spec(p + 1, &f, &v);
        if (*end && convert(s, &f, *end, &v))
            p = end + 1;
        else
            put(s, *p++);
    }
    va_end(v.list);
    if (s->size)
        s->to[s->length < s->size ? s->length : s->size - 1] = 0;
}

static int length_of(const struct sink *s)
{
    return s->length > INT_MAX ? INT_MAX : (int)s->length;
}

int _dpa_format(char *to, size_t size, const char *format, va_list values)
{
    struct sink s = {.to = to, .size = size};
    put_all(&s, format, values);
    return length_of(&s);
}

int _dpa_format_marked(char *to, size_t size, const char *format, va_list values)
{
    static const char mark[] = " [cut]\n";
    struct sink s = {.to = to, .size = size};
    put_all(&s, format, values);
    if (s.length >= size && size > sizeof mark) {
        const size_t length = sizeof mark - 1 - (s.last != '\n');
        for (size_t i = 0; i < length; i++)
            to[size - 1 - length + i] = mark[i];
    }
    return length_of(&s);
}
