# libflexio beyond calls: windows, keys, event handlers, command queues, errors
# (tests/host/windows_cases.c, tests/host/windows_dev.c).
# cases: windows_cases.c

load ../host/setup

setup_file() {
    build_flexio windows windows_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "DPAKIT_STRICT=memory: stores and loads without their fences fail as on a card, and their lines are reported" {
    local dev=$BATS_TEST_DIRNAME/../host/windows_dev.c how
    for how in memory all align,memory; do
        DPAKIT_STRICT=$how run "$BATS_FILE_TMPDIR/cases" stores_and_loads_need_their_fences
        echo "$output"
        [[ "$output" == *"20 stores at "*"windows_dev.c:$(grep -n STORES "$dev" | cut -d: -f1) were never written back: __dpa_thread_window_writeback() is missing"* ]]
        [[ "$output" == *"loads at "*"windows_dev.c:$(grep -n SEES "$dev" | cut -d: -f1) did not see later writes: __dpa_thread_window_read_inv() is missing"* ]]
        [ "$(grep -c 'is missing' <<<"$output")" -eq 2 ]
        [ "$how" != memory ] || [ "$status" -eq 0 ]
    done
    run "$BATS_FILE_TMPDIR/cases" stores_and_loads_need_their_fences
    [ "$status" -ne 0 ]
    [[ "$output" != *"is missing"* ]]
}

@test "accesses beyond the memory fault" {
    case_ok accesses_beyond_the_memory_fault
    reported 'load access fault .*(window: read of 8 bytes at host address 0x[0-9a-f]*: out of range: key 0x[0-9a-f]* has 0x[0-9a-f]* to 0x[0-9a-f]*, the access ends 8 bytes after the end)' \
        'store access fault .*(window: write of 8 bytes .*, the access begins 8 bytes before the start)' \
        'window: read of 16 bytes .*, the access ends 8 bytes after the end' \
        'window: read of 8 bytes .*, the access ends 4 bytes after the end' \
        'window: write of 8 bytes .*, the access ends 7 bytes after the end'
}

@test "stores need the right to write" {
    case_ok stores_need_the_right_to_write
    reported 'store access fault .*: key 0x[0-9a-f]* allows no local write)' \
        'window: write of 64 bytes .*: key 0x[0-9a-f]* allows no local write'
}

@test "invalid keys fault" {
    case_ok keys_that_are_none_fault
    reported ': key 0x[0-9a-f]* is unknown: no memory was registered with it)' \
        ': key 0xffffffff is unknown' ': key 0x[0-9a-f]* is of memory that is not registered any more)'
}

@test "keys of other domains fault" {
    case_ok keys_of_other_domains_fault
    reported ': key 0x[0-9a-f]* is of another protection domain or device)'
}

@test "windows want 64 bytes" {
    case_ok windows_want_64_bytes
    [ "$(grep -c '^-E- .*not registered with 64-byte alignment' <<<"$output")" -eq 3 ]
    # The registration and the window have reported this before.
    [ "$(grep -c '^-W- ibv_reg_mr: .* multiples of 64' <<<"$output")" -eq 3 ]
    [ "$(grep -c '^-W- window 0x[0-9a-f]*: key .* not registered with 64-byte' <<<"$output")" -eq 3 ]
}

@test "dpa memory has keys but no window" {
    case_ok dpa_memory_has_keys_but_no_window
    reported ': the key is of memory of the DPA, which needs no window)'
}

@test "the device activates event handlers" {
    case_ok the_device_activates_event_handlers
    grep -q 'the process has no event handler' <<<"$output"
}

@test "command queues are checked" {
    case_ok command_queues_are_checked
    # The crash of a task is reported once; no function returns it.
    [ "$(grep -c '^-E- program windows_app: thread [0-9]*: .*(crash+0x' <<<"$output")" -eq 1 ]
}

@test "headers are clean for C and C++ programs" {
    cd "$BATS_TEST_TMPDIR"
    printf '#include <libflexio/flexio.h>\nint main() { return flexio_process_destroy(NULL); }\n' >host.c
    cp host.c host.cpp
    for std in c11 gnu17; do
        gcc -std=$std -Wall -Wextra -Werror -pedantic -fsyntax-only -I"$DPAKIT_BUILD/include" host.c
    done
    for std in c++11 gnu++17; do
        g++ -std=$std -Wall -Wextra -Werror -pedantic -fsyntax-only -I"$DPAKIT_BUILD/include" host.cpp
    done
}
