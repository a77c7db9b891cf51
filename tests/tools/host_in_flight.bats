# Memory is taken back while accesses to it are in flight: whoever takes it waits for them
# (tests/host/doca3_flight_cases.c).
# cases: doca3_flight_cases.c
# not by themselves: a_peer_writes

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}
