# Queue pairs of the host (tests/host/verbs_cases.c, verbs_error_cases.c, verbs_client_cases.c), linked as programs of libibverbs are.
# cases: verbs_cases.c verbs_error_cases.c:error_cases verbs_client_cases.c:client_cases

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

@test "memory of the sender must be its own" {
    case_ok memory_of_the_sender_must_be_its_own error_cases
    says_once 'write of 10 bytes: 10 bytes at 0x[0-9a-f]*: key 0x[0-9a-f]* is of another protection domain or device'
}

@test "calls that make no sense are refused" {
    case_ok calls_that_make_no_sense_are_refused error_cases
}
