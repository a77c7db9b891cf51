# RDMA between devices of two machines whose cable is slow, loses frames, or is pulled, and peers that are killed there
# (tests/host/kills.c). DPAKIT_KILLS=300 tests this number of pairs.

load ../host/setup
source "$BATS_TEST_DIRNAME/../helpers/machines.bash"

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc_sample "$here/msgq_dev.c" "$t" kills msgq_app
    link_sample "$t/kills" "$t/kills_program.a" "$here/msgq_world.c" "$here"/kills*.c
    make_devices "$t/devices"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp -a "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib kills=$BATS_FILE_TMPDIR/kills
    need_machines
}

# Both processes send, write, read and count, and check what arrives.
talk() { # PAIRS CABLE...
    two_machines "${@:2}"
    KILLS_OTHER=$other "$kills" fabric "$1"
    kill "$other" ${cable-}
}

@test "large messages, writes and reads arrive whole by a slow cable that loses frames" {
    on_machines talk 0 2000 100
}

@test "a cable that is pulled for ten seconds only delays programs that connect" {
    on_machines talk 0 100 0 45 10000
    [ "$(cat cable)" = pulled ]
}

@test "a cable that is pulled for ten seconds only delays messages" {
    on_machines talk 0 100 0 150 10000
    [ "$(cat cable)" = pulled ]
}

@test "programs notice when their peer on the other machine is killed" {
    on_machines talk "${DPAKIT_KILLS:-8}"
}
