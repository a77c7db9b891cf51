# The examples, from source to output, with the command lines of their READMEs.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    mkdir hello rpc devices
    cp "$DPAKIT_BUILD/lib/libdoca_dpa.a" "$BATS_TEST_DIRNAME/../../examples/hello/"*.c \
        "$BATS_TEST_DIRNAME/../host/guide_hello.c" hello
    cp -r "$BATS_TEST_DIRNAME/../../examples/flexio_rpc/"{device,host} rpc
    DPAKIT_DEVICES=$PWD/devices dpadev create mlx5_0

    # The guide's lines (3.5.2), steps 3 and 4, plus our warnings.
    cd hello
    dpacc libdoca_dpa_dev.a kernel.c -o dpa_program.a -hostcc=gcc \
        -hostcc-options="-Wno-deprecated-declarations" \
        --devicecc-options="-D__linux__ -Wno-deprecated-declarations" \
        --app-name="dpa_hello_world_app" -I"$DPAKIT_BUILD/include/doca-2.2/"
    local program
    for program in hello_world guide_hello; do
        # shellcheck disable=SC2086
        gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} $program.c -o $program \
            dpa_program.a libdoca_dpa.a -I"$DPAKIT_BUILD/include/doca-2.2/" \
            -DDOCA_ALLOW_EXPERIMENTAL_API -L"$DPAKIT_BUILD/lib" -ldoca_common \
            -L"$DPAKIT_BUILD/lib" -lflexio -lstdc++ -libverbs -lmlx5
    done

    cd ../rpc
    dpacc device/flexio_rpc_dev.c -o flexio_rpc_app.a -mcpu=nv-dpa-bf3 -hostcc=gcc \
        -hostcc-options="-Wall -Wextra" --app-name=flexio_rpc_app -I"$DPAKIT_BUILD/include"
    # shellcheck disable=SC2086
    gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -DDEV_APP_NAME=flexio_rpc_app \
        host/flexio_rpc.c -o flexio_rpc flexio_rpc_app.a -I"$DPAKIT_BUILD/include" \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

@test "hello: the steps in the guide's order, with the kernel's line" {
    run hello/hello_world mlx5_0
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -cE '^/ ?[0-9]+/Hello World$' <<<"$output")" -eq 1 ]
    diff <(grep -- '---->' <<<"$output") - <<'TEXT'
----> Open DOCA device
----> Create DOCA DPA context
----> Create DOCA Sync event
----> Launch hello_world_kernel
----> Waiting for hello_world_kernel to finish
----> Destroy DOCA Sync event
----> Destroy DOCA DPA context
----> Destroy DOCA device
----> DONE!
TEXT
}

@test "hello: the guide's own sequence of calls compiles and runs" {
    run hello/guide_hello mlx5_0
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qE '^/ ?[0-9]+/Hello World$' <<<"$output"
    [ "${lines[-1]}" = "DONE!" ]
}

@test "hello: a device that is not there fails with its name" {
    run hello/hello_world mlx5_7
    echo "$output"
    [ "$status" -eq 1 ]
    grep -qx 'mlx5_7: Not found' <<<"$output"
    [ "$(grep -c 'DONE' <<<"$output")" -eq 0 ]
}

@test "hello: wrong usage exits with 2" {
    run hello/hello_world
    [ "$status" -eq 2 ]
}

@test "hello: ten at once on one device" {
    local i
    for i in 0 1 2 3 4 5 6 7 8 9; do
        hello/hello_world mlx5_0 >"$BATS_TEST_TMPDIR/$i" 2>&1 &
    done
    wait
    [ "$(cat "$BATS_TEST_TMPDIR"/? | grep -c '/Hello World$')" -eq 10 ]
    [ "$(cat "$BATS_TEST_TMPDIR"/? | grep -c 'DONE!$')" -eq 10 ]
}

@test "flexio_rpc: the sum comes from the DPA" {
    run rpc/flexio_rpc mlx5_0 44 55
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 5 ]
    [ "${lines[0]}" = "Welcome to 'Flex IO RPC' sample" ]
    [ "${lines[1]}" = "Registered on device mlx5_0" ]
    grep -qE '^/ ?[0-9]+/Calculate: 44 \+ 55 = 99$' <<<"${lines[2]}"
    [ "${lines[3]}" = "Result: 99" ]
    [ "${lines[4]}" = "Flex IO RPC sample is done" ]
}

@test "flexio_rpc: 64-bit numbers, and the sum wraps" {
    run rpc/flexio_rpc mlx5_0 0xffffffffffffffff 3
    [ "$status" -eq 0 ]
    [ "${lines[3]}" = "Result: 2" ]
}

@test "flexio_rpc: a device that is not there fails with its name" {
    run rpc/flexio_rpc mlx5_7 1 2
    [ "$status" -eq 1 ]
    grep -qx 'No device mlx5_7' <<<"$output"
}

@test "flexio_rpc: what is no number is wrong usage" {
    for bad in "" x 1x -1 99999999999999999999; do
        run rpc/flexio_rpc mlx5_0 "$bad" 2
        [ "$status" -eq 2 ]
    done
    run rpc/flexio_rpc mlx5_0 1
    [ "$status" -eq 2 ]
}

# The commands of a README, as a reader would paste them, from a tree whose build is this one.
paste_readme() { # EXAMPLE
    local top=$BATS_TEST_TMPDIR/top
    mkdir "$top"
    ln -s "$(realpath "$BATS_TEST_DIRNAME/../../examples")" "$top/examples"
    ln -s "$DPAKIT_BUILD" "$top/build"
    sed -n '/^```sh$/,/^```$/p' "$top/examples/$1/README.md" | grep -v '^```' |
        sed "s|^gcc |gcc ${TEST_HOST_CFLAGS:-} |" >"$BATS_TEST_TMPDIR/commands"
    [ -s "$BATS_TEST_TMPDIR/commands" ]
    run env -u DPAKIT_DEVICES TMPDIR="$BATS_TEST_TMPDIR" bash -c "cd '$top' && set -e && . '$BATS_TEST_TMPDIR/commands'"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "hello: the commands of the README work" {
    paste_readme hello
    grep -q '/Hello World$' <<<"$output"
}

@test "flexio_rpc: the commands of the README work" {
    paste_readme flexio_rpc
    grep -qx 'Result: 99' <<<"$output"
}
