# Two processes that talk by RDMA, or by DMA, one of which is killed at some step (tests/host/kills.c): the other one
# is told of it and ends well. DPAKIT_KILLS=300 has so many pairs of each sort, over all steps.

load ../host/setup

setup_file() {
    local t=$BATS_FILE_TMPDIR
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -D DOCA_ALLOW_EXPERIMENTAL_API \
        -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" "$BATS_TEST_DIRNAME"/../host/kills*.c \
        -o "$t/kills" -L"$DPAKIT_BUILD/lib" -ldoca_rdma -ldoca_dma -ldoca_verbs -ldoca_common -libverbs \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$t/devices"
    export DPAKIT_RUNTIME=$t/run LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

# Blocks of numbers (*.rc) have files, which the next process takes; nothing else stays.
survives() { # WAY
    local left=$BATS_TEST_TMPDIR/left
    "$BATS_FILE_TMPDIR/kills" "$1" "${DPAKIT_KILLS:-12}"
    find "$DPAKIT_RUNTIME" ! -type d ! -name '*.rc' >"$left"
    find /dev/shm -user "$(id -u)" -name '*dpakit*' ! -name 'dpakit-fuzz.*' >>"$left"
    cat "$left"
    [ ! -s "$left" ]
}

@test "peers of DOCA RDMA that are killed are noticed" {
    survives details
}

@test "callers and listeners that are killed are noticed" {
    survives manager
}

@test "peers of DOCA Verbs that are killed are noticed" {
    survives verbs
}

@test "owners of exported memory, and who copies it, are killed" {
    survives copies
}
