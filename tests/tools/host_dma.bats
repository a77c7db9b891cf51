# DOCA DMA, and with it tasks and progress engines (tests/host/doca3_dma_cases.c).
# cases: doca3_dma_cases.c doca3_export_cases.c

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "copies append to the destination" {
    case_ok copies_append_to_the_destination
    reported 'a task failed: the data does not fit after the data of the destination.*(DOCA_ERROR_INVALID_VALUE)'
}

@test "copies want maps of their device" {
    case_ok copies_want_maps_of_their_device
    # Two copies fail for the first reason, which is reported once for their context.
    [ "$(grep -c 'its map is not on the device of the context (doca_mmap_add_dev) (DOCA_ERROR_NOT_PERMITTED)' <<<"$output")" -eq 1 ]
    reported 'a task failed: the source has no data (doca_buf_set_data)'
}

@test "copies do what maps permit" {
    case_ok copies_do_what_maps_permit
    reported 'its map permits no local write (doca_mmap_set_permissions) (DOCA_ERROR_NOT_PERMITTED)' \
        'its map permits no read over PCIe' 'the source overlaps with where it goes'
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

@test "tasks end when the owner dies" {
    case_ok tasks_end_when_the_owner_dies
    reported 'a task failed: copy of 2097152 bytes .* is of memory of a process that has ended, or exports it no more'
}

@test "every documented function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_dma.txt t=$BATS_TEST_TMPDIR
    sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_dma.so" | awk '$2 == "T" {print $3}' | sort | diff "$list" -
    { echo '#include <doca_dma.h>'; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
