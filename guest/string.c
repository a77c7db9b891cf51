/* Functions on memory and strings that some releases of the C library implement with unaligned word
 * loads, which fault on the DPA. */
#include <stdint.h>
#include <string.h>

typedef uint64_t __attribute__((may_alias)) word;

static int both_aligned(const void *a, const void *b)
{
    return (((uintptr_t)a | (uintptr_t)b) & (sizeof(word) - 1)) == 0;
}

static int has_zero(word w)
{
    const word ones = UINT64_MAX / 255;
    return ((w - ones) & ~w & ones << 7) != 0;
}

/* Copies in ascending order, which is also correct if `to` is before `p` in the same memory. */
static void copy_up(char *to, const char *p, size_t size)
{
    const char *end = p + size;
    if ((((uintptr_t)to ^ (uintptr_t)p) & (sizeof(word) - 1)) == 0) {
        for (; p < end && !both_aligned(to, p); to++, p++)
            *to = *p;
        for (; (size_t)(end - p) >= 8 * sizeof(word);
             to += 8 * sizeof(word), p += 8 * sizeof(word)) {
            const word *w = (const word *)p;
            word a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5], g = w[6], h = w[7];
            word *v = (word *)to;
            v[0] = a, v[1] = b, v[2] = c, v[3] = d, v[4] = e, v[5] = f, v[6] = g, v[7] = h;
        }
        for (; (size_t)(end - p) >= sizeof(word); to += sizeof(word), p += sizeof(word))
            *(word *)to = *(const word *)p;
    }
    for (; p < end; to++, p++)
        *to = *p;
}

void *memcpy(void *__restrict to, const void *__restrict from, size_t size)
{
    copy_up(to, from, size);
    return to;
}

/* Copies backwards only if copying forwards would overwrite bytes before they are read. */
void *memmove(void *into, const void *from, size_t size)
{
    char *to = (char *)into + size;
    const char *p = (const char *)from + size;
    if ((uintptr_t)into - (uintptr_t)from >= size) {
        copy_up(into, from, size);
        return into;
    }
    if ((((uintptr_t)to ^ (uintptr_t)p) & (sizeof(word) - 1)) == 0) {
        for (; size && !both_aligned(to, p); size--)
            *--to = *--p;
        for (; size >= sizeof(word); size -= sizeof(word)) {
            to -= sizeof(word);
            p -= sizeof(word);
            *(word *)to = *(const word *)p;
        }
    }
    while (size--)
        *--to = *--p;
    return into;
}

char *stpcpy(char *__restrict to, const char *__restrict from)
{
    size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
}

char *strcpy(char *__restrict to, const char *__restrict from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

int strcmp(const char *a, const char *b)
{
    if (both_aligned(a, b))
        for (; *(const word *)a == *(const word *)b && !has_zero(*(const word *)a);
             a += sizeof(word), b += sizeof(word))
            ;
    for (; *a && *a == *b; a++, b++)
        ;
    return (unsigned char)*a - (unsigned char)*b;
}
