# Completion channels of the host, which DPA threads wake (tests/host/flexio_channel_cases.c,
# tests/host/queue_dev.c).
# cases: flexio_channel_cases.c

load ../host/setup

setup_file() {
    build_queues flexio_channel_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a host queue that overruns is reported once" {
    "$BATS_FILE_TMPDIR/cases" a_host_queue_that_overruns_is_told_of >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
    [ "$(grep -c . "$BATS_TEST_TMPDIR/err")" = 1 ]
    grep -q "$(cat "$BATS_TEST_TMPDIR/out") of the host is in the error state: overrun: 2 completions" "$BATS_TEST_TMPDIR/err"
}
