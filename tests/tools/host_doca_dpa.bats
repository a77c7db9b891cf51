# DOCA 3.x: memory of DPA code, RDMA with buffers, and RDMA as earlier releases post it
# (tests/host/doca3_memory_cases.c, doca3_before_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "the version is that of the interface" {
    case_ok the_version_is_that_of_the_interface
}

@test "dpa memory is on the devices of its context" {
    case_ok dpa_memory_is_on_the_devices_of_its_context
}

@test "buffers go to the dpa and back" {
    case_ok buffers_go_to_the_dpa_and_back
}

@test "tables give values by keys" {
    case_ok tables_give_values_by_keys
}

@test "what was set is told" {
    cd "$BATS_TEST_TMPDIR"
    case_ok what_was_set_is_told
}

@test "a new map may be written locally" {
    case_ok a_new_map_may_be_written_locally
}

@test "buffers of an array lie one behind the other" {
    case_ok buffers_of_an_array_lie_one_behind_the_other
}

@test "arrays are of memory that the map has" {
    case_ok arrays_are_of_memory_that_the_map_has
}

@test "buffers end with their map" {
    case_ok buffers_end_with_their_map
}

@test "a thread reaches memory of the device that it set" {
    case_ok a_thread_reaches_memory_of_the_device_that_it_set
}

@test "posted copies complete in order" {
    case_ok posted_copies_complete_in_order
}

@test "copies without flags fill no queue" {
    case_ok copies_without_flags_fill_no_queue
}

@test "copies belong to one context" {
    case_ok copies_belong_to_one_context
}

@test "posted waits complete in their turn" {
    case_ok posted_waits_complete_in_their_turn
}

@test "a wait goes with its context" {
    case_ok a_wait_goes_with_its_context
}

@test "rdma is posted without a connection" {
    case_ok rdma_is_posted_without_a_connection
}

@test "signals go without a connection" {
    case_ok signals_go_without_a_connection
}

@test "rdma is posted with buffers" {
    case_ok rdma_is_posted_with_buffers
}

@test "rdma is posted with buffers and no connection" {
    case_ok rdma_is_posted_with_buffers_and_no_connection
}

@test "one connection needs no name" {
    case_ok one_connection_needs_no_name
}

@test "threads of a group know their ranks" {
    case_ok threads_of_a_group_know_their_ranks
}
