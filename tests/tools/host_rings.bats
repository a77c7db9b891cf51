# libflexio's queues in host memory (tests/host/flexio_ring_cases.c, tests/host/queue_dev.c).

load ../host/setup

setup_file() {
    build_queues flexio_ring_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "frames go through rings in host memory" {
    case_ok frames_go_through_rings_in_host_memory
}

@test "rings that go end their queues with errors" {
    case_ok rings_that_go_end_their_queues_with_errors
}

@test "queue pairs lie in host memory" {
    case_ok queue_pairs_lie_in_host_memory
}

@test "receives posted by hand wake their senders" {
    case_ok receives_posted_by_hand_wake_their_senders
}

@test "shared receives lie in host memory" {
    case_ok shared_receives_lie_in_host_memory
}

@test "completions go to host memory" {
    case_ok completions_go_to_host_memory
}

@test "rings that do not fit are refused" {
    case_ok rings_that_do_not_fit_are_refused
}

@test "memory of the process has a number" {
    case_ok memory_of_the_process_has_a_number
}
