/* Lines of every conversion; the same text on the DPA and on the host, whose C library is right. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __DPA__
#include <doca_dpa_dev.h>
#define PRINT doca_dpa_dev_printf
#define ENTRY __dpa_global__ void format(void)
#else
#include <stdio.h>
#define PRINT printf
#define ENTRY int main(void)
#endif

ENTRY
{
    PRINT("%d %i %u %d\n", -5, INT_MIN, 4000000000u, 0);
    PRINT("[%5d][%-5d][%05d][%+d][% d][%+.3d]\n", 42, 42, -42, 42, 42, 7);
    PRINT("%x %X %#x %#X %lx %lX %lo %#lo %hx %hhx %#x\n", 255, 255, 255, 255, 1ul << 40, ~0ul,
          511ul, 8ul, 0x2345, 0x34, 0);
    PRINT("[%8.3d][%-8.3d][%.0d][%08lx][%#010x]\n", 5, 5, 0, 0xabcul, 0xab);
    PRINT("[%s][%10s][%-10s][%.2s][%*s][%-*s][%.*s]\n", "abc", "abc", "abc", "abc", 6, "abc", 6,
          "abc", 1, "abc");
    PRINT("%c%%[%5c][%-5c]\n", 'a', 'b', 'c');
    PRINT("%p %p\n", (void *)0x1234, (void *)~0ul);
    PRINT("%lld %llu %zu %jd %td %li %ld\n", LLONG_MIN, ~0ull, sizeof(int), (intmax_t)-1,
          (ptrdiff_t)-2, LONG_MIN, LONG_MAX);
    PRINT("[%*d][%.*d]\n", -6, 42, -1, 42);
    PRINT("%s\n", "");
#ifndef __DPA__
    return 0;
#endif
}
