# flint-lite: burning certificate containers.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"
source "$BATS_TEST_DIRNAME/../helpers/bytes.bash"

setup_file() { make_world; }
setup() { enter_world; }

sign() { # CONTAINER OUT
    mlxdpa --cert_container "$1" -p owner.pem --keypair_uuid "$owner_uuid" --life_cycle_priority OEM \
        -o "$2" sign_cert_container >/dev/null
}

removal() { # OUT OPTIONS...
    mlxdpa --cert_container_type remove "${@:2}" -o rm.container --life_cycle_priority OEM \
        create_cert_container >/dev/null
    sign rm.container "$1"
}

@test "burning prints what the guide shows" {
    claimed
    run flint-lite -d mlx5_0 -i root.signed -y b
    [ "$status" -eq 0 ]
    [ "$output" = '-I- Downloading FW ...
FSMST_INITIALIZE -   OK
Writing DIGITAL_CACERT component -   OK
-I- Component FW burn finished successfully.' ]
}

@test "a terminal shows a progress bar, then the same lines" {
    need_terminal
    claimed
    script -qec "flint-lite -d mlx5_0 -i root.signed -y burn" /dev/null >out </dev/null
    for percent in ' 0' 25 50 75 100; do
        grep -aq "Writing DIGITAL_CACERT component - *$percent%" out
    done
    # The text that remains after the last return of the cursor.
    sed 's/\r$//; s/.*\r//' out | diff - <(printf '%s\n' '-I- Downloading FW ...' \
        'FSMST_INITIALIZE -   OK' 'Writing DIGITAL_CACERT component -   OK' \
        '-I- Component FW burn finished successfully.')
}

@test "a refusal says the MCC result and its code, and no component was written" {
    claimed
    cp root.signed bad
    flip bad $(($(stat -c %s bad) - 1))
    refused 1 flint-lite -d mlx5_0 -i bad -y b
    says 'FW_BURN_REJECTED_CERT_SIGNATURE (0x1B)'
    [ "$(cat out)" = '-I- Downloading FW ...' ]
    mlxdpa --cert_container_type add -c root.der -o nv.container --life_cycle_priority Nvidia \
        create_cert_container >/dev/null
    mlxdpa --cert_container nv.container -p owner.pem --keypair_uuid "$owner_uuid" \
        --cert_uuid "$cert_uuid" --life_cycle_priority Nvidia -o nv.signed sign_cert_container >/dev/null
    refused 1 flint-lite -d mlx5_0 -i nv.signed -y b
    says 'REJECTED_KEY_NOT_APPLICABLE (7)'
    echo junk >junk
    refused 1 flint-lite -d mlx5_0 -i junk -y b
    says 'REJECTED_BAD_FORMAT (8)'
}

@test "eight places, and the ninth has none" {
    claimed
    for n in 1 2 3 4 5 6 7 8 9; do
        mlxdpa --cert_container root.container -p owner.pem --keypair_uuid "$owner_uuid" \
            --cert_uuid "0b1e4bd6-c634-11ed-afa1-0242ac12000$n" --life_cycle_priority OEM -o $n.signed \
            sign_cert_container >/dev/null
        [ $n = 9 ] || flint-lite -d mlx5_0 -i $n.signed -y b >/dev/null
    done
    refused 1 flint-lite -d mlx5_0 -i 9.signed -y b
    says 'FW_BURN_REJECTED_NO_PLACE (0x1E)'
    flint-lite -d mlx5_0 q | grep -q '8 of 8 places'
}

@test "removing prints what the guide shows" {
    claimed
    flint-lite -d mlx5_0 -i root.signed -y b
    removal one.signed --cert_uuid "$cert_uuid"
    run flint-lite -d mlx5_0 -i one.signed -y burn
    [ "$status" -eq 0 ]
    [[ $output == *'Writing DIGITAL_CACERT_REMOVAL component -   OK'* ]]
    flint-lite -d mlx5_0 q | grep -q '0 of 8 places'
}

@test "remove all certificates" {
    claimed
    flint-lite -d mlx5_0 -i root.signed -y b
    removal all.signed --remove_all_certs
    flint-lite -d mlx5_0 -i all.signed -y b
    flint-lite -d mlx5_0 q | grep -q '0 of 8 places'
}

@test "query shows owner and certificates" {
    claimed
    flint-lite -d mlx5_0 -i root.signed -y b
    flint-lite -d mlx5_0 query >out
    grep -q "Device owner key pair: $owner_uuid" out
    grep -q "1 of 8 places" out
    grep -q "$cert_uuid, OEM, key pair $owner_uuid" out
    grep -q "CN=Example DPA root CA" out
}

@test "the guide's manual recipe of signing a container is burned" {
    claimed
    mlxdpa --cert_container_type add -c root.der -o unsigned --keypair_uuid "$owner_uuid" \
        --cert_uuid "$cert_uuid" --life_cycle_priority OEM create_cert_container
    echo "90 01 02 0C 10 00 00 00 00 00 00 00" | xxd -r -p - header
    openssl dgst -sha512 -sign owner.pem -out signature unsigned
    cat unsigned header signature >signed
    cmp signed root.signed
    flint-lite -d mlx5_0 -i signed -y b
}

@test "without -y it asks; yes burns" {
    claimed
    run flint-lite -d mlx5_0 -i root.signed b <<<y
    [ "$status" -eq 0 ]
    [[ $output == *'(y/n)'* ]]
    flint-lite -d mlx5_0 q | grep -q '1 of 8 places'
}

@test "without -y and without an answer nothing is burned" {
    claimed
    refused 1 flint-lite -d mlx5_0 -i root.signed b
    says 'the answer was no'
}

@test "before the claim the owner's container is refused" {
    refused 1 flint-lite -d mlx5_0 -i root.signed -y b
    says 'root.signed: burning failed'
    says 'REJECTED_UNKNOWN_KEY (4)'
}

@test "an unsigned container is refused" {
    claimed
    refused 1 flint-lite -d mlx5_0 -i root.container -y b
    says 'REJECTED_UNSIGNED (6)'
}

@test "the same certificate twice is refused with its code" {
    claimed
    flint-lite -d mlx5_0 -i root.signed -y b
    refused 1 flint-lite -d mlx5_0 -i root.signed -y b
    says 'FW_BURN_REJECTED_NOT_ALLOWED_SAME_UIDD (0x25)'
    dpadev log mlx5_0 | tail -1 | grep -q 'flint-lite  burn  FW_BURN_REJECTED_NOT_ALLOWED_SAME_UIDD'
}

@test "a removal that matches nothing is refused with its code" {
    claimed
    removal one.signed --cert_uuid "$cert_uuid"
    refused 1 flint-lite -d mlx5_0 -i one.signed -y b
    says '(0x1F)'
}

@test "a flipped bit is refused" {
    claimed
    for at in 0 17 40 100 700 1500 1900; do
        cp root.signed bad
        flip bad $at 4
        refused 1 flint-lite -d mlx5_0 -i bad -y b
    done
}

@test "input that is not a container: one error with its name, nothing changed" {
    claimed
    : >empty
    head -c 2000 /dev/urandom >random
    head -c 1000 root.signed >cut
    for in in missing empty random cut . auth.bin root.der; do
        refused 1 flint-lite -d mlx5_0 -i "$in" -y b || { echo "$in"; false; }
        says "$in"
    done
}

@test "wrong usage is exit 2" {
    refused 2 flint-lite
    refused 2 flint-lite -d mlx5_0 -y b
    says '-i FILE'
    refused 1 flint-lite -i root.signed b
    says 'the answer was no'
    refused 2 flint-lite -d mlx5_0 brun
    says 'did you mean burn?'
    refused 2 flint-lite -d mlx5_0 q more
}

@test "query_components lists and writes certificates" {
    claimed
    flint-lite -d mlx5_0 query_components | grep -q 'No CA certificates'
    flint-lite -d mlx5_0 -i root.signed -y b
    flint-lite -d mlx5_0 --component_type digital_cacert query_components | grep -q "$cert_uuid"
    flint-lite -d mlx5_0 --component_type digital_cacert --cert_uuid "$cert_uuid" query_components out.der
    cmp out.der root.der
}

@test "query_components writes the container that was kept" {
    claimed
    mlxdpa --cert_container_type add -c root.der -o kept --cert_uuid "$cert_uuid" -k \
        --life_cycle_priority OEM create_cert_container
    sign kept kept.signed
    flint-lite -d mlx5_0 -i kept.signed -y b
    flint-lite -d mlx5_0 --cert_uuid "$cert_uuid" query_components out
    cmp out kept.signed
}

@test "query_components refuses what is not there" {
    refused 1 flint-lite -d mlx5_0 --cert_uuid "$cert_uuid" query_components out
    says "no certificate with UUID $cert_uuid"
    [ ! -e out.der ]
    refused 2 flint-lite -d mlx5_0 --cert_uuid "$cert_uuid" query_components
    refused 2 flint-lite -d mlx5_0 --component_type boot_image query_components
}

@test "verify checks a container without a device" {
    openssl rsa -in owner.pem -pubout -out owner.pub 2>/dev/null
    openssl rsa -in root.pem -pubout -out other.pub 2>/dev/null
    flint-lite -i root.signed --key owner.pub verify | grep -q 'the signature is right'
    refused 1 flint-lite -i root.signed --key other.pub verify
    says 'the signature is wrong'
    refused 1 flint-lite -i root.container --key owner.pub verify
    says 'not signed'
    refused 1 flint-lite -i root.signed --key root.der verify
    says 'root.der: a certificate, where a public key is asked for'
    refused 2 flint-lite -i root.signed verify
}
