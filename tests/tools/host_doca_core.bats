# DOCA 3.x: what programs call of libdoca_common beside the samples' functions
# (tests/host/doca3_core_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a pool gives each piece once" {
    case_ok a_pool_gives_each_piece_once
}

@test "pieces of a pool are aligned" {
    case_ok pieces_of_a_pool_are_aligned
}

@test "a pool needs room in its map" {
    case_ok a_pool_needs_room_in_its_map
}

@test "a buffer is described again" {
    case_ok a_buffer_is_described_again
}

@test "an inventory grows" {
    case_ok an_inventory_grows
}

@test "a map frees its memory" {
    case_ok a_map_frees_its_memory
}

@test "maps tell what they are" {
    case_ok maps_tell_what_they_are
}

@test "buffers of thread safe maps are no uses" {
    case_ok buffers_of_thread_safe_maps_are_no_uses
}

@test "devices answer every question" {
    case_ok devices_answer_every_question
}

@test "representors are listed as their capabilities say" {
    case_ok representors_are_listed_as_their_capabilities_say
}

@test "events have no gpu" {
    case_ok events_have_no_gpu
}

@test "lines above the upper limits are not shown" {
    case_ok lines_above_the_upper_limits_are_not_shown
}
