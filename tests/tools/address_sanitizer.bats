# -fsanitize=address for device code: accesses outside of variables and allocations, and to freed ones.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >k.c <<'END'
#include <stdint.h>
#include <string.h>
#include <doca_dpa_dev.h>
static int table[10];
static int other[3] = {1, 2, 3};
static char text[5] = "abcd";
__attribute__((noinline)) static uint64_t sum(const int *p, uint64_t n)
{
    uint64_t s = 0;
    for (uint64_t i = 0; i < n; i++)
        s += p[i];
    return s;
}
__attribute__((noinline)) static void put(volatile char *p, uint64_t at)
{
    p[at] = 1;
}
__dpa_rpc__ uint64_t work(uint64_t what, uint64_t n)
{
    int array[6];
    volatile int *late;
    for (int i = 0; i < 6; i++)
        array[i] = i;
    /* The number of a case is that of its line. */
    switch (what) {
    case 26: return sum(array, n);
    case 27: return table[n];
    case 28: put(text, n); return text[0];
    case 29: put((char *)array, -n); return array[0];
    case 30: { { int gone[4]; late = gone; late[1] = 3; } return late[n & 3]; }
    case 31: { int v[n]; for (uint64_t i = 0; i <= n; i++) v[i] = i; return sum(v, n); }
    case 32: memcpy(array, other, n); return array[0];
    case 33: memset(table, 0, n); return table[0];
    case 34: return strlen(memcpy(text, "abcde", n));
    case 35: { struct { char c[32]; } s; s = *(volatile __typeof__(s) *)(table + n); return s.c[0]; }
    }
    return sum(array, 6) + sum(other, 3) + text[3];
}
__dpa_rpc__ uint64_t at(uint64_t address, uint64_t offset)
{
    put((volatile char *)address, offset);
    return 0;
}
__dpa_global__ void all(uint64_t n)
{
    for (uint64_t i = 0; i < 1000; i++)
        put((volatile char *)table, i < n ? i : 0);
}
__dpa_rpc__ uint64_t ends(uint64_t n)
{
    int array[8];
    put((char *)array, n);
    if (n == 7)
        doca_dpa_dev_thread_finish();
    return sum(array, 1) == 0;
}
__dpa_rpc__ uint64_t word(uint64_t address)
{
    return *(volatile uint32_t *)address;
}
END
    cat >host.c <<'END'
#include <libflexio/flexio.h>
#include <stdio.h>
#include <stdlib.h>
extern struct flexio_app *prog;
extern flexio_func_t at;
int main(int argc, char **argv)
{
    struct ibv_context *c = ibv_open_device(ibv_get_device_list(NULL)[0]);
    struct flexio_process *p;
    flexio_uintptr_t a[3];
    uint64_t result;
    char bytes[200] = "";
    if (argc < 2 || flexio_process_create(c, prog, NULL, &p))
        return 9;
    for (int i = 0; i < 3; i++)
        if (flexio_buf_dev_alloc(p, 100, &a[i]))
            return 8;
    switch (atoi(argv[1])) {
    case 0:
        return flexio_process_call(p, &at, &result, a[1], 99UL);
    case 1:
        return flexio_process_call(p, &at, &result, a[1], 100UL);
    case 2:
        return flexio_process_call(p, &at, &result, a[1], -2UL);
    case 3:
        flexio_buf_dev_free(p, a[1]);
        flexio_buf_dev_alloc(p, 100, &a[2]); /* must be another place */
        return flexio_process_call(p, &at, &result, a[1], 3UL);
    case 4:
        return flexio_host2dev_memcpy(p, bytes, 101, a[1]);
    case 5:
        for (int i = 0; i < 1000; i++)
            if (flexio_buf_dev_alloc(p, 4 << 20, &a[0]) || flexio_buf_dev_free(p, a[0]))
                return 7;
        return flexio_process_call(p, &at, &result, a[1], 5UL) ||
               flexio_host2dev_memcpy(p, bytes, 100, a[1]);
    }
}
END
    asan='-devicecc-options=-fsanitize=address'
    dpacc k.c -o k.a -app-name=prog "$asan"
    dpacc k.c -o goes_on.a "$asan -fsanitize-recover=address"
    # shellcheck disable=SC2086  # a list of options
    gcc $TEST_HOST_CFLAGS -I"$DPAKIT_BUILD/include" host.c k.a -o host -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices
}

# tells COMMAND... -- PATTERN: the command fails with one line that matches the pattern.
tells() {
    local command=()
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    run "${command[@]}"
    echo "$output"
    [ "$status" -ne 0 ] && [ "$(grep -c '' <<<"$output")" -eq 1 ] && [[ $output =~ $2 ]]
}
work() { tells dparun "$f/k.a" --rpc work "$1" "$2" -- "$3"; }

@test "beyond variables of the stack: kind, size, variable, function, file, line, caller" {
    work 26 7 'thread 0: stack-buffer-overflow: read of 4 bytes at address 0x[0-9a-f]+, 0 bytes after variable array of line 20 \(24 bytes\), in sum \(k.c:11\), called from work \(k.c:26\)$'
    work 29 1 'stack-buffer-underflow: write of 1 bytes .*, 1 bytes before variable array of line 20 .*, in put \(k.c:16\), called from work \(k.c:29\)$'
    work 31 5 'dynamic-stack-buffer-overflow: write of 4 bytes .*, in work \(k.c:31\)'
}

@test "variables that are out of scope" {
    work 30 1 'stack-use-after-scope: read of 4 bytes .*, 4 bytes into variable gone of line 30 \(16 bytes\), in work \(k.c:30\)$'
}

@test "beyond global variables, by functions of the C library and whole structures too" {
    work 27 10 'global-buffer-overflow: read of 4 bytes .*, 0 bytes after variable table of k.c \(40 bytes\), in work \(k.c:27\)$'
    work 27 12 ', 8 bytes after variable table'
    work 28 5 'global-buffer-overflow: write of 1 bytes .*, 0 bytes after variable text of k.c \(5 bytes\), in put \(k.c:16\), called from work \(k.c:28\)$'
    work 32 13 'global-buffer-overflow: read of 13 bytes .*after variable other .*, in work \(k.c:32\)$'
    work 33 41 'global-buffer-overflow: write of 41 bytes .*after variable table .*, in work \(k.c:33\)$'
    work 34 5 'global-buffer-overflow: read of [0-9]+ bytes .*after variable text .*, in work \(k.c:34\)$'
    work 35 3 'global-buffer-overflow: read of [0-9]+ bytes .*after variable table .*, in work \(k.c:35\)$'
}

@test "right code runs as it does otherwise, also to the last byte, interpreted and translated" {
    dpacc "$f/k.c" -o plain.a
    for call in "0 0" "26 6" "27 9" "28 4" "32 12" "33 40" "34 4" "35 2"; do
        # shellcheck disable=SC2086
        for jit in off sync; do
            [ "$(DPAKIT_JIT=$jit dparun "$f/k.a" --rpc work $call)" = "$(dparun plain.a --rpc work $call)" ]
        done
    done
    DPAKIT_JIT=sync DPAKIT_CACHE=off dparun "$f/k.a" --kernel all --threads 64 40
    DPAKIT_JIT=sync DPAKIT_CACHE=off tells dparun "$f/k.a" --kernel all --threads 64 41 -- 'table of k.c \(40 bytes\), in put'
}

@test "the end of 4 GiB is an error of the access, and no access beyond the marks" {
    tells dparun "$f/k.a" --rpc word 0xfffffffd -- 'unknown-crash: read of 4 bytes at address 0xfffffffd, in word \(k.c:[0-9]+\)'
}

@test "a fault is still a fault, and a thread that ended in a function leaves no marks" {
    tells dparun "$f/k.a" --rpc at 8 0 -- 'store access fault at address 0x8'
    run dparun "$f/k.a" --kernel ends --threads 20 7
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "with -fsanitize-recover=address the program continues, and each place is reported once" {
    run dparun "$f/goes_on.a" --kernel all --threads 8 90
    [ "$status" -eq 0 ]
    [ "$(grep -c 'global-buffer-overflow: write' <<<"$output")" -eq 1 ]
    [[ $output == "-E- program __dpa_a_out: thread "*"in put (k.c:16), called from all (k.c:47)" ]] || { echo "$output"; false; }
}

@test "heap of the DPA: after a block, before it, and after its end; accesses of the host are checked, too" {
    "$f/host" 0
    tells "$f/host" 1 -- 'heap-buffer-overflow: write of 1 bytes at address 0x[0-9a-f]+, 0 bytes after heap memory of 100 bytes at 0x[0-9a-f]+, in put \(k.c:16\), called from at \(k.c:41\)$'
    tells "$f/host" 2 -- 'heap-buffer-overflow: write of 1 bytes at address 0x[0-9a-f]+, 2 bytes before heap memory of 100 bytes at 0x'
    tells "$f/host" 3 -- 'heap-use-after-free: write of 1 bytes at address 0x[0-9a-f]+, 3 bytes into heap memory of 100 bytes at 0x[0-9a-f]+, which was freed, in put'
    tells "$f/host" 4 -- '101 bytes: heap-buffer-overflow, 0 bytes after heap memory of 100 bytes at 0x'
    "$f/host" 5
}

@test "with other sanitizers, link-time optimisation, coverage, no optimisation, and for each target" {
    cp "$f/k.c" .
    # one NAME OPTION...
    one() {
        dpacc k.c -o "$@"
        tells dparun "$1" -d "${device:-d}" --rpc work 26 7 -- 'stack-buffer-overflow: read of 4 bytes .*, in sum \(k.c:11\)'
    }
    one both.a -devicecc-options='"-fsanitize=undefined,address"'
    one linked.a -flto -devicecc-options=-fsanitize=address
    dpadev create cx8 --type cx8
    device=cx8 one cx8.a -mcpu=nv-dpa-cx8 -devicecc-options=-fsanitize=address
    dpadev delete cx8
    one slow.a -devicecc-options=-fsanitize=address,-O0
    LLVM_PROFILE_FILE=o.profraw one covered.a --coverage -devicecc-options=-fsanitize=address
    [ -s o.profraw ]
}

@test "address and thread together are refused; -fno-sanitize takes back" {
    cp "$f/k.c" .
    tells dpacc k.c -o x.a -devicecc-options="-fsanitize=address -fsanitize=thread" -- \
        '^-E- -devicecc-options: -fsanitize=address and -fsanitize=thread cannot be used together$'
    dpacc k.c -o x.a -devicecc-options="-fsanitize=address -fno-sanitize=all"
    dpacc-extract x.a -o x.elf
    ! llvm-nm x.elf | grep asan
}

@test "objects and libraries that are linked later are checked as well" {
    cp "$f/k.c" .
    dpacc -c k.c -devicecc-options=-fsanitize=address
    dpacc k.dpa.o -o linked.a
    tells dparun linked.a --rpc work 28 5 -- 'after variable text'
}

@test "constructors of users are refused as ever" {
    printf 'volatile int made;\n__attribute__((constructor(1))) static void f(void) { made = 1; }\n__dpa_rpc__ unsigned long g(void) { return 0; }\n' >c.c
    run dpacc c.c -o c.a
    [ "$status" -ne 0 ]
    [[ $output == *"constructors and destructors do not run on the DPA"* ]]
}

@test "descriptions of variables that lie are passed over" {
    cat >lies.c <<'END'
#include <stdint.h>
static char name[] = "a";
#define RECORD(begin, size, zone) {begin, size, zone, (uint64_t)-1, 8, 0, 0, 0}
static __attribute__((section("asan_globals"), used)) uint64_t lies[][8] = {
    RECORD(-8ul, 8, 64), RECORD(0, 8, 64), RECORD(0x400000, 1ul << 40, 1ul << 41), RECORD(0x400000, 64, 32),
    RECORD(0x401, 1, 2), RECORD(8ul << 60, 8, 8ul << 60), RECORD(0x50000000, 64, 64)};
__attribute__((no_sanitize("address"), noinline)) static void lie(const char *text, int *p)
{
    uint64_t at = (uint64_t)p & -8ul;
    while (*(unsigned char *)(0x50000000 + (at >> 3)) != 0xf1)
        at -= 8;
    while (*(unsigned char *)(0x50000000 + ((at - 8) >> 3)) == 0xf1)
        at -= 8;
    ((volatile uint64_t *)at)[1] = (uint64_t)text;
}
__dpa_rpc__ uint64_t f(uint64_t n)
{
    static const char *const texts[] = {"", "99999999999999999999", "1 32 16 900 x", "1 32 16", "2 32 16 1 x 3", "1 0 -1 3 :::",
                                        (const char *)-1ul, (const char *)0};
    int v[4];
    lie(texts[n], v);
    ((volatile int *)v)[4 + (n & 1)] = name[0];
    return lies[0][0];
}
END
    dpacc lies.c -o lies.a -devicecc-options=-fsanitize=address
    for n in 0 1 2 3 4 5 6 7; do
        tells dparun lies.a --rpc f "$n" -- 'stack-buffer-overflow: write of 4 bytes .*, in f \(lies.c:22\)$'
    done
}
