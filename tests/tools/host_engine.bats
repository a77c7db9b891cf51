# Progress engines, tasks, graphs (tests/host/doca3_engine_cases.c).
# cases: doca3_engine_cases.c

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}
