# dpacc: programs as the emulated DPA runs them.

bats_require_minimum_version 1.5.0

# One program has the functions of most tests: a second source takes less time than a second program.
setup_file() {
    load ../helpers/dpacc.bash
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR dpacc_setup
    new_device mlx5_0
    cat > long.c <<'C'
#include <doca_dpa_dev.h>
#include <libflexio-dev/flexio_dev.h>
__dpa_rpc__ uint64_t message(void) { return (uint64_t)doca_dpa_dev_printf("%2000d|", 1); }
static const char fill[] = "0123456789";
__dpa_rpc__ uint64_t prints(uint64_t width)
{
    doca_dpa_dev_printf("%*s<end>\n", (int)width, fill);
    doca_dpa_dev_printf("%*s%s", (int)width, fill, "by argument\n");
    flexio_dev_print("%*s", (int)width, fill);
    flexio_dev_print("; the same line\n");
    return 0;
}
C
    cat > prints.c <<'C'
#include <libflexio-libc/inttypes.h>
#include <libflexio-libc/stdio.h>
static int to(FILE *file, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vfprintf(file, format, values);
    va_end(values);
    return length;
}
__dpa_rpc__ uint64_t prints_text(uint64_t number)
{
    char text[64], *end;
    char other;
    int length = sprintf(text, "%" PRIu64 " is a number", number);
    fprintf(stdout, "%s of %d\n", text, length);
    fputs("to stderr\n", stderr);
    fputc('!', stdout);
    to(stderr, "%c\n", '?');
    printf("%jd %jd\n", imaxabs(-7), strtoimax("12x", &end, 10));
    printf("%jd %jd %c\n", imaxdiv(17, 5).quot, imaxdiv(17, 5).rem, *end);
    return (uint64_t)(fflush(NULL) + fflush(stdout) + feof(stdout) + ferror(stderr)) +
           (uint64_t)(fprintf((FILE *)&other, "nowhere") == EOF);
}
C
    printf '#include <stdint.h>\n__dpa_global__ void k(void) {}\n__dpa_rpc__ uint64_t r(void) { return 0; }\n' >kernel.c
    cat > library.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "libflexio-libc/stdio.h"
#include "libflexio-libc/stdlib.h"
#include "libflexio-libc/string.h"
#include <inttypes.h>
#include <strings.h>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__dpa_rpc__ unsigned long library(unsigned long n)
{
    char a[64] = "one", b[64] = "", *end;
    int v[] = {5, 3, 9, 1, 7}, key = 9;
    if (strlen(a) != 3 || strcmp(strcat(strcpy(b, a), "two"), "onetwo") || strchr(b, 't') != b + 3)
        return 1;
    memmove(b + 1, b, 6);
    if (memcmp(b, "oonetwo", 7) || strstr(b, "net") != b + 2 || strncmp(b, "oox", 2))
        return 2;
    qsort(v, 5, sizeof *v, by_value);
    if (v[0] != 1 || v[4] != 9 || bsearch(&key, v, 5, sizeof *v, by_value) != v + 4)
        return 3;
    if (strtol(" -0x1fz", &end, 0) != -31 || *end != 'z' || atoi("12ab") != 12 ||
        strtoul("777", NULL, 8) != 511 || strtol("99999999999999999999", NULL, 10) != 0x7fffffffffffffff)
        return 4;
    if (snprintf(a, 4, "%lu", n) != 5 || strcmp(a, "123"))
        return 5;
    if (ffs(0x50) != 5 || ffsl(1l << 40) != 41 || strtoimax("-7", NULL, 10) != -7 ||
        strtoumax("-1", NULL, 0) != UINTMAX_MAX)
        return 6;
    printf("%s\n", a);
    return putchar('x') < 0 || puts("done") < 0;
}
END
    printf '#include <assert.h>\n__dpa_rpc__ unsigned long fails(int a) { assert(a == 5); return 7; }\n' > fails.c
    cat > divide.c <<'END'
__dpa_rpc__ unsigned long divide(unsigned long high, unsigned long low, unsigned long by)
{
    return (unsigned long)(((unsigned __int128)high << 64 | low) / by);
}
END
    { echo '#include <stdio.h>'; sed s/prints_text/prints_too/ prints.c; } > prints_too.c
    dpacc long.c prints.c prints_too.c kernel.c library.c fails.c divide.c "$data/format.c" "$data/fxp.c" -o all.a
}

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
    program=$BATS_FILE_TMPDIR/all.a
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
}

@test "arguments arrive on the DPA through libflexio" {
    dpacc "$data/args_dev.c" -o args.a -app-name args_app
    gcc $TEST_HOST_CFLAGS -I"$DPAKIT_BUILD/include" -I"$data" "$data/args_run.c" args.a -o run \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    ./run
    # Narrow integers arrive as the numbers they are.
    run -0 dparun args.a --rpc rpc_integers 120 -7 250 -30000 60000 -2000000000 4000000000 -5 \
        0xfedcba9876543210 -9223372036854775808 1 0x70000000 1
    [[ $output == "result: 0 (0x0)" ]]
    run -0 dparun args.a --rpc rpc_integers 120 -7 250 -30000 60001 0 0 0 0 0 0 0 0
    [[ $output == "result: 5 (0x5)" ]]
    [ -z "$TEST_HOST_CFLAGS" ] || return 0 # the sanitizers of two compilers do not mix
    clang -I"$DPAKIT_BUILD/include" -I"$data" "$data/args_run.c" args.a -o run \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    ./run
}

@test "a print that is too long is marked where it is cut, and keeps its newline" {
    dparun "$program" --rpc prints 1017 | tee out
    # 1017 and "<end>" and the newline are 1023; the other two are cut.
    [ "$(awk '{print length}' out | head -3 | paste -sd' ')" = "1022 1022 1032" ]
    sed -n 1p out | grep -q '9<end>$'
    sed -n 2p out | grep -q '8 \[cut\]$'
    dparun "$program" --rpc prints 6000 | tee out
    [ "$(awk '{print length}' out | head -3 | paste -sd' ')" = "1022 1022 1038" ]
    [ "$(grep -c ' \[cut\]' out)" -eq 3 ]
    sed -n 3p out | grep -q ' \[cut\]; the same line$'
}

@test "the C library prints to strings, to stdout and to stderr" {
    dparun "$program" --rpc prints_text 12345 >out
    printf '%s\n' '12345 is a number of 17' 'to stderr' '!?' '7 12' '3 2 x' 'result: 1 (0x1)' | diff - out
    dparun "$program" --rpc prints_too 12345 | diff out -
}

@test "a kernel that is called as an RPC is reported as a kernel" {
    [ "$(dparun "$program" --rpc k)" = "k is a kernel (__dpa_global__) and returns nothing; --kernel launches it" ]
    [ "$(dparun "$program" --rpc r)" = "result: 0 (0x0)" ]
    [ -z "$(dparun "$program" --kernel k)" ]
}

@test "hidden by default or guarded by canaries, entry functions run; a smashed stack is a fault" {
    echo '__dpa_rpc__ unsigned long f(int a) { char b[32]; __builtin_memset(b, a, 32); return b[a]; }' > k.c
    cat > smashed.c <<'END'
__dpa_rpc__ unsigned long smashed(int n)
{
    volatile char b[8];
    for (int i = 0; i < n; i++)
        b[i] = 1;
    return (unsigned long)b[0];
}
END
    for options in "-fstack-protector-all -fvisibility=hidden" "-flto -fvisibility=hidden"; do
        dpacc k.c smashed.c -o k.a -devicecc-options="$options"
        run -0 dparun k.a --rpc f 7
        [[ $output == "result: 7 "* ]]
        run -0 dparun k.a --rpc smashed 8
        [[ $options == *stack-protector* ]] || continue
        run -3 dparun k.a --rpc smashed 24
        [[ $output == *"stack smashing detected"* ]]
    done
}

@test "printing on the DPA gives the same text as the host's C library" {
    gcc -w "$data/format.c" -o f
    ./f > wanted
    dparun "$program" --kernel format > got
    diff wanted got
}

@test "a message of more than 1023 bytes is cut, and its length is that of all" {
    dparun "$program" --rpc message > got
    grep -q '^ \{1018\}\[cut\]result: 2001 ' got
    ! grep -qF '|' got || false
}

@test "fixed-point functions give the nearest Q16.16, and saturate" {
    is() {
        run -0 dparun "$program" --rpc "$1" "$2"
        echo "$1 $2: $output, not $3"
        [[ $output == "result: $(printf '%u (0x%x)' "$3" "$3")" ]]
    }
    is log2_of 1 0
    is log2_of 8 0x30000
    is log2_of 3 103872
    is log2_of 0xffffffff 0x200000
    is log2_of 0 0xffffffff80000000
    is rcp_of 0x10000 0x10000
    is rcp_of 0x30000 21845
    is rcp_of 0x20001 32768
    is rcp_of -0x40000 0xffffffffffffc000
    is rcp_of 1 0x7fffffff
    is rcp_of 0 0x7fffffff
    is pow2_of 0 0x10000
    is pow2_of 0x8000 92682
    is pow2_of -0x10000 0x8000
    is pow2_of -0x110000 1
    is pow2_of -0x130000 0
    is pow2_of 0xe0000 0x40000000
    is pow2_of 0xf0000 0x7fffffff
}

@test "the C library's functions work on the DPA" {
    run -0 dparun "$program" --rpc library 12345
    [[ $output == *123*x*done*"result: 0 "* ]]
}

@test "a failed assertion says where, and ends the program with a fault" {
    run -0 dparun "$program" --rpc fails 5
    run -3 dparun "$program" --rpc fails 6
    [[ $output == *"fails.c:2: fails: assertion 'a == 5' failed"* ]]
}

@test "128-bit division, which the processor does not have, works on the DPA" {
    run -0 dparun "$program" --rpc divide 5 7 11
    [[ $output == "result: 8384883669867978007 "* ]]
}

@test "variables in sections of their own lie in pages of their kind" {
    # In writable and read-only sections, with and without other variables.
    while IFS='|' read -r variables sum; do
        echo "#define IN(s) __attribute__((section(s))) volatile
$variables
__dpa_rpc__ unsigned long f(void) { return (unsigned long)(a + b++); }" >k.c
        dpacc k.c -o k.a
        run -0 dparun k.a --rpc f
        [ "$output" = "result: $sum" ] || { echo "$variables: $output"; false; }
    done <<'END'
IN("mine") long a = 5; IN("mine") long b = 1;|6 (0x6)
IN("mine") long a = 5; volatile long b;|5 (0x5)
IN("mine") long a = 5; volatile long b = 2;|7 (0x7)
IN("fixed") const long a = 5; volatile long b;|5 (0x5)
IN("fixed") const long a = 5; IN("mine") long b = 3;|8 (0x8)
END
}
