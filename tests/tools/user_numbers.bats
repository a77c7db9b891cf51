# A user namespace may have no number for this user: then the kernel shows the same owner for all files.

load ../helpers/device

setup_file() {
    unshare -U true 2>/dev/null || return 0
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    unshare -U true 2>/dev/null || skip "no user namespace may be made here"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
}

@test "a device is nobody's where its owner has no number" {
    dpadev show d
    run unshare -U dpadev show d
    [ "$status" -ne 0 ]
    [[ $output == "-E- $DPAKIT_DEVICES"*": its owner has no number in this user namespace"*"unshare --map-current-user"* ]]
    [ "$(grep -c '' <<<"$output")" -eq 1 ]
}

@test "a file belongs to its owner where the owner is mapped" {
    unshare --map-root-user dpadev show d
    unshare --map-current-user dpadev show d
}
