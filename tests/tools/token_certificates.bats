# Certificates in PKCS#11 tokens, for -c, --ca and other options. A spy in front of SoftHSM counts the logins.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/tokens.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    command -v softhsm2-util >/dev/null || return 0
    make_device_elf
    make_host
    mlxdpa keygen keys --name Token >log
    cp host by_file && mlxdpa sign_dpa_apps by_file -c keys/chain.der -p keys/leaf.key
    make_tokens
    export PKCS11_MODULE_PATH=$softhsm
    for token in dpa leaf closed bare; do
        softhsm2-util --init-token --free --label $token --pin 1234 --so-pin 5678 >>log
        softhsm2-util --import keys/leaf.key --token $token --label leaf --id 01 --pin 1234 >>log
    done
    put_certificate dpa 1234 leaf keys/leaf.der
    put_certificate dpa 1234 ca keys/intermediate.der
    put_certificate dpa 1234 top keys/root.der
    put_certificate leaf 1234 leaf keys/leaf.der
    for x in leaf:leaf.der ca:intermediate.der top:root.der; do
        put_certificate closed 1234 ${x%:*} keys/${x#*:} private
        put_certificate bare 1234 ${x%:*} keys/${x#*:} bare
    done
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
    with_any
    export SOFTHSM2_CONF=$f/softhsm2.conf SPY_OF=$softhsm SPY_LOG=$PWD/log PKCS11_MODULE_PATH=$DPAKIT_BUILD/obj/tests/helpers/spy_shim.so
    export ASAN_OPTIONS=detect_leaks=0 # OpenSSL's engine forgets memory when a login fails
    uri='pkcs11:token=dpa;object=leaf'
    : >log
}

# logins COUNT: this number of PINs was sent since the log was emptied, and none was refused.
logins() {
    [ "$(grep -c 'in$' log)" -eq "$1" ]
    ! grep -q refused log || false
    : >log
}

by() {
    mlxdpa -e "$f/host" "$@" sign_dpa_apps
}

chain_in_the_token() {
    with "$1"
    by -c "$uri" -p "$uri" --passin pass:1234 -o out
    cmp out "$f/by_file"
    logins 1
    by -c "$uri;type=cert" -p "$uri;type=private?pin-value=1234" -o out
    cmp out "$f/by_file"
    logins 1
    # The key may be in a file, and its passphrase is sent to no token.
    openssl rsa -in "$f/keys/leaf.key" -aes256 -passout pass:secret -out locked.pem
    by -c "$uri" -p locked.pem --passin pass:secret -o out
    cmp out "$f/by_file"
    [ ! -s log ]
}
@test "-c takes the certificate and its issuers from a token (engine)" { chain_in_the_token engine; }
@test "-c takes the certificate and its issuers from a token (provider)" { chain_in_the_token provider; }

@test "issuers are found whose subject the token does not know" {
    by -c 'pkcs11:token=bare;object=leaf' -p "$uri?pin-value=1234" -o out
    cmp out "$f/by_file"
}

@test "without issuers in the token the chain is the certificate alone" {
    by -c 'pkcs11:token=leaf' -p "$uri?pin-value=1234" -o out
    by -c "$f/keys/leaf.der" -p "$f/keys/leaf.key" -o file
    cmp out file
    fails 1 "--cert_chain_count is 3" by -c 'pkcs11:token=leaf' --cert_chain_count 3 -p "$f/keys/leaf.key" -o out
}

@test "a certificate that the token hides needs the PIN, and one login is enough for it and the key" {
    printf '1234\r\n' >pin
    hidden='pkcs11:token=closed;object=leaf'
    by -c "$hidden" -p "$hidden" --passin file:pin -o out
    cmp out "$f/by_file"
    logins 1
    by -c "$hidden?pin-source=pin" -p "$hidden?pin-source=pin" -o out
    cmp out "$f/by_file"
    logins 1
    cp "$f/host" a && cp "$f/host" b
    mlxdpa sign_dpa_apps a b -c "$hidden" -p "$hidden" --passin file:pin
    cmp a "$f/by_file" && cmp b "$f/by_file"
    logins 1
    fails 1 "$hidden: no such certificate in the token (there are: none)" by -c "$hidden" -p "$f/keys/leaf.key" -o out
    [ ! -s log ]
}

@test "each trouble has its own message, without the PIN, and is found before one is sent" {
    key="$uri?pin-value=99999"
    fails 1 "pkcs11:token=dpa;object=laef: no such certificate in the token (there are: " \
        by -c 'pkcs11:token=dpa;object=laef' -p "$key" -o out
    for x in leaf ca top; do grep -q "there are:.*$x" stderr; done
    fails 1 "pkcs11:token=dpa: names more than one certificate: say object=LABEL or id=" by -c 'pkcs11:token=dpa' -p "$key" -o out
    fails 1 "no such token (there are: " by -c 'pkcs11:token=none;object=leaf' -p "$key" -o out
    fails 2 "not a URI of a certificate" by -c 'pkcs11:tokn=dpa' -p "$key" -o out
    fails 2 "names no certificate: say type=cert" by -c "$uri;type=private" -p "$key" -o out
    fails 1 "nowhere.so cannot be loaded" by -c "$uri?module-path=nowhere.so" -p "$key" -o out
    fails 1 "pkcs11:token=dpa;object=ca: certificate chain: its key may not sign data" by -c 'pkcs11:token=dpa;object=ca?pin-value=31415' -p "$f/keys/leaf.key" -o out
    ! grep -q 31415 stderr || false
    [ ! -s log ]
    fails 1 "pkcs11:token=closed;object=leaf: wrong PIN" by -c 'pkcs11:token=closed;object=leaf?pin-value=99999' -p "$key" -o out
    [ "$(grep -c refused log)" -eq 1 ]
    SPY_SAYS=locked fails 1 "the PIN is locked" by -c 'pkcs11:token=closed;object=leaf?pin-value=99999' -p "$key" -o out
}

@test "--ca, --ca-cert, containers and devices take certificates from tokens" {
    mlxdpa verify "$f/by_file" --ca 'pkcs11:token=dpa;object=top'
    fails 1 'pkcs11:token=dpa;object=ca: not a root certificate' mlxdpa verify "$f/by_file" --ca 'pkcs11:token=dpa;object=ca?pin-value=31415'
    ! grep -q 31415 stderr || false
    mlxdpa renew new --ca-cert 'pkcs11:token=dpa;object=ca' --ca-key "$f/keys/intermediate.key" --name Token
    openssl verify -CAfile "$f/keys/root.pem" -untrusted "$f/keys/intermediate.pem" new/leaf.pem
    for x in "$f/keys/root.der" 'pkcs11:token=dpa;object=top?pin-value=31415'; do
        mlxdpa --cert_container_type add -c "$x" -o container.$((++n)) --life_cycle_priority OEM \
            --cert_uuid $uuid --keypair_uuid $uuid create_cert_container
    done
    cmp container.1 container.2
    fails 1 "pkcs11:token=dpa;object=leaf: no device takes it" mlxdpa --cert_container_type add -c "$uri?pin-value=31415" \
        -o out --life_cycle_priority OEM create_cert_container
    ! grep -q 31415 stderr || false
    mlxdpa release "$f/host" -c "$uri" -p "$uri" --passin pass:1234 -o released
    cmp released/chain.der "$f/keys/chain.der"
    logins 1
}
