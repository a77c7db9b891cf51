#include "base.h"

bool dpk_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t n = 0;
    if (*text == '\0')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
            return false;
    if (*text != '\0' || n < least || n > most)
        return false;
    *out = n;
    return true;
}
