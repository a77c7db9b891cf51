# -fsanitize=undefined for device code: a message for each kind of undefined behaviour.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >ub.c <<'END'
/* The number of a case
 * is that of its line. */
#include <stdint.h>
#include <doca_dpa_dev.h>
struct pair { int a, b; };
static volatile int at = 4;
static volatile int64_t low = INT64_MIN;
static char *volatile base;
static int table[4];
static volatile char bytes[16] __attribute__((aligned(8)));
__attribute__((noinline, nonnull)) static int take(int *p) { return (int)(uint64_t)p; }
__attribute__((noinline, returns_nonnull)) static int *give(int *p) { return p; }
__attribute__((noinline)) static int fill(int n) { int x[n]; x[0] = 5; return x[0]; }
__dpa_rpc__ uint64_t wrong(uint64_t what)
{
    volatile int max = INT32_MAX, min = INT32_MIN, zero = 0, one = 1, forty = 40;
    volatile __int128 wide = (__int128)1 << 126;
    int *volatile null = 0;
    switch (what) {
    case 20: return max + one;
    case 21: return min - one;
    case 22: return max * forty;
    case 23: return -min;
    case 24: return one / zero;
    case 25: return min / -one;
    case 26: return one << forty;
    case 27: return one << min;
    case 28: return min << one;
    case 29: return table[at];
    case 30: return *null;
    case 31: return *(int *)(bytes + 1);
    case 32: return ((struct pair *)null)->b;
    case 33: bytes[0] = 7; return *(_Bool *)bytes;
    case 34: return take(null);
    case 35: return (uint64_t)give(null);
    case 36: return fill(zero);
    case 37: return __builtin_ctz(zero);
    case 38: return (uint64_t)(base + low);
    case 39: return (uint64_t)(wide + wide);
    case 40: __builtin_unreachable();
    case 41: *null = 1; return 0;
    }
    return 0;
}
__dpa_global__ void all(uint64_t n)
{
    volatile int max = INT32_MAX;
    for (uint64_t i = 0; i < n; i++)
        max = INT32_MAX, max = max + 1;
}
END
    dpacc ub.c -o ub.a --app-name=ub -devicecc-options=-fsanitize=undefined
    dpacc ub.c -o stop.a --app-name=ub -devicecc-options="-fsanitize=undefined -fno-sanitize-recover=all"
    dpacc ub.c -o trap.a --app-name=ub -devicecc-options="-fsanitize=undefined -fsanitize-trap=all"
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices
}

# says LINE TEXT: wrong(LINE) prints this text, and nothing else.
says() {
    dparun "$f/ub.a" --rpc wrong "$1" >out 2>&1 || true
    grep -oE '^ub\.c:[0-9]+:[0-9]+: runtime error: .*' out >told || true
    [ "$(grep -c '' told)" -eq 1 ] && grep -qE "^ub\.c:($1|1[123]):" told && grep -qF ": runtime error: $2" told ||
        { cat out; false; }
}

@test "arithmetic" {
    says 20 "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"
    says 21 "signed integer overflow: -2147483648 - 1 cannot be represented in type 'int'"
    says 22 "signed integer overflow: 2147483647 * 40 cannot be represented in type 'int'"
    says 23 "negation of -2147483648 cannot be represented in type 'int'"
    says 24 "division by zero"
    says 25 "division of -2147483648 by -1 cannot be represented in type 'int'"
    says 26 "shift exponent 40 is too large for 32-bit type 'int'"
    says 27 "shift exponent -2147483648 is negative"
    says 28 "left shift of negative value -2147483648"
    says 37 "passing zero to ctz(), which is not a valid argument"
    says 39 "signed integer overflow: 0x40000000000000000000000000000000 + 0x40000000000000000000000000000000 cannot be"
}

@test "memory and values" {
    says 29 "index 4 out of bounds for type 'int[4]'"
    says 30 "load of null pointer of type 'int'"
    says 31 "load of misaligned address 0x"
    says 32 "member access within null pointer of type 'struct pair'"
    says 33 "load of value 7, which is not a valid value for type"
    says 34 "null pointer passed as argument 1, which is declared to never be null"
    says 35 "null pointer returned from function declared to never return null"
    says 38 "applying non-zero offset 9223372036854775808 to null pointer"
    says 40 "execution reached an unreachable program point"
    says 41 "store to null pointer of type 'int'"
    dparun "$f/ub.a" --rpc wrong 36 >out 2>&1
    grep -qF "runtime error: variable length array bound evaluates to non-positive value 0" out
}

@test "a place is reported with its column, once for all threads, and the program continues" {
    run dparun "$f/ub.a" --kernel all --threads 64 100
    [ "$status" -eq 0 ]
    [ "$(grep -c 'runtime error' <<<"$output")" -eq 1 ]
    [[ $output =~ ub\.c:49:36:\ runtime\ error:\ signed\ integer\ overflow ]]
}

@test "with -fno-sanitize-recover the program reports the place and ends there" {
    run dparun "$f/stop.a" --rpc wrong 20
    [ "$status" -eq 3 ]
    [[ $output == *"ub.c:20:"*": runtime error: signed integer overflow: 2147483647 + 1"*"illegal instruction"*"(abort+"*"called from"*"(wrong+"*"ub.c:20)"* ]]
}

@test "with -fsanitize-trap the program ends in the function without a message" {
    run dparun "$f/trap.a" --rpc wrong 20
    [ "$status" -eq 3 ]
    [[ $output != *"runtime error"* ]]
    [[ $output == "-E- "*"thread 0: illegal instruction"*"(wrong+"* ]]
}

@test "code that does nothing wrong says nothing" {
    run dparun "$f/ub.a" --rpc wrong 0
    [ "$status" -eq 0 ]
    [ "$output" = "result: 0 (0x0)" ]
}
