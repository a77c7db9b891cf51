#!/usr/bin/env bats
# Output about hostile files: no control characters, and valid JSON.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    printf 'int main(void) { return 0; }' > a.c
    gcc -c a.c -o a.o
    name=$(printf '.dpa_bin_x\033[2J\xc2\x9b31m\xff\n-I- fine')
    objcopy --add-section "$name=$DPAKIT_GOLDEN/hostelf/dev1.elf" a.o evil.o
}

harmless() {
    ! LC_ALL=C grep -aq $'[\x01-\x08\x0b-\x1f\x7f\x9b\xff]' "$1" || false
}

@test "names of programs do not steer the terminal" {
    dpacc-extract --list evil.o > list1
    grep -aq 'x?' list1
    harmless list1
    [ "$(wc -l < list1)" -eq 2 ]
    mlxdpa -e evil.o list > list2
    harmless list2
    [ "$(wc -l < list2)" -eq 2 ]
    mlxdpa -e evil.o --ca "$DPAKIT_GOLDEN/keys/root.der" verify > out 2> err || code=$?
    [ "$code" -eq 11 ]
    harmless out
    harmless err
    [ "$(wc -l < err)" -eq 1 ]
}

@test "names of programs are valid JSON" {
    mlxdpa --json -e evil.o list > list
    harmless list
    mlxdpa --json -e evil.o --ca "$DPAKIT_GOLDEN/keys/root.der" verify > out || true
    harmless out
    iconv -f UTF-8 -t UTF-8 list out > /dev/null
}

@test "names of programs in the event log do not steer the terminal" {
    export DPAKIT_DEVICES=$PWD/devices
    dpadev create dev0 > /dev/null
    dparun -d dev0 evil.o --verify-only > out 2> err || true
    harmless out
    harmless err
    dpadev log dev0 > log
    harmless log
    dpadev --json log dev0 > json
    harmless json
}

@test "a limit on file sizes leaves no part of an output behind" {
    cp "$DPAKIT_GOLDEN/hostelf/host-reserved.elf" host
    chmod u+w host
    cp host before
    sign() {
        mlxdpa -e host -c "$DPAKIT_GOLDEN/keys/chain3.der" -p "$DPAKIT_GOLDEN/keys/leaf.pem" \
            "$@" sign_dpa_apps
    }
    code=0
    (ulimit -f 4 && sign) > out 2> err || code=$?
    [ "$code" -eq 1 ]
    grep -q -- '-E- host: File too large' err
    cmp host before
    code=0
    (ulimit -f 4 && sign -o new) 2> err || code=$?
    [ "$code" -eq 1 ]
    [ ! -e new ]
    [ -z "$(find . -name '.dpk-*')" ]
}

@test "a device that cannot be made whole leaves no key behind" {
    export DPAKIT_DEVICES=$PWD/devices
    code=0
    (ulimit -f 20 && dpadev create dev0) > out 2> err || code=$?
    [ "$code" -eq 1 ]
    grep -q -- '^-E- ' err
    [ -z "$(ls -A devices)" ]
    timeout -s INT 0.05 dpadev create dev0 || true
    [ -z "$(find devices -name '.new-*')" ]
}
