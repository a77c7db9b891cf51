# Trace messages of libflexio (tests/host/tracer_cases.c, tests/host/tracer_dev.c).
# cases: tracer_cases.c

load ../host/setup

setup_file() {
    build_flexio tracer tracer_cases.c
    mv "$BATS_FILE_TMPDIR/cases" "$BATS_FILE_TMPDIR/latest"
    TEST_HOST_CFLAGS="${TEST_HOST_CFLAGS:-} -DFLEXIO_VER_USED=$((24 << 24 | 1 << 16))" build_flexio tracer tracer_cases.c
    mv "$BATS_FILE_TMPDIR/cases" "$BATS_FILE_TMPDIR/24_01"
    mv "$BATS_FILE_TMPDIR/latest" "$BATS_FILE_TMPDIR/cases"
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a format with another value than an integer is refused with its number" {
    case_ok formats_are_checked
    [ "$(grep -c -e '-E- flexio_msg_stream_create: format 1 takes more than 6 numbers, or a value that is not an integer' <<<"$output")" -eq 6 ]
    grep -q -e '-E- flexio_msg_stream_create: mode TRACER needs tracer_msg_formats' <<<"$output"
}

# Their attributes have another layout.
@test "streams of FlexIO 24.01 trace with their formats" {
    local name
    for name in traces_are_text_of_their_formats traces_are_printed_at_a_flush_of_either_side; do
        case_ok "$name" 24_01
    done
    run "$BATS_FILE_TMPDIR/24_01" formats_are_checked
    echo "$output"
    [ "$(grep -c -e '-E- flexio_msg_stream_create: format 1 takes' <<<"$output")" -eq 6 ]
}
