/* Sets of execution units. */
#include "base.h"

void dpk_units_add_range(struct dpk_units *u, unsigned first, unsigned last)
{
    for (unsigned n = first; n <= last; n++)
        dpk_units_add(u, n);
}

void dpk_units_subtract(struct dpk_units *u, const struct dpk_units *from_it)
{
    for (unsigned i = 0; i < DPK_UNITS_MAX / 64; i++)
        u->bits[i] &= ~from_it->bits[i];
}

unsigned dpk_units_rank(const struct dpk_units *u, unsigned number)
{
    unsigned count = 0;
    for (unsigned i = 0; i < number / 64 && i < DPK_UNITS_MAX / 64; i++)
        count += (unsigned)__builtin_popcountll(u->bits[i]);
    if (number < DPK_UNITS_MAX)
        count += (unsigned)__builtin_popcountll(u->bits[number / 64] &
                                                ((UINT64_C(1) << number % 64) - 1));
    return count;
}

unsigned dpk_units_count(const struct dpk_units *u)
{
    return dpk_units_rank(u, DPK_UNITS_MAX);
}

bool dpk_units_meet(const struct dpk_units *a, const struct dpk_units *b)
{
    bool meet = false;
    for (unsigned i = 0; i < DPK_UNITS_MAX / 64; i++)
        meet |= (a->bits[i] & b->bits[i]) != 0;
    return meet;
}

unsigned dpk_units_member(const struct dpk_units *u, unsigned rank)
{
    for (unsigned n = 0; n < DPK_UNITS_MAX; n++)
        if (dpk_units_have(u, n) && rank-- == 0)
            return n;
    return DPK_UNITS_MAX;
}

/* Reads a number or a range. */
static bool read_some(const char **text, struct dpk_units *out)
{
    uint64_t first, last;
    if (!dpk_take_number(text, DPK_UNITS_MAX - 1, &first))
        return false;
    last = first;
    if (**text == '-' &&
        (++*text, !dpk_take_number(text, DPK_UNITS_MAX - 1, &last) || last < first))
        return false;
    dpk_units_add_range(out, (unsigned)first, (unsigned)last);
    return true;
}

bool dpk_units_parse(const char *text, struct dpk_units *out)
{
    bool good;
    *out = (struct dpk_units){0};
    do
        good = read_some(&text, out);
    while (good && *text == ',' && text++);
    if (!good || *text)
        *out = (struct dpk_units){0};
    return good && !*text;
}

void dpk_units_put(struct dpk_buf *out, const struct dpk_units *u, bool ranges)
{
    const char *comma = "";
    for (unsigned n = 0; n < DPK_UNITS_MAX; n++) {
        unsigned last = n;
        if (!dpk_units_have(u, n))
            continue;
        while (ranges && dpk_units_have(u, last + 1))
            last++;
        dpk_put_format(out, last > n ? "%s%u-%u" : "%s%u", comma, n, last);
        comma = ",";
        n = last;
    }
}
