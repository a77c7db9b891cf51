# DOCA DMA, and with it tasks and progress engines (tests/host/doca3_dma_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "copies append to the destination" {
    case_ok copies_append_to_the_destination
    reported 'a task failed: the data does not fit behind the data of the destination.*(DOCA_ERROR_INVALID_VALUE)'
}

@test "copies want maps of their device" {
    case_ok copies_want_maps_of_their_device
    # Two copies fail for the first reason, which is told once for their context.
    [ "$(grep -c 'its map is not on the device of the context (doca_mmap_add_dev) (DOCA_ERROR_NOT_PERMITTED)' <<<"$output")" -eq 1 ]
    reported 'a task failed: the source has no data (doca_buf_set_data)'
}

@test "copies reach memory of the DPA" {
    case_ok copies_reach_memory_of_the_dpa
}

@test "copies do what maps permit" {
    case_ok copies_do_what_maps_permit
    reported 'its map permits no local write (doca_mmap_set_permissions) (DOCA_ERROR_NOT_PERMITTED)' \
        'its map permits no read over PCIe' 'the source overlaps with where it goes'
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

@test "lists are as long as devices say" {
    case_ok lists_are_as_long_as_devices_say
}

@test "a copy that fails midway leaves lists as they were" {
    case_ok a_copy_that_fails_midway_leaves_lists_as_they_were
}

@test "a task that is larger than a card copies is taken, and fails with a reason" {
    case_ok a_larger_task_is_taken_and_fails
    [[ "$output" == *"at most 2097152"* ]]
    [[ "$output" == *"a task failed: a task copies more than the 2097152 bytes of the device (doca_dma_cap_task_memcpy_get_max_buf_size)"* ]]
}

@test "a device may copy more or less in one task" {
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device --dma-max-buf 4096 mlx5_0
    new_device mlx5_1
    dpadev show mlx5_0 | grep -q "Largest task of DMA: 4096 bytes"
    dpadev show --json mlx5_0 | jq -e '.dma_max_buf == 4096'
    case_ok a_larger_task_is_taken_and_fails
    [[ "$output" == *"at most 4096"* ]]
    run dpadev show mlx5_1
    [[ "$output" != *"Largest task"* ]]
    run new_device --dma-max-buf 4095 mlx5_2
    [ "$status" -ne 0 ]
    [[ "$output" == *"4095"* ]]
}

@test "of a card with two sides the DPU imports, and the host does not" {
    case_ok an_import_is_for_one_side
    [[ "$output" == *"able 1: DOCA_SUCCESS"* ]]
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device --pair bf0
    new_device --pair bf1
    case_ok an_import_is_for_one_side
    [[ "$output" == *"able 0: DOCA_ERROR_NOT_SUPPORTED"* ]]
    [[ "$output" == *"the host's side of a card imports no memory; the DPU's does (DPAKIT_SIDE=dpu)"* ]]
    DPAKIT_SIDE=dpu case_ok an_import_is_for_one_side
    [[ "$output" == *"able 1: DOCA_SUCCESS"* ]]
}

@test "copies need no alignment" {
    case_ok copies_need_no_alignment
}

@test "copies are for the cpu alone" {
    case_ok copies_are_for_the_cpu_alone
}

@test "memory of another process is copied as it permits" {
    case_ok memory_of_another_process_is_copied_as_it_permits
}

@test "tasks end when the owner dies" {
    case_ok tasks_end_when_the_owner_dies
    reported 'a task failed: copy of 2097152 bytes .* is of memory of a process that has ended, or exports it no more'
}

@test "memory whose file is cut ends tasks" {
    case_ok memory_whose_file_is_cut_ends_tasks
}

@test "damaged exports are refused" {
    case_ok damaged_exports_are_refused
}

@test "ten thousand tasks are in flight" {
    case_ok ten_thousand_tasks_are_in_flight
}

@test "every documented function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_dma.txt t=$BATS_TEST_TMPDIR
    sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_dma.so" | awk '$2 == "T" {print $3}' | sort | diff "$list" -
    { echo '#include <doca_dma.h>'; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
