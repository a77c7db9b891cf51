# mlxdpa verify -d, libdpkverify's trust in a device, and the loader give the same verdict on every program.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

# host_of ELF NAME: makes NAME, a signed host file with this program.
host_of() {
    printf '.section .dpa_bin_one,"",@progbits\n.incbin "%s"\n.section .dpa_sig_one,"",@progbits\n.zero 65536\n' "$1" >h.s
    gcc -c h.s -o "$2"
    mlxdpa -e "$2" -c keys/chain.der -p keys/leaf.pem --force sign_dpa_apps
}

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    make_signed_files
    make_locking_device locked keys/root.der >log
    # shellcheck disable=SC2086
    gcc -std=gnu11 -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$BATS_TEST_DIRNAME/../host/dpkverify.c" \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -Wl,-rpath,"$DPAKIT_BUILD/lib" -ldpkverify -pthread -o check
    ld.lld dev.o -o good.elf
    ld.lld --omagic dev.o -o writable.elf
    ld.lld -pie --no-dynamic-linker dev.o -o dynamic.elf
    ld.lld -e 1 dev.o -o entry.elf
    printf '#include <stdint.h>\n__dpa_rpc__ uint64_t same(uint64_t a) { return a; }\n' >same.c
    for of in good writable dynamic entry; do host_of $of.elf $of.host; done
    for cpu in nv-dpa-cx7,nv-dpa-cx8 nv-dpa-bf3,nv-dpa-cx8; do
        dpacc same.c -mcpu=$cpu -o $cpu.host --app-name=one
        mlxdpa -e $cpu.host -c keys/chain.der -p keys/leaf.pem sign_dpa_apps
    done
    cp nv-dpa-cx7,nv-dpa-cx8.host others.host
    cp nv-dpa-bf3,nv-dpa-cx8.host several.host
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
}

# same FILE CODE TEXT: the device refuses the file, and so do the other two with this code, each with the text.
same() {
    local got=0
    mlxdpa verify "$1" -d locked >"$1.out" 2>"$1.err" || got=$?
    cat "$1.out" "$1.err"
    [ "$got" -eq "$2" ]
    grep -qF -- "$3" "$1.err"
    got=0
    mlxdpa verify "$1" -d locked --json 2>/dev/null | jq -e ".[0].code == $(($2 - 10))"
    mlxdpa verify "$1" -d locked --at "$(date -u -d '1 hour' +%FT%TZ)" >/dev/null 2>&1 || got=$?
    [ "$got" -eq "$2" ]
    ./check device:locked - "$1" >"$1.check"
    cat "$1.check"
    [ "$(head -n 1 "$1.check")" = "$2" ]
    sed -n 2p "$1.check" | grep -qF -- "$3"
    got=0
    dparun -d locked "$1" --verify-only >"$1.run" 2>&1 || got=$?
    cat "$1.run"
    [ "$got" -eq "$2" ]
    grep -qF -- "$3" "$1.run"
}

@test "all verifiers accept the programs that the device loads" {
    for file in good several; do
        dparun -d locked $file.host --verify-only
        mlxdpa verify $file.host -d locked
        [ "$(./check device:locked - $file.host | head -n 1)" = 0 ]
    done
    mlxdpa verify several.host -d locked --json | jq -e 'length == 1 and .[0].target == "bf3"'
}

@test "code that is writable" { same writable.host 20 "p_flags make code writable"; }

@test "a program that is dynamic" { same dynamic.host 20 "e_type is 3, not ET_EXEC"; }

@test "an entry outside of the code" { same entry.host 20 "e_entry 0x1 is not in an executable segment"; }

@test "a program for other targets alone" { same others.host 20 "compiled for other targets, not for bf3"; }

@test "programs with a wrong signature are refused with this reason" {
    cp good.host changed.host
    at=$(grep -obUaP '\x13{8}' changed.host | head -n 1 | cut -d : -f 1)
    printf '\x93' | dd of=changed.host bs=1 seek="$at" conv=notrunc status=none
    same changed.host 14 "segment"
    cp host unsigned.host
    got=0
    mlxdpa verify unsigned.host -d locked --at "$(date -u +%FT%TZ)" || got=$?
    [ "$got" -eq 11 ]
    [ "$(./check device:locked - unsigned.host | head -n 1)" = 11 ]
}

@test "a container with a program that the device could not load" {
    for elf in dev writable dynamic; do
        mlxdpa -s $elf.elf -m app.yaml --dpa_app_uuid $uuid --life_cycle_priority OEM -o app.$elf create_single_dpa_app
        mlxdpa -s app.$elf -c keys/chain.der -p keys/leaf.pem --life_cycle_priority OEM --force -o app.$elf.signed \
            sign_single_dpa_app
    done
    mlxdpa verify app.dev.signed -d locked
    [ "$(./check device:locked - app.dev.signed | head -n 1)" = 0 ]
    for elf in writable dynamic; do
        got=0
        mlxdpa verify app.$elf.signed -d locked --at "$(date -u -d '1 hour' +%FT%TZ)" || got=$?
        [ "$got" -eq 20 ]
        mlxdpa verify app.$elf.signed --ca keys/root.der
        [ "$(./check device:locked - app.$elf.signed | head -n 1)" = 20 ]
    done
}
