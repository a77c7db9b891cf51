/* Text of trace messages. */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A conversion: flags, width and precision are copied; the length is always that of 64 bits. */
struct conversion {
    char text[40];
    unsigned bits; /* size of the number */
    char kind;
    const char *end; /* end of the conversion */
};

/* `at`: after the '%'. Returns false if it is not a conversion of an integer. */
static bool read_conversion(const char *at, struct conversion *out)
{
    const size_t shape = strspn(at, "#0- +123456789.");
    const char *length = at + shape;
    const size_t longs = strspn(length, "lhzjt");
    out->kind = length[longs];
    out->end = length + longs + 1;
    out->bits = longs == 0 ? 32 : *length != 'h' ? 64 : longs == 1 ? 16 : 8;
    if (out->kind == 'p')
        out->bits = 64;
    if (shape > 20 || longs > 2 || !out->kind || !strchr("diuxXocp%", out->kind))
        return false;
    const bool plain = out->kind == 'c' || out->kind == 'p';
    snprintf(out->text, sizeof out->text, "%%%.*s%s%c", (int)shape, at, plain ? "" : "ll",
             out->kind);
    return true;
}

bool dpk_trace_is_format(const char *format, unsigned count)
{
    unsigned values = 0;
    for (const char *at = format; (at = strchr(at, '%'));) {
        struct conversion c;
        if (!read_conversion(at + 1, &c))
            return false;
        values += c.kind != '%';
        at = c.end;
    }
    return values <= count;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int print_value(char *to, size_t size, const struct conversion *c, uint64_t value)
{
    if (c->kind == '%')
        return snprintf(to, size, "%%");
    if (c->kind == 'c')
        return snprintf(to, size, c->text, value >= 32 && value < 127 ? (int)value : '?');
    if (c->kind == 'p')
        /* The conversion is intended. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        return snprintf(to, size, c->text, (void *)(uintptr_t)value);
    const unsigned unused = 64 - c->bits;
    if (c->kind == 'd' || c->kind == 'i')
        return snprintf(to, size, c->text, (long long)((int64_t)(value << unused) >> unused));
    return snprintf(to, size, c->text, (unsigned long long)(value << unused >> unused));
}
#pragma GCC diagnostic pop

size_t dpk_trace_line(const char *format, const uint64_t *values, unsigned count,
                      char line[DPK_TRACE_LINE])
{
    size_t used = 0;
    unsigned next = 0;
    while (*format && used + 1 < DPK_TRACE_LINE) {
        struct conversion c;
        if (*format != '%' || !read_conversion(format + 1, &c)) {
            line[used++] = *format++;
            continue;
        }
        const uint64_t value = c.kind == '%' || next >= count ? 0 : values[next++];
        const int length = print_value(line + used, DPK_TRACE_LINE - used, &c, value);
        used += length > 0 ? (size_t)length : 0;
        format = c.end;
    }
    if (used >= DPK_TRACE_LINE)
        used = DPK_TRACE_LINE - 1;
    line[used] = '\0';
    return used;
}

size_t dpk_trace_unknown(int format, const uint64_t *values, unsigned count,
                         char line[DPK_TRACE_LINE])
{
    int used = snprintf(line, DPK_TRACE_LINE, "format %d:", format);
    for (unsigned i = 0; i < count && i < DPK_TRACE_VALUES; i++)
        used += snprintf(line + used, DPK_TRACE_LINE - (size_t)used, " %#" PRIx64, values[i]);
    used += snprintf(line + used, DPK_TRACE_LINE - (size_t)used, "\n");
    return (size_t)used;
}
