# dpadev attach: NVIDIA's tools of Debian's package mstflint on an emulated device, without a library of dpakit. A
# library of this test plays the kernel's /dev/cuse (helpers/cuse_shim.c), which few test machines have.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() { make_world; }
setup() {
    enter_world
    unset LD_PRELOAD
    shim=$DPAKIT_BUILD/obj/tests/helpers/cuse_shim.so
    export CUSE_DEVICES=$PWD/dev
    mkdir dev
}
teardown() { [ -z "${attached:-}" ] || kill "$attached" 2>/dev/null || true; }

# attach WORD...: starts dpadev attach, and waits for its devices.
attach() {
    rm -f attached # of another one before
    LD_PRELOAD=$shim env --default-signal=INT dpadev attach "$@" mlx5_0 >attached 2>&1 3>&- &
    attached=$!
    await grep -q 'is attached' attached
}
detach() { kill -"$1" "$attached" && wait "$attached"; }
has_no_devices() { [ -z "$(ls dev)" ]; }
theirs() { LD_PRELOAD=$shim "$@"; }

@test "attach says what is missing" {
    [ -e /dev/cuse ] && skip "/dev/cuse is there"
    run dpadev attach mlx5_0
    [ "$status" -eq 1 ]
    [ "$output" = "-E- /dev/cuse is missing, which makes character devices: load the kernel's module cuse (modprobe cuse), or use dpadev exec" ] || { echo "$output"; false; }
    run dpadev attach mlx5_9
    [ "$status" -eq 1 ] && [[ $output == '-E- '*mlx5_9* ]]
    run dpadev attach
    [ "$status" -eq 2 ]
}

@test "mstconfig finds an attached device, and both see each other's changes" {
    command -v mstconfig >/dev/null || skip "no mstflint here"
    [ "$(id -u)" -eq 0 ] || skip "an attached device is for root, as mstconfig opens it"
    attach --trace trace
    [ "$(ls dev)" = $'0000:03:00.0_mstconf\nfwctl!fwctl0' ]
    theirs mstconfig -d 03:00.0 -y set USER_PROGRAMMABLE_CC=1 >out 2>&1 || { cat out; false; }
    grep -q 'Applying... Done!' out
    mlxconfig-lite -d mlx5_0 query USER_PROGRAMMABLE_CC | grep -q 'True(1)'
    mlxconfig-lite -d mlx5_0 -y set USER_PROGRAMMABLE_CC=0 >out
    theirs mstconfig -d 03:00.0 query USER_PROGRAMMABLE_CC | grep -qE '^ +USER_PROGRAMMABLE_CC +False\(0\) *$'
    grep -q '^SET NVDA' trace
    theirs mstreg -d 03:00.0 --reg_name MFRL --get | grep -qE '^reset_trigger +\| 0x00000008'
    theirs mstflint -d 03:00.0 query | grep -qE "^PSID: +$(dpadev show mlx5_0 | sed -n 's/.*PSID: *//p')\$"
    run theirs mstconfig -d 05:00.0 query
    [ "$status" -ne 0 ]
}

@test "newer tools take an attached device by fwctl" {
    command -v mstconfig >/dev/null || skip "no mstflint here"
    [ "$(id -u)" -eq 0 ] || skip "an attached device is for root, as mstconfig opens it"
    ! mstconfig --version | grep -q 4.21 || skip "4.21 does not know fwctl"
    attach
    theirs mstconfig -d fwctl0 -y set MEMIC_BAR_SIZE=2 >out 2>&1 || { cat out; false; }
    theirs mstconfig -d fwctl0 query MEMIC_BAR_SIZE | grep -qE '^ +MEMIC_BAR_SIZE +2 *$'
}

@test "a device is detached by a signal, and can be attached again" {
    local signal
    for signal in INT TERM; do
        attach
        detach "$signal"
        await has_no_devices
    done
}
