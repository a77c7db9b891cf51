/* What the hosts of args_dev.c pass. */
#ifndef ARGS_VALUES_H
#define ARGS_VALUES_H
#include "args.h"

#define NINE_FROM(n)                                                                               \
    {                                                                                              \
        n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8                                  \
    }
#define ARGS_VALUES                                                                                \
    struct big a = {NINE_FROM(100), 1, 2}, b = {NINE_FROM(200), 3, 4};                             \
    struct tight t = {9, 0x1122334455667788, 0x99aa};                                              \
    struct nested n = {.pair = {[1] = {.x = 77, .t.value = 88}},                                   \
                       .word = 0xcafe0000,                                                         \
                       .color = GREEN,                                                             \
                       .flag = true,                                                               \
                       .grid = {[1] = {4, 5, 6}}};                                                 \
    struct tiny y = {1, 2, 3};                                                                     \
    struct bits z = {.low = 17, .high = 0xabcde, .negative = -3};                                  \
    anonymous_t v = {-1, 1};                                                                       \
    struct pragma4 p = {5, 6};                                                                     \
    struct wide w = {.at0 = 7, .at16 = 8};                                                         \
    struct close close = {5, 0x12345678, 300, 0x8000000000000002};                                 \
    struct near near = {0x2aaaaaaa, 0xbeef, 0x8000000000000003};                                   \
    struct far far = {9, 0x8000000000000004, 200};                                                 \
    struct sixteen sixteen = {-2, 0xfedcba987654321, 11}

#define ARGS_INTEGERS                                                                              \
    'x', -7, 250, -30000, 60000, -2000000000, 4000000000u, -5L, 0xfedcba9876543210UL,              \
        (long long)INT64_MIN, true, BLUE, ONE
#define ARGS_STRUCTURES a, t, n, 0xffffffff, y, z, v, b, p, w, (handle_t)0x8000000000000001
#define ARGS_WIDE       (unsigned __int128)0x0102030405060708 << 64 | 42, -1
#define ARGS_BITS       close, -2, near, far, sixteen, -6

#endif
