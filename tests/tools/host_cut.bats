# RDMA memory in a file that its owner truncates (tests/host/cut_cases.c).

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/cut_cases.c" -o "$t/cases" \
        -L"$DPAKIT_BUILD/lib" -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$t/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

@test "works of the peer fail, and both programs continue" {
    local operation
    for operation in writes_to reads_of words_of additions_in swaps_in messages_to messages_from; do
        case_ok "${operation}_a_cut_file_fail"
    done
}

@test "bus errors of the program's own memory go to the program" {
    case_ok bus_errors_of_others_are_theirs
}
