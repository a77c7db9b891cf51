# libflexio's queues in host memory (tests/host/flexio_ring_cases.c, tests/host/queue_dev.c).
# cases: flexio_ring_cases.c

load ../host/setup

setup_file() {
    build_queues flexio_ring_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}
