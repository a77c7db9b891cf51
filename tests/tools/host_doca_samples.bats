# Programs as they are written for the real DOCA 3.x, built with the command lines of its samples:
# own re-creations of their call sites (tests/host/samples).

load ../host/setup

SAMPLES=$BATS_TEST_DIRNAME/../host/samples

setup_file() {
    local s=$BATS_TEST_DIRNAME/../host/samples t=$BATS_FILE_TMPDIR n
    make_devices "$t/devices"
    for n in kernel_launch nvqual basic_initiator_target initiator_target ping_pong; do
        dpacc_sample "$s/${n}_dev.c" "$t" "$n" dpa_sample_app
        link_sample "$t/$n" "$t/${n}_program.a" "$s/$n.c" "$s/dpa_common.c" "$s/rdma_common.c"
    done
    targets=nv-dpa-bf3,nv-dpa-cx7,nv-dpa-cx8,nv-dpa-cx9 dpacc_sample "$s/all_to_all_dev.c" "$t" all_to_all dpa_all2all_app
    link_sample "$t/all_to_all" "$t/all_to_all_program.a" "$s/all_to_all.c" "$s/dpa_common.c" "$s/rdma_common.c"
}

launch() {
    run "$BATS_FILE_TMPDIR/kernel_launch" "$@"
    echo "$output"
}

# An RDMA sample that must succeed.
sample() { # NAME OPTION...
    run "$BATS_FILE_TMPDIR/$1" "${@:2}"
    echo "$output"
    [ "$status" -eq 0 ]
    grep -q 'Sample finished successfully$' <<<"$output"
}

@test "kernel launch runs without options" {
    launch
    [ "$status" -eq 0 ]
    grep -q 'Hello from kernel$' <<<"$output"
    grep -q '\[main\] Starting the sample$' <<<"$output"
    grep -q 'Device: mlx5_0$' <<<"$output"
    grep -q 'Sample finished successfully$' <<<"$output"
}

@test "options have short names of several letters, long names, or only one of them" {
    launch -pf_dev mlx5_1 --rdma-device mlx5_0 -g 3 --dpa-app-key=key --dpa-resources "a file" -l 60
    [ "$status" -eq 0 ]
    grep -q 'Device: mlx5_1$' <<<"$output"
    grep -q "gid 3, resources 'a file', key 'key', rdma mlx5_0\$" <<<"$output"
}

@test "options come from a JSON file, the command line counts more" {
    cat >"$BATS_TEST_TMPDIR/o.json" <<'JSON'
{
    // comments are fine
    "doca_dpdk_flags": {"port": 1},
    "doca_general_flags": {"log-level": 60},
    "doca_program_flags": {"pf-device": "mlx5_1", "gid-index": 4, "dpa-app-key": "k"}
}
JSON
    launch -j "$BATS_TEST_TMPDIR/o.json" --gid-index 5
    [ "$status" -eq 0 ]
    grep -q 'Device: mlx5_1$' <<<"$output"
    grep -q "gid 5, resources '', key 'k'" <<<"$output"
}

@test "the help text lists every option" {
    launch --help
    [ "$status" -eq 0 ]
    for o in "-h, --help" "-v, --version" "-l, --log-level <level>" "--sdk-log-level <level>" \
        "-j, --json <path>" "-pf_dev, --pf-device <PF DOCA device name>" "--dpa-resources <DPA" \
        "-g, --gid-index <GID index>"; do
        grep -qF -- "  $o" <<<"$output"
    done
    launch -v
    [ "$status" -eq 0 ] && [ "${#lines[@]}" -eq 2 ]
}

@test "wrong options are reported in one line" {
    printf '{"doca_program_flags": {"pf-device": 7}}' >"$BATS_TEST_TMPDIR/type.json"
    printf '{"doca_program_flags": {"no-such": 7}}' >"$BATS_TEST_TMPDIR/name.json"
    printf '{' >"$BATS_TEST_TMPDIR/broken.json"
    local o
    for o in "--no-such" "-g" "-g x" "-g 99999999999" "-g -1" "word" "-pf_dev a -pf_dev b" \
        "-j /nowhere" "-j $BATS_TEST_TMPDIR/type.json" "-j $BATS_TEST_TMPDIR/name.json" \
        "-j $BATS_TEST_TMPDIR/broken.json" "-l 61" "-pf_dev mlx5_0 -rdma_dev mlx5_0"; do
        # shellcheck disable=SC2086
        launch $o
        [ "$status" -eq 1 ]
        [ "$(grep -c '\[ERR\]\[.*kernel_launch: ' <<<"$output")" -eq 1 ]
        ! grep -q 'Device: ' <<<"$output" || false
    done
}

@test "a device that there is not is an error" {
    launch -pf_dev mlx5_9
    [ "$status" -eq 1 ]
    grep -q 'Failed to open DOCA device: Not found' <<<"$output"
}

@test "the stress program runs a thread on every free unit" {
    DPAKIT_EUS=8 run "$BATS_FILE_TMPDIR/nvqual" -pf_dev mlx5_0 -test_dur 1 --excluded-eus 2,5
    echo "$output"
    [ "$status" -eq 0 ]
    grep -q '6 threads, units 0 1 3 4 6 7, 3 rounds$' <<<"$output"
}

@test "basic initiator and target: a message from the host's stack wakes a thread" {
    sample basic_initiator_target
    [ "$(grep -c 'thread runs$' <<<"$output")" -eq 1 ]
    grep -q 'Event has 10$' <<<"$output"
}

@test "initiator and target: four sends wait for one receive at a time" {
    sample initiator_target
    [ "$(grep -c 'activation ' <<<"$output")" -eq 4 ]
    grep -q 'Event has 10$' <<<"$output"
}

@test "ping pong: sends are not reported among receives" {
    sample ping_pong
    grep -q '100 rounds, last values 199 and 200$' <<<"$output"
}

@test "samples use a second device for RDMA, by a context that extends the first" {
    local n
    for n in basic_initiator_target initiator_target ping_pong; do
        sample $n -pf_dev mlx5_1 -rdma_dev mlx5_0
        [ "$(grep -c 'Device: mlx5_' <<<"$output")" -eq 2 ]
    done
}

@test "samples tie their threads to the units of a resources file" {
    local d=$BATS_TEST_TMPDIR
    sed "s/@UNITS@/1,3/" "$BATS_TEST_DIRNAME/../host/samples/resources.yaml" >"$d/few.yaml"
    sed "s/@UNITS@/255/" "$BATS_TEST_DIRNAME/../host/samples/resources.yaml" >"$d/none.yaml"
    export DPAKIT_EUS=4
    sample ping_pong --dpa-resources "$d/few.yaml" --dpa-app-key my_app
    grep -q 'Threads have 2 units$' <<<"$output"
    run "$BATS_FILE_TMPDIR/ping_pong" --dpa-resources "$d/none.yaml" --dpa-app-key my_app
    [ "$status" -eq 1 ]
    grep -q 'Threads have 1 units$' <<<"$output"
    run "$BATS_FILE_TMPDIR/ping_pong" --dpa-resources "$d/few.yaml" --dpa-app-key other
    [ "$status" -eq 1 ]
    grep -q 'Failed to start DOCA DPA context: Configuration is not valid' <<<"$output"
}

@test "all to all: two processes write to each other and to themselves, and signal events" {
    local o
    for o in "" "-pf_dev mlx5_0 -rdma_dev mlx5_1"; do
        # shellcheck disable=SC2086
        sample all_to_all $o
        grep -q 'Rank 0 is done$' <<<"$output"
        grep -q 'Rank 1 is done$' <<<"$output"
    done
}

@test "a mandatory option that is missing is an error" {
    run "$BATS_FILE_TMPDIR/nvqual" -pf_dev mlx5_0
    [ "$status" -eq 1 ]
    grep -q -- '--test-duration-sec is missing' <<<"$output"
}

