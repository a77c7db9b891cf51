# Files that cannot be written: one line gives the reason.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    printf '%s\n' '#include <doca_dpa_dev.h>' '__dpa_global__ void each(int n) { (void)n; }' >k.c
    dpacc k.c -o k.a --app-name=k
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices DPAKIT_CACHE=off
    k=$BATS_FILE_TMPDIR/k.a
}

@test "a trace on a full disk is refused at once" {
    [ -c /dev/full ] || skip "no /dev/full here"
    DPAKIT_TRACE=/dev/full run dparun "$k" --kernel each 1
    [ "$status" -eq 1 ]
    [[ $output == *"trace: cannot write /dev/full: No space left on device" ]]
}
