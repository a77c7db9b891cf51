# Ethernet queues of DOCA Verbs on the DPA (tests/host/verbs_eth_*.c).
# cases: verbs_eth_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    make_devices "$t/devices"
    dpadev wire mlx5_0 loop
    dpacc_sample "$here/verbs_eth_dev.c" "$t" cases verbs_eth_app
    link_sample "$t/cases" "$t/cases_program.a" "$here/verbs_eth_cases.c"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

@test "wrong posts to Ethernet queues of the DPA fault" {
    case_ok a_write_faults
    reported 'Verbs: an Ethernet queue only sends'
    case_ok a_send_on_a_receive_queue_faults
    reported 'Verbs: not an Ethernet send queue of this process'
    case_ok a_receive_on_a_send_queue_faults
    reported 'Verbs: not an Ethernet receive queue of this process'
}

@test "queues that are not for DPA code are refused with the reason" {
    case_ok what_does_not_fit_is_refused
    grep -q 'emulated for DPA code only' <<<"$output"
    grep -q 'another receive queue of the device has queue_id' <<<"$output"
}
