# Message streams of libflexio, as a host program sees them (tests/host/messages_cases.c).

load ../host/setup

setup_file() {
    build_cases messages
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "synchronous messages are out in order before the call returns, behind the thread's number" {
    case_ok synchronous_messages_are_out_in_order_before_the_call_returns
    [ "$(sed 's:^/[ 0-9][0-9]/:/NN/:' <<<"$output" | tr '\n' ' ')" = "before /NN/0 /NN/1 /NN/2 after " ]
}

@test "asynchronous messages are out after a flush" {
    case_ok asynchronous_messages_are_out_after_a_flush
}

@test "the buffer of an asynchronous stream wraps around, and the log says what was lost" {
    case_ok the_buffer_of_an_asynchronous_stream_wraps_around
    grep -qE 'stream 0: [0-9]+ messages did not fit into its buffer until the flush' <<<"$output"
}

@test "a flush does not wait for what comes later" {
    case_ok a_flush_does_not_wait_for_what_comes_later
}

@test "batched messages wait for a full buffer or a flush" {
    case_ok batched_messages_wait_for_a_full_buffer_or_a_flush
}

@test "the size of a batch is the buffer's" {
    case_ok the_size_of_a_batch_is_the_buffers
}

@test "attributes that no mode uses may be anything, with one warning" {
    case_ok attributes_that_no_mode_uses_may_be_anything
    [ "$(grep -c '^-W- flexio_msg_stream_create: .*begin with .* = {0}' <<<"$output")" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
}

@test "streams take any affinity that exists" {
    DPAKIT_EU_GROUPS=3=0-15 case_ok streams_take_any_affinity_that_exists
}

@test "the first stream has a level" {
    case_ok the_first_stream_has_a_level
}

@test "a stream shows messages up to its level" {
    case_ok a_stream_shows_messages_up_to_its_level
}

@test "messages go to the stream of their number or to all" {
    case_ok messages_go_to_the_stream_of_their_number_or_to_all
}

@test "a process has 255 streams" {
    case_ok a_process_has_255_streams
}

@test "bad stream attributes fail" {
    case_ok bad_stream_attributes_fail
}
