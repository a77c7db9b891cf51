# Remote direct memory operations: the plugin worker_rdmo with a target and initiators (tests/host/rdmo_cases.c), over
# shared memory and over TCP. DPAKIT_TEST_RDMO='100 10000' has 100 initiators append 10,000 records each.
# cases: rdmo_cases.c

load ../host/setup
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() {
    export reason=
    [ -f "$DPAKIT_BUILD/lib/dpakit/urom/worker_rdmo.so" ] || reason="built without libucx-dev: no plugin worker_rdmo"
    [[ $DPAKIT_BUILD != */sanitize* && $DPAKIT_BUILD != */tsan* ]] || reason="UCX carries no sanitizer"
    [ -z "$reason" ] || return 0
    gcc -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" \
        "$BATS_TEST_DIRNAME/../host/rdmo_cases.c" -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -ldoca_urom -ldoca_common \
        -lucp -lucs -Wl,-rpath,"$DPAKIT_BUILD/lib"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0 --pair
}

setup() {
    [ -z "$reason" ] || skip "$reason"
    # UCX 1.18 rarely waits for ever when it starts: its hooks of memory events and its thread wait for each other.
    export UCX_MEM_EVENTS=n
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    cp -a "$BATS_FILE_TMPDIR/devices" "$DPAKIT_DEVICES"
    urom-service -d mlx5_0 >service.log 2>&1 3>&- &
    service=$!
    await grep -q '^serving' service.log
}

teardown() {
    [ -z "$reason" ] || return 0
    kill $service
    wait $service || :
    cat service.log
}

read -r initiators records <<<"${DPAKIT_TEST_RDMO:-8 250}"
appends=$((initiators * records))

over() { UCX_TLS=$1 case_ok "$2"; }

@test "appends, scatters and flushes, over shared memory" {
    over shm,self appends_scatters_and_flushes
    await grep -q 'rdmo: 10 appends, 3 scatters, 3 flushes' service.log
}

@test "appends, scatters and flushes, over TCP" {
    over tcp,self appends_scatters_and_flushes
    await grep -q 'rdmo: 10 appends, 3 scatters, 3 flushes' service.log
}

@test "each record of many initiators is there once and whole, and small ones are written together" {
    over shm,self each_record_is_there_once_and_whole
    await grep -q "rdmo: $appends appends" service.log
    [ "$(sed -n 's/^rdmo: .* in \([0-9]*\) puts.*/\1/p' service.log)" -lt $((appends / 4)) ]
}

@test "each record of many initiators is there once and whole, over TCP" {
    over tcp,self each_record_is_there_once_and_whole
    await grep -q "rdmo: $appends appends" service.log
}

@test "flushed data stays when the worker is killed, and the target learns this" {
    UCX_TLS=shm,self "$BATS_FILE_TMPDIR/cases" what_was_flushed_stays >out 2>err 3>&- &
    program=$!
    await grep -q flushed out
    kill -KILL "$(sed -n 's/^worker .*: process //p' service.log)"
    wait $program
    grep -q 'its process has ended: signal 9' err
}

@test "hostile requests are refused one by one" {
    over shm,self hostile_requests_are_refused_one_by_one
    await grep -q '^rdmo: 1 appends, 0 scatters, 1 flushes' service.log
    grep -q 'refused: damaged header 3042, refused: no receive queue 1, refused: wrong client 1, refused: wrong key 3' service.log
    grep -q 'refused: outside of the memory 10, refused: wrong count of pieces 23, refused: pieces overlap 2' service.log
}

@test "queues and memory can be taken away" {
    over shm,self queues_and_memory_can_be_taken_away
    await grep -q 'refused: wrong key 1' service.log
}
