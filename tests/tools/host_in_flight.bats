# Memory is taken back while accesses to it are in flight: whoever takes it waits for them
# (tests/host/doca3_flight_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "stopping a map waits for RDMA" {
    case_ok stopping_a_map_waits_for_rdma
}

@test "destroying a map waits for RDMA" {
    case_ok destroying_a_map_waits_for_rdma
}

@test "stopping a map of DPA memory waits for RDMA" {
    case_ok stopping_a_map_of_dpa_memory_waits_for_rdma
}

@test "freeing DPA memory waits for RDMA" {
    case_ok freeing_dpa_memory_waits_for_rdma
}

@test "destroying a context waits for RDMA to its memory" {
    case_ok destroying_a_context_waits_for_rdma_to_its_memory
}

@test "stopping a map waits for DMA, and no buffer does" {
    case_ok stopping_a_map_waits_for_dma_and_no_buffer_does
}

@test "lists are given back while others walk over them" {
    case_ok lists_are_given_back_while_others_walk_over_them
}

@test "maps stop while buffers are taken" {
    case_ok maps_stop_while_buffers_are_taken
}

@test "memory is taken back from a peer that writes" {
    case_ok memory_is_taken_back_from_a_peer_that_writes
}
