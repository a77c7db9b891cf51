# DOCA PCC of host programs (tests/host/pcc_cases.c), with tests/data/pcc/rp.c on the device.
# cases: pcc_cases.c
# host_pcc_wire.bats runs the case it_sets_rates.

load ../host/setup

setup_file() {
    build_pcc
    make_pcc_device "$BATS_FILE_TMPDIR/devices"
}

setup() {
    export CORE=$BATS_TEST_TMPDIR/core
}

@test "a program asks the device first whether it supports PCC" {
    cp -r "$DPAKIT_DEVICES" "$BATS_TEST_TMPDIR/devices"
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    mlxconfig-lite -y -d mlx5_0 set USER_PROGRAMMABLE_CC=0 >/dev/null
    dpadev reset mlx5_0 >/dev/null
    case_ok a_device_is_asked_first
    [ "$(grep -c 'mlxconfig-lite -d mlx5_0 set USER_PROGRAMMABLE_CC=1' <<<"$output")" -eq 1 ]
}

@test "a context starts, answers and stops" {
    case_ok it_starts_answers_and_stops
    grep -qx 'doca_pcc_dev_user_init: 0' <<<"$output"
    grep -qx 'slot 2: algorithm 1 "modes, for tests", id 0xbfff, version 3.4, enabled' <<<"$output"
    grep -qx '  parameter RATE = 1000' <<<"$output"
    grep -qx '  counter EVENTS = 0' <<<"$output"
}

@test "wrong arguments are refused" {
    case_ok what_is_wrong_is_refused
    [ "$(grep -c 'probes of IFA 2: no switch is between emulated ports' <<<"$output")" -eq 1 ]
}

@test "a fault leaves a core file" {
    case_ok a_fault_leaves_a_core_file
    grep -q 'doca_pcc_dev_user_mailbox_handle' "$CORE.txt"
    [ "$(head -c 4 "$CORE" | tail -c 3)" = ELF ]
}

@test "a program that may not run is refused" {
    mkdir "$BATS_TEST_TMPDIR/locked"
    make_locked_device "$BATS_TEST_TMPDIR/locked"
    mlxconfig-lite -y -d mlx5_0 set USER_PROGRAMMABLE_CC=1 >/dev/null
    dpadev reset mlx5_0 >/dev/null
    case_ok a_program_that_may_not_run_is_refused
    grep -q 'UNSIGNED' <<<"$output"
}

@test "traces go where the program says" {
    case_ok traces_go_where_the_program_says
    case_ok traces_go_to_a_function_or_a_file
}
