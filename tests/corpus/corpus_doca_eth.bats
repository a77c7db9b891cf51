# Samples of DOCA Ethernet: frames go through a cable from one device, mlx5_0, to the other, mlx5_1.
setup_file() {
    load corpus.bash
    make_corpus
    [ -z "$corpus_reason" ] || return 0
    make_samples doca_eth/eth_{rxq_{regular_receive,{batch_,}managed_mempool_receive},txq_{,batch_,lso_}send_ethernet_frames}
    new_device mlx5_1 >/dev/null
    dpadev wire mlx5_0 dev:mlx5_1
}
setup() {
    load corpus.bash
}
teardown() {
    [ -z "${receiver-}" ] || kill "$receiver" 2>/dev/null || true
}

# listen SAMPLE ARGUMENT...: runs one in the background, whose output goes to $log, until it has its pipe.
listen() {
    use_sample "doca_eth/$1"
    shift
    log=$BATS_TEST_TMPDIR/receiver.log
    in_opt sh -c 'echo $$ >"$0"; exec stdbuf -oL "$@"' "$BATS_TEST_TMPDIR/pid" "$program" -d mlx5_1 "$@" \
        >"$log" 2>&1 3>&- &
    until [ -s "$BATS_TEST_TMPDIR/pid" ]; do sleep 0.1; done
    receiver=$(cat "$BATS_TEST_TMPDIR/pid")
    until grep -q 'Created Pipe ROOT_PIPE' "$log" || ! kill -0 "$receiver"; do sleep 0.1; done
}

# What a receiver that continues for half a minute has to say at last; it is ended then.
await_line() { # TEXT
    until grep -qF "$1" "$log" || ! kill -0 "$receiver"; do sleep 0.1; done
    kill "$receiver"
    while kill -0 "$receiver" 2>/dev/null; do sleep 0.1; done
}

send() { # SAMPLE
    use_sample "doca_eth/$1"
    run_sample -d mlx5_0 -m 02:00:00:00:00:01
}

@test "eth_txq_send_ethernet_frames, to eth_rxq_regular_receive" {
    listen eth_rxq_regular_receive --timestamp
    send eth_txq_send_ethernet_frames
    says 'Sent a regular packet of size 1500 successfully'
    wait
    output=$(cat "$log")
    says 'Received a packet with metadata 1234' 'Received a packet of size 1500 successfully' \
        'Received a packet with timestamp' 'Sample finished successfully'
}

@test "eth_txq_batch_send_ethernet_frames, to eth_rxq_batch_managed_mempool_receive" {
    listen eth_rxq_batch_managed_mempool_receive --timestamp
    send eth_txq_batch_send_ethernet_frames
    says 'Packet#31 associated with user data 31: packet with size 1500 was sent successfully'
    await_line 'Packet#31: timestamp associated with the packet'
    output=$(cat "$log")
    says 'Received 32 packets successfully' 'Packet#31: received a packet with data size 1500 successfully' \
        'Packet#0: metadata associated with the packet is 1234'
}

@test "eth_txq_lso_send_ethernet_frames, to eth_rxq_managed_mempool_receive" {
    listen eth_rxq_managed_mempool_receive --headroom 32 --tailroom 64
    send eth_txq_lso_send_ethernet_frames
    says 'Sent an LSO packet of payload size 4000 successfully'
    await_line 'Received a packet with data size 1014 successfully'
    output=$(cat "$log")
    [ "$(grep -c 'Received a packet with data size 1514 successfully' <<<"$output")" -eq 2 ]
    says 'Received a packet with headroom size 32, requested 32' 'Received a packet with metadata 1234'
}

@test "eth_txq_batch_lso_send_ethernet_frames" {
    build_sample doca_eth/eth_txq_batch_lso_send_ethernet_frames # by its own meson.build, as the README says
    run_sample -d mlx5_0 -m 02:00:00:00:00:01
    says 'Packet#31 associated with user data 31: packet with payload size'
}
