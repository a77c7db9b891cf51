# Devices of several types: each tool shows the type, and their DPA has only its own instructions.

bats_require_minimum_version 1.5.0

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    for type in bf3 cx7 cx8 cx9; do
        new_device d$type --type $type
    done
    cat >zba.c <<'C'
#include <doca_dpa_dev.h>
volatile uint64_t t[64];
__dpa_rpc__ uint64_t zba(uint64_t a)
{
    return t[a & 63] + ((a << 3) + 6);
}
__dpa_rpc__ uint64_t target(uint64_t unused)
{
    return __NV_DPA;
}
C
    # Not an area: it does not say what it was compiled for.
    DPA_DOCA=2.9 dpacc zba.c -mcpu=nv-dpa-cx8 -o cx8.a --app-name=adds --devicecc-options="-g"
    dpacc zba.c -mcpu=nv-dpa-cx9,nv-dpa-cx8,nv-dpa-bf3,nv-dpa-cx7 -o all.a --app-name=adds
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices
    mkdir own
}

@test "the type of a device is shown where the device is" {
    [ "$(dpadev list -l | awk '{print $1, $2, $3, $5}')" = \
"dbf3 bf3 0000:03:00.0 BlueField-3
dcx7 cx7 0000:03:00.1 ConnectX-7
dcx8 cx8 0000:04:00.0 ConnectX-8
dcx9 cx9 0000:04:00.1 ConnectX-9" ]
    [ "$(dpadev list -l --json | jq -r '.[].hw_target' | paste -sd' ')" = "bf3 cx7 cx8 cx9" ]
    dpadev show dcx8 | grep -qE 'Type: +cx8, ConnectX-8$'
    [ "$(dpadev log dcx8 --json | jq -r '.[0].detail')" = "dcx8, cx8" ]
    dpadev show dcx8 | grep -qE 'Alias: +mt4131_pciconf2$'
    [ "$(dpadev show dcx7 --json | jq -r .hw_target)" = cx7 ]
    dpadev -o page.html report dcx9
    grep -q '>cx9<' page.html
    [ "$(dpadev --json report dcx9 | jq -r .device.hw_target)" = cx9 ]
    [ "$(doca_caps --list-devs | awk '$1 == "dpa_target" {print $2}' | paste -sd' ')" = \
        "nv-dpa-bf3 nv-dpa-cx7 nv-dpa-cx8 nv-dpa-cx9" ]
    mlxconfig-lite -d /dev/mst/mt4133_pciconf3 query | grep -qE '^Device type: +ConnectX9$'
}

@test "a device without --type is a BlueField-3, and there are no other types" {
    export DPAKIT_DEVICES=$PWD/own
    new_device plain
    [ "$(dpadev show plain --json | jq -r .hw_target)" = bf3 ]
    run -2 dpadev create no --type cx6
    [ "$output" = "-E- option --type: 'cx6' is not bf3, cx7, cx8 or cx9" ]
    run ! dpadev create no --type cx8 --pair
    [ "$output" = "-E- a ConnectX-8 has no processors of its own: only a bf3 is a pair" ]
    [ "$(dpadev list)" = plain ]
}

@test "an instruction that the device's DPA lacks is illegal, interpreted and translated" {
    for mode in off sync on; do
        for type in bf3 cx7; do
            run -3 --separate-stderr env DPAKIT_JIT=$mode dparun "$f/cx8.a" -d d$type --rpc zba 3
            [ -z "$output" ]
            [[ $stderr == *"illegal instruction 0x"*" (instruction sh3add is not one of nv-dpa-$type's: compile with -mcpu=nv-dpa-$type), pc 0x"*"zba.c:5)" ]]
        done
        for type in cx8 cx9; do
            [ "$(DPAKIT_JIT=$mode dparun "$f/cx8.a" -d d$type --rpc zba 3)" = "result: 30 (0x1e)" ]
        done
    done
}

@test "code that was translated for one type of device is not used on another" {
    export XDG_CACHE_HOME=$PWD DPAKIT_JIT=sync
    for type in cx8 bf3 cx8; do
        code=0
        dparun "$f/cx8.a" -d d$type --rpc zba 3 >out 2>err || code=$?
        [ $code -eq "$([ $type = cx8 ] && echo 0 || echo 3)" ]
    done
}

@test "each member of a program for several targets runs on a device of its type" {
    for type in bf3 cx7 cx8 cx9; do
        [ "$(dparun "$f/all.a" -d d$type --rpc zba 3)" = "result: 30 (0x1e)" ]
        dparun "$f/all.a" -d d$type --rpc target 0 >>ids
    done
    [ "$(awk '{print $2}' ids | paste -sd' ')" = "2 1 3 4" ]
    dpacc "$f/zba.c" -mcpu=nv-dpa-cx8,nv-dpa-cx9 -o two.a --app-name=adds
    run ! dparun two.a -d dbf3 --rpc zba 3
    [ "$output" = "-E- program adds: compiled for other targets, not for bf3" ]
}

@test "an archive keeps the type of its device" {
    dpadev export dcx8 cx8.archive
    export DPAKIT_DEVICES=$PWD/own
    new_device first
    dpadev import second cx8.archive
    [ "$(dpadev list -l --json | jq -c '[.[] | .hw_target, .pci_address]')" = \
        '["bf3","0000:03:00.0","cx8","0000:03:00.1"]' ]
    [ "$(readlink own/mt4131_pciconf1)" = second ]
    [ "$(dparun "$f/cx8.a" -d second --rpc zba 3)" = "result: 30 (0x1e)" ]
    dpadev delete first
    new_device third --type cx9
    [ "$(readlink own/mt4133_pciconf0)" = third ]
}

@test "a recording replays as on the device that it is of" {
    for type in cx8 bf3; do
        DPAKIT_RECORD=$type.rec dparun "$f/cx8.a" -d d$type --rpc zba 3 >$type.out 2>$type.err || true
        dparun --replay $type.rec >$type.again 2>$type.said || true
    done
    grep -q '^result: 30' cx8.again
    ! grep '^-E-' cx8.said
    grep -q "sh3add is not one of nv-dpa-bf3's" bf3.said
}
