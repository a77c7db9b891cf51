# mlxdpa create_cert_container and sign_cert_container.

setup() {
    cd "$BATS_TEST_TMPDIR"
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

# root NAME OPTION...: NAME.der, self-signed.
root() {
    openssl req -x509 -nodes -outform der -out "$1.der" -subj "/CN=$1" -days 300 "${@:2}" 2>log
}

@test "a certificate that no device takes as a root is packed and signed with --force alone" {
    root ec -newkey ec -pkeyopt ec_paramgen_curve:P-384
    root small -newkey rsa:2048
    root user -key "$BATS_TEST_DIRNAME/../data/keys/root.pem" -addext basicConstraints=critical,CA:FALSE
    cp "$keys/leaf.der" "$keys/inter.der" .
    head -c -1 "$keys/root.der" >damaged.der
    tail -c 1 "$keys/root.der" | tr '\000-\377' '\001-\377\000' >>damaged.der
    while IFS=: read -r name why; do
        fails 1 create --cert_container_type add -c $name.der --life_cycle_priority OEM
        says "$name.der: no device takes it: $why"
        create --cert_container_type add -c $name.der --life_cycle_priority OEM --force 2>err
        grep -q "^-W- $name.der: no device takes it: $why" err
        mv out $name.bin
        fails 1 sign $name.bin OEM
        says "$name.bin: no device takes it: $why"
        fails 1 mlxdpa --cert_container $name.bin --keypair_uuid $keypair --cert_uuid $cert \
            --life_cycle_priority OEM -o out export_tbs
        says "$name.bin: no device takes it: $why"
        sign $name.bin OEM --force 2>err
        grep -q "^-W- $name.bin: no device takes it: $why" err
        mlxdpa --cert_container signed --key <(openssl pkey -in "$keys/owner.pem" -pubout) verify >stdout || true
        grep -qF "$why" stdout
    done <<'END'
ec:the certificate's key is not an RSA key
small:the certificate's key is RSA-2048, not RSA-4096
user:not a CA
leaf:the certificate is not self-signed
inter:the certificate is not self-signed
damaged:the certificate is not self-signed
END
}

@test "openssl makes the same signature: the guide's manual recipe" {
    echo "90 01 02 0C 10 00 00 00 00 00 00 00" | xxd -r -p - header
    openssl dgst -sha512 -sign "$keys/owner.pem" -out signature "$golden/add-uuids.bin"
    cat "$golden/add-uuids.bin" header signature >by-hand
    sign "$golden/add-uuids.bin" OEM
    cmp signed by-hand
}

@test "files that are not certificates are refused by name" {
    : >empty
    head -c 1000 /dev/urandom >random
    head -c 1000 "$keys/root.der" >cut
    for c in missing empty random cut "$keys/chain2.der" .; do
        fails 1 create --cert_container_type add -c "$c" --life_cycle_priority OEM || { echo "$c"; false; }
        says "$c"
    done
}

@test "a PEM certificate is taken as its DER is" {
    openssl x509 -inform der -in "$keys/root.der" -out pem
    for c in pem "$keys/root.der"; do
        mlxdpa --cert_container_type add -c "$c" --life_cycle_priority OEM --cert_uuid $cert \
            --keypair_uuid $keypair -o "of_${c##*/}" create_cert_container
    done
    cmp of_pem of_root.der
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

@test "invalid UUIDs are refused" {
    for u in x 240a42de32231 00000000-0000-0000-0000-000000000000 "$keypair "; do
        run add --life_cycle_priority OEM --cert_uuid "$u"
        [ "$status" -ne 0 ]
        [[ $output == -E-*--cert_uuid* ]]
        [ ! -e out ]
    done
}

@test "a file that is not a container is refused" {
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

@test "the type of a container is taken in any case, and the command as first word" {
    mlxdpa create_cert_container --cert_container_type ADD -c "$keys/root.der" -o out --life_cycle_priority oem
    cmp out "$golden/add-OEM.bin"
    mlxdpa sign_cert_container --cert_container out -p "$keys/owner.pem" --keypair_uuid $keypair \
        --cert_uuid $cert --life_cycle_priority OEM -o signed
    cmp signed "$golden/add-OEM.signed"
}

@test "--nvidia_signed_oem means priority OEM, when creating and when signing" {
    add --nvidia_signed_oem
    mv out alone
    add --nvidia_signed_oem --life_cycle_priority OEM
    cmp out alone
    mlxdpa --cert_container alone -p "$keys/owner.pem" --keypair_uuid $keypair --cert_uuid $cert \
        --nvidia_signed_oem -o signed sign_cert_container
    [ "$(mlxdpa --json show signed | jq -r '"\(.priority) \(.nvidia_signed_oem)"')" = "OEM true" ]
    # Metadata and signature have NVIDIA's priority, the certificate OEM's.
    [ "$(xxd -p -s 16 -l 1 signed)$(xxd -p -s 64 -l 1 signed)$(xxd -p -s 1436 -l 1 signed)" = b090b0 ]
    fails 2 add --nvidia_signed_oem --life_cycle_priority User
    fails 1 mlxdpa --cert_container "$golden/add-OEM.bin" -p "$keys/owner.pem" --keypair_uuid $keypair \
        --cert_uuid $cert --nvidia_signed_oem -o signed sign_cert_container
    says 'not created as an NVIDIA-signed OEM one'
}

@test "a certificate without a UUID gets a fresh time-based one, which is printed" {
    local first
    for n in 1 2; do
        run mlxdpa --cert_container "$golden/add-OEM.bin" -p "$keys/owner.pem" --keypair_uuid $keypair \
            --life_cycle_priority OEM -o signed sign_cert_container
        [ "$status" -eq 0 ]
        uuid=$(sed -n 's/^Certificate UUID: //p' <<<"$output")
        [[ $uuid =~ ^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$ ]]
        [ "$(mlxdpa --json show signed | jq -r .cert_uuid)" = "$uuid" ]
        [ "$uuid" != "$first" ]
        first=$uuid
    done
}

@test "a UUID that the container has is kept, and no fresh one is made" {
    run mlxdpa --cert_container "$golden/add-uuids.bin" -p "$keys/owner.pem" --life_cycle_priority OEM \
        -o signed sign_cert_container
    [ "$output" = 'Certificate container signed successfully!' ]
    cmp signed "$golden/add-OEM.signed"
}

@test "a removal removes what it was made for, and signing warns of another UUID" {
    mlxdpa --cert_container "$golden/remove-one.bin" -p "$keys/owner.pem" --keypair_uuid $keypair \
        --cert_uuid $keypair --life_cycle_priority OEM -o signed sign_cert_container 2>err
    diff err - <<<"-W- $golden/remove-one.bin: it removes $cert, whatever --cert_uuid says"
    cmp signed "$golden/remove-one.signed"
}

@test "UUIDs with wrong dashes are refused" {
    for u in 8b26fe1b76dc1ab2943bd07d92fd73d5 8b26fe1b7-6dc-1ab2-943b-d07d92fd73d5 \
        8b26-fe1b76dc-1ab2-943b-d07d92fd73d5 8b26fe1b-76dc-1ab2-943b-d07d92fd73d 8b26fe1b-76dc-1ab2-943b--d07d92fd73d; do
        fails 2 add --life_cycle_priority OEM --cert_uuid "$u"
        fails 2 sign "$golden/add-OEM.bin" OEM --keypair_uuid "$u"
    done
}

@test "file names never reach a shell" {
    local name
    for name in 'a b' "it's" 'x;touch pwned' '$(touch pwned)' '`touch pwned`' '"quoted"' '*' '--' $'new\nline'; do
        mkdir -p "d/$name"
        cp "$keys/root.der" "d/$name/cert"
        mlxdpa --cert_container_type add -c "d/$name/cert" -o "d/$name/made" --life_cycle_priority OEM \
            create_cert_container
        cmp "d/$name/made" "$golden/add-OEM.bin"
        mlxdpa --cert_container "d/$name/made" -p "$keys/owner.pem" --keypair_uuid $keypair --cert_uuid $cert \
            --life_cycle_priority OEM -o "d/$name/signed" sign_cert_container
        cmp "d/$name/signed" "$golden/add-OEM.signed"
    done
    [ -z "$(find . -name pwned)" ]
}

@test "nothing is said to be created when nothing was written" {
    run bash -c 'trap "" XFSZ; ulimit -f 0; exec mlxdpa -o made --cert_container_type add -c "$1" \
        --life_cycle_priority OEM create_cert_container' _ "$keys/root.der"
    [ "$status" -eq 1 ]
    [[ $output == "-E- made: "* && $output != *success* ]]
    [ ! -e made ]
    run mlxdpa -o nowhere/made --cert_container_type add -c "$keys/root.der" --life_cycle_priority OEM \
        create_cert_container
    [ "$status" -eq 1 ]
    [[ $output != *success* ]]
}

@test "a certificate of 1792 bytes is too large, one byte less is not" {
    local size n=1
    # Subjects of growing length give certificates of growing size.
    for length in 1791 1792; do
        subject=/CN=x
        while :; do
            openssl req -x509 -key "$BATS_TEST_DIRNAME/../data/keys/root.pem" -outform der -out c.der -days 9 -set_serial 1 -subj "$subject" \
                -addext "nsComment=$(printf "%0${n}d" 0)" 2>/dev/null
            size=$(stat -c %s c.der)
            [ "$size" -eq "$length" ] && break
            n=$((n + length - size))
        done
        if [ "$length" -eq 1791 ]; then
            mlxdpa --cert_container_type add -c c.der -o made --life_cycle_priority OEM create_cert_container
        else
            fails 1 create --cert_container_type add -c c.der --life_cycle_priority OEM
            says 'fewer than 1792'
        fi
    done
}
