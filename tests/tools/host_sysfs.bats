# Files of emulated devices in /sys and /dev (tests/host/sysfs_cases.c), as programs of libibverbs see them.
# cases: sysfs_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/sysfs_cases.c" -o "$t/cases" \
        -L"$DPAKIT_BUILD/lib" -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -m 700 run
    export XDG_RUNTIME_DIR=$PWD/run
    [ ! -e /sys/class/infiniband ] || skip "this machine has cards of its own"
}

@test "a device has the files of a card" {
    case_ok a_device_has_the_files_of_a_card
}

@test "other paths are the system's" {
    case_ok other_paths_are_the_systems
}

@test "a removed device has no files" {
    cp -a "$BATS_FILE_TMPDIR/devices" devices
    export DPAKIT_DEVICES=$PWD/devices
    mkfifo answer
    "$BATS_FILE_TMPDIR/cases" a_removed_device_has_no_files <answer >told 3>&- &
    program=$!
    exec 9>answer
    until [ -s told ] || ! kill -0 "$program"; do sleep 0.05; done
    dpadev delete mlx5_1
    echo >&9
    wait "$program"
}

@test "without devices there are no files" {
    mkdir devices
    export DPAKIT_DEVICES=$PWD/devices
    case_ok without_devices_there_are_no_files
    [ -z "$(find run -name 'files-*')" ]
}

@test "a runtime directory of others has no files" {
    export DPAKIT_RUNTIME=$PWD/others
    mkdir -m 777 others
    run "$BATS_FILE_TMPDIR/cases" a_device_has_the_files_of_a_card
    [ "$status" -eq 99 ]
    [ -z "$(ls -A others)" ]
}
