# mlxdpa create_cert_container and sign_cert_container.

setup() {
    cd "$BATS_TEST_TMPDIR"
    [ -d "$DPAKIT_GOLDEN" ] || skip "no golden files"
    golden=$DPAKIT_GOLDEN/container keys=$DPAKIT_GOLDEN/keys
    keypair=240a42de-3223-173e-9929-d51e6547f1bf
    cert=8b26fe1b-76dc-1ab2-943b-d07d92fd73d5
}

create() { mlxdpa -o out "$@" create_cert_container; }
add() { create --cert_container_type add -c "$keys/root.der" "$@"; }
sign() { # CONTAINER PRIORITY OPTIONS...
    mlxdpa --cert_container "$1" -p "$keys/owner.pem" --keypair_uuid $keypair --cert_uuid $cert \
        --life_cycle_priority "$2" -o signed "${@:3}" sign_cert_container
}

fails() { # CODE COMMAND...
    local want=$1 code=0
    shift
    rm -f out signed
    "$@" >stdout 2>err </dev/null || code=$?
    [ "$code" -eq "$want" ] && [ "$(grep -c '^-E- ' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] &&
        [ ! -e out ] && [ ! -e signed ] || { echo "exit $code"; cat stdout err; return 1; }
}

says() { grep -qF -- "$1" err || { cat err; return 1; }; }

@test "containers that add equal NVIDIA's, unsigned and signed" {
    for p in User OEM Nvidia; do
        run add --life_cycle_priority $p
        [ "$output" = 'Certificate container created successfully!' ]
        cmp out "$golden/add-$p.bin"
        run sign out $p
        [ "$output" = 'Certificate container signed successfully!' ]
        cmp signed "$golden/add-$p.signed"
    done
}

@test "keep_sig and UUIDs at creation equal NVIDIA's" {
    add --life_cycle_priority OEM --keep_sig
    cmp out "$golden/add-keepsig.bin"
    add --life_cycle_priority OEM --keypair_uuid $keypair --cert_uuid $cert
    cmp out "$golden/add-uuids.bin"
}

@test "removals equal NVIDIA's, unsigned and signed" {
    create --cert_container_type remove --remove_all_certs --life_cycle_priority OEM
    cmp out "$golden/remove-all.bin"
    sign out OEM
    cmp signed "$golden/remove-all.signed"
    create --cert_container_type remove --cert_uuid $cert --life_cycle_priority OEM
    cmp out "$golden/remove-one.bin"
    sign out OEM
    cmp signed "$golden/remove-one.signed"
}

@test "openssl makes the same signature: the guide's manual recipe" {
    echo "90 01 02 0C 10 00 00 00 00 00 00 00" | xxd -r -p - header
    openssl dgst -sha512 -sign "$keys/owner.pem" -out signature "$golden/add-uuids.bin"
    cat "$golden/add-uuids.bin" header signature >by-hand
    sign "$golden/add-uuids.bin" OEM
    cmp signed by-hand
}

@test "certificates that are none are refused, with the file's name" {
    : >empty
    head -c 1000 /dev/urandom >random
    head -c 1000 "$keys/root.der" >cut
    openssl x509 -inform der -in "$keys/root.der" -out pem
    for c in missing empty random cut pem "$keys/chain2.der" .; do
        fails 1 create --cert_container_type add -c "$c" --life_cycle_priority OEM || { echo "$c"; false; }
        says "$c"
    done
}

@test "a PEM certificate is refused with the command that converts it" {
    openssl x509 -inform der -in "$keys/root.der" -out pem
    fails 1 create --cert_container_type add -c pem --life_cycle_priority OEM
    says 'openssl x509'
}

@test "a signed container is not signed again" {
    fails 1 sign "$golden/add-OEM.signed" OEM
    says 'already signed'
}

@test "another priority than the container's is refused" {
    fails 1 sign "$golden/add-OEM.bin" User
    says 'priority OEM, not User'
    fails 2 sign "$golden/add-OEM.bin" Root
}

@test "a key that is not RSA-4096 is refused, with its size" {
    fails 1 mlxdpa --cert_container "$golden/add-OEM.bin" -p "$keys/owner2048.pem" --keypair_uuid $keypair \
        --cert_uuid $cert --life_cycle_priority OEM -o signed sign_cert_container
    says 'owner2048.pem'
    says '2048'
}

@test "UUIDs that are none are refused" {
    for u in x 240a42de32231 00000000-0000-0000-0000-000000000000 "$keypair "; do
        run add --life_cycle_priority OEM --cert_uuid "$u"
        [ "$status" -ne 0 ]
        [[ $output == -E-*--cert_uuid* ]]
        [ ! -e out ]
    done
}

@test "a container that is none is refused" {
    : >empty
    head -c 1000 "$golden/add-OEM.bin" >cut
    for c in missing empty cut "$keys/root.der" .; do
        fails 1 sign "$c" OEM || { echo "$c"; false; }
        says "$c"
    done
}

@test "missing options are wrong usage" {
    fails 2 create --cert_container_type add --life_cycle_priority OEM
    fails 2 create --life_cycle_priority OEM
    fails 2 create --cert_container_type move --life_cycle_priority OEM
    fails 2 add
    fails 2 create --cert_container_type remove --life_cycle_priority OEM
    fails 2 create --cert_container_type remove --remove_all_certs --cert_uuid $cert --life_cycle_priority OEM
    fails 2 mlxdpa --cert_container "$golden/add-OEM.bin" --life_cycle_priority OEM -o signed sign_cert_container
}

@test "an output that cannot be written is an error" {
    mkdir dir
    run mlxdpa -o dir --cert_container_type add -c "$keys/root.der" --life_cycle_priority OEM create_cert_container
    [ "$status" -eq 1 ]
    [[ $output == -E-*dir* ]]
}
