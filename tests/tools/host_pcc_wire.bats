# RDMA of programs obeys a program of DOCA PCC in another process: perftest, and tests/host's queue pairs of
# libflexio and DOCA, beside tests/data/pcc/rp.c.

load ../host/setup
load ../helpers/await
load ../helpers/rdma_traffic

setup_file() {
    local t=$BATS_FILE_TMPDIR
    build_queues flexio_queue_cases.c && mv "$t/cases" "$t/flexio"
    build_doca3 && mv "$t/cases" "$t/doca"
    build_pcc
    make_pcc_device "$t/devices"
    new_device mlx5_1 >/dev/null
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    exec 9>&-
    end_background
}

# Starts the process that sets rates; its input is descriptor 9.
control() { # RATE MODE
    mkfifo in
    exec 9<>in # nobody waits for the other end
    RATE=$1 MODE=${2:-0} in_background "$BATS_FILE_TMPDIR/cases" it_sets_rates <in >control 2>&1
    controller=$!
    await grep -q ready control
}

@test "a program sends at the rate that a process of congestion control sets, and stats shows the rate" {
    need_perftest
    control 10486 # 1 %: 119 MiB/s on the wire, 110 of payload
    traffic 1     # until then it may be translated, while everything is sent
    wait "$client"
    traffic 2
    await seen '.flows >= 1 and .events.tx > 10 and .events.rtt > 1 and .list[0].gbps < 1.01 and .list[0].rtt_ns > 0'
    [ "$(dpadev stats --json mlx5_0 | jq .congestion_control.process)" = "$controller" ]
    dpadev stats mlx5_0 | grep -q '^CONGESTION CONTROL by process'
    echo >&9 # it prints what it has counted
    wait "$client"
    cat client
    [ "$(average)" -le 170 ] # with what was sent until the first rate came; test_rates is strict
    [ "$(average)" -ge 5 ]
    await grep -qE '^events: [1-9]' control
    grep -qE 'counter EVENTS = [1-9]' control
    exec 9>&-
    wait "$controller"
    grep -qx 'state 0' control
    dpadev stats --json mlx5_0 | jq -e '.congestion_control == null'
}

@test "a process that is killed lets go of the traffic" {
    need_perftest
    control 105 # 0.01 %: 1 MiB/s
    traffic 3
    await seen '.flows >= 1 and .list[0].rate == 105'
    kill -9 "$controller"
    wait "$client"
    cat client
    [ "$(average)" -ge 20 ]
    exec 9>&-
}

@test "a rate of 0 is replaced by the lowest rate, and reported once" {
    need_perftest
    control 0
    traffic 1
    await seen '.flows >= 1 and .list[0].rate == 1'
    exec 9>&-
    wait "$controller"
    wait "$client"
    cat client control
    [ "$(grep -c 'such rates count as the least' control)" -eq 1 ]
    grep -q 'event .* of thread .*, TX of flow 0 .*rate of 0' control
}

@test "an algorithm that faults ends its rates" {
    need_perftest
    control 105 2
    traffic 1
    wait "$client"
    cat client
    [ "$(average)" -ge 20 ]
    exec 9>&-
    wait "$controller"
    cat control
    grep -qx 'state 3' control
    dpadev stats --json mlx5_0 | jq -e '.congestion_control == null'
}

@test "queue pairs of libflexio and DOCA, which the DPA uses, are flows" {
    control 1048576
    "$BATS_FILE_TMPDIR/flexio" queue_pairs_send_write_read_and_add
    await seen '.events.tx > 1 and .programs == 0'
    exec 9>&-
    wait "$controller"
    rm in
    control 1048576
    "$BATS_FILE_TMPDIR/doca" one_sided_operations_reach_host_and_dpa_memory
    await seen '.events.tx > 1 and .programs == 0'
}
