#include "base.h"

bool dpk_take_number(const char **text, uint64_t most, uint64_t *out)
{
    const char *at = *text;
    uint64_t n = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n) || n > most)
            return false;
    if (at == *text)
        return false;
    *text = at;
    *out = n;
    return true;
}

bool dpk_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t n;
    if (!dpk_take_number(&text, most, &n) || *text != '\0' || n < least)
        return false;
    *out = n;
    return true;
}
