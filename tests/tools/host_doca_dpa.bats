# DOCA 3.x: memory of DPA code, RDMA with buffers, and RDMA as earlier releases post it
# (tests/host/doca3_memory_cases.c, doca3_before_cases.c).
# cases: doca3_before_cases.c doca3_memory_cases.c

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "queries return the values that were set" {
    cd "$BATS_TEST_TMPDIR"
    case_ok what_was_set_is_told
}

@test "arrays consist of memory of the map" {
    case_ok arrays_are_of_memory_that_the_map_has
    reported 'doca_buf_arr_create: 0 elements are not within 1 to 16777216 (DOCA_ERROR_INVALID_VALUE)' \
        'doca_buf_arr_set_params: the elements have 0 bytes' \
        'doca_buf_arr_set_params: the array is started, and must not be (DOCA_ERROR_BAD_STATE)' \
        'doca_buf_arr_set_target_dpa: the array is started' \
        'doca_buf_arr_start: the array is started, and must not be' \
        'doca_buf_arr_start: 8 elements of 8 bytes from offset 1 do not fit the 64 bytes of the map' \
        'doca_buf_arr_start: the map was destroyed, or is not started (DOCA_ERROR_BAD_STATE)' \
        'doca_buf_arr_stop: the array is not started, or was destroyed' \
        'doca_buf_arr_get_dpa_handle: the array is not started, or its DPA context was stopped'
}

@test "threads of a group know their ranks" {
    case_ok threads_of_a_group_know_their_ranks
}
