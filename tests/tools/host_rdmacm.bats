# Connections (tests/host/rdmacm_cases.c, rdmacm_rule_cases.c, rdmacm_death_cases.c), linked as programs of
# librdmacm are.
# cases: rdmacm_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    local name
    for name in cases rule_cases death_cases; do
        # shellcheck disable=SC2086
        gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/rdmacm_$name.c" -o "$t/$name" \
            -L"$DPAKIT_BUILD/lib" -lrdmacm -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    done
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

setup() {
    mkdir -m 700 "$BATS_TEST_TMPDIR/run"
    export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
}

@test "counts of retries are cut to seven" {
    case_ok counts_of_retries_are_cut_to_seven rule_cases
}

@test "reads at once are what the device has" {
    case_ok reads_at_once_are_what_the_device_has rule_cases
}

@test "addresses of a port do not overlap" {
    case_ok addresses_of_a_port_do_not_overlap rule_cases
}

@test "a connection has no port" {
    case_ok a_connection_has_no_port rule_cases
}

@test "a shared address has one listener" {
    case_ok a_shared_address_has_one_listener rule_cases
}

@test "hints alone are the answer" {
    case_ok hints_alone_are_the_answer rule_cases
}

@test "a server is killed that knows of no call" {
    case_ok a_server_is_killed_that_knows_of_no_call death_cases
}

@test "a server is killed that knows of the call" {
    case_ok a_server_is_killed_that_knows_of_the_call death_cases
}

@test "a server is killed that has accepted" {
    case_ok a_server_is_killed_that_has_accepted death_cases
}

@test "a server is killed whose answer waits" {
    case_ok a_server_is_killed_whose_answer_waits death_cases
}

@test "a call that is rejected ends receives" {
    case_ok a_call_that_is_rejected_ends_receives death_cases
}

@test "a call without a listener ends receives" {
    case_ok a_call_without_a_listener_ends_receives death_cases
}

@test "a caller is killed before the answer" {
    case_ok a_caller_is_killed_before_the_answer death_cases
}

@test "a caller is killed before it confirms" {
    case_ok a_caller_is_killed_before_it_confirms death_cases
}
