# The whole path, as the demo shows it.

setup_file() {
    export HOME=$BATS_FILE_TMPDIR/home
    DPAKIT_BUILD=$DPAKIT_BUILD TEST_HOST_CFLAGS=${TEST_HOST_CFLAGS:-} \
        bash "$BATS_TEST_DIRNAME/../../examples/hello/demo.sh" "$BATS_FILE_TMPDIR/demo" \
        >"$BATS_FILE_TMPDIR/log" 2>&1 || { cat "$BATS_FILE_TMPDIR/log"; return 1; }
}

setup() {
    cd "$BATS_FILE_TMPDIR/demo"
    export DPAKIT_DEVICES=$PWD/devices
}

@test "the demo runs from the compiler to the refused forgery" {
    tail -1 "$BATS_FILE_TMPDIR/log" | grep -q '^Done'
}

@test "Hello World comes from the DPA, twice" {
    [ "$(grep -c '/Hello World$' "$BATS_FILE_TMPDIR/log")" -eq 2 ]
}

@test "nothing is written outside the work directory" {
    [ -d devices/mlx5_0 ]
    [ ! -e "$HOME/.local/state/dpakit/mlx5_0" ]
}

@test "every 97th bit of the signed program flipped is refused, the program itself loads" {
    [ "$(mlxconfig-lite -d mlx5_0 -e q DPA_AUTHENTICATION | grep -c 'True(1)')" -ge 1 ]
    run "$DPAKIT_BUILD/obj/tests/helpers/flip_load" mlx5_0 hello_signed 97
    echo "$output"
    [ "$status" -eq 0 ]
    flips=${output%% *}
    [ "$flips" -gt 1000 ]
}

@test "the extracted device ELF is the very one that dpacc linked" {
    cmp hello.dpa.elf <(dd if=hello_signed bs=1 status=none \
        skip="$(dpacc-extract hello_signed --list --json | jq '.[0].targets[0].offset')" \
        count="$(stat -c %s hello.dpa.elf)")
}
