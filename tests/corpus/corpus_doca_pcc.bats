# DOCA's application of programmable congestion control, with all its device programs, for the card that there is;
# corpus_doca_dpa.bats builds a program for all cards.
setup_file() {
    local release source= sanitize=none # its build script asks Meson, and no environment
    load corpus.bash
    make_corpus
    [ -z "$corpus_reason" ] || return 0
    for release in "$DPAKIT_CORPUS"/doca-samples-*/; do
        [ ! -f "${release}applications/pcc/meson.build" ] || source=${release}applications
    done
    [ -n "$source" ] || return 0
    [[ ${TEST_HOST_CFLAGS-} != *-fsanitize=* ]] || sanitize=address,undefined
    in_opt meson setup "$BATS_FILE_TMPDIR/b" "$source" -Denable_all_applications=false \
        -Denable_pcc=true -Denable_pcc_application_tx_counter_sampling=true \
        -Ddpacc_mcpu=nv-dpa-bf3 -Db_sanitize=$sanitize -Db_lundef=false
    in_opt ninja -C "$BATS_FILE_TMPDIR/b"
}

setup() {
    load corpus.bash
    load ../helpers/await
    load ../helpers/rdma_traffic
    need_source applications/pcc
    program=$BATS_FILE_TMPDIR/b/pcc/doca_pcc
}

enable() {
    mlxconfig-lite -y -d mlx5_0 set USER_PROGRAMMABLE_CC=1 >/dev/null
    dpadev reset mlx5_0 >/dev/null
    give_units
}

teardown() {
    end_background
}

# start_pcc ARGUMENT...: until it waits, or has ended.
start_pcc() {
    out=$BATS_TEST_TMPDIR/out
    in_opt timeout --foreground --preserve-status -k 10 100 stdbuf -oL "$program" -d mlx5_0 -w 1 -l 50 \
        -f "$BATS_TEST_TMPDIR/core" "$@" >"$out" 2>&1 3>&- &
    pid=$!
    for _ in {1..900}; do
        ! grep -q 'Waiting on DOCA PCC' "$out" && kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
}

# Sends it SIGINT; $output, $status.
stop_pcc() {
    kill -INT "$(pgrep -P "$pid")" 2>/dev/null || true # timeout itself may ignore the signal
    status=0
    wait "$pid" || status=$?
    output=$(<"$out")
    echo "$output"
}

run_pcc() { # ARGUMENT...
    start_pcc "$@"
    stop_pcc
}

@test "pcc: a device runs programs of congestion control only after it was configured for them" {
    mlxconfig-lite -y -d mlx5_0 set USER_PROGRAMMABLE_CC=0 >/dev/null
    dpadev reset mlx5_0 >/dev/null
    run_pcc
    [ "$status" -eq 1 ]
    says 'does not support PCC RP role' \
        'mlxconfig-lite -d mlx5_0 set USER_PROGRAMMABLE_CC=1, then dpadev reset mlx5_0'
}

@test "pcc: reaction point, RTT template" {
    enable
    run_pcc
    [ "$status" -eq 0 ]
    says 'format 0 - user init: port num = 0x3, algo index = 0, algo slot = 0, algo enable = 0x1, disable event bitmask = 0x10' \
        'doca_pcc_dev_user_init, disable_event_bitmask=0x10' \
        'Info: PCC host status Active' 'Info: Finished waiting on DOCA PCC'
    [ ! -e "$BATS_TEST_TMPDIR/core" ]
}

@test "pcc: reaction point, RTT template, measures RDMA between programs and sets its rates" {
    need_perftest
    enable
    cd "$BATS_TEST_TMPDIR"
    start_pcc
    traffic 2
    await seen '.events.tx > 100 and .events.rtt > 50 and .changes > 50 and .list[0].rtt_ns > 0 and .list[0].rate < 1048576'
    wait "$client"
    cat client
    [ "$(average)" -gt 0 ]
    stop_pcc
    [ "$status" -eq 0 ]
    says 'Info: Finished waiting on DOCA PCC'
    [ ! -e "$BATS_TEST_TMPDIR/core" ]
}

@test "pcc: reaction point, switch telemetry" {
    enable
    run_pcc --rp-switch-telemetry
    [ "$status" -eq 0 ]
    says 'Set DOCA PCC RP Switch Telemetry application' 'Info: PCC host status Active'
}

@test "pcc: notification point, switch telemetry: the mailbox sets the hop limit" {
    run_pcc --np-switch-telemetry --hop-limit 17
    [ "$status" -eq 0 ]
    says 'Mailbox initiated hop limit = 17' 'Info: PCC host status Active'
}

# No host program of this release runs it, so it is compiled alone.
@test "pcc: notification point, NIC telemetry, compiles" {
    local common=${source%/pcc}/common/device device=$source/device
    cd "$BATS_TEST_TMPDIR"
    dpacc "$device/np/nic_telemetry/np_nic_telemetry_dev_main.c" -o nic.a -app-name=nic \
        -devicecc-options="-Wall -Wextra -Werror -I$DPAKIT_BUILD/include/doca -I$device -I$common" \
        -device-libs=-ldoca_pcc_np_dev
}
