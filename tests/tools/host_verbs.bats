# Queue pairs of the host (tests/host/verbs_cases.c, verbs_error_cases.c, verbs_client_cases.c), linked as programs of libibverbs are.
# cases: verbs_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    local name
    for name in cases error_cases client_cases; do
        # shellcheck disable=SC2086
        gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/verbs_$name.c" -o "$t/$name" \
            -L"$DPAKIT_BUILD/lib" -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    done
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

# All errors of a program give this line.
says_once() { # REASON
    grep -qx -e "-W- QP 0x[0-9a-f]* of the host is in the error state: $1" <<<"$output"
    [ "$(grep -c -e '^-[EW]- ' <<<"$output")" -eq 1 ]
}

@test "a wrong key of the peer is an access error" {
    case_ok a_wrong_key_of_the_peer_is_an_access_error error_cases
    says_once 'write of 1 byte at 0x[0-9a-f]* of the peer: key 0x[0-9a-f]* is unknown: no memory was registered with it'
}

@test "rights of the queue pair count" {
    case_ok rights_of_the_queue_pair_count error_cases
    says_once "write of 1 byte at 0x[0-9a-f]* of the peer: the peer's queue pair permits no remote write"
}

@test "a message that is too long fails on both sides" {
    case_ok a_message_that_is_too_long_fails_on_both_sides error_cases
}

@test "memory of the sender must be its own" {
    case_ok memory_of_the_sender_must_be_its_own error_cases
    says_once 'write of 10 bytes: 10 bytes at 0x[0-9a-f]*: key 0x[0-9a-f]* is of another protection domain or device'
}

@test "a peer without receives ends the patience" {
    case_ok a_peer_without_receives_ends_the_patience error_cases
}

@test "a peer that is destroyed ends the retries" {
    case_ok a_peer_that_is_destroyed_ends_the_retries error_cases
}

@test "nothing is destroyed while it is used" {
    case_ok nothing_is_destroyed_while_it_is_used error_cases
}

@test "calls that make no sense are refused" {
    case_ok calls_that_make_no_sense_are_refused error_cases
}

@test "a closed device ends its queue pairs" {
    case_ok a_closed_device_ends_its_queue_pairs error_cases
}

@test "completions have all standard fields" {
    case_ok completions_have_all_standard_fields client_cases
}

@test "a parent domain has the memory of another" {
    case_ok a_parent_domain_has_the_memory_of_another client_cases
}

@test "domains that make no sense are refused" {
    case_ok domains_that_make_no_sense_are_refused client_cases
}

@test "memory may be registered anew" {
    case_ok memory_may_be_registered_anew client_cases
}

@test "rights that there are not are refused" {
    case_ok rights_that_there_are_not_are_refused client_cases
}

@test "unsupported calls say so" {
    case_ok what_there_is_not_says_so client_cases
}

@test "a table has the addresses of both versions" {
    case_ok a_table_tells_addresses_of_both_versions client_cases
}

@test "a datagram by ipv4 is answered" {
    case_ok a_datagram_by_ipv4_is_answered client_cases
}

@test "a device outlives its list" {
    case_ok a_device_outlives_its_list client_cases
}
