# Queue pairs of the host whose messages may be lost (tests/host/lossy_cases.c), linked as programs of
# libibverbs are.
# cases: lossy_cases.c

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
