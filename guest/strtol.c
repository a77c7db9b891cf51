/* Numbers from text. The C library's functions report overflow in errno, which is thread-local and
 * so does not exist on the DPA. These functions saturate without a report. */
#include <inttypes.h>
#include <libflexio-libc/stdlib.h>
#include <limits.h>
#include <stdbool.h>

static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10 : UINT_MAX;
}

/* Returns the magnitude; if it does not fit, ULONG_MAX with *over. */
static unsigned long parse(const char *text, char **end, int base, bool *negative, bool *over)
{
    const char *p = text, *last = text;
    unsigned long value = 0;
    *negative = *over = false;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
        p++;
    if (*p == '+' || *p == '-')
        *negative = *p++ == '-';
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] | 0x20) == 'x' && digit(p[2]) < 16) {
        p += 2;
        base = 16;
    } else if (base == 0) {
        base = *p == '0' ? 8 : 10;
    }
    if (base < 2 || base > 36)
        goto out;
    for (; digit(*p) < (unsigned)base; last = ++p)
        *over |= __builtin_mul_overflow(value, (unsigned long)base, &value) ||
                 __builtin_add_overflow(value, (unsigned long)digit(*p), &value);
out:
    if (end)
        *end = (char *)last;
    return *over ? ULONG_MAX : value;
}

unsigned long strtoul(const char *__restrict text, char **__restrict end, int base)
{
    bool negative, over;
    unsigned long value = parse(text, end, base, &negative, &over);
    return negative && !over ? -value : value;
}

long strtol(const char *__restrict text, char **__restrict end, int base)
{
    bool negative, over;
    unsigned long value = parse(text, end, base, &negative, &over);
    if (negative)
        return value > (unsigned long)LONG_MAX ? LONG_MIN : -(long)value;
    return value > (unsigned long)LONG_MAX ? LONG_MAX : (long)value;
}

unsigned long long strtoull(const char *__restrict text, char **__restrict end, int base)
{
    return strtoul(text, end, base);
}

long long strtoll(const char *__restrict text, char **__restrict end, int base)
{
    return strtol(text, end, base);
}

intmax_t strtoimax(const char *__restrict text, char **__restrict end, int base)
{
    return strtol(text, end, base);
}

uintmax_t strtoumax(const char *__restrict text, char **__restrict end, int base)
{
    return strtoul(text, end, base);
}
