# Sync events of the host, and of several processes (tests/host/doca3_event_cases.c).
# cases: doca3_event_cases.c
# not by themselves: the_other_process

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}
