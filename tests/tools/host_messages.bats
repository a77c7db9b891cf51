# Message streams of libflexio, as a host program sees them (tests/host/messages_cases.c).
# cases: messages_cases.c

load ../host/setup

setup_file() {
    build_cases messages
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "synchronous messages are printed in order before the call returns, after the thread's number" {
    case_ok synchronous_messages_are_out_in_order_before_the_call_returns
    [ "$(sed 's:^/[ 0-9][0-9]/:/NN/:' <<<"$output" | tr '\n' ' ')" = "before /NN/0 /NN/1 /NN/2 after " ]
}

@test "the buffer of an asynchronous stream wraps around, and the log says what was lost" {
    case_ok the_buffer_of_an_asynchronous_stream_wraps_around
    grep -qE 'stream 0: [0-9]+ messages did not fit into its buffer until the flush' <<<"$output"
}

@test "attributes that no mode uses may be anything, with one warning" {
    case_ok attributes_that_no_mode_uses_may_be_anything
    [ "$(grep -c '^-W- flexio_msg_stream_create: .*begin with .* = {0}' <<<"$output")" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
}

@test "streams take any affinity that exists" {
    DPAKIT_EU_GROUPS=3=0-15 case_ok streams_take_any_affinity_that_exists
}
