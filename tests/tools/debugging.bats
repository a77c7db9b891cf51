# Faults, core files and GDB: what a developer sees when a program on the DPA goes wrong.

load ../helpers/device

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp "$DPAKIT_BUILD/obj/tests/data/faults.elf" .
    DPAKIT_DEVICES=$PWD/devices new_device mlx5_0
}

setup() {
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    cd "$BATS_TEST_TMPDIR"
    elf=$BATS_FILE_TMPDIR/faults.elf top=$BATS_TEST_DIRNAME/../..
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices DPAKIT_RUNTIME=$BATS_TEST_TMPDIR/run
}

teardown() { end_background; }

# GDB with a long time limit: by default it repeats a request that takes two seconds.
debug() {
    timeout 300 gdb-multiarch -nx -batch -ex 'set confirm off' -ex 'set remotetimeout 60' "$@" \
        >out 2>&1
}

line_of() { grep -n "mark: $1 " "$BATS_TEST_DIRNAME/../data/faults.c" | cut -d: -f1; }

# crash FUNCTION SIGNAL MARK TEXT: the function fails with TEXT at the line of MARK, and the core file shows the same.
crash() {
    run -3 --separate-stderr dparun "$elf" --rpc "$1" --run-time-limit 300 --core core
    echo "$stderr"
    grep -q -- "$4" <<<"$stderr"
    grep -q "faults.c:$(line_of "$3"))$" <<<"$stderr"
    gdb-multiarch -nx -batch -d "$top" -ex bt -ex 'print progress' "$elf" core >out 2>err
    cat out err
    grep -q "Program terminated with signal $2," out
    grep -q "^#0 .*faults.c:$(line_of "$3")$" out
    [ ! -s err ]
}

# gdb COMMANDS... -- DPARUN ARGUMENTS: a session, with what dparun prints in the file "program".
session() {
    local commands=()
    while [ "$1" != -- ]; do commands+=(-ex "$1"); shift; done
    shift
    debug -ex "target remote | exec dparun --gdb - $elf $* 2>program" "${commands[@]}" "$elf"
    cat out program
}

# ---- Faults

@test "a null pointer is reported with function and line, and leaves a core file" {
    crash null SIGSEGV store "store access fault at address 0x0,"
    grep -q '^#1 .* in null ' out
    grep -qx '$1 = 42' out
}

@test "a misaligned store is reported with function and line, and leaves a core file" {
    DPAKIT_STRICT=align crash misaligned SIGBUS store "misaligned store"
    grep -qx '$1 = 43' out
}

@test "a write to code is reported with function and line, and leaves a core file" {
    crash write_code SIGSEGV store "store access fault"
    grep -qx '$1 = 44' out
}

@test "a stack overflow is reported with function and line, and leaves a core file" {
    crash stack_overflow SIGSEGV overflow "(recurse+0x"
    [ "$(grep -c ' recurse ' out)" -gt 50 ]
}

@test "a fault inside of a library names the line that called it" {
    cat >k.c <<'C'
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>
#include <doca_dpa_dev.h>
#include <string.h>
__dpa_rpc__ uint64_t window(uint64_t to)
{
    uint64_t word = to + 1;
    flexio_dev_window_copy_to_host(NULL, to, &word, 8); /* mark: window */
    return word;
}
__dpa_rpc__ uint64_t doorbell(uint64_t queue)
{
    for (uint16_t i = 0; i < 3; i++)
        flexio_dev_qp_sq_ring_db(NULL, i, (uint32_t)queue); /* mark: doorbell */
    return queue;
}
__dpa_global__ void last(uint64_t queue)
{
    flexio_dev_cq_arm(NULL, 0, (uint32_t)queue); /* mark: last */
}
__dpa_rpc__ uint64_t copy(uint64_t to)
{
    memcpy((void *)to, "a text of some length", to); /* mark: copy */
    return to;
}
__dpa_rpc__ uint64_t text(uint64_t at)
{
    flexio_dev_print("%s", (const char *)at); /* mark: text */
    return at;
}
__dpa_rpc__ uint64_t doca(uint64_t device)
{
    doca_dpa_dev_device_set((doca_dpa_dev_t)device); /* mark: doca */
    return device;
}
C
    for options in -O2 -O0; do
        dpacc k.c -o k.a --app-name=app -I"$DPAKIT_BUILD/include" -I"$DPAKIT_BUILD/include/doca" \
            --devicecc-options=$options
        for f in window doorbell last copy text doca; do
            run -3 --separate-stderr dparun k.a --$([ $f = last ] && echo kernel || echo rpc) $f 100
            echo "$options: $stderr"
            line=$(grep -n "mark: $f " k.c | cut -d: -f1)
            grep -qE ", called from 0x[0-9a-f]+ \($f\+0x[0-9a-f]+, k.c:$line\)$" <<<"$stderr"
        done
    done
}

@test "an illegal instruction is reported with function and line, and leaves a core file" {
    crash illegal SIGILL illegal "illegal instruction 0xffffffff"
}

@test "an endless loop is reported with function and line, and leaves a core file" {
    crash endless SIGXCPU endless "run-time limit of 300 ms reached"
}

@test "a core has every thread, the culprit first" {
    run -3 dparun "$elf" --kernel crowd --threads 6 3 --core core
    gdb-multiarch -nx -batch -ex 'info threads' -ex bt -ex 'print here[0]' "$elf" core >out 2>&1
    cat out
    [ "$(grep -cE '^[* ] +[1-6] +LWP [1-6] ' out)" -eq 6 ]
    grep -qE '^\* 1 +LWP 4 .*store ' out
    grep -q '^#1 .* in crowd (culprit=.*faults.c:' out
    [ "$(grep -cE '^  [2-6] +LWP [1-6] .* crowd ' out)" -eq 5 ]
}

@test "a core is private, sparse, and not there unless the program fails" {
    run -0 dparun "$elf" --rpc count 3 --core core
    [ ! -e core ]
    run -3 dparun "$elf" --rpc null --core core
    [ "$(stat -c %a core)" -eq 600 ]
    [ "$(stat -c %b core)" -lt 400 ]
}

@test "a core file that cannot be written is reported, and the exit code remains that of the failure" {
    run -3 --separate-stderr dparun "$elf" --rpc null --core /no/where/core
    grep -q '^-W- no core file: .*/no/where/core' <<<"$stderr"
    grep -q '^-E- .*store access fault' <<<"$stderr"
}

# ---- GDB on dparun

@test "GDB: a breakpoint, a step, locals and a backtrace" {
    session 'break count' continue bt next next 'print i' 'print n' delete continue -- --rpc count 10
    grep -q '^Breakpoint 1, count ' out
    grep -q '^#1 .*_dpa_start' out
    grep -qx '$2 = 10' out
    grep -q 'exited normally' out
    grep -q '^result: 13 ' program
}

@test "GDB: a hardware breakpoint is set and removed" {
    session 'hbreak store' continue 'info registers a1 pc' delete 'break store' delete \
        'signal 0' -- --rpc null
    grep -q '^Breakpoint 1, store ' out
    grep -qE '^a1 +0x2a' out
    grep -q 'SIGSEGV' out
}

@test "GDB: a watch stops after the store, with old and new value" {
    session 'watch table[2]' continue continue 'delete' continue -- --rpc count 10
    grep -q '^Old value = 3$' out
    [ "$(grep -c '^New value = 5$' out)" -eq 1 ]
    [ "$(grep -c '^New value = 11$' out)" -eq 1 ]
    grep -q 'exited normally' out
}

# Threads hit a breakpoint and a watchpoint at the same time. A report while GDB steps one of them would
# be an internal error of GDB's ("finish_step_over: Assertion"): of 10 such sessions, 3 had it.
@test "GDB: a watchpoint that several threads hit is reported for the threads that GDB resumes" {
    export DPAKIT_WORKERS=2 # for GDB, two hits at once are one change: so four make two at least
    for i in {1..12}; do
        printf '%s\n' "target remote | exec dparun --gdb - $elf --kernel crowd --threads 4 9 2>>program" \
            'break crowd' continue 'watch here[0]' continue continue continue continue \
            continue 'delete $bpnum' stepi 'print here[0] <= 4' kill delete 'echo ends\n'
    done >commands
    debug -x commands "$elf"
    cat out program
    [ "$(grep -c '^\$[0-9]* = 1$' out)" -eq 12 ]
    awk '/hit Hardware watchpoint/ { hits++ } /^ends$/ { n += hits >= 2; hits = 0 } END { exit n != 12 }' out
}

@test "GDB: rwatch stops where memory is read" {
    session 'rwatch table[3]' continue 'print i' 'kill' -- --rpc count 10
    grep -q '^Value = 4$' out
    grep -qx '$1 = 3' out
}

@test "GDB: single steps go one instruction at a time, also over calls of the runtime" {
    printf 'while $n < 6\nstepi\nset $n = $n + 1\nend\n' >steps
    session 'break ask' continue 'delete' 'set $n = 0' \
        'source steps' 'print $n' 'info threads' kill -- --kernel crowd --threads 1 9
    grep -qx '$1 = 6' out
}

@test "GDB: memory and registers are written" {
    session 'break count' continue 'print table[0] = 100' 'set $a0 = 1' 'print *(long *)&progress' \
        delete continue -- --rpc count 4
    grep -qx '$1 = 100' out
    grep -qx '$2 = 7' out
    grep -q '^result: 100 ' program
}

@test "GDB: memory that is not there is an error, not an end" {
    session 'print *(long *)0' 'print *(long *)0xfffffffffffffff8' 'set *(long *)0x40 = 1' \
        'print progress' kill -- --rpc count 4
    [ "$(grep -c 'Cannot access memory' out)" -eq 3 ]
    grep -qx '$1 = 7' out
}

@test "GDB: every thread has its registers" {
    session 'break store' continue 'info threads' 'thread apply all print $pc' 'print me' \
        kill -- --kernel crowd --threads 5 2
    [ "$(grep -cE "^[* ] +[1-5] +Thread [1-5] .kernel crowd, rank [0-4], ready" out)" -eq 5 ]
    [ "$(grep -cE '^\$[0-9]+ = \(void \(\*\)\(\)\) 0x' out)" -eq 5 ]
    grep -qE '^\* 3 .*rank 2, ready\) .*store ' out
}

@test "GDB: scheduler-locking keeps the others where they are" {
    session 'break crowd' 'continue' 'delete' 'set scheduler-locking on' 'next' 'next' \
        'print here[0]' 'kill' -- --kernel crowd --threads 4 9
    grep -qx '$1 = 1' out
}

@test "GDB: a fault stops first, and fails the program when GDB passes it on" {
    session continue bt 'signal SIGSEGV' -- --rpc null
    grep -q 'received signal SIGSEGV' out
    grep -q '^#0 .*store ' out
    grep -q 'terminated with signal SIGSEGV' out
    grep -q '^-E- .*store access fault' program
}

@test "GDB: Ctrl-C stops a program that polls" {
    debug -ex "target remote | exec dparun --gdb - $elf --rpc endless 2>program" \
        -ex 'break endless' -ex continue -ex delete \
        -ex 'python
import threading, os, signal
later = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
gdb.events.cont.connect(lambda event: later.start())' \
        -ex continue -ex 'bt 1' -ex kill "$elf" || true
    cat out
    grep -q 'received signal SIGINT' out
    grep -q '^#0 .*endless ' out
}

@test "GDB: detach lets the program run to its end" {
    session 'break count' continue detach -- --rpc count 10
    await grep -q '^result: 13 ' program
}

@test "GDB: a client that goes away ends the program" {
    run -3 --separate-stderr dparun --gdb - "$elf" --rpc endless </dev/null
    grep -q 'ended by the debugger' <<<"$stderr"
}

@test "GDB over TCP: port 0 takes a free port and prints it" {
    dparun --gdb 0 "$elf" --rpc count 10 >program 2>log &
    await grep -qE 'target remote 127.0.0.1:[0-9]+$' log
    port=$(sed -n 's/.*target remote 127.0.0.1:\([0-9]*\)$/\1/p' log)
    debug -ex "target remote 127.0.0.1:$port" -ex continue "$elf"
    cat out
    wait $!
    grep -q 'exited normally' out
    grep -q '^result: 13 ' program
}

@test "GDB: bad ports are refused" {
    for bad in x 65536 -1 ''; do
        run -2 dparun --gdb="$bad" "$elf" --rpc count 10
    done
    run -1 dparun --gdb /no/where/socket "$elf" --rpc count 10
    run -2 dparun --verify-only --gdb 0 "$elf"
}

# ---- Seeing processes

@test "dpadev ps shows what runs, and nothing afterwards" {
    mkfifo commands
    exec 9<>commands # opens without a reader
    in_background dparun --gdb - "$elf" --kernel crowd --threads 3 9 <commands >said 2>&1
    printf '$vCont;c#a8' >&9
    three() { dpadev ps -t mlx5_0 >out && [ "$(grep -c crowd out)" -eq 3 ]; }
    await three || { cat said; false; }
    cat out
    grep -qE "^$! +mlx5_0 +faults.elf +[0-9]+ +debugged$" out
    dpadev ps --json >json
    jq -e ".[0].pid == $! and (.[0].threads | length) == 3 and .[0].device == \"mlx5_0\"" json
    exec 9>&-
    wait $! || true
    dpadev ps >out
    [ "$(grep -c '' out)" -eq 1 ]
    [ "$(dpadev ps --json | jq length)" -eq 0 ]
    [ "$(stat -c %a run)" -eq 700 ]
}

@test "dpadev ps keeps devices of different directories apart" {
    mkfifo commands
    elsewhere='else "where\'
    DPAKIT_DEVICES="$PWD/$elsewhere" new_device mlx5_0
    DPAKIT_DEVICES="$elsewhere" dparun --gdb - "$elf" --kernel crowd --threads 3 9 <commands >/dev/null 2>&1 &
    exec 9>commands
    printf '$vCont;c#a8' >&9
    there() { dpadev ps >out && [ "$(grep -c faults out)" -eq 1 ]; }
    await there
    grep -F "$PWD/$elsewhere/mlx5_0 " out | grep -qE "^$! .* +faults.elf "
    [ "$(dpadev ps mlx5_0 | grep -c '')" -eq 1 ]
    [ "$(dpadev ps mlx5_0 --json | jq length)" -eq 0 ]
    dpadev ps --json | jq -e --arg path "$PWD/$elsewhere/mlx5_0" '.[0].device == "mlx5_0" and .[0].directory == $path'
    export DPAKIT_DEVICES="$PWD/$elsewhere"
    dpadev ps mlx5_0 | grep -qE "^$! +mlx5_0 +faults.elf "
    exec 9>&-
    wait $! || true
}

@test "a runtime directory that others may enter is not used" {
    mkdir -m 755 run
    run -1 dpadev ps
    [[ $output == "-E- $PWD/run: not a directory that only this user may use (mode 0700)" ]]
    run -0 dparun "$elf" --rpc count 10
    [ -z "$(ls run)" ]
}

@test "a runtime directory of another user is not used, and whose it is is said" {
    [ "$EUID" -eq 0 ] || skip "only root can play another user"
    for squatted in run link; do
        mkdir -m 700 run
        [ $squatted = run ] || ln -s run link
        chown -h 54321 $squatted || skip "root cannot give files away here"
        run -1 env DPAKIT_RUNTIME="$PWD/$squatted" dpadev ps
        [[ $output == "-E- $PWD/$squatted: belongs to user 54321, not to you: "* ]]
        rm -rf run
    done
}

@test "dpa-gdbserver refuses without the right token" {
    run -1 dpa-gdbserver mlx5_0 -T 0 -s 0
    [[ $output == "-E- mlx5_0: no process of this user there has this token" ]]
    run -1 dpa-gdbserver mlx5_9 -T 1234 -s 0
    run -2 dpa-gdbserver mlx5_0
    run -2 dpa-gdbserver mlx5_0 -T xyz
    mkfifo commands
    exec 9<>commands # opens without a reader
    in_background dparun --gdb - "$elf" --rpc endless <commands >said 2>&1
    there() { [ "$(dpadev ps | grep -c faults)" -eq 1 ]; }
    await there || { cat said; false; }
    for token in 0 1 ffffffffffffffff; do
        run -1 dpa-gdbserver mlx5_0 -T $token -s 0
    done
    exec 9>&-
    wait $! || true
}

@test "DPAKIT_TRACE: kernels, messages and threads are in valid JSON" {
    DPAKIT_TRACE=trace.json dparun "$DPAKIT_BUILD/obj/tests/data/kernels.elf" --kernel chatter \
        --threads 8 5 >out
    [ "$(jq "[.traceEvents[] | select(.cat == \"message\") | .args.bytes] | add" trace.json)" -eq "$(stat -c %s out)" ]
    jq -e '[.traceEvents[] | select(.cat == "kernel" and .name == "chatter") | .ph] |
        (index("b") != null) and (index("e") != null) and (index("X") != null)' trace.json
    [ "$(jq '[.traceEvents[] | select(.ph == "M" and (.args.name | startswith("EU "))) | .args.name] |
        unique | length' trace.json)" -eq 8 ]
    jq -e 'all(.traceEvents[] | select(.ph == "X"); .dur >= 0 and .ts >= 0)' trace.json
}

@test "DPAKIT_TRACE: an RPC and its fault" {
    DPAKIT_TRACE=trace.json run -3 dparun "$elf" --rpc null
    jq -e '.traceEvents[] | select(.cat == "fault") | .args.text |
        test("store access fault at address 0x0")' trace.json
    [ "$(jq -c '[.traceEvents[] | select(.cat == "RPC") | .ph]' trace.json)" = '["b","X","e"]' ]
}

@test "DPAKIT_TRACE: the file is whole when the program is killed" {
    # A program that runs for long writes faster than jq reads.
    DPAKIT_TRACE=trace.json DPAKIT_TRACE_MAX=1M in_background dparun --run-time-limit 60000 "$elf" --kernel crowd --threads 3 9
    whole() { jq -e '.traceEvents | length > 0' trace.json; }
    await whole
    end_background
    # It may have started another file just before.
    for file in trace.json*; do
        jq -e '.traceEvents | arrays' "$file"
    done >all
    jq -es 'add | length > 0' all
}

@test "DPAKIT_TRACE_MAX: a full file is put aside, and each is a whole document" {
    run -0 env DPAKIT_TRACE=trace.json DPAKIT_TRACE_MAX=256K dparun \
        "$DPAKIT_BUILD/obj/tests/data/kernels.elf" --kernel chatter --threads 256 10
    [ "$(echo trace.json*)" = "trace.json trace.json.1" ]
    for file in trace.json trace.json.1; do
        [ "$(stat -c %s $file)" -le 262144 ]
        [ "$(stat -c %a $file)" -eq 600 ]
        jq -e '([.traceEvents[] | select(.ph == "M") | .tid] | unique) as $named |
            ([.traceEvents[].tid] | unique) == $named' $file
    done
    [ "$(stat -c %s trace.json.1)" -ge 131072 ]
    last=$(jq '[.traceEvents[] | select(.ph == "i") | .ts] | max' trace.json.1)
    jq -e "[.traceEvents[] | select(.ph != \"X\" and .ts) | .ts] | min >= $last" trace.json
}

@test "DPAKIT_TRACE_MAX: without it, a trace of this size is one file" {
    run -0 env DPAKIT_TRACE=trace.json dparun "$DPAKIT_BUILD/obj/tests/data/kernels.elf" \
        --kernel chatter --threads 256 10
    [ "$(echo trace.json*)" = trace.json ]
}

@test "DPAKIT_TRACE_MAX: an invalid or too small size is an error" {
    for bad in x 1 255K -1 1T 1MB ' 1M' 99999999999999999999 99999999999G; do
        DPAKIT_TRACE=trace.json DPAKIT_TRACE_MAX=$bad run -2 dparun "$elf" --rpc count 1
        [[ $output == *"DPAKIT_TRACE_MAX=$bad is not a size from 256K on, such as 64M"* ]]
        [ ! -e trace.json ]
    done
}

@test "DPAKIT_TRACE: a file that cannot be written is an error" {
    DPAKIT_TRACE=/no/where/trace run -1 dparun "$elf" --rpc count 1
    [[ $output == *"trace: cannot write /no/where/trace"* ]]
}

@test "with one worker, every run executes the same instructions in the same order" {
    for i in 1 2 3; do
        DPAKIT_WORKERS=1 DPAKIT_TRACE=trace.json dparun --stats \
            "$DPAKIT_BUILD/obj/tests/data/kernels.elf" --kernel chatter --threads 16 40 |
            grep -v -e ^time -e ^translator >$i.out
        jq -c '.traceEvents[] | select(.ph == "X") | [.tid, .name, .args.instructions]' trace.json >$i.turns
        [ -s $i.turns ]
    done
    cmp 1.out 2.out && cmp 1.out 3.out
    cmp 1.turns 2.turns && cmp 1.turns 3.turns
}
