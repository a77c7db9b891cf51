# Virtio-fs devices of DOCA Device Emulation: a DPU program serves a file (tests/host/vfs_dpu.c), and a driver
# in another process reads it by VFIO (tests/host/vfs_host.c).

load ../host/setup
load ../helpers/cut

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" \
        "$here/vfs_dpu.c" -o "$t/dpu" -L"$DPAKIT_BUILD/lib" -ldoca_devemu -ldoca_dma -ldoca_common -pthread \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/vfs_host.c" -o "$t/host"
    export DPAKIT_DEVICES=$t/devices
    new_device mlx5_0 --pair >/dev/null
    new_device mlx5_1 --pair >/dev/null
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    cp -a "$BATS_FILE_TMPDIR/devices" "$DPAKIT_DEVICES"
    echo "the content of a file" >file
    mkfifo input
    threads=0
    [[ $BATS_TEST_DESCRIPTION != *threads* ]] || threads=3
    DPAKIT_SIDE=dpu "$BATS_FILE_TMPDIR/dpu" file $threads <input >dpu.log 2>&1 3>&- &
    dpu=$!
    exec 7>input
    until address=$(grep -m1 -E '^[0-9a-f]{4}:' dpu.log); do
        kill -0 "$dpu" || { cat dpu.log; false; }
        sleep 0.05
    done
}

teardown() {
    exec 7>&- || true
    [ -z "$dpu" ] || { kill "$dpu" && wait "$dpu"; } 2>/dev/null || true
}

drive() { # WHAT...
    run env LD_PRELOAD="$(sanitizer_library) $DPAKIT_BUILD/lib/libdpakit-vfio.so" "$BATS_FILE_TMPDIR/host" "$address" "$@" 7>&-
    echo "$output"
    cat dpu.log
    [ "$status" -eq 0 ]
}

# The DPU program unplugs the device and destroys all its objects.
ends_well() {
    exec 7>&-
    wait "$dpu"
    dpu=
}

@test "a driver reads a file that the dpu serves" {
    drive init read
    [ "$output" = $'shared 2\nFUSE 7.31\nthe content of a file' ]
    grep -q 'opcode 26, parts 2 1' dpu.log
    grep -q 'opcode 15, parts 2 1' dpu.log
    ends_well
}

@test "indirect descriptors are read" {
    drive indirect read indirect
    [ "$(grep -c 'the content of a file' <<<"$output")" -eq 3 ]
    ends_well
}

@test "a loop of descriptors needs a reset, after which the device works" {
    drive read loop reset read
    [ "$(sed -n 2,4p <<<"$output")" = $'the content of a file\nneeds a reset\nthe content of a file' ]
    grep -q 'the virtio device of the emulated function 1 needs a reset: a chain of descriptors is a loop' dpu.log
    [ "$(grep -c '^reset$' dpu.log)" -eq 1 ]
    ends_well
}

@test "io contexts of several threads share the queues" {
    # A reset may follow the last answer at once, while a thread is still completing the request.
    drive many reset many reset many reset many reset many reset many
    [ "$(grep -c '^400 answers$' <<<"$output")" -eq 6 ]
    [ "$(grep -c '^opcode 15' dpu.log)" -eq 2400 ]
    ends_well
}

@test "a reset waits for the requests that the program has" {
    drive flush read reset read
    [ "$(grep -c 'the content of a file' <<<"$output")" -eq 2 ]
    grep -q '^reset with a request$' dpu.log
    grep -q 'doca_devemu_virtio_dev_reset_complete: 1 requests are not complete (DOCA_ERROR_IN_USE)' dpu.log
    ends_well
}

@test "lost memory of the rings needs a reset" {
    drive read lose
    grep -q 'needs a reset: the available ring at 0x80400 cannot be read' dpu.log
    ends_well
}

@test "the next driver resets the device of a driver that ended" {
    drive read
    drive init
    drive read flr reset read
    [ "$(grep -c 'the content of a file' <<<"$output")" -eq 2 ]
    [ "$(grep -c '^reset$' dpu.log)" -ge 3 ]
    ends_well
}
