# Work inside a call of the program counts against the run-time limit, like its instructions. Otherwise
# these programs would run for minutes.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >g.c <<'END'
#include <stdint.h>
#include <doca_dpa_dev.h>
void __tsan_init(void);
void __asan_init(void);
void __tsan_init(void) {}
void __asan_init(void) {}
static uint64_t memory[1 << 19];
static void call(uint64_t number, uint64_t at, uint64_t size, uint64_t how, uint64_t place)
{
    register uint64_t a0 __asm__("a0") = at, a1 __asm__("a1") = size, a2 __asm__("a2") = how,
                      a3 __asm__("a3") = place, a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
}
/* What code of -fsanitize=thread and address says of each access. */
__dpa_rpc__ uint64_t access(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        call(23, (uint64_t)memory, sizeof memory, 1, 0x400000 + 4 * i);
    return n;
}
__dpa_rpc__ uint64_t nowhere(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        call(23, 0x10000000, 0xf0000000, 1, 0x400000 + 4 * i);
    return n;
}
__dpa_rpc__ uint64_t bad(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        call(22, 0x80000000, 0x7fffffff, 2, 0x400000 + 4 * i);
    return n;
}
END
    dpacc g.c -o g.a --app-name=g
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
}

limited() { # FUNCTION
    run dparun --run-time-limit 300 "$BATS_FILE_TMPDIR/g.a" --rpc "$1" 100000
    [ "$status" -eq 3 ]
    [[ $output == *"thread 0: run-time limit of 300 ms reached, "*"($1"* ]]
}

@test "accesses of large ranges" {
    limited access
}

@test "reports of large ranges" {
    limited bad
}

@test "ranges outside of memory cost no time" {
    run dparun --run-time-limit 3000 "$BATS_FILE_TMPDIR/g.a" --rpc nowhere 1000
    [ "$status" -eq 0 ]
}
