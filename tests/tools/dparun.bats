# dparun: loads a program as the device demands and runs one function of it.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/bytes.bash"

# Two devices: open (DPA_AUTHENTICATION off) and locked (on, the golden root as its only CA).
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp "$DPAKIT_BUILD/obj/tests/data/kernels.elf" .
    echo 'int main(void) { return 0; }' >host.c
    gcc -c host.c -o empty.o
    objcopy --add-section .dpa_bin_kernels=kernels.elf empty.o host.o
    objcopy --add-section .dpa_bin_one=kernels.elf --add-section .dpa_bin_two=kernels.elf \
        empty.o two.o
    gcc host.o -o host
    gcc -shared host.o -o host.so
    ar rc host.a empty.o host.o
    export DPAKIT_DEVICES=$PWD/devices
    new_device open
    keys=$DPAKIT_GOLDEN/keys
    make_locking_device locked "$keys/root.der"
    mlxdpa -e host.o -c "$keys/chain3.der" -p "$keys/leaf.pem" --section-type progbits \
        -o signed.o sign_dpa_apps
    objcopy -O binary --only-section=.dpa_sig_kernels --set-section-flags .dpa_sig_kernels=alloc \
        signed.o signature
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices
}

# fails CODE TEXT COMMAND...: exit CODE, nothing on stdout, one -E- line with TEXT.
fails() {
    local code=0 want=$1 text=$2
    shift 2
    "$@" >out 2>err || code=$?
    [ "$code" -eq "$want" ] || { echo "exit $code: $(cat out err)"; return 1; }
    [ ! -s out ] || { echo "stdout: $(cat out)"; return 1; }
    [ "$(grep -c '' err)" -eq 1 ] || { echo "stderr: $(cat err)"; return 1; }
    grep -q '^-E- ' err && grep -qF -- "$text" err || { echo "stderr: $(cat err)"; return 1; }
}

# ---- Running

@test "an RPC prints its result" {
    run dparun -d open "$f/kernels.elf" --rpc add 44 55
    [ "$status" -eq 0 ]
    [ "$output" = "result: 99 (0x63)" ]
}

@test "arguments are decimal, hexadecimal or negative, 64 bits each" {
    run dparun -d open "$f/kernels.elf" --rpc add 0x10 -1
    [ "$output" = "result: 15 (0xf)" ]
    run dparun -d open --rpc add -- "$f/kernels.elf" -9223372036854775808 0
    [ "$output" = "result: 9223372036854775808 (0x8000000000000000)" ]
    run dparun -d open --rpc add "$f/kernels.elf" 0xffffffffffffffff 1
    [ "$output" = "result: 0 (0x0)" ]
    run dparun -d open --rpc add "$f/kernels.elf" 010 0
    [ "$output" = "result: 10 (0xa)" ]
}

@test "an argument that is not a 64-bit integer is refused" {
    for a in x 1x 0x '' 1.5 -x18446744073709551616 18446744073709551616 -9223372036854775809 0xg; do
        [[ $a == -x* ]] && continue
        fails 2 "argument '$a'" dparun -d open "$f/kernels.elf" --rpc add 1 "$a"
    done
}

@test "the number of arguments must be right" {
    fails 2 "add takes 2 arguments of 8 bytes, not 1" \
        dparun -d open "$f/kernels.elf" --rpc add 1
    fails 2 "ranks takes 1 argument of 8 bytes, not 0" dparun -d open "$f/kernels.elf" --kernel ranks
    fails 2 "nothing takes 0 arguments of 8 bytes, not 1" \
        dparun -d open "$f/kernels.elf" --kernel nothing 7
}

@test "messages are printed as they are, before the result" {
    run dparun -d open "$f/kernels.elf" --rpc hello
    [ "$output" = "Hello World
result: 0 (0x0)" ]
}

@test "a kernel runs on as many threads as asked for" {
    run dparun -d open "$f/kernels.elf" --kernel hello
    [ "$output" = "Hello World" ]
    run dparun -d open "$f/kernels.elf" --kernel hello --threads 256
    [ "$status" -eq 0 ]
    [ "$(grep -c '^Hello World$' <<<"$output")" -eq 256 ]
}

@test "--stats prints instructions and time" {
    run env DPAKIT_JIT=on dparun -d open "$f/kernels.elf" --rpc add 1 2 --stats
    [ "${lines[0]}" = "result: 3 (0x3)" ]
    [[ ${lines[1]} =~ ^instructions:\ [1-9][0-9]?$ ]]
    [[ ${lines[2]} =~ ^time:\ [0-9]+\.[0-9]{6}\ s$ ]]
    [ "${lines[3]}" = "misaligned accesses: 0" ]
    [ "${lines[4]}" = "translator: 0 regions translated, 0 from the cache, 0 refused" ]
    [ "${lines[5]}" = "translator: 0.000000 s for 0 instructions, 0 bytes of code" ]
}

@test "misaligned accesses are counted, traced, and faults if that is wanted" {
    faults=$DPAKIT_BUILD/obj/tests/data/faults.elf
    run env DPAKIT_TRACE=trace.json dparun -d open "$faults" --rpc misaligned --stats
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qx "misaligned accesses: 1" <<<"$output"
    [ "$(jq '[.traceEvents[] | select(.name == "misaligned") | .args.accesses] | max' trace.json)" = 1 ]
    run env DPAKIT_STRICT=align dparun -d open "$faults" --rpc misaligned --stats
    [ "$status" -eq 3 ]
    grep -q "misaligned store at address" <<<"$output"
    for how in all align,memory memory,align; do
        run env DPAKIT_STRICT=$how dparun -d open "$faults" --rpc misaligned
        [ "$status" -eq 3 ]
        grep -q "misaligned store at address" <<<"$output"
    done
    DPAKIT_STRICT=memory dparun -d open "$faults" --rpc misaligned
    for how in none align,none aligned ALL; do
        run env DPAKIT_STRICT=$how dparun -d open "$faults" --rpc misaligned
        [ "$status" -ne 0 ]
        [[ "$output" == *"DPAKIT_STRICT=$how is not known; it may be align, memory, both with a comma between, or all"* ]]
    done
}

@test "runs with one worker repeat themselves" {
    for i in 1 2 3; do
        DPAKIT_WORKERS=1 dparun -d open "$f/kernels.elf" --kernel chatter --threads 16 9 --stats |
            grep -v -e ^time -e ^translator >"$i"
    done
    cmp 1 2
    cmp 1 3
}

@test "an unknown function is named" {
    fails 1 "no entry function no_such" dparun -d open "$f/kernels.elf" --rpc no_such
}

# ---- Faults

@test "a fault is exit 3 with its place" {
    fails 3 "/kernels.elf: thread 0: store access fault at address 0x0, pc 0x" \
        dparun -d open "$f/kernels.elf" --rpc store 0 1
    grep -q '(store+0x' err
    fails 3 "illegal instruction" dparun -d open "$f/kernels.elf" --kernel illegal --threads 20
}

@test "an endless loop is exit 3 at the run-time limit" {
    fails 3 "run-time limit of 100 ms reached" \
        dparun -d open "$f/kernels.elf" --run-time-limit 100 --kernel spin --threads 3
    fails 3 "run-time limit of 100 ms reached" \
        dparun -d open "$f/kernels.elf" --run-time-limit 100 --rpc spin
}

@test "a variable sets the run-time limit, and the message names it" {
    export DPAKIT_RUN_TIME_LIMIT=90
    fails 3 "run-time limit of 90 ms reached" dparun -d open "$f/kernels.elf" --rpc spin
    grep -q '; DPAKIT_RUN_TIME_LIMIT=MS sets another$' err
    fails 3 "run-time limit of 80 ms reached" dparun -d open "$f/kernels.elf" --run-time-limit 80 --rpc spin
    ! grep DPAKIT_ err
    local wrong
    for wrong in 0 -1 x 1s 86400001 99999999999999999999; do
        DPAKIT_RUN_TIME_LIMIT=$wrong fails 2 "DPAKIT_RUN_TIME_LIMIT=$wrong is not a number of milliseconds" \
            dparun -d open "$f/kernels.elf" --rpc add 1 2
    done
}

@test "an unknown variable is reported once, with the nearest name" {
    DPAKIT_DEVICE=x DPAKIT_XYZ=$'a\nb' DPAKIT_TEST_OWN=1 DPAKIT_WIRE_bf0=null dparun -d open "$f/kernels.elf" --rpc add 1 2 >out 2>err
    [ "$(cat out)" = "result: 3 (0x3)" ]
    sort err | tee told
    [ "$(cat told)" = "-W- environment variable DPAKIT_DEVICE is not known, and does nothing; did you mean DPAKIT_DEVICES?
-W- environment variable DPAKIT_XYZ is not known, and does nothing; dparun(1) names those there are" ]
}

# ---- Host files

@test "the program of an object, executable, library or archive runs" {
    for h in host.o host host.so host.a; do
        run dparun -d open "$f/$h" --rpc add 1 2
        [ "$output" = "result: 3 (0x3)" ] || { echo "$h: $output"; false; }
    done
}

@test "with several programs, one must be chosen" {
    run dparun -d open "$f/two.o" --app two --rpc add 1 2
    [ "$output" = "result: 3 (0x3)" ]
    fails 2 one dparun -d open "$f/two.o" --rpc add 1 2
    fails 1 two dparun -d open "$f/two.o" --app three --rpc add 1 2
}

@test "a host file without programs is reported" {
    fails 12 "empty.o: no DPA program in it" dparun -d open "$f/empty.o" --rpc add 1 2
}

# ---- Devices

@test "without -d the only device is taken" {
    export DPAKIT_DEVICES=$PWD/devices
    fails 1 "make one with dpadev create" dparun "$f/kernels.elf" --rpc add 1 2
    mkdir -m 700 devices
    cp -a "$f/devices/open" devices/alone # a device is its directory, and keys take time to make
    run dparun "$f/kernels.elf" --rpc add 1 2
    [ "$output" = "result: 3 (0x3)" ]
    cp -a devices/alone devices/second
    fails 2 "(alone, second); choose one with -d" dparun "$f/kernels.elf" --rpc add 1 2
}

@test "an error names a device that does not exist" {
    fails 1 nowhere dparun -d nowhere "$f/kernels.elf" --rpc add 1 2
}

@test "every load is in the device's log" {
    before=$(dpadev log open | grep -c ' load ') || true
    dparun -d open "$f/kernels.elf" --app told --rpc nothing
    [ "$(dpadev log open | grep -c ' load ')" -eq $((before + 1)) ]
    dpadev log open | tail -1 | grep -q 'app told'
}

# ---- Authentication

@test "an unsigned program is refused by a locked device" {
    fails 11 "program kernels.elf refused: UNSIGNED" \
        dparun -d locked "$f/kernels.elf" --rpc add 1 2
    fails 11 "program kernels refused: UNSIGNED" dparun -d locked "$f/host.a" --rpc hello
    dpadev log locked | tail -1 | grep -q UNSIGNED
}

@test "a signed program runs on a locked device" {
    run dparun -d locked "$f/signed.o" --rpc add 1 2
    [ "$output" = "result: 3 (0x3)" ]
}

@test "a bare device ELF runs with its signature" {
    run dparun -d locked "$f/kernels.elf" --signature "$f/signature" --rpc add 1 2
    echo "$output"
    [ "$output" = "result: 3 (0x3)" ]
}

# forged: the program with one bit of `add` changed
forge() {
    local at
    at=$(nm "$f/kernels.elf" | awk '$3 == "add" {print $1}')
    read -r address offset < <(readelf -lW "$f/kernels.elf" |
        awk '$1 == "LOAD" && $7 $8 ~ /E/ {print $3, $2; exit}')
    cp "$f/kernels.elf" forged
    at=$((0x$at - address + offset))
    flip forged $at
}

@test "a changed program is refused with the segment that changed" {
    forge
    fails 14 "program forged refused: DIGEST_MISMATCH (segment 2)" \
        dparun -d locked forged --signature "$f/signature" --rpc nothing
}

@test "a wrong signature is a warning on an open device" {
    forge
    dparun -d open forged --signature "$f/signature" --rpc nothing >out 2>err
    [ "$(cat out)" = "result: 5 (0x5)" ]
    grep -q '^-W- program forged: DIGEST_MISMATCH (segment 2)' err
    dpadev log open | tail -1 | grep -q WARNING
}

@test "--verify-only prints the checks and runs nothing" {
    run dparun -d locked "$f/signed.o" --verify-only
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "verdict: OK; DPA_AUTHENTICATION is on" ]
    [ "${#lines[@]}" -gt 4 ]
    run dparun -d locked "$f/host.o" --verify-only
    [ "$status" -eq 11 ]
    [[ $output == *"verdict: UNSIGNED; DPA_AUTHENTICATION is on"* ]]
    run dparun -d open "$f/host.o" --verify-only
    [ "$status" -eq 0 ]
    [[ $output == *"verdict: UNSIGNED; DPA_AUTHENTICATION is off"* ]]
}

# ---- Bad input

@test "wrong usage is exit 2" {
    fails 2 "no PROGRAM given" dparun --rpc add
    fails 2 "give one of --rpc, --kernel" dparun "$f/kernels.elf" --rpc add --kernel add
    fails 2 "give one of --rpc, --kernel" dparun "$f/kernels.elf" --rpc add --verify-only
    fails 2 "--threads goes with --kernel" dparun "$f/kernels.elf" --rpc add --threads 2
    for n in 0 257 -5 x 1x ''; do
        fails 2 "--threads: '$n' is not a number from 1 to 256" \
            dparun "$f/kernels.elf" --kernel add --threads "$n"
    done
    fails 2 "--run-time-limit: '0'" dparun "$f/kernels.elf" --rpc add --run-time-limit 0
    fails 2 "unexpected argument 7" dparun "$f/kernels.elf" --verify-only 7
    fails 2 "unknown option --rcp" dparun "$f/kernels.elf" --rcp add
    fails 2 "--rpc" dparun "$f/kernels.elf" --rpc
    fails 2 "--signature goes with a bare device executable" \
        dparun -d open "$f/host.o" --signature "$f/host.c" --rpc add
}

@test "an error names a file that is missing, empty or not a program" {
    touch empty
    echo 'no program' >text
    fails 1 "missing: No such file" dparun -d open missing --rpc add
    fails 12 empty dparun -d open empty --rpc add
    fails 12 text dparun -d open text --rpc add
    fails 1 "$PWD" dparun -d open "$PWD" --rpc add
    fails 1 "missing: No such file" \
        dparun -d open "$f/kernels.elf" --signature missing --rpc add
    fails 1 "empty: empty" dparun -d open "$f/kernels.elf" --signature empty --rpc add
}

@test "a truncated program never runs" {
    size=$(stat -c %s "$f/kernels.elf")
    for n in 1 4 16 19 20 63 64 100 300 1000 $((size / 2)) $((size - 1)); do
        head -c "$n" "$f/kernels.elf" >cut
        # From more than 16 bytes the tool can see that it is an ELF for RISC-V.
        fails $((n < 20 ? 12 : 20)) cut dparun -d open cut --rpc add 1 2
    done
    size=$(stat -c %s "$f/host.o")
    for n in 1 63 64 1000 $((size / 2)) $((size - 1)); do
        head -c "$n" "$f/host.o" >cut
        fails 12 cut dparun -d open cut --rpc add 1 2
    done
}

@test "output that cannot be written is an error" {
    code=0
    dparun -d open "$f/kernels.elf" --rpc hello >/dev/full 2>err || code=$?
    [ "$code" -eq 1 ]
    grep -q '^-E- standard output: ' err
}

# ---- Lists of functions

@test "without a function, the functions are listed, even if the device would refuse the program" {
    printf '%s\n' '#include <stdint.h>' '__dpa_rpc__ uint64_t sum(uint64_t a, uint8_t b) { return a + b; }' \
        '__dpa_global__ void idle(void) { }' >p.c
    dpacc p.c -o p.a
    want=$'idle: no arguments\nsum: 16 bytes of arguments'
    [ "$(dparun p.a)" = "$want" ]
    [ "$(DPAKIT_DEVICES=$PWD/none dparun p.a 2>err)" = "$want" ] && [ ! -s err ]
    [ "$(dparun "$f/two.o" --app one)" = "$(dparun "$f/kernels.elf")" ]
    dparun "$f/kernels.elf" | grep -qx 'add: 16 bytes of arguments'
    fails 2 "several DPA programs, name one of" dparun "$f/two.o"
    fails 2 "--core goes with --rpc and --kernel" dparun p.a --core x
    fails 2 "--threads goes with --kernel" dparun p.a --threads 2
    fails 2 "unexpected argument 5; name the function with --rpc or --kernel" dparun p.a 5
}

@test "names of functions send no terminal escapes" {
    "$(llvm-config --bindir)/llvm-objcopy" --redefine-sym $'_dpacc_unpack_add=_dpacc_unpack_\e[2Jadd' \
        "$f/kernels.elf" a.elf
    dparun a.elf >out
    grep -q 'add$' out
    ! grep $'\e' out || false
}

@test "a program without functions is reported" {
    cp "$DPAKIT_BUILD/obj/tests/data/kernels.elf" a.elf
    "$(llvm-config --bindir)/llvm-strip" a.elf
    fails 1 "a.elf: program a.elf has no function that dpacc prepared for a host" dparun a.elf
}
