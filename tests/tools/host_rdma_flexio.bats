# A queue pair of libflexio and a connection of DOCA RDMA (tests/host/rdma_flexio_cases.c).
# cases: rdma_flexio_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc "$here/queue_dev.c" -o "$t/queue.a" -mcpu=nv-dpa-bf3 -hostcc=gcc \
        --app-name=queue_app -I"$DPAKIT_BUILD/include" -I"$here"
    dpacc_sample "$here/doca3_dev.c" "$t" cases dpa_test_app
    link_sample "$t/cases" "$t/cases_program.a" "$here/rdma_flexio_cases.c" "$t/queue.a" \
        -L"$DPAKIT_BUILD/lib" -libverbs -lmlx5
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "they meet in one process" {
    case_ok they_meet_in_one_process
}

@test "they meet in two processes" {
    case_ok they_meet_in_two_processes
}

@test "DOCA is refused what its name for libflexio's memory has too much, in one process" {
    case_ok doca_may_not_reach_more_in_one_process
}

@test "DOCA is refused what its name for libflexio's memory has too much, in two processes" {
    case_ok doca_may_not_reach_more_in_two_processes
}
