# Queues of verbs that are full (tests/host/verbs_full_cases.c), linked as programs of libibverbs are.

load ../host/setup

setup_file() {
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$BATS_TEST_DIRNAME/../host/verbs_full_cases.c" \
        -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

@test "a send queue is full until completions are polled" {
    case_ok a_send_queue_is_full_until_completions_are_polled
}

@test "silent sends are given back by the next completion" {
    case_ok silent_sends_are_given_back_by_the_next_completion
}

@test "described work requests find a full queue" {
    case_ok described_work_requests_find_a_full_queue
}

@test "a list stops where the queue is full" {
    case_ok a_list_stops_where_the_queue_is_full
}

@test "a receive queue is full until completions are polled" {
    case_ok a_receive_queue_is_full_until_completions_are_polled
}

@test "a queue in the error state is full too" {
    case_ok a_queue_in_the_error_state_is_full_too
}

@test "a reset empties the queues" {
    case_ok a_reset_empties_the_queues
}

@test "a shared queue is full until completions are polled" {
    case_ok a_shared_queue_is_full_until_completions_are_polled
}

@test "completion queues say what they have" {
    case_ok completion_queues_say_what_they_have
}
