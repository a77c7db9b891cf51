# Device libraries like NVIDIA's: an area with an archive for each target, whose members start at any offset.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for tool in objdump nm ar size strip; do ln -s "$DPAKIT_BUILD/share/dpakit/dpa-llvm" dpa-$tool; done
    cp "$DPAKIT_GOLDEN/hostelf-area/libdevice.a" .
    cat >k.c <<'C'
#include <doca_dpa_dev.h>
uint64_t ring_value(uint64_t a);
uint64_t timer_value(uint64_t a);
__dpa_rpc__ uint64_t both(uint64_t a) { return ring_value(a) * 1000 + timer_value(a); }
C
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH=$BATS_FILE_TMPDIR:$PATH
    cp "$BATS_FILE_TMPDIR/libdevice.a" "$BATS_FILE_TMPDIR/k.c" .
}

# refuses CODE TEXT COMMAND...: one line on standard error has the text; nothing else is printed.
refuses() {
    local code=$1 text=$2
    shift 2
    run "-$code" --separate-stderr "$@"
    echo "$stderr"
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == *"$text"* ]]
}

@test "dpacc links a library whose archives begin at odd offsets" {
    [ $(($(dpacc-extract libdevice.a --list --json | jq '.[1].offset') % 2)) -eq 1 ]
    DPAKIT_DEVICES=$PWD/devices new_device mlx5_0
    export DPAKIT_DEVICES=$PWD/devices
    dpacc k.c libdevice.a -mcpu=nv-dpa-bf3 -o one.a
    dpacc k.c -device-libs="-L. -ldevice" -mcpu=nv-dpa-cx7,nv-dpa-bf3,nv-dpa-cx8 -o three.a
    want=$(dparun one.a --rpc both 5)
    [[ $want == "result: "* ]]
    [ "$(dparun three.a --rpc both 5)" = "$want" ]
    refuses 1 "libdevice.a: not compiled for nv-dpa-cx9" dpacc k.c libdevice.a -mcpu=nv-dpa-cx9 -o four.a
}

@test "dpacc-extract lists a library, and takes out the archive of a target" {
    dpacc-extract libdevice.a --list >list
    grep -qE '^nv-dpa-cx7 +0x78 +1905 +ring.cx7.o, timer.cx7.o' list
    grep -qE '^nv-dpa-bf3 +0x7e9 +1904 +ring.bf3.o, timer.bf3.o' list
    [ "$(wc -l <list)" -eq 4 ]
    dpacc-extract libdevice.a -mcpu nv-dpa-bf3 -o bf3.a
    tail -c +2026 libdevice.a | head -c 1904 | cmp - bf3.a
    [ "$(sha256sum <bf3.a)" = "$(dpacc-extract libdevice.a --list --json | jq -r '.[1].sha256')  -" ]
    dpacc-extract libdevice.a -mcpu nv-dpa-cx7 -o cx7.a # whose byte of padding LLVM does not take
    tail -c +121 libdevice.a | head -c 1904 | cmp - cx7.a
    llvm-ar t cx7.a
    refuses 2 "for several targets, choose one with -mcpu: nv-dpa-cx7, nv-dpa-bf3, nv-dpa-cx8" \
        dpacc-extract libdevice.a -o x.a
    refuses 1 "libdevice.a: not for nv-dpa-cx9, but for: nv-dpa-cx7" dpacc-extract libdevice.a -mcpu=nv-dpa-cx9 -o x.a
    refuses 2 "which has no programs" dpacc-extract libdevice.a -mcpu=nv-dpa-bf3 --app-name=a -o x.a
    [ ! -e x.a ]
}

@test "mlxdpa shows and lists a library" {
    mlxdpa show libdevice.a >shown
    grep -qx 'kind: device library' shown
    [ "$(grep -cE '^  - (cx7|bf3|cx8)$' shown)" -eq 3 ]
    grep -qE '^ +- ring.bf3.o$' shown
    mlxdpa --json show libdevice.a >json
    [ "$(jq -r '.targets[1].objects[0].format' json)" = "RISC-V ELF" ]
    [ "$(jq '.targets[1].offset' json)" -eq 2025 ]
    [ "$(mlxdpa list libdevice.a | grep -c archive)" -eq 3 ]
}

@test "mlxdpa show distinguishes bitcode, other objects and damaged archives" {
    echo 'unsigned long f(unsigned long a) { return a; }' >f.c
    dpacc f.c k.c -flto -gen-libs -mcpu=bf3,cx8 -o lto
    [ "$(mlxdpa --json show lto_device.a | jq -r '[.targets[].objects[].format] | unique | .[0]')" = "LLVM bitcode" ]
    dpacc k.c -flto lto_device.a libdevice.a -o out.a 2>said || grep -q 'already defined' said
    head -c 2000 libdevice.a >cut.a
    refuses 1 "cut.a: " mlxdpa show cut.a
    cp libdevice.a bad.a
    printf '9999999999' | dd of=bad.a bs=1 seek=$((0x7e9 + 8 + 48)) conv=notrunc status=none
    refuses 1 "archive of target bf3: damaged archive" mlxdpa show bad.a
}

@test "objects that only name a library, as NVIDIA's have, link" {
    printf '.section .dpa_lib_name,"",@progbits\n.asciz "mine"\n' >name.s
    printf '.section .dpa.attributes,"",@0x70000003\n' >>name.s
    printf '.byte 0x41\n.long 18\n.asciz "nvidia"\n.byte 1\n.long 7\n.byte 2, 2\n' >>name.s
    echo 'unsigned long mine(unsigned long a) { return a + 7; }' >mine.c
    flags="--target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -mcmodel=medany"
    # shellcheck disable=SC2086
    clang $flags -c name.s -o mine.lib.device.o
    # shellcheck disable=SC2086
    clang $flags -flto -c mine.c -o mine.bf3.o
    llvm-ar crD bf3.a mine.bf3.o mine.lib.device.o
    dpacc -step library libmine.a bf3=bf3.a
    echo '__dpa_rpc__ unsigned long f(unsigned long a) { extern unsigned long mine(unsigned long); return mine(a); }' >f.c
    [ "$(head -c 8 libmine.a)" = NVDPAFBF ]
    export DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    dpacc f.c libmine.a -o f.a 2>said
    [ ! -s said ]
    [[ $(dparun f.a --rpc f 5) == "result: 12 "* ]]
    [ "$(mlxdpa --json show libmine.a | jq -r '.targets[0].objects[] | .name + ": " + .format' | tr '\n' ' ')" = \
        "mine.bf3.o: LLVM bitcode mine.lib.device.o: RISC-V ELF " ]
}

@test "dpa-ar, dpa-nm, dpa-size and dpa-objdump read the part of -mcpu" {
    [ "$(dpa-ar t -mcpu=nv-dpa-bf3 libdevice.a | head -n 1)" = ring.bf3.o ]
    dpa-ar --mcpu=nv-dpa-cx8 x libdevice.a ring.cx8.o
    readelf -h ring.cx8.o | grep -q RISC-V
    dpa-nm -mcpu=nv-dpa-bf3 libdevice.a | grep -q ' T ring_value$'
    dpa-size --mcpu=bf3 libdevice.a | grep -q 'ring.bf3.o'
    dpa-objdump --mcpu=nv-dpa-bf3 -d libdevice.a | grep -q '<timer_value>:'
    for tool in "ar t" nm size "objdump -d"; do
        run -2 --separate-stderr "dpa-"$tool libdevice.a
        [[ $stderr == *"choose one with -mcpu: nv-dpa-cx7, nv-dpa-bf3, nv-dpa-cx8" ]]
    done
    before=$(sha256sum <libdevice.a)
    refuses 1 "list, print or extract its objects" dpa-ar rcs libdevice.a k.c
    [ "$(sha256sum <libdevice.a)" = "$before" ]
}

@test "dpa-strip strips the part of -mcpu, or all, and leaves a library" {
    dpa-strip -mcpu=nv-dpa-bf3 --strip-unneeded -o some.a libdevice.a
    for target in cx7 bf3 cx8; do
        for file in libdevice some; do dpacc-extract $file.a -mcpu=$target -o $file.$target; done
    done
    cmp libdevice.cx7 some.cx7
    cmp libdevice.cx8 some.cx8
    [ "$(wc -c <some.bf3)" -lt "$(wc -c <libdevice.bf3)" ]
    cp libdevice.a all.a
    dpa-strip --strip-unneeded all.a
    dpacc-extract all.a --list >list
    [ "$(wc -l <list)" -eq 4 ]
    [ "$(wc -c <all.a)" -lt "$(wc -c <some.a)" ]
    dpacc k.c all.a -o out.a
}

@test "the tools leave nothing behind in the folder of temporary files" {
    mkdir t
    export TMPDIR=$PWD/t
    dpa-nm -mcpu=nv-dpa-bf3 libdevice.a >/dev/null
    run ! dpa-nm libdevice.a
    dpa-strip libdevice.a
    [ -z "$(ls -A t)" ]
}
