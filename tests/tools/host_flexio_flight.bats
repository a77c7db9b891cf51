# FlexIO: memory is taken back while accesses to it are in flight: whoever takes it waits for them
# (tests/host/flexio_flight_cases.c, tests/host/queue_dev.c).
# cases: flexio_flight_cases.c

load ../host/setup

setup_file() {
    build_queues flexio_flight_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}
