# Samples of DOCA Verbs, on the CPU and on the DPA. Pairs meet at port 5000, so each test has a network of its own.
setup_file() {
    load corpus.bash
    make_corpus
    [ -z "$corpus_reason" ] || return 0
    unshare -rn ip link set lo up || export corpus_reason='no network namespaces for this user'
}
setup() {
    load corpus.bash
}

# both_run "SERVER ARGUMENTS" "CLIENT ARGUMENTS": runs $program as either, whose output goes to $output and server.log.
both_run() {
    export program BATS_TEST_DIRNAME BATS_FILE_TMPDIR BATS_TEST_TMPDIR
    run timeout 100 unshare -rn bash -c "$(declare -f in_opt)
        ip link set lo up
        log=\$BATS_TEST_TMPDIR/server.log
        : >\$log # that of the server before says the same
        in_opt stdbuf -oL \$program $1 >\$log 2>&1 &
        until grep -q 'Server is listening' \$log; do kill -0 \$! || exit 1; sleep 0.01; done
        in_opt \$program $2 || { kill \$!; exit 1; }
        wait \$!" both_run
    echo "$output"
    cat "$BATS_TEST_TMPDIR/server.log"
    [ "$status" -eq 0 ]
    output+=$(<"$BATS_TEST_TMPDIR/server.log")
    [ "$(grep -c 'Sample finished successfully' <<<"$output")" -ge 1 ]
}

@test "verbs_server_client sends, writes and reads" {
    build_sample doca_verbs/verbs_server_client
    for operation in send write read; do
        both_run "-d mlx5_0 -gid 0 -ro $operation -n 20 -b" "-d mlx5_0 -gid 0 -ro $operation -n 20 -b -c 127.0.0.1"
        [ $operation = read ] || says 'Received a valid message #20 from client'
    done
}

@test "verbs_wait_cq_wr" {
    build_sample doca_verbs/verbs_wait_cq_wr
    run_sample -d mlx5_0 --gid-index 0
    says 'Wait WR completed:' 'Data in buffer3 is identical to the data in buffer1'
}

@test "dpa_verbs_initiator_target" {
    build_sample doca_dpa/dpa_verbs_initiator_target
    both_run '-d mlx5_0 -gid 0' '-d mlx5_0 -gid 0 -i 127.0.0.1'
    says 'Initiator: Local buffer value after sample is 0xf'
}

# Of DOCA 3.3. The receiver does not say when its pipe is there, so frames are sent until it has its 32.
@test "verbs_send_ethernet_frames_on_dpa, to verbs_receive_packets_on_dpa" {
    build_sample doca_verbs/verbs_receive_packets_on_dpa
    [ -e "$DPAKIT_DEVICES/mlx5_1" ] || new_device mlx5_1 >/dev/null
    dpadev wire mlx5_0 dev:mlx5_1
    local receiver log=$BATS_TEST_TMPDIR/receiver.log
    in_opt timeout 100 stdbuf -oL "$program" -d mlx5_1 >"$log" 2>&1 3>&- &
    receiver=$!
    build_sample doca_verbs/verbs_send_ethernet_frames_on_dpa
    while kill -0 "$receiver" 2>/dev/null; do
        run_sample -d mlx5_0
        says 'Received completion for packet 31 with: wqe counter'
    done
    wait "$receiver"
    output=$(cat "$log")
    says 'Received completion for packet 31 with: wqe counter' 'Sample finished successfully'
}
