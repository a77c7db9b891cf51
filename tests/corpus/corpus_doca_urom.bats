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

# follow_readme FOLDER: the commands for NVIDIA's application of the example's README, in a network of their own, because
# the application has a fixed port. UCX_MEM_EVENTS: see tests/tools/host_rdmo.bats.
follow_readme() {
    local as_root=
    [ "$(id -u)" -eq 0 ] || as_root=-r
    run env T="$DPAKIT_BUILD" APPLICATIONS="$source" UCX_MEM_EVENTS=n timeout 200 unshare $as_root -n \
        bash -c "cd '$1' && set -e && ip link set lo up && . ./commands" 3>&-
    echo "$output"
    [ "$status" -eq 0 ]
    says 'Append operation was finished successfully' 'Scatter operation was finished successfully'
    [ "$(grep -c 'Flush complete' <<<"$output")" -eq 2 ]
    grep -q 'packed length: [1-9]' "$1/server.log" # an exported handle
    grep -q 'worker 0: ended, exit code 0' "$1/service.log"
}

@test "the application urom_rdmo, host and plugin, as the README says; with arguments and with JSON" {
    need_source applications
    need_ucx 1.16
    [[ ${TEST_HOST_CFLAGS-} != *-fsanitize=* ]] || skip 'UCX carries no sanitizer'
    mkdir "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
    sed -n '/^```bash$/,/^```$/p' "$BATS_TEST_DIRNAME/../../examples/urom_rdmo/README.md" | grep -v '^```' >"$BATS_TEST_TMPDIR/one/commands"
    follow_readme "$BATS_TEST_TMPDIR/one"
    ln -s ../one/host ../one/dpu "$BATS_TEST_TMPDIR/two"
    sed '/meson/d; s|-d mlx5_0 -m server|--json $APPLICATIONS/urom_rdmo/host/urom_rdmo_params.json|' \
        "$BATS_TEST_TMPDIR/one/commands" >"$BATS_TEST_TMPDIR/two/commands"
    follow_readme "$BATS_TEST_TMPDIR/two"
}
