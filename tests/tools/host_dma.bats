# DOCA DMA, and with it tasks and progress engines (tests/host/doca3_dma_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "copies append to the destination" {
    case_ok copies_append_to_the_destination
}

@test "copies want maps of their device" {
    case_ok copies_want_maps_of_their_device
}

@test "copies reach memory of the DPA" {
    case_ok copies_reach_memory_of_the_dpa
}

@test "copies do what maps permit" {
    case_ok copies_do_what_maps_permit
}

@test "a map that is started again is another one to others" {
    case_ok a_map_that_is_started_again_is_another_one_to_others
}

@test "tasks end before their context" {
    case_ok tasks_end_before_their_context
}

@test "a context that is started again takes a task again and again" {
    case_ok a_context_that_is_started_again_takes_a_task_again_and_again
}

@test "lists are chained and split" {
    case_ok lists_are_chained_and_split
}
