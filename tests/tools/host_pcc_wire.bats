# RDMA of programs obeys a program of DOCA PCC in another process: perftest beside tests/data/pcc/rp.c.

load ../host/setup

setup_file() {
    build_pcc
    make_pcc_device "$BATS_FILE_TMPDIR/devices"
}

setup() {
    command -v ib_write_bw >/dev/null || skip "no ib_write_bw: package perftest"
    [[ ${TEST_HOST_CFLAGS-} != *-fsanitize=* ]] || skip "perftest is not built with a sanitizer"
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    local p
    for p in ${pids-}; do
        kill -9 "$p" 2>/dev/null || true
    done
}

# Waits for a minute.
await() {
    for _ in {1..600}; do
        ! "$@" 2>/dev/null || return 0
        sleep 0.1
    done
    echo "$* did not happen"
    return 1
}

# Starts the process that sets rates; its input is descriptor 7.
control() { # RATE MODE
    mkfifo in
    RATE=$1 MODE=${2:-0} "$BATS_FILE_TMPDIR/cases" it_sets_rates <in >control 2>&1 3>&- &
    pids+=" $!"
    controller=$!
    exec 7>in
    await grep -q ready control
}

# A program that writes 64 KiB again and again, to another one, for as many seconds.
traffic() { # SECONDS
    local port=$((10000 + RANDOM % 20000))
    LD_LIBRARY_PATH=$DPAKIT_BUILD/lib ib_write_bw -d mlx5_0 -F -p $port -s 65536 -D "$1" >server 2>&1 3>&- 7>&- &
    pids+=" $!"
    sleep 0.3
    LD_LIBRARY_PATH=$DPAKIT_BUILD/lib ib_write_bw -d mlx5_0 -F -p $port -s 65536 -D "$1" 127.0.0.1 >client 2>&1 3>&- 7>&- &
    pids+=" $!"
    client=$!
}

# MiB a second that the client had on the average.
average() {
    awk '/^ *65536/ {print int($4)}' client
}

seen() { # JQ
    dpadev stats --json mlx5_0 | jq -e ".congestion_control | $1" >/dev/null
}

@test "a program sends at the rate that a process of congestion control sets, as stats tells" {
    control 10486 # 1 %: 119 MiB/s on the wire, 110 of payload
    traffic 2
    await seen '.flows >= 1 and .events.tx > 10 and .events.rtt > 1 and .list[0].gbps < 1.01 and .list[0].rtt_ns > 0'
    [ "$(dpadev stats --json mlx5_0 | jq .congestion_control.process)" = "$controller" ]
    dpadev stats mlx5_0 | grep -q '^CONGESTION CONTROL by process'
    echo >&7 # it prints what it has counted
    wait "$client"
    cat client
    [ "$(average)" -le 170 ] # with what was sent until the first rate came; test_rates is strict
    [ "$(average)" -ge 20 ]
    await grep -qE '^events: [1-9]' control
    grep -qE 'counter EVENTS = [1-9]' control
    exec 7>&-
    wait "$controller"
    grep -qx 'state 0' control
    dpadev stats --json mlx5_0 | jq -e '.congestion_control == null'
}

@test "a process that is killed lets go of the traffic" {
    control 105 # 0.01 %: 1 MiB/s
    traffic 3
    await seen '.flows >= 1 and .list[0].rate == 105'
    kill -9 "$controller"
    wait "$client"
    cat client
    [ "$(average)" -ge 20 ]
    exec 7>&-
}

@test "a rate of 0 counts as the least, and is said once" {
    control 0
    traffic 1
    await seen '.flows >= 1 and .list[0].rate == 1'
    exec 7>&-
    wait "$controller"
    wait "$client"
    cat client control
    [ "$(grep -c 'such rates count as the least' control)" -eq 1 ]
    grep -q 'event .* of thread .*, TX of flow 0 .*rate of 0' control
}

@test "an algorithm that faults ends its rates" {
    control 105 2
    traffic 1
    wait "$client"
    cat client
    [ "$(average)" -ge 20 ]
    exec 7>&-
    wait "$controller"
    cat control
    grep -qx 'state 3' control
    dpadev stats --json mlx5_0 | jq -e '.congestion_control == null'
}
