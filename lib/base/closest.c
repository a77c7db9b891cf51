#include "base/base.h"

#include <string.h>

#define LONGEST 128 /* nobody mistypes a longer word */

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The edit distance; two swapped neighbours, the most common slip, count as one edit. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = min(above[j - 1] + (a[i - 1] != b[j - 1]), min(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min(row[j], before[j - 2] + 1);
        }
    }
    return row[b_length];
}

const char *dpk_closest(const char *word, const char *const *candidates)
{
    size_t length = strnlen(word, LONGEST + 1);
    if (length > LONGEST)
        return NULL;
    const char *best = NULL;
    size_t best_distance = length / 3 + 1;
    for (; *candidates; candidates++) {
        size_t candidate_length = strnlen(*candidates, LONGEST + 1);
        if (candidate_length > LONGEST)
            continue;
        size_t d = distance(word, length, *candidates, candidate_length);
        if (d < best_distance) {
            best = *candidates;
            best_distance = d;
        }
    }
    return best;
}
