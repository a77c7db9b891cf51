# Queues of verbs that are full (tests/host/verbs_full_cases.c), linked as programs of libibverbs are.
# cases: verbs_full_cases.c

load ../host/setup

setup_file() {
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$BATS_TEST_DIRNAME/../host/verbs_full_cases.c" \
        -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}
