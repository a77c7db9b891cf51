# Samples of DOCA DPA, and of DOCA Verbs, on the CPU and on the DPA. Pairs meet at port 5000, so each has a network of its
# own.
setup_file() {
    load corpus.bash
    make_corpus
    make_samples doca_dpa/dpa_{{basic_,verbs_,}initiator_target,ping_pong,nvqual} \
        doca_verbs/verbs_{server_client,wait_cq_wr,receive_packets_on_dpa,send_ethernet_frames_on_dpa}
}
setup() {
    load corpus.bash
}

@test "dpa_kernel_launch" {
    build_sample doca_dpa/dpa_kernel_launch # by its own meson.build, as the README says, for all cards
    run_sample --pf-device mlx5_0
}

@test "dpa_basic_initiator_target" {
    use_sample doca_dpa/dpa_basic_initiator_target
    run_sample --pf-device mlx5_0
}

@test "dpa_initiator_target" {
    use_sample doca_dpa/dpa_initiator_target
    # It sends the same word again and again, changed meanwhile, and does not ask whether it was received: a
    # receiver that is translated first is too late.
    [ "${DPAKIT_JIT:-}" != sync ] || export DPAKIT_JIT=on
    run_sample --pf-device mlx5_0
    for value in 1 2 3 4; do says "Value of DPA received buffer is $value"; done
}

@test "dpa_ping_pong" {
    use_sample doca_dpa/dpa_ping_pong
    run_sample --pf-device mlx5_0
}

# It gives each unit the work of minutes on a card, and the host carries all units out by turns: so few
# of them, a hundredth of the work, and two seconds.
@test "dpa_nvqual on five units ends in the time that it was given" {
    use_sample doca_dpa/dpa_nvqual
    export DPAKIT_EUS=5
    run_sample --pf-device mlx5_0 --test-duration-sec 2 --user-factor 0.01
    says 'DPA run has completed.' '"total_harts": 5,' '"used_harts": [1,2,3,4],' '"unused_harts": [],'
}

# both_run "SERVER ARGUMENTS" "CLIENT ARGUMENTS": runs $program as either, whose output goes to $output and server.log.
both_run() {
    unshare -rn ip link set lo up || skip 'no network namespaces for this user'
    export program BATS_TEST_DIRNAME BATS_FILE_TMPDIR BATS_TEST_TMPDIR
    run timeout 100 unshare -rn bash -c "$(declare -f in_opt)
        ip link set lo up
        log=\$BATS_TEST_TMPDIR/server.log
        : >\$log # that of the server before says the same
        in_opt stdbuf -oL \$program $1 >\$log 2>&1 &
        until grep -q 'Server is listening' \$log; do kill -0 \$! || exit 1; sleep 0.1; done
        in_opt \$program $2 || { kill \$!; exit 1; }
        wait \$!" both_run
    echo "$output"
    cat "$BATS_TEST_TMPDIR/server.log"
    [ "$status" -eq 0 ]
    output+=$(<"$BATS_TEST_TMPDIR/server.log")
    [ "$(grep -c 'Sample finished successfully' <<<"$output")" -ge 1 ]
}

@test "verbs_server_client sends, writes and reads" {
    use_sample doca_verbs/verbs_server_client
    for operation in send write read; do
        both_run "-d mlx5_0 -gid 0 -ro $operation -n 20 -b" "-d mlx5_0 -gid 0 -ro $operation -n 20 -b -c 127.0.0.1"
        [ $operation = read ] || says 'Received a valid message #20 from client'
    done
}

@test "verbs_wait_cq_wr" {
    use_sample doca_verbs/verbs_wait_cq_wr
    run_sample -d mlx5_0 --gid-index 0
    says 'Wait WR completed:' 'Data in buffer3 is identical to the data in buffer1'
}

@test "dpa_verbs_initiator_target" {
    use_sample doca_dpa/dpa_verbs_initiator_target
    both_run '-d mlx5_0 -gid 0' '-d mlx5_0 -gid 0 -i 127.0.0.1'
    says 'Initiator: Local buffer value after sample is 0xf'
}

# Of DOCA 3.3. The receiver does not say when its pipe is there, so frames are sent until it has its 32.
@test "verbs_send_ethernet_frames_on_dpa, to verbs_receive_packets_on_dpa" {
    use_sample doca_verbs/verbs_receive_packets_on_dpa
    [ -e "$DPAKIT_DEVICES/mlx5_1" ] || new_device mlx5_1 >/dev/null
    dpadev wire mlx5_0 dev:mlx5_1
    local receiver log=$BATS_TEST_TMPDIR/receiver.log
    in_opt timeout 100 stdbuf -oL "$program" -d mlx5_1 >"$log" 2>&1 3>&- &
    receiver=$!
    use_sample doca_verbs/verbs_send_ethernet_frames_on_dpa
    while kill -0 "$receiver" 2>/dev/null; do
        run_sample -d mlx5_0
        says 'Received completion for packet 31 with: wqe counter'
    done
    wait "$receiver"
    output=$(cat "$log")
    says 'Received completion for packet 31 with: wqe counter' 'Sample finished successfully'
}
