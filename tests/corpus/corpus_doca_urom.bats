# Samples of DOCA UROM: host programs, with the service and our plugins on the other side of the card.
setup_file() {
    load corpus.bash
    make_corpus
}
setup() {
    load corpus.bash
    source "$BATS_TEST_DIRNAME/../helpers/await.bash"
}
teardown() {
    [ -z "${service-}" ] || kill "$service" 2>/dev/null || :
    wait
    cat "$BATS_TEST_TMPDIR/service.log" 2>/dev/null || :
}

need_ucx() { # VERSION
    pkg-config --atleast-version="$1" ucx 2>/dev/null || skip "UCX is older than $1, or libucx-dev is missing"
}

start_service() {
    urom-service -d mlx5_0 >"$BATS_TEST_TMPDIR/service.log" 2>&1 3>&- &
    service=$!
    await grep -q '^serving' "$BATS_TEST_TMPDIR/service.log"
}

@test "the plugin graph: urom_multi_workers_bootstrap" {
    need_source samples/doca_urom/urom_multi_workers_bootstrap
    need_ucx 1.13
    build_sample doca_urom/urom_multi_workers_bootstrap
    start_service
    in_opt timeout 60 "$program" -d mlx5_0 >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
    sample=$!
    await grep -q 'Worker even ids query finished successfully' "$BATS_TEST_TMPDIR/log"
    pkill -TERM -P "$sample" || kill -TERM "$sample" # the sample ends by a signal
    wait "$sample"
    output=$(<"$BATS_TEST_TMPDIR/log")
    echo "$output"
    says 'Worker id 3 received loopback data 3' 'Worker odd ids query finished successfully' 'Sample finished successfully'
    await grep -q 'worker 3: ended, exit code 0' "$BATS_TEST_TMPDIR/service.log"
}

# Its handles of exported memory are of UCX 1.16.
@test "the plugin sandbox: urom_ping_pong" {
    need_source samples/doca_urom/urom_ping_pong
    need_ucx 1.16
    command -v mpirun >/dev/null || skip "no Open MPI"
    [ -e /usr/include/bsd/bsd.h ] || skip "no libbsd-dev, which the sample links"
    in_opt cp -r "${source%/doca_urom/*}" /opt/mellanox/doca/ # its script names that folder
    build_sample doca_urom/urom_ping_pong
    start_service
    run in_opt timeout 60 mpirun --allow-run-as-root --oversubscribe -np 2 "$program" -d mlx5_0 -m 'over there'
    echo "$output"
    [ "$status" -eq 0 ]
    says 'Server completed PING recv: over there' 'Client received PONG recv: over there'
}
