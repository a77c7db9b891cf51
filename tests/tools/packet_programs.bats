# Packet programs in the style of other projects (tests/host/packets), at a veth pair: the test compares the bytes that come
# back.

source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/network.bash"

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host/packets common=$BATS_TEST_DIRNAME/../../examples/common name
    cd "$BATS_FILE_TMPDIR"
    for name in static records inline host shared; do
        dpacc "$here/${name}_dev.c" -o "$name.a" -hostcc=gcc --app-name=packets_app \
            -I"$DPAKIT_BUILD/include" --devicecc-options="-I$common -Werror"
        # shellcheck disable=SC2086
        gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/queues_main.c" "$common/packets.c" "$name.a" -o "$name" \
            -I"$DPAKIT_BUILD/include" -I"$common" -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5
    done
    DPAKIT_DEVICES=$PWD/devices new_device mlx5_0
}

setup() {
    need_network
    cd "$BATS_TEST_TMPDIR"
    cp -r "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib DPAKIT_WIRE_mlx5_0=veth:v0
    export peer=$DPAKIT_BUILD/obj/tests/helpers/frames_back count=100000
}

# All frames come back once, with the right bytes, without messages and errors.
sends_back() { # PROGRAM QUEUES [HOW]
    echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 || true
    touch out
    "$BATS_FILE_TMPDIR/$1" mlx5_0 "${@:2}" >out 2>err &
    local pid=$! failed=0
    until grep -q ready out || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
    "$peer" v1 "$count" 1500 64 || failed=1
    kill $pid
    wait $pid || :
    cat err
    [ "$failed" = 0 ]
    ! grep -e '^-[EW]-' err || return 1
    dpadev stats --json mlx5_0 >stats
    [ "$(jq -c '[.port.rx_packets, .port.tx_packets, .port.queue_errors]' stats)" = "[$count,$count,0]" ]
}

@test "WQEs that are written once send every frame back" {
    in_network sends_back static 1 static
}

@test "doorbell records of their own, and WQEs with the index of their place" {
    in_network sends_back records 1
}

@test "sixteen queues with inline headers and few completions" {
    in_network sends_back inline 16
}

@test "packets in host memory, with huge pages or without" {
    in_network sends_back host 1 host
    [ "$(awk '/^HugePages_Free/ {print $2}' /proc/meminfo)" -gt 0 ] || grep -q 'huge pages, so ordinary ones' <<<"$output"
}

@test "one thread for four receive queues, and WQEs of two packets" {
    in_network sends_back shared 1 shared
}
