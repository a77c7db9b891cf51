# DOCA Device Emulation: emulated PCI functions on the DPU's side, and by VFIO on the host's
# (tests/host/devemu_cases.c), doorbells and interrupts (devemu_bell_cases.c), memory of the host (devemu_dma_cases.c);
# descriptors as programs use them (devemu_vfio_cases.c); lives of objects (devemu_life_cases.c).
# cases: devemu_life_cases.c:life_cases

load ../host/setup
load ../helpers/cut
load ../helpers/forks

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc_sample "$here/devemu_dev.c" "$t" cases devemu_app
    link_sample "$t/cases" "$t/cases_program.a" "$here/devemu_cases.c" -ldoca_devemu
    link_sample "$t/bell_cases" "$t/cases_program.a" "$here/devemu_bell_cases.c" -ldoca_devemu
    link_sample "$t/dma_cases" "$t/cases_program.a" "$here/devemu_dma_cases.c" -ldoca_devemu
    link_sample "$t/vfio_cases" "$t/cases_program.a" "$here/devemu_vfio_cases.c" -ldoca_devemu
    link_sample "$t/life_cases" "$t/cases_program.a" "$here/devemu_life_cases.c" -ldoca_devemu
    export DPAKIT_DEVICES=$t/devices
    new_device mlx5_0 --pair >/dev/null
    new_device mlx5_1 --pair >/dev/null
}

# Each has a card of its own. The library comes before the program alone.
setup() {
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices DPAKIT_SIDE=dpu
    cp -a "$BATS_FILE_TMPDIR/devices" "$DPAKIT_DEVICES"
}

with_vfio() { # PROGRAM CASE
    run env LD_PRELOAD="$(sanitizer_library) $DPAKIT_BUILD/lib/libdpakit-vfio.so" "$BATS_FILE_TMPDIR/$1" "$2"
    echo "$output"
    [ "$status" -eq 0 ]
}

devemu_ok() { # CASE
    with_vfio cases "$1"
}

@test "types are checked" {
    devemu_ok types_are_checked
    reported 'doca_devemu_pci_type_create: the name of the type does not have 1 to 31 bytes (DOCA_ERROR_INVALID_VALUE)' \
        'doca_devemu_pci_type_set_bar_db_region_by_data_conf: a doorbell of 2^2 bytes (2^6 at most) has no bytes 0 to 4' \
        'doca_devemu_pci_type_set_device_id: the type is started, and must not be (DOCA_ERROR_BAD_STATE)'
}

@test "types report their properties" {
    devemu_ok types_tell_of_themselves
    reported 'doca_devemu_pci_type_set_io_bar_conf: BAR 1 of 2^8 ports: emulated functions have memory alone (DOCA_ERROR_NOT_SUPPORTED)' \
        'doca_devemu_pci_type_set_num_db: 1025 is not within 0 to 1024 (DOCA_ERROR_INVALID_VALUE)'
}

@test "types have default registers" {
    devemu_ok types_have_default_registers
    reported 'doca_devemu_pci_type_modify_bar_stateful_region_default_values: 8 bytes are fewer than the 256 of the region'
}

@test "virtio-fs devices are checked" {
    devemu_ok virtio_fs_devices_are_checked
    reported 'doca_devemu_vfs_teardown: doca_devemu_vfs_init has not succeeded (DOCA_ERROR_BAD_STATE)' \
        'doca_devemu_pci_type_destroy: the type is a default type of its device, which the library keeps (DOCA_ERROR_NOT_PERMITTED)' \
        'doca_devemu_virtio_dev_set_queue_size: a queue has a power of 2 of descriptors, up to 1024' \
        'doca_devemu_vfs_dev_destroy: the device has 1 IO contexts (DOCA_ERROR_IN_USE)' \
        'doca_devemu_virtio_dev_reset_complete: the driver has not reset the device (DOCA_ERROR_BAD_STATE)'
}

@test "functions stay" {
    devemu_ok functions_stay
    reported 'doca_ctx_start: another context of the emulated function 1 runs (DOCA_ERROR_IN_USE)' \
        'doca_devemu_pci_type_stop: contexts of functions use the type' \
        'doca_devemu_pci_dev_destroy: the context is running, and must be idle'
}

@test "a host program delays unplugging" {
    devemu_ok a_program_of_the_host_delays_unplugging
}

@test "changes of registers are reported" {
    devemu_ok registers_are_told_of
}

@test "a written register wakes the engine" {
    devemu_ok a_written_register_wakes_the_engine
}

@test "a reset is seen until the next start" {
    devemu_ok a_reset_is_seen_until_the_next_start
}

@test "registers have defaults" {
    devemu_ok registers_have_defaults
}

@test "endpoints have fewer vectors and doorbells" {
    devemu_ok endpoints_have_fewer_vectors_and_doorbells
    reported 'doca_devemu_pci_ep_set_num_msix: 5 is more than the 4 of the type (DOCA_ERROR_NOT_SUPPORTED)' \
        'doca_devemu_pci_ep_set_num_db: 1025 is more than the 1024 of the device' \
        'doca_devemu_pci_ep_set_datapath_on_dpa: the endpoint has its data path on a DPA already' \
        'doca_devemu_pci_ep_create_msix_on_dpa: the function has no vector 2, and 2 vectors from 0' \
        'doca_devemu_pci_ep_create_db_on_dpa: the function has no doorbell 3, and 3 doorbells from 0'
}

@test "functions may be somebody else" {
    devemu_ok functions_may_be_somebody_else
    reported 'doca_devemu_pci_dev_set_class_code: 0x1000000 is more than 0xffffff' \
        'doca_devemu_pci_dev_set_device_id: the context is running, and must be idle'
}

@test "functions have no virtual ones" {
    devemu_ok functions_have_no_virtual_ones
    reported 'doca_devemu_pci_dev_reset_msix: emulated functions have no virtual functions (DOCA_ERROR_NOT_PERMITTED)' \
        'doca_devemu_pci_dev_get_total_vfs: the context is idle, and must be running (DOCA_ERROR_BAD_STATE)'
}

@test "a function whose file is cut is off" {
    devemu_ok a_function_whose_file_is_cut_is_off
    grep -q "somebody changed the size of the file of the emulated function 1: it is off for good" <<<"$output"
    reported 'doca_devemu_pci_dev_hotplug: the emulated function 1 is .*, and must be not plugged in (DOCA_ERROR_BAD_STATE)'
}

@test "bus errors of others are theirs" {
    devemu_ok bus_errors_of_others_are_theirs
}

@test "doorbells reach the dpa" {
    with_vfio bell_cases doorbells_reach_the_dpa
    reported 'doca_devemu_pci_db_create_on_dpa: the region has no doorbell 512: its size is 0x[0-9a-f]*' \
        'doca_devemu_pci_db_create_on_dpa: no region of doorbells of BAR 0 begins at 0x8 (DOCA_ERROR_NOT_FOUND)' \
        'doca_devemu_pci_db_start: another started doorbell has this number in this region' \
        'doca_devemu_pci_db_completion_stop: doorbells use the completion' \
        'doca_devemu_pci_db_stop: the doorbell is not started'
}

@test "doorbells are distinguished by data" {
    with_vfio bell_cases doorbells_are_told_apart_by_data
}

@test "unbound doorbells wait" {
    with_vfio bell_cases unbound_doorbells_wait
}

@test "foreign handles are a fault" {
    with_vfio bell_cases foreign_handles_are_a_fault
    grep -q "devemu: not a handle of a vector" <<<"$output"
}

@test "a killed host leaves it" {
    forks_whole
    devemu_ok a_killed_host_leaves_it
}

@test "interrupts reach the host" {
    with_vfio bell_cases interrupts_reach_the_host
    reported 'doca_devemu_pci_msix_create_on_dpa: the function has no vector 4, and 4 vectors from 0' \
        'doca_devemu_pci_msix_create_on_dpa: no table of vectors of BAR 0 begins at 0x'
}

@test "memory is copied across mappings" {
    with_vfio dma_cases memory_is_copied_across_mappings
}

@test "the driver says what may be" {
    with_vfio dma_cases the_driver_says_what_may_be
}

@test "mappings are checked" {
    with_vfio dma_cases mappings_are_checked
}

@test "containers have their order" {
    with_vfio dma_cases containers_have_their_order
}

@test "maps are of a function that runs" {
    with_vfio dma_cases maps_are_of_a_function_that_runs
}

@test "a killed driver takes its memory along" {
    forks_whole
    with_vfio dma_cases a_killed_driver_takes_its_memory_along
}

@test "removed functions do not start" {
    case_ok removed_functions_do_not_start life_cases
    reported 'doca_ctx_start: the emulated function 1 was removed (DOCA_ERROR_NOT_FOUND)'
}

@test "objects in use are not destroyed" {
    case_ok what_is_used_stays life_cases
    reported 'doca_devemu_pci_db_create_on_dpa: the completion has no place for another doorbell (doca_devemu_pci_db_completion_set_max_num_dbs) (DOCA_ERROR_FULL)'
}

@test "doorbells of other sizes are refused" {
    case_ok doorbells_of_other_sizes_are_refused life_cases
    reported 'doorbells of 2^[0-9]* bytes: they have 2^2 (DOCA_ERROR_NOT_SUPPORTED)'
}

@test "threads set and end interrupts" {
    with_vfio vfio_cases threads_set_and_end_interrupts
}

@test "descriptors are closed while others use them" {
    with_vfio vfio_cases descriptors_are_closed_while_others_use_them
}

@test "copies are the same descriptor" {
    with_vfio vfio_cases copies_are_the_same_descriptor
}

@test "children close what is their parent's" {
    forks_whole
    with_vfio vfio_cases children_close_what_is_their_parents
}

@test "bad pointers are answered" {
    with_vfio vfio_cases bad_pointers_are_answered
}

@test "every documented function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_devemu.txt t=$BATS_TEST_TMPDIR
    LC_ALL=C sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_devemu.so" | awk '$2 == "T" {print $3}' | LC_ALL=C sort | diff "$list" -
    { printf '#include <doca_devemu_%s.h>\n' pci_ep vfs_io vfs_type; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}

@test "host programs cannot emulate devices" {
    export DPAKIT_SIDE=host
    run "$BATS_FILE_TMPDIR/cases" functions_stay
    [ "$status" -ne 0 ]
    [[ $output == *"emulated functions are for programs of the DPU (DPAKIT_SIDE=dpu)"* ]]
}

@test "a damaged function is refused" {
    mkdir "$DPAKIT_DEVICES/mlx5_0/pci"
    head -c 24576 /dev/urandom >"$DPAKIT_DEVICES/mlx5_0/pci/1"
    printf x >"$DPAKIT_DEVICES/mlx5_0/pci/2"
    devemu_ok functions_stay # it is number 3
}
