# Trace messages of libflexio (tests/host/tracer_cases.c, tests/host/tracer_dev.c).
# cases: tracer_cases.c

load ../host/setup

setup_file() {
    build_flexio tracer tracer_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a format with another value than an integer is refused with its number" {
    case_ok formats_are_checked
    [ "$(grep -c -e '-E- flexio_msg_stream_create: format 1 takes more than 6 numbers, or a value that is not an integer' <<<"$output")" -eq 6 ]
    grep -q -e '-E- flexio_msg_stream_create: mode TRACER needs tracer_msg_formats' <<<"$output"
}
