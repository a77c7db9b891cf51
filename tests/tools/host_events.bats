# Sync events of the host, and of several processes (tests/host/doca3_event_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "waits are for equal and unequal values" {
    case_ok waits_are_for_equal_and_unequal_values
}

@test "waits for equal values see the dpa" {
    case_ok waits_for_equal_values_see_the_dpa
}

@test "tasks read change and wait" {
    case_ok tasks_read_change_and_wait
}

@test "operands of tasks change" {
    case_ok operands_of_tasks_change
}

@test "a stop ends tasks that wait" {
    case_ok a_stop_ends_tasks_that_wait
}

@test "a handle is readable when a wait has ended" {
    case_ok a_handle_is_readable_when_a_wait_has_ended
}

@test "tasks that wait for a dpa end with it" {
    case_ok tasks_that_wait_for_a_dpa_end_with_it
}

@test "events are shared by processes" {
    case_ok events_are_shared_by_processes
}

@test "exports of nothing are refused" {
    case_ok exports_of_nothing_are_refused
}

@test "shared events are the host's" {
    case_ok shared_events_are_the_hosts
}
