# DOCA 3.x: memory of DPA code, RDMA with buffers, and RDMA as earlier releases post it
# (tests/host/doca3_memory_cases.c, doca3_before_cases.c).
# cases: doca3_before_cases.c doca3_memory_cases.c

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "what was set is told" {
    cd "$BATS_TEST_TMPDIR"
    case_ok what_was_set_is_told
}

@test "threads of a group know their ranks" {
    case_ok threads_of_a_group_know_their_ranks
}
