# Two processes that talk by RDMA, or by DMA, or have a DPA each, one of which is killed at some step
# (tests/host/kills.c): the other process notices and ends normally. DPAKIT_KILLS=300 tests this number of pairs of each sort, over all steps.

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc_sample "$here/msgq_dev.c" "$t" kills msgq_app
    link_sample "$t/kills" "$t/kills_program.a" "$here/msgq_world.c" "$here"/kills*.c
    make_devices "$t/devices"
    export DPAKIT_RUNTIME=$t/run LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

# Files with blocks of numbers (*.rc) remain for the next process, and sockets of killed programs are removed when a tool
# lists programs; nothing else is left behind.
survives() { # WAY
    local left=$BATS_TEST_TMPDIR/left
    "$BATS_FILE_TMPDIR/kills" "$1" "${DPAKIT_KILLS:-12}"
    dpadev ps >/dev/null
    find "$DPAKIT_RUNTIME" ! -type d ! -name '*.rc' >"$left"
    cat "$left"
    [ ! -s "$left" ]
    nothing_in_shm
}

@test "peers of DOCA RDMA that are killed are noticed" {
    survives details
}

@test "a thread that sleeps at an engine wakes when its peer is killed" {
    survives engine
}

@test "callers and listeners that are killed are noticed" {
    survives manager
}

@test "peers of DOCA Verbs that are killed are noticed" {
    survives verbs
}

@test "a thread that sleeps at a completion channel wakes when its peer is killed" {
    survives channel
}

@test "owners of exported memory, and who copies it, are killed" {
    survives copies
}

@test "programs with message queues to their DPA are killed" {
    survives queues
}
