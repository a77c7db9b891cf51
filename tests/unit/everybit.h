/* Every truncation and every single-bit flip of NVIDIA's files, in place: nothing here costs time
 * in proportion to the file's size but what is tested. With sanitizers, which look at how a changed
 * file is read and not at what is said of it, one bit of seven is flipped. */
#ifndef TESTS_EVERYBIT_H
#define TESTS_EVERYBIT_H

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define BIT_STEP ((size_t)7)
#else
#define BIT_STEP                          ((size_t)1)
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#include "golden.h"

/* Looks at the first `size` of `bytes`; `changed` is the byte that differs, `size` if none does. */
typedef void look(const uint8_t *bytes, size_t size, size_t changed, void *context);

/* A file in memory that ends where its bytes do. */
static inline uint8_t *exact_golden(const char *name, size_t *size)
{
    struct dpk_buf b = golden(name);
    uint8_t *bytes = malloc(b.size);
    assert_non_null(bytes);
    memcpy(bytes, b.data, b.size);
    *size = b.size;
    dpk_buf_free(&b);
    return bytes;
}

static inline void every_truncation(uint8_t *bytes, size_t size, look *f, void *context)
{
    for (size_t cut = size; cut-- > 0;) {
        ASAN_POISON_MEMORY_REGION(bytes + cut, size - cut);
        f(bytes, cut, cut, context);
    }
    ASAN_UNPOISON_MEMORY_REGION(bytes, size);
    printf("# changed files: %zu\n", size);
}

/* Bits `part`, `part + parts`, ..., or of these each BIT_STEPth. */
static inline void flip_part(uint8_t *bytes, size_t size, size_t part, size_t parts, look *f,
                             void *context)
{
    size_t changed = 0;
    for (size_t bit = part; bit < 8 * size; bit += parts * BIT_STEP, changed++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        f(bytes, size, bit / 8, context);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    printf("# changed files: %zu\n", changed); /* tests/run counts them */
}

static inline void every_flip(uint8_t *bytes, size_t size, look *f, void *context)
{
    flip_part(bytes, size, 0, 1, f, context);
}

#endif
