# Frames that are longer than the receives of the packet examples: they are lost, and nothing else is.

load ../helpers/device

source "$BATS_TEST_DIRNAME/../helpers/capture.bash"
source "$BATS_TEST_DIRNAME/../helpers/packet_swap.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    build_packet_swap
    cp -r "$BATS_TEST_DIRNAME"/../../examples/{common,reflector,eth_text} .
    dpacc reflector/device/reflector_dev.c -o reflector_app.a -hostcc=gcc --app-name=reflector_app \
        -I"$DPAKIT_BUILD/include"
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} reflector/host/reflector.c common/packets.c -o reflect reflector_app.a \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} eth_text/eth_text.c -o text -I"$DPAKIT_BUILD/include/doca" -L"$DPAKIT_BUILD/lib" \
        -ldoca_eth -ldoca_flow -ldoca_common
    DPAKIT_DEVICES=$PWD/devices new_device mlx5_0
    {
        capture_begin
        capture_frame 60 first
        capture_frame 2049 'too long'
        capture_frame 9234 'much too long'
        capture_frame 2048 'long'
        capture_frame 100 last
    } >in.pcap
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp -r "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
    export DPAKIT_WIRE_mlx5_0=pcap:$BATS_FILE_TMPDIR/in.pcap,out.pcap
}

goes_on() { # PROGRAM ARGUMENT...
    "$BATS_FILE_TMPDIR/$1" mlx5_0 "${@:2}" >out 2>err || { cat out err; return 1; }
    cat out err
    [ "$(capture_sizes out.pcap | sort -n | tr '\n' ' ')" = '60 100 2048 ' ]
    [ "$(grep -c -e '^-W- RQ 0x.*: a frame of 2049 bytes is longer than its receive of 2048: it is dropped' err)" -eq 1 ]
    [ "$(grep -c -e '-W-' err)" -eq 1 ]
    dpadev stats --json mlx5_0 | tee stats
    [ "$(jq -c '[.port.rx_packets, .port.drops.too_long, .port.queue_errors]' stats)" = '[3,2,0]' ]
}

@test "packet_swap goes on after frames that are too long" {
    goes_on packet_swap 3
}

@test "reflector goes on after frames that are too long" {
    goes_on reflect 1 3
}

@test "eth_text goes on after frames that are too long" {
    "$BATS_FILE_TMPDIR/text" hear mlx5_0 2 >out 2>err || { cat out err; return 1; }
    cat err
    [ "$(sed 's/ *$//' out)" = $'first\nlast' ]
    [ "$(grep -c '^a frame was lost: ' err)" -eq 3 ]
}
