# Samples of DOCA comch, and the application that uses it: a program on each side of a card.
setup_file() {
    load corpus.bash
    make_corpus
    make_samples doca_comch/comch_ctrl_path_server:dpu doca_comch/comch_data_path_high_speed_{client,server:dpu} \
        doca_common/sync_event_{local_pci,remote_pci:dpu}
}
setup() {
    load corpus.bash
}
teardown() {
    [ ! -f "$BATS_TEST_TMPDIR/server.log" ] || cat "$BATS_TEST_TMPDIR/server.log"
}

# The server's program: in the background, until its file exists.
start_server() { # PROGRAM ARGUMENT...
    DPAKIT_SIDE=dpu in_opt timeout 60 "$@" >"$BATS_TEST_TMPDIR/server.log" 2>&1 3>&- &
    server=$!
    until compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*" >/dev/null; do
        kill -0 $server || { cat "$BATS_TEST_TMPDIR/server.log"; return 1; }
        sleep 0.1
    done
}

server_says() { # LINE...
    wait $server
    output=$(<"$BATS_TEST_TMPDIR/server.log")
    echo "$output"
    says "$@"
    ! compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*"
}

@test "messages: comch_ctrl_path_client and comch_ctrl_path_server" {
    use_sample doca_comch/comch_ctrl_path_server
    server_program=$program
    build_sample doca_comch/comch_ctrl_path_client # by its own meson.build, as the README says
    start_server "$server_program" -p 03:00.0 -r 03:00.0 -t 'from the DPU'
    run_sample -p 03:00.0 -t 'from the host'
    says "Message received: 'from the DPU'"
    server_says "Message received: 'from the host'" 'Sample finished successfully'
    # With no server.
    run in_opt timeout 60 "$program" -p 03:00.0 -t 'from the host'
    echo "$output"
    [ "$status" -ne 0 ]
    says 'there is no server'
}

@test "producers and consumers: comch_data_path_high_speed_client and comch_data_path_high_speed_server" {
    use_sample doca_comch/comch_data_path_high_speed_server
    server_program=$program
    use_sample doca_comch/comch_data_path_high_speed_client
    start_server "$server_program" -p 03:00.0 -r 03:00.0 -t 'fast from the DPU'
    run_sample -p 03:00.0 -t 'fast from the host'
    says "Message received: 'fast from the DPU'"
    server_says "Message received: 'fast from the host'" 'Sample finished successfully'
}

# The event is the host's; the DPU gets its export over a channel.
@test "events: sync_event_local_pci and sync_event_remote_pci" {
    use_sample doca_common/sync_event_remote_pci
    server_program=$program
    use_sample doca_common/sync_event_local_pci
    for options in '' '--async --async-num-tasks 4 --atomic'; do
        # shellcheck disable=SC2086  # a list of options
        start_server "$server_program" -d 03:00.0 -r 03:00.0 $options
        # shellcheck disable=SC2086
        run_sample -d 03:00.0 $options
        server_says 'Sample finished successfully'
    done
}

# The application asks whether the file shall be read or written by whether it is there.
@test "dma_copy, in both directions" {
    local t=$BATS_TEST_TMPDIR sanitize=none from to
    need_source applications
    [[ ${TEST_HOST_CFLAGS-} != *-fsanitize=* ]] || sanitize=address,undefined
    in_opt meson setup "$t/b" "$source" -Denable_all_applications=false -Denable_dma_copy=true \
        -Db_sanitize=$sanitize -Db_lundef=false
    in_opt ninja -C "$t/b"
    client=$t/client
    mv "$t/b/dma_copy/doca_dma_copy" "$client"
    in_opt meson configure -Dc_args="-DDOCA_ARCH_DPU $CFLAGS" "$t/b"
    in_opt ninja -C "$t/b"
    server_program=$t/b/dma_copy/doca_dma_copy
    head -c 2000000 /dev/urandom >"$t/data"
    for from in host dpu; do
        to=$([ $from = host ] && echo dpu || echo host)
        rm -f "$t/of_host" "$t/of_dpu"
        cp "$t/data" "$t/of_$from"
        start_server "$server_program" -p 03:00.0 -r 03:00.0 -f "$t/of_dpu"
        run in_opt timeout 60 "$client" -p 03:00.0 -f "$t/of_host"
        echo "$output"
        [ "$status" -eq 0 ]
        wait $server
        cat "$t/server.log"
        cmp "$t/data" "$t/of_$to"
    done
}
