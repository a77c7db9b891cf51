# Trace messages of libflexio (tests/host/tracer_cases.c, tests/host/tracer_dev.c).
# cases: tracer_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc "$here/tracer_dev.c" -o "$t/tracer.a" -mcpu=nv-dpa-bf3 -hostcc=gcc \
        --devicecc-options="-Wall -Wextra -Werror" --app-name=tracer_app -I"$DPAKIT_BUILD/include"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" \
        "$here/tracer_cases.c" "$t/tracer.a" -o "$t/cases" -L"$DPAKIT_BUILD/lib" -lflexio \
        -libverbs -lmlx5 -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$t/devices"
}

@test "a format with another value than an integer is refused with its number" {
    case_ok formats_are_checked
    [ "$(grep -c -e '-E- flexio_msg_stream_create: format 1 takes more than 6 numbers, or a value that is not an integer' <<<"$output")" -eq 6 ]
    grep -q -e '-E- flexio_msg_stream_create: mode TRACER needs tracer_msg_formats' <<<"$output"
}
