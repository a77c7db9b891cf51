#!/usr/bin/env bats
# The C library of the DPA consists of objects of another package, which are found by their functions.

load ../helpers/device

setup() {
    repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR" || return
    cross=riscv64-unknown-elf-
    printf 'int own(void) { return 1; }\n' > own.c
    device_cc own.c
}
device_cc() {
    riscv64-unknown-elf-gcc -march=rv64imac -mabi=lp64 -c "$@"
}
symbols() {
    "${cross}nm" -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort
}
pick() {
    "$repo/scripts/pick-members" "$@"
}

@test "objects of picolibc may have any names" {
    local package=/usr/lib/picolibc/riscv64-unknown-elf part from
    for part in lib/release/rv64imac/lp64 lib/rv64imac/lp64; do
        from=$package/$part/libc.a
        [ ! -e "$from" ] || break
    done
    mkdir -p objects "new/$part"
    ln -s "$package/include" new/include
    (cd objects && "${cross}ar" x "$from" && python3 -c 'import os; [os.rename(n, "other-" + n) for n in os.listdir()]' &&
        "${cross}ar" crD "../new/$part/libc.a" ./*)
    make -C "$repo" B="$PWD/build" PICOLIBC="$PWD/new" "$PWD/build/lib/libflexio-libc.a"
    symbols build/lib/libflexio-libc.a > renamed
    symbols "$DPAKIT_BUILD/lib/libflexio-libc.a" > usual
    grep -qx qsort usual
    cmp renamed usual
}

@test "chosen functions bring the functions that they need, and nothing else" {
    printf 'int helper(void); int wanted(void) { return helper(); }\n' > a.c
    printf 'int helper(void) { return 2; }\n' > b.c
    printf 'int other(void) { return 3; }\n' > c.c
    device_cc a.c b.c c.c
    "${cross}ar" crD lib.a a.o b.o c.o
    echo wanted | pick out.a own.o lib.a
    [ "$(symbols out.a | paste -s -d " ")" = "helper own wanted" ]
    printf 'int helper(void) { return 4; }\n' > own.c
    device_cc own.c
    echo wanted | pick out.a own.o lib.a
    [ "$(symbols out.a | paste -s -d " ")" = "helper wanted" ]
    "${cross}ar" t out.a | grep -qx own.o
}

@test "an error names a function that no object has, and leaves no file" {
    "${cross}ar" crD lib.a own.o
    run pick out.a own.o lib.a <<< "own nowhere"
    [ "$status" -eq 1 ]
    [[ $output == *"in none of own.o lib.a: nowhere"* ]]
    [ ! -e out.a ]
}

@test "functions that need thread-local storage are refused" {
    printf '__thread int state = 1; int wanted(void) { return state++; }\n' > a.c
    device_cc a.c
    "${cross}ar" crD lib.a a.o
    run pick out.a own.o lib.a <<< wanted
    [ "$status" -eq 1 ]
    [[ $output == *"thread-local: "*.tdata* ]]
    [ ! -e out.a ]
}

@test "two objects of one name are not mistaken for each other" {
    mkdir x y
    printf 'int first(void) { return 1; }\n' > a.c
    device_cc a.c -o x/a.o
    printf 'int second(void) { return 2; }\n' > a.c
    device_cc a.c -o y/a.o
    "${cross}ar" qcD lib.a x/a.o y/a.o
    run pick out.a own.o lib.a <<< second
    [ "$status" -eq 1 ]
    [[ $output == *"several members have one name"* ]]
    "${cross}ar" crD one.a x/a.o
    "${cross}ar" crD two.a y/a.o
    run pick out.a own.o one.a two.a <<< "first second"
    [ "$status" -eq 1 ]
    [[ $output == *"is in an archive before it"* ]]
    [ ! -e out.a ]
}

@test "same objects, same bytes" {
    "${cross}ar" crD lib.a own.o
    : > empty.c
    device_cc empty.c
    echo own | pick one.a empty.o lib.a
    cp lib.a other.a
    touch -d 2001-01-01 other.a
    echo own | pick two.a empty.o other.a
    cmp one.a two.a
}

@test "functions on memory and strings work at every address" {
    cat > k.c <<'END'
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <strings.h>
/* Texts of up to 80 letters, from each place in a word to each. */
enum { ROOM = 192 };
static char from[ROOM], to[ROOM], want[ROOM];
static void letters(char *at, unsigned length)
{
    for (unsigned i = 0; i < ROOM; i++)
        from[i] = to[i] = want[i] = 'z';
    for (unsigned i = 0; i < length; i++)
        at[i] = (char)('a' + i % 23);
    at[length] = 0;
}
static int same(void)
{
    for (unsigned i = 0; i < ROOM; i++)
        if (to[i] != want[i])
            return 0;
    return 1;
}
#define CHECK(number, value) do { if (!(value)) return (number) << 24 | n << 16 | x << 8 | y; } while (0)
#define COPIES(number, call, size) do { \
        letters(a, n); \
        for (unsigned i = 0; i < (size); i++) \
            w[i] = a[i]; \
        call; \
        CHECK(number, same()); \
    } while (0)
__dpa_rpc__ uint64_t f(void)
{
    for (uint64_t n = 0; n <= 80; n += n < 20 ? 1 : 20)
        for (uint64_t x = 0; x < 8; x++)
            for (uint64_t y = 0; y < 8; y++) {
                char *a = from + x, *b = to + y, *w = want + y;
                COPIES(1, memcpy(b, a, n), n);
                COPIES(2, memmove(b, a, n), n);
                COPIES(3, strcpy(b, a), n + 1);
                COPIES(4, CHECK(5, stpcpy(b, a) == b + n), n + 1);
                COPIES(6, CHECK(7, mempcpy(b, a, n) == b + n), n);
                COPIES(8, (*b = 0, strcat(b, a)), n + 1);
                COPIES(9, strncpy(b, a, n + 1), n + 1);
                COPIES(10, CHECK(11, stpncpy(b, a, n + 1) == b + n), n + 1);
                COPIES(12, CHECK(13, strlcpy(b, a, ROOM) == n), n + 1);
                COPIES(14, (*b = 0, strncat(b, a, n)), n + 1);
                COPIES(15, (*b = 0, strlcat(b, a, ROOM / 2)), n + 1);
                COPIES(16, bcopy(a, b, n), n);
                COPIES(17, memccpy(b, a, 0, ROOM / 2), n + 1);
                CHECK(18, strlen(b) == n && strnlen(b, 8) == (n < 8 ? n : 8));
                CHECK(19, !strcmp(a, b) && !strncmp(a, b, n + 1) && !memcmp(a, b, n + 1) && !bcmp(a, b, n));
                CHECK(20, !strcasecmp(a, b) && !strncasecmp(a, b, n));
                CHECK(21, strchr(b, 0) == b + n && strrchr(b, 0) == b + n && strchrnul(b, '!') == b + n);
                CHECK(22, memchr(b, 0, n + 1) == b + n && rawmemchr(b, 0) == b + n);
                CHECK(23, memrchr(b, *b, 1) == b && index(b, 0) == b + n && rindex(b, 0) == b + n);
                CHECK(24, strstr(b, a) == b && memmem(b, n, a, n) == b && strspn(b, a) == n);
                CHECK(25, strcspn(b, "!") == n && !strpbrk(b, "!?"));
                if (n) {
                    b[n - 1]++;
                    CHECK(26, strcmp(a, b) < 0 && strncmp(a, b, n) < 0 && memcmp(b, a, n) > 0);
                    CHECK(27, strcasecmp(a, b) && bcmp(a, b, n) && strverscmp(a, b) < 0);
                }
                letters(from + 8 + x, n); /* up and down within one memory */
                memmove(from + 8 + y, from + 8 + x, n);
                for (unsigned i = 0; i < n; i++)
                    CHECK(30, from[8 + y + i] == (char)('a' + i % 23));
                letters(a, n);
                for (unsigned i = 0; i < n; i++)
                    w[i] = '#';
                memset(b, '#', n);
                CHECK(28, same());
                for (unsigned i = 0; i < n; i++)
                    w[i] = 0;
                bzero(b, n);
                CHECK(29, same());
            }
    return 0;
}
END
    dpacc k.c -o k.a -devicecc-options=-fno-builtin
    export DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    run dparun k.a --rpc f
    echo "$output"
    [[ $output == *"result: 0 "* ]]
}

@test "device code may include internal headers of glibc, which editors add" {
    local header n=0 folder=$repo/share/libc
    (cd "$folder" && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort) >headers
    grep -qx bits/stdint-uintn.h headers
    while read -r header; do
        printf '#include <%s>\n__dpa_rpc__ unsigned long f%d(void) { return 0; }\n' "$header" $((++n)) >"one$n.c"
    done <headers
    sed 's/.*/#include <&>/' headers >all.c
    cat >>all.c <<'C'
__dpa_rpc__ uint64_t sizes(void)
{
    struct timespec t = {0};
    __u32 a = 1;
    __le16 b = 2;
    __uint8_t c = 3;
    uint_least32_t d = 4;
    return a + b + c + d + (uint64_t)t.tv_sec + (__WORDSIZE == 64 ? 100 : 0);
}
C
    dpacc all.c one*.c -o all.a -mcpu=nv-dpa-bf3 --devicecc-options=-Wall,-Wextra,-Werror,-Wpedantic
    new_device mlx5_0
    run dparun -d mlx5_0 all.a --rpc sizes
    [[ $output == "result: 110 "* ]]
}
