# Progress engines, tasks (tests/host/doca3_engine_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a handle is readable when there is work" {
    case_ok a_handle_is_readable_when_there_is_work
}

@test "tasks that are tried are checked" {
    case_ok tasks_that_are_tried_are_checked
}

@test "a task is used again with other buffers" {
    case_ok a_task_is_used_again_with_other_buffers
}

@test "a failure stops the context" {
    case_ok a_failure_stops_the_context
}
