/* Loops over buffers: copy words, copy bytes, fill, compare, the Internet checksum (RFC 1071), a
 * search, a chain of pointers. */
#include "kernel.h"

enum { ROUNDS = 150000, WORDS = 512, SIZE = WORDS * 8, LINKS = 4096 };

struct link {
    struct link *next;
    uint64_t value;
};

static uint64_t source[WORDS], target[WORDS];
static uint8_t text[SIZE], copy[SIZE];
static struct link links[LINKS];

static __attribute__((noinline)) void copy_words(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

static __attribute__((noinline)) void copy_bytes(uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = from[i];
}

static __attribute__((noinline)) void fill(uint8_t *at, uint8_t byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = byte;
}

static __attribute__((noinline)) size_t common_length(const uint8_t *a, const uint8_t *b,
                                                      size_t size)
{
    size_t i = 0;
    while (i < size && a[i] == b[i])
        i++;
    return i;
}

static __attribute__((noinline)) uint32_t internet_checksum(const void *from, size_t count)
{
    typedef uint16_t __attribute__((may_alias)) field;
    const field *at = from;
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += at[i];
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

static __attribute__((noinline)) const uint8_t *find(const uint8_t *at, uint8_t byte)
{
    while (*at != byte)
        at++;
    return at;
}

static void make_chain(uint64_t *seed)
{
    static uint16_t order[LINKS];
    for (uint32_t i = 0; i < LINKS; i++)
        order[i] = (uint16_t)i;
    for (uint32_t i = LINKS - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(next_number(seed) >> 32) % (i + 1);
        uint16_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        links[order[i]].next = &links[order[(i + 1) % LINKS]];
        links[order[i]].value = next_number(seed);
    }
}

uint64_t kernel(void)
{
    uint64_t seed = 4, sum = 0;
    const struct link *link = links;
    make_chain(&seed);
    for (size_t i = 0; i < WORDS; i++)
        source[i] = next_number(&seed);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        source[round % WORDS] += round;
        copy_words(target, source, WORDS);
        fill(text, (uint8_t)(round | 1), SIZE);
        text[round * 61 % SIZE] = 0;
        copy_bytes(copy, text, SIZE);
        copy[round * 67 % SIZE] ^= 2;
        sum = add_to_checksum(sum, common_length(text, copy, SIZE));
        sum = add_to_checksum(sum, (uint64_t)(find(text, 0) - text));
        sum = add_to_checksum(sum, internet_checksum(target, SIZE / 2));
        for (int i = 0; i < 512; i++, link = link->next)
            sum += link->value;
    }
    return sum;
}
