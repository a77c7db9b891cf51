# FlexIO: memory is taken back while accesses to it are in flight: whoever takes it waits for them
# (tests/host/flexio_flight_cases.c, tests/host/queue_dev.c).

load ../host/setup

setup_file() {
    build_queues flexio_flight_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "destroying a key waits for queues" {
    case_ok destroying_a_key_waits_for_queues
}

@test "freeing memory waits for queues" {
    case_ok freeing_memory_waits_for_queues
}

@test "destroying a process waits for queues of others" {
    case_ok destroying_a_process_waits_for_queues_of_others
}

@test "destroying a queue pair waits for its requests" {
    case_ok destroying_a_queue_pair_waits_for_its_requests
}

@test "queues go while the device looks for them" {
    case_ok queues_go_while_the_device_looks_for_them
}

@test "freeing memory waits for copies" {
    case_ok freeing_memory_waits_for_copies
}

@test "a child of fork waits for no copies" {
    case_ok a_child_of_fork_waits_for_no_copies
}

@test "deregistering host memory waits for completions" {
    case_ok deregistering_host_memory_waits_for_completions
}

@test "deregistering host memory waits for requests that are read" {
    case_ok deregistering_host_memory_waits_for_requests_that_are_read
}
