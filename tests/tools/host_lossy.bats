# Queue pairs of the host whose messages may be lost (tests/host/lossy_cases.c), linked as programs of
# libibverbs are.

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/lossy_cases.c" -o "$t/cases" \
        -L"$DPAKIT_BUILD/lib" -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

@test "datagrams arrive with their header" {
    case_ok datagrams_arrive_with_their_header
}

@test "datagrams are described call by call" {
    case_ok datagrams_are_described_call_by_call
}

@test "datagrams that nobody can take are lost" {
    case_ok datagrams_that_nobody_can_take_are_lost
}

@test "a datagram fits into a packet and its receive" {
    case_ok a_datagram_fits_into_a_packet_and_its_receive
}

@test "states need their attributes" {
    case_ok states_need_their_attributes
}

@test "what they do not have is refused" {
    case_ok what_they_do_not_have_is_refused
}

@test "unreliable messages arrive or are lost" {
    case_ok unreliable_messages_arrive_or_are_lost
}

@test "queue pairs of another kind are no peers" {
    case_ok queue_pairs_of_another_kind_are_no_peers
}

@test "datagrams cross processes to many" {
    case_ok datagrams_cross_processes_to_many
}

@test "a peer that dies is not missed" {
    case_ok a_peer_that_dies_is_not_missed
}
