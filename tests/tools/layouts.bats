# Programs at NVIDIA's addresses (code at 0x40000000, data at 0x80000000) and at dpakit's older addresses
# (from 0x10000, or 0x400000): the same tools do the same with both.

load ../helpers/device

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in kernels faults; do
        cp "$DPAKIT_BUILD/obj/tests/data/$program.elf" $program.old
        cp "$DPAKIT_BUILD/obj/tests/data/nvidia/$program.elf" $program.nvidia
    done
    export DPAKIT_DEVICES=$PWD/devices
    new_device open
    make_locking_device locked "$DPAKIT_GOLDEN/keys/root.der"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR keys=$DPAKIT_GOLDEN/keys
    export DPAKIT_DEVICES=$f/devices XDG_CACHE_HOME=$PWD/cache
}

code_at() { readelf -lW "$1" | awk '$1 == "LOAD" && /R E/ {print $3}'; }

@test "programs of the two layouts have the addresses of their layout" {
    [ "$(code_at "$f/kernels.nvidia")" = 0x0000000040000000 ]
    readelf -lW "$f/kernels.nvidia" | grep -q 'LOAD .*0x0000000080000000 .* RW '
    [ $(($(code_at "$f/kernels.old"))) -lt $((0x40000000)) ]
}

@test "calls and kernels run, on interpreted and on translated code" {
    for layout in old nvidia; do
        for jit in on off; do
            export DPAKIT_JIT=$jit
            [ "$(dparun -d open "$f/kernels.$layout" --rpc add 44 55)" = "result: 99 (0x63)" ]
            dparun -d open "$f/kernels.$layout" --rpc globals >globals.$layout.$jit
            dparun -d open "$f/kernels.$layout" --kernel chatter --threads 64 3 | wc -c >said.$layout.$jit
            dparun -d open "$f/faults.$layout" --rpc count 3000000 >count.$layout.$jit
        done
    done
    for what in globals said count; do
        [ -s $what.old.on ]
        for other in old.off nvidia.on nvidia.off; do cmp $what.old.on $what.$other; done
    done
}

@test "code of NVIDIA's layout is translated and kept like other code" {
    for layout in old nvidia; do
        export XDG_CACHE_HOME=$PWD/kept.$layout
        dparun -d open "$f/faults.$layout" --rpc count 30000000 >first.$layout
        find "$XDG_CACHE_HOME/dpakit/code" -type f -size +0 | grep -q .
        dparun -d open "$f/faults.$layout" --rpc count 300000000 --stats >second.$layout
        grep -q ' 1 from the cache' second.$layout
    done
    cmp first.old first.nvidia
}

@test "stacks, heap and code are guarded in both layouts" {
    for layout in old nvidia; do
        run -3 --separate-stderr dparun -d open "$f/faults.$layout" --rpc stack_overflow
        [[ $stderr == *"stack overflow (65536 bytes): store access fault at address 0x"* ]]
        run -3 --separate-stderr dparun -d open "$f/faults.$layout" --rpc write_code
        [[ $stderr == *"store access fault"*"(store+"* ]]
        run -3 --separate-stderr dparun -d open "$f/faults.$layout" --rpc null
        [[ $stderr == *"store access fault at address 0x0,"* ]]
    done
}

@test "an instruction that NVIDIA has not published is a fault with this reason" {
    for layout in old nvidia; do
        run -3 --separate-stderr dparun -d open "$f/faults.$layout" --rpc illegal
        [[ $stderr == *"instruction 0xffffffff is not a public instruction of nv-dpa-bf3"*"faults.c:"* ]]
        run -3 --separate-stderr dparun -d open "$f/kernels.$layout" --rpc bad_call 0x77
        [[ $stderr == *"unknown call 0x77 (call 0x77 is not a public call of nv-dpa-bf3), pc "* ]]
    done
}

@test "signed programs of both are verified and loaded" {
    for layout in old nvidia; do
        echo 'int main(void) { return 0; }' >host.c
        cp "$f/kernels.$layout" program
        printf '.section .dpa_bin_app,"a",@progbits\n.incbin "program"\n' >host.s
        printf '.section .dpa_sig_app,"a",@progbits\n.zero 65536\n' >>host.s
        gcc host.c host.s -o host
        run ! dparun -d locked host --rpc add 1 2
        mlxdpa -e host -c "$keys/chain3.der" -p "$keys/leaf.pem" -o signed sign_dpa_apps
        mlxdpa verify -d locked signed | grep -q OK
        [ "$(dparun -d locked signed --rpc add 1 2)" = "result: 3 (0x3)" ]
    done
}

@test "a recording of either is replayed" {
    for layout in old nvidia; do
        DPAKIT_RECORD=$layout.rec dparun -d open "$f/kernels.$layout" --kernel chatter --threads 4 2 >then
        dparun --replay $layout.rec >again
        [ -s then ]
        cmp then again
    done
}

@test "a core file and a session of GDB show both layouts alike" {
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    for layout in old nvidia; do
        run -3 dparun -d open "$f/faults.$layout" --rpc null --core core
        gdb-multiarch -nx -batch -ex bt -ex 'print progress' -ex 'info registers sp' "$f/faults.$layout" core \
            >core.$layout 2>err
        grep -q '^#1 .* in null ' core.$layout
        grep -qx '$1 = 42' core.$layout
        timeout 300 gdb-multiarch -nx -batch -ex 'set confirm off' -ex 'set remotetimeout 60' \
            -ex "target remote | exec dparun -d open --gdb - $f/faults.$layout --rpc count 4 2>program" \
            -ex 'break count' -ex continue -ex 'print table[3]' -ex 'set var table[0] = 7' -ex 'print table[0]' \
            -ex kill "$f/faults.$layout" >gdb.$layout 2>&1
        cat gdb.$layout
        grep -qx '$1 = [0-9]*' gdb.$layout
        grep -qx '$2 = 7' gdb.$layout
    done
}
