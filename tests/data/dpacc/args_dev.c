/* Each function returns the number of the first argument that did not arrive, 0: all did. */
#include "args.h"

#define CHECK(n, condition)                                                                        \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return n;                                                                              \
    } while (0)

__dpa_rpc__ uint64_t rpc_integers(char c, signed char sc, unsigned char uc, short s,
                                  unsigned short us, int i, unsigned u, long l, unsigned long ul,
                                  long long ll, bool b, enum color e, enum small m);
uint64_t rpc_integers(char c, signed char sc, unsigned char uc, short s, unsigned short us, int i,
                      unsigned u, long l, unsigned long ul, long long ll, bool b, enum color e,
                      enum small m)
{
    CHECK(1, c == 'x');
    CHECK(2, sc == -7);
    CHECK(3, uc == 250);
    CHECK(4, s == -30000);
    CHECK(5, us == 60000);
    CHECK(6, i == -2000000000);
    CHECK(7, u == 4000000000u);
    CHECK(8, l == -5);
    CHECK(9, ul == 0xfedcba9876543210);
    CHECK(10, ll == INT64_MIN);
    CHECK(11, b == true && *(volatile unsigned char *)&b == 1);
    CHECK(12, e == BLUE);
    CHECK(13, m == ONE);
    return 0;
}

__dpa_rpc__ uint64_t rpc_structures(struct big a, struct tight t, struct nested n, uint32_t x,
                                    struct tiny y, struct bits z, anonymous_t v, struct big b,
                                    struct pragma4 p, struct wide w, handle_t h)
{
    for (uint64_t k = 0; k < 9; k++)
        CHECK(1, a.words[k] == k + 100 && b.words[k] == k + 200);
    CHECK(1, a.a == 1 && a.b == 2);
    CHECK(2, t.tag == 9 && t.value == 0x1122334455667788 && t.tail == 0x99aa);
    CHECK(3, n.pair[1].x == 77 && n.pair[1].t.value == 88 && n.word == 0xcafe0000);
    CHECK(3, n.color == GREEN && n.flag && n.grid[1][2] == 6);
    CHECK(4, x == 0xffffffff);
    CHECK(5, y.r == 1 && y.g == 2 && y.b == 3);
    CHECK(6, z.low == 17 && z.high == 0xabcde && z.negative == -3);
    CHECK(7, v.left == -1 && v.right == 1);
    CHECK(8, b.a == 3 && b.b == 4);
    CHECK(9, p.first == 5 && p.second == 6);
    CHECK(10, w.at0 == 7 && w.at16 == 8);
    CHECK(11, h == 0x8000000000000001);
    return 0;
}

__dpa_rpc__ uint64_t rpc_wide(unsigned __int128 big, int8_t after)
{
    CHECK(1, (uint64_t)(big >> 64) == 0x0102030405060708 && (uint64_t)big == 42);
    CHECK(2, after == -1);
    return 0;
}

/* Bit-fields where alignment is less or more than their types'. */
__dpa_rpc__ uint64_t rpc_bits(struct close c, int before, struct near n, struct far f,
                              struct sixteen s, int8_t after)
{
    CHECK(1, c.low == 5 && c.word == 0x12345678 && c.some == 300 && c.last == 0x8000000000000002);
    CHECK(2, before == -2);
    CHECK(3, n.low == 0x2aaaaaaa && n.half == 0xbeef && n.last == 0x8000000000000003);
    CHECK(4, f.low == 9 && f.big == 0x8000000000000004 && f.end == 200);
    CHECK(5, s.minus == -2 && s.big == 0xfedcba987654321 && s.last == 11);
    CHECK(6, after == -6);
    return 0;
}

__dpa_global__ void kernel_nothing(void)
{
}
