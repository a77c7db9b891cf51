# DPAKIT_RECORD and dparun --replay: a recorded run is repeated, forwards and backwards.

bats_require_minimum_version 1.5.0

load ../helpers/bytes
load ../host/setup

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    build_queues flexio_queue_cases.c
    cp "$DPAKIT_BUILD/obj/tests/data/faults.elf" .
    cp "$DPAKIT_BUILD/obj/tests/data/kernels.elf" .
    cat >race.c <<'C'
#include <libflexio-dev/flexio_dev.h>
#include <doca_dpa_dev.h>
static volatile uint64_t counter;
__dpa_global__ void race(uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++)
        counter = counter + 1; /* mark: race */
    flexio_dev_print("thread %u: %lu\n", doca_dpa_dev_thread_rank(), counter); /* mark: print */
}
__dpa_rpc__ uint64_t twice(uint64_t value)
{
    counter = value;
    counter = 2 * value;
    return counter;
}
C
    dpacc race.c -o race.a --app-name=racy -I"$DPAKIT_BUILD/include" -I"$DPAKIT_BUILD/include/doca" \
        --devicecc-options="-g -O1"
    dpacc-extract race.a -o race.elf
    DPAKIT_RECORD=race.rec dparun race.a --kernel race --threads 2 20000 >race.out
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices DPAKIT_RUNTIME=$BATS_TEST_TMPDIR/run
}

# fails CODE TEXT COMMAND...: exit CODE, and one -E- line with TEXT.
fails() {
    local code=0 want=$1 text=$2
    shift 2
    "$@" >out 2>err || code=$?
    [ "$code" -eq "$want" ] || { echo "exit $code: $(cat out err)"; return 1; }
    [ "$(grep -c '^-E- ' err)" -eq 1 ] && grep -qF -- "$text" err || { echo "stderr: $(cat err)"; return 1; }
}

line_of() { grep -n "mark: $1 " "$f/race.c" | cut -d: -f1; }

# session COMMANDS...: runs GDB on the recording of two threads; its output is in the file "out".
session() {
    local commands=()
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    for c; do commands+=(-ex "$c"); done
    timeout 300 gdb-multiarch -nx -batch -ex 'set confirm off' -ex 'set remotetimeout 60' \
        -ex "target remote | exec dparun --replay --gdb - ${rec:-$f/race.rec} 2>program" "${commands[@]}" \
        "$f/race.elf" >out 2>&1 || true
    cat out program
}

# ---- Exactness

@test "two threads race when they are recorded" {
    [ "$(grep -c '^thread [01]: ' "$f/race.out")" -eq 2 ]
    ! grep -q ': 40000$' "$f/race.out"
}

@test "100 replays of a race print the same, with the same instructions of each thread and the same memory" {
    dparun --replay --stats "$f/race.rec" >first 2>err
    grep '^thread .: [0-9]*$' first | cmp - "$f/race.out"
    grep -qx 'memory: SHA-256 [0-9a-f]\{64\}' first
    [ "$(grep -c '^thread [01]: [0-9]* instructions$' first)" -eq 2 ]
    for ((i = 1; i < 100; i++)); do
        dparun --replay --stats "$f/race.rec" 2>>err | cmp - first
    done
    ! grep -v '^-I- replay of program racy, not verified, SHA-256 [0-9a-f]*$' err
}

@test "another recording is another race, and one with the same seed is the same" {
    for run in 1.a 1.b 2.c; do
        DPAKIT_RECORD=$run.rec DPAKIT_RECORD_SEED=${run%.*} dparun "$f/race.a" --kernel race \
            --threads 2 20000 | sort >$run.out
    done
    cmp 1.a.out 1.b.out
    ! cmp -s 1.a.out 2.c.out
}

@test "the result of an RPC is replayed, without a device" {
    DPAKIT_RECORD=a.rec dparun "$f/kernels.elf" --rpc add 44 55
    [ "$(stat -c %a a.rec)" = 600 ]
    run --separate-stderr env DPAKIT_DEVICES=/nowhere dparun --replay a.rec
    [ "$output" = "result: 99 (0x63)" ]
}

@test "a profile and a debugger do not change what is recorded" {
    for profile in a.folded ""; do
        DPAKIT_PROFILE=$profile DPAKIT_RECORD=a.rec dparun "$f/race.a" --rpc twice 21
        [ "$(dparun --replay a.rec 2>err)" = "result: 42 (0x2a)" ]
    done
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    DPAKIT_RECORD=$PWD/a.rec timeout 300 gdb-multiarch -nx -batch -ex 'set remotetimeout 60' \
        -ex "target remote | exec dparun --gdb - $f/race.a --rpc twice 21 2>/dev/null" \
        -ex 'break twice' -ex continue -ex 'set var $a0 = 30' -ex 'stepi' -ex 'delete' -ex continue \
        "$f/race.elf" >out 2>&1 || true
    cat out
    [ "$(dparun --replay a.rec 2>err)" = "result: 60 (0x3c)" ]
}

@test "a failure is replayed as it was" {
    run -3 --separate-stderr env DPAKIT_RECORD=a.rec dparun "$f/faults.elf" --rpc null
    why=${stderr#*: }
    run -3 --separate-stderr dparun --replay a.rec
    echo "$stderr"
    [[ $stderr == *"-E- a.rec: $why" ]]
}

# replays FILE: each process of the recording runs as before, without the files that it used.
replays() {
    local number=0
    while DPAKIT_DEVICES=/nowhere dparun --replay --process $((number + 1)) "$1" >out 2>err; do
        number=$((number + 1))
    done
    cat err
    grep -q "has no process $((number + 1)), but $number$" err
    [ "$number" -gt 0 ]
}

@test "queues, frames and what the host writes are replayed without a network" {
    for case in a_polled_frame_comes_back each_frame_is_one_activation; do
        DPAKIT_RECORD=$PWD/a.rec "$f/cases" $case
        replays a.rec
    done
}

# ---- Errors

@test "a recording that was cut off is replayed up to there" {
    size=$(stat -c %s "$f/race.rec")
    for less in 1 100 2000; do
        head -c $((size - less)) "$f/race.rec" >cut.rec
        dparun --replay cut.rec >out 2>err
        grep -qx -- '-W- cut.rec ends before its program did' err
    done
}

@test "a program that is killed leaves a recording up to there" {
    DPAKIT_RECORD=a.rec dparun "$f/race.a" --kernel race 2000000000 --run-time-limit 86400000 &
    for ((i = 0; i < 600; i++)); do
        [ "$(stat -c %s a.rec 2>/dev/null || echo 0)" -gt 50000 ] && break
        sleep 0.05
    done
    kill -KILL $!
    wait $! || true
    timeout 100 dparun --replay --stats a.rec >out 2>err
    grep -q '^-W- a.rec ends before its program did$' err
    grep -qE '^thread 0: [0-9]{4,} instructions$' out
}

@test "a damaged recording is refused with the place" {
    size=$(stat -c %s "$f/race.rec")
    for at in 20 30 5000 $((size / 2)) $((size - 40)); do
        cp "$f/race.rec" bad.rec
        flip bad.rec "$at" 0x55
        fails 1 "bad.rec: damaged: the record at byte " dparun --replay bad.rec
    done
    head -c 15 "$f/race.rec" >bad.rec
    fails 1 "bad.rec: it is not a recording" dparun --replay bad.rec
    fails 1 "race.a: it is not a recording" dparun --replay "$f/race.a"
    fails 1 "has no process 2, but 1" dparun --replay --process 2 "$f/race.rec"
    fails 1 "No such file" dparun --replay none.rec
}

@test "programs that cannot be recorded are refused before they run" {
    fails 1 "recording: /nowhere/a.rec: No such file" env DPAKIT_RECORD=/nowhere/a.rec \
        dparun "$f/kernels.elf" --rpc add 1 2
    fails 2 "DPAKIT_RECORD_SEED=x is not a number" env DPAKIT_RECORD=a.rec DPAKIT_RECORD_SEED=x \
        dparun "$f/kernels.elf" --rpc add 1 2
    [ ! -e a.rec ]
}

@test "a full disk ends the recording, not the program" {
    [ -w /dev/full ] || skip "no /dev/full"
    (
        ulimit -f 60
        trap '' XFSZ
        DPAKIT_RECORD=a.rec dparun "$f/race.a" --kernel race --threads 2 2000000 >out 2>err
    )
    [ "$(grep -c '^thread' out)" -eq 2 ]
    [ "$(grep -c '^-W- the recording ends here: a.rec: File too large' err)" -eq 1 ]
    dparun --replay a.rec 2>err
}

# ---- GDB, backwards

@test "GDB goes back to the instruction that wrote a value" {
    session "break race.c:$(line_of print)" continue 'print counter' delete 'watch counter' \
        reverse-continue 'print counter' reverse-continue 'print counter' continue 'print counter'
    at_end=$(sed -n 's/^\$1 = //p' out)
    [ "$(sed -n 's/^\$2 = //p' out)" -eq $((at_end - 1)) ]
    [ "$(sed -n 's/^\$3 = //p' out)" -eq $((at_end - 2)) ]
    [ "$(sed -n 's/^\$4 = //p' out)" -eq $((at_end - 1)) ]
}

@test "GDB steps back what it stepped forward" {
    session "break race.c:$(line_of race)" continue 'print $pc' stepi stepi stepi 'print $pc' \
        reverse-stepi reverse-stepi reverse-stepi 'print $pc' delete reverse-continue continue
    [ "$(sed -n 's/^\$1 = //p' out)" = "$(sed -n 's/^\$3 = //p' out)" ]
    [ "$(sed -n 's/^\$1 = //p' out)" != "$(sed -n 's/^\$2 = //p' out)" ]
    # GDB's messages, before and since version 15.
    [ "$(grep -cE '^(No more reverse-execution history|Reached end of recorded history)' out)" -eq 2 ]
    # The output of the threads is printed once.
    session continue reverse-continue continue
    grep '^thread ' program | cmp - "$f/race.out"
}

@test "GDB goes back to the last turns of a long loop, and to the first" {
    DPAKIT_RECORD=long.rec dparun "$f/race.a" --kernel race 3000000
    rec=long.rec session "break race.c:$(line_of race)" continue 'print counter' delete continue \
        "break race.c:$(line_of race)" reverse-continue 'print counter' reverse-continue \
        'print counter' delete 'break *&race' reverse-continue 'print counter' 'print $pc == &race'
    [ "$(sed -n 's/^\$[0-9]* = //p' out | tr '\n' ' ')" = "0 2999999 2999998 0 1 " ]
}

@test "GDB shows both threads, and cannot change what has happened" {
    session "break race.c:$(line_of print)" continue continue 'info threads' 'set var $a0 = 1' \
        'monitor policy'
    [ "$(grep -cE '^.* Thread [12] \(tick [0-9]+ of [0-9]+, (runs|waits)\)' out)" -eq 2 ]
    grep -q 'this is a replay: what has happened cannot be changed' out
}
