# dpa-objdump, dpa-nm, dpa-ar: LLVM's tools under NVIDIA's names, which know the instructions of a DPA.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for tool in objdump nm ar; do ln -s "$DPAKIT_BUILD/share/dpakit/dpa-llvm" dpa-$tool; done
    cat >bits.c <<'C'
#include <doca_dpa_dev.h>
volatile uint64_t t[64];
__dpa_rpc__ uint64_t bits(uint64_t a)
{
    const uint64_t b = t[a & 63], c = t[b & 63];
    t[0] = (a << 1) + b;
    t[1] = (a << 2) + b;
    t[2] = (uint32_t)a + b;
    t[3] = __builtin_clzll(a) + __builtin_ctzll(b) + __builtin_popcountll(c);
    t[4] = a & ~b;
    t[5] = a > b ? a : b;
    t[6] = a << (b & 63) | a >> (-b & 63);
    t[7] = __builtin_bswap64(a);
    t[8] = a & ~(1ull << (b & 63));
    t[9] = a | 1ull << (c & 63);
    t[10] = a >> (b & 63) & 1;
    t[11] = a ^ 1ull << (b & 63);
    t[12] = (int8_t)a + (int16_t)b + (uint16_t)c;
    return (a << 3) + 7;
}
C
    for target in bf3 cx8; do
        dpacc bits.c -mcpu=nv-dpa-$target -o $target.a --app-name=counts
        dpacc-extract $target.a -o $target.elf
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "dpa-objdump knows every instruction that dpacc emits" {
    for target in bf3 cx8; do
        for mcpu in "" --mcpu=nv-dpa-$target -mcpu=nv-dpa-$target --mcpu=$target; do
            # shellcheck disable=SC2086
            ./dpa-objdump $mcpu -d $target.elf >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
            grep -qE '\sbset\s' "$BATS_TEST_TMPDIR/out"
            ! grep '<unknown>' "$BATS_TEST_TMPDIR/out" || false
            [ ! -s "$BATS_TEST_TMPDIR/err" ]
        done
    done
    grep -qE '\ssh3add\s' "$BATS_TEST_TMPDIR/out"
}

@test "dpa-objdump -mcpu leaves out what that target lacks" {
    ./dpa-objdump --mcpu=nv-dpa-bf3 -d cx8.elf >"$BATS_TEST_TMPDIR/out"
    grep -q '<unknown>' "$BATS_TEST_TMPDIR/out"
    ! grep -E '\ssh[123]add\s' "$BATS_TEST_TMPDIR/out" || false
}

@test "dpa-nm and dpa-ar take the targets' names, too" {
    ./dpa-nm --mcpu=nv-dpa-bf3 bf3.elf | grep -q ' T bits$'
    [ "$(./dpa-ar t bf3.a)" = hostStubs.o ]
    run ! ./dpa-objdump -d absent.elf
    [[ $output == *absent.elf* ]]
}
