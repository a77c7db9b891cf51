# Host programs on two emulated devices that a cable joins: a program sends frames, examples/packet_swap on the
# other device sends them back with swapped addresses.

load ../host/setup
source "$BATS_TEST_DIRNAME/../helpers/packet_swap.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() {
    build_queues flexio_queue_cases.c
    cd "$BATS_FILE_TMPDIR"
    build_packet_swap
    make_devices "$PWD/made"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp -r "$BATS_FILE_TMPDIR/made" devices
    export DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
    cases=$BATS_FILE_TMPDIR/cases swap=$BATS_FILE_TMPDIR/packet_swap
}

# Sends frames from mlx5_0 until some have come back; frames that arrived before the other program made its rules are lost.
come_back() {
    local i
    [ "${1:-}" ] || await test -S devices/mlx5_1/port.socket
    sleep 0.3
    for i in $(seq 20); do
        timeout 5 "$cases" "${1:-a_polled_frame_comes_back}" && return
    done
    return 1
}

counter() { dpadev stats --json "$1" | jq "$2"; }

@test "frames cross a cable between two programs, and are counted at both ends" {
    dpadev wire mlx5_0 dev:mlx5_1
    "$swap" mlx5_1 1000000 >log 2>&1 3>&- &
    come_back
    kill $!
    wait $! || :
    ! grep -e '^-[EW]-' log || false
    # The program was killed: the sums lack its last counts.
    [ "$(counter mlx5_0 '.port.tx_packets_phy + .port.drops.no_peer == .port.tx_packets and .port.rx_packets == .port.rx_packets_phy and
        .port.rx_packets > 0')" = true ] || { dpadev stats --json mlx5_0; false; }
    [ "$(counter mlx5_1 '.port.tx_packets_phy > 0 and .port.rx_packets_phy > 0')" = true ]
}

@test "a program continues when the program at the other end is killed and started again" {
    dpadev wire mlx5_1 dev:mlx5_0
    "$swap" mlx5_1 1000000 >log 2>&1 3>&- &
    for i in 1 2 3; do
        come_back
        timeout -s KILL 0.3 "$cases" each_frame_is_one_activation || :
    done
    kill $!
    wait $! || :
    ! grep -e '^-[EW]-' log || false
}

@test "a second program on a device reports that the cable is in use, and works" {
    dpadev wire mlx5_0 dev:mlx5_1
    "$swap" mlx5_1 1000000 >log 2>&1 3>&- &
    come_back
    "$swap" mlx5_1 1 >second 2>&1 3>&- &
    await grep -q -e '^-W-.* wire dev:mlx5_0: another program has plugged it in' second
    come_back
    kill %1 %2
    wait || :
    [ "$(grep -c -e '^-W-' second)" -eq 1 ]
}

@test "an impossible wire is refused when the first queue is made" {
    DPAKIT_WIRE_mlx5_0=dev:mlx5_0 run "$cases" a_polled_frame_comes_back
    [ "$status" -ne 0 ]
    grep -q 'DPAKIT_WIRE_mlx5_0: .*a device has no cable to itself: use loop' <<<"$output"
}

@test "programs on a switch find each other by their addresses" {
    for d in 0 1; do dpadev wire mlx5_$d switch:lab; done
    dpadev switch lab >lab 2>&1 3>&- &
    await grep -q runs lab
    "$swap" mlx5_1 1000000 >log 2>&1 3>&- &
    await grep -q 'mlx5_1 is plugged in' lab
    come_back a_frame_with_addresses_comes_back
    kill %2 %1
    wait %2 || :
    wait %1
    grep -q 'mlx5_0 is unplugged' lab
    [ "$(counter switch:lab '.port.rx_packets_phy + .port.copies ==
        .port.tx_packets_phy + ([.port.drops[]] | add) and .port.rx_packets_phy > 0')" = true ]
}
