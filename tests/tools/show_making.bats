# mlxdpa show: how a program was made.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >f.c <<'END'
#include <doca_dpa_dev.h>
#include <string.h>
__dpa_global__ void kernel(int a, uint64_t b) { doca_dpa_dev_printf("%d %lu", a, b); }
__dpa_global__ void handler(uint64_t argument) { doca_dpa_dev_thread_reschedule(); }
__dpa_rpc__ uint64_t call(void) { return 1; }
END
    dpacc f.c -o f.a
    dpacc -mcpu=nv-dpa-bf3,nv-dpa-cx8 f.c -o fat.a
    DPA_DOCA=2.9 dpacc -mcpu=nv-dpa-cx8 f.c -o cx8.a # not an area: it does not name its target
    DPA_DOCA=2.9 dpacc f.c -o bare.a
    dpacc-extract f.a -o f.elf
}

setup() { cd "$BATS_FILE_TMPDIR"; }

@test "show prints entry functions with their kinds and arguments" {
    mlxdpa show f.a --json | jq -e '.programs[0].targets[0].entry_functions == [
        {"name": "call", "type": "RPC", "argument_bytes": 0},
        {"name": "handler", "type": "kernel or event handler", "argument_bytes": 8},
        {"name": "kernel", "type": "kernel", "argument_bytes": 16}]'
    mlxdpa show f.a >out
    grep -A 2 -x '        entry functions:' out | tail -n 2 | diff - <(printf '          - call\n            type: RPC\n')
}

@test "show prints targets, instruction set, compilers and libraries" {
    mlxdpa show f.a --json | jq -e '[.programs[0].targets[].target] == ["bf3"]'
    mlxdpa show bare.a --json | jq -e '.programs[0] | .targets_possible == ["cx7", "bf3", "cx8", "cx9"] and
        (.instruction_set | startswith("rv64")) and any(.compilers[]; test("clang version")) and
        (.libraries | index("libdoca_dpa_dev"))'
    mlxdpa show cx8.a --json | jq -e '.programs[0].targets_possible == ["cx8", "cx9"]'
    mlxdpa show fat.a --json | jq -e '[.programs[0].targets[] | .target, (.entry_functions | length)] == ["bf3", 3, "cx8", 3] and
        all(.programs[0].targets[]; .targets_possible == null)'
    mlxdpa show bare.a >out
    grep -qx '    targets possible: cx7, bf3, cx8, cx9' out
    grep -qE '^    compilers: .*clang version' out
    grep -qE '^    libraries: .*libdoca_dpa_dev' out
    mlxdpa show f.elf --json | jq -e '.entry_functions | length == 3'
    mlxdpa show f.elf | grep -q '^  - call$'
}

@test "a program without symbols or marks shows what is left" {
    llvm-strip f.elf -o stripped.elf 2>/dev/null || llvm-strip-14 f.elf -o stripped.elf || skip "no llvm-strip"
    mlxdpa show stripped.elf --json | jq -e '.entry_functions == [] and .libraries == []'
    mlxdpa show stripped.elf | grep -qx 'entry functions: none'
    make_device_elf
    mlxdpa show dev.elf | grep -qx 'libraries: none'
}

@test "symbols that are damaged harm nothing" {
    local at size table
    read -r at size < <(readelf -SW f.elf | sed -n 's/^ *\[ *[0-9]*\] \.symtab *SYMTAB *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\).*/0x\1 0x\2/p')
    for table in $((at)) $((at + 24 * 15)) $((at + size / 2)) $((at + size - 24)); do
        cp f.elf odd.elf
        printf '\xff\xff\xff\x7f\x12\x00\x70\x00\xff\xff\xff\xff\xff\xff\xff\xff' |
            dd of=odd.elf bs=1 seek=$table conv=notrunc status=none
        mlxdpa show odd.elf --json | jq -e '.entry_functions | length >= 1'
    done
}
