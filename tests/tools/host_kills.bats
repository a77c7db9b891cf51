# Two processes that talk by RDMA, or by DMA, or have a DPA each, one of which is killed at some step
# (tests/host/kills.c): the other one is told of it and ends well. DPAKIT_KILLS=300 has so many pairs of each sort, over all steps.

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc_sample "$here/msgq_dev.c" "$t" kills msgq_app
    link_sample "$t/kills" "$t/kills_program.a" "$here/msgq_world.c" "$here"/kills*.c
    make_devices "$t/devices"
    export DPAKIT_RUNTIME=$t/run LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

# Blocks of numbers (*.rc) have files, which the next process takes, and sockets of killed programs go when somebody
# looks for programs; nothing else stays.
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

@test "who sleeps at an engine is woken when its peer is killed" {
    survives engine
}

@test "callers and listeners that are killed are noticed" {
    survives manager
}

@test "peers of DOCA Verbs that are killed are noticed" {
    survives verbs
}

@test "who sleeps at a completion channel is woken when its peer is killed" {
    survives channel
}

@test "owners of exported memory, and who copies it, are killed" {
    survives copies
}

@test "programs with message queues to their DPA are killed" {
    survives queues
}
