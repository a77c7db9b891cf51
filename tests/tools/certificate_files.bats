# Files of certificates and keys in the forms that CAs and other tools deliver, and files that are something else.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_signed_files
    for c in root intermediate leaf; do openssl x509 -inform der -in keys/$c.der -out $c.crt; done
    cat leaf.crt root.crt intermediate.crt >chain.pem
    openssl crl2pkcs7 -nocrl -certfile chain.pem -out chain.p7b
    openssl crl2pkcs7 -nocrl -certfile chain.pem -outform der -out chain.p7c
    openssl crl2pkcs7 -nocrl -certfile root.crt -outform der -out root.p7c
    openssl pkcs12 -export -inkey keys/leaf.pem -in leaf.crt -passout pass: -out leaf.p12
    openssl x509 -in leaf.crt -trustout -out leaf.trusted
    openssl pkcs8 -topk8 -nocrypt -in keys/leaf.pem -outform der -out leaf.p8
    openssl req -new -key keys/leaf.pem -subj /CN=x -out leaf.csr
    mkdir new
    cp keys/leaf.pem new/leaf.key
    cp leaf.crt new/leaf.pem
    cp keys/chain.der new
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

sign_with() { mlxdpa -e host -c "$1" -p "$2" -o "${3-$BATS_TEST_TMPDIR/out}" sign_dpa_apps; }

@test "a chain in PKCS#7, PEM or DER, is a chain" {
    for c in chain.p7b chain.p7c chain.pem; do
        sign_with $c keys/leaf.pem
        cmp "$BATS_TEST_TMPDIR/out" signed
    done
    printf 'Text before it\r\n' | cat - chain.p7b | sed 's/$/\r/' >dos.p7b
    sign_with dos.p7b keys/leaf.pem
    cmp "$BATS_TEST_TMPDIR/out" signed
}

@test "so is a root in PKCS#7 or PEM, for verifying and for containers" {
    mlxdpa verify signed --ca root.p7c | grep -q '2 DPA programs verified'
    for c in keys/root.der root.crt root.p7c; do
        mlxdpa --cert_container_type add -c $c -o $(basename $c).container --life_cycle_priority OEM \
            --cert_uuid $uuid --keypair_uuid $uuid create_cert_container
        cmp $(basename $c).container root.der.container
    done
    fails 1 "more than 1 certificates" mlxdpa --cert_container_type add -c chain.p7b -o out \
        --life_cycle_priority OEM --cert_uuid $uuid --keypair_uuid $uuid create_cert_container
}

@test "damaged PKCS#7 is an error" {
    head -c 1000 chain.p7c >short.p7c
    fails 1 "damaged PKCS#7" sign_with short.p7c keys/leaf.pem out
    { cat chain.p7c; echo; } >long.p7c
    fails 1 "damaged PKCS#7" sign_with long.p7c keys/leaf.pem out
    openssl crl2pkcs7 -nocrl -outform der -out empty.p7c
    fails 1 "empty.p7c: no certificate" sign_with empty.p7c keys/leaf.pem out
}

@test "an unreadable certificate file gets the command that converts it, and this command works" {
    fails 1 "openssl pkcs12 -in leaf.p12 -nocerts -nodes -out NEW.pem" sign_with keys/chain.der leaf.p12 out
    openssl pkcs12 -in leaf.p12 -nocerts -nodes -out NEW.pem -passin pass:
    sign_with keys/chain.der NEW.pem
    fails 1 "openssl pkcs12 -in leaf.p12 -nokeys -nodes -out NEW.pem" sign_with leaf.p12 keys/leaf.pem out
    fails 1 "openssl x509 -in leaf.trusted -out NEW.pem" sign_with leaf.trusted keys/leaf.pem out
    openssl x509 -in leaf.trusted -out NEW.pem
    sign_with NEW.pem keys/leaf.pem
    fails 1 "openssl pkey -inform der" sign_with keys/chain.der leaf.p8 out
}

@test "a key where a certificate is asked for, and the reverse, is said, with the file that is meant" {
    fails 1 "new/leaf.key: a private key, where a certificate is asked for (perhaps new/chain.der?)" \
        sign_with new/leaf.key new/leaf.key out
    fails 1 "new/leaf.pem: a certificate, where a private key is asked for (perhaps new/leaf.key?)" \
        sign_with new/chain.der new/leaf.pem out
    fails 1 "new/chain.der: a certificate, where a private key is asked for (perhaps new/leaf.key?)" \
        sign_with new/chain.der new/chain.der out
    fails 1 "leaf.p8: a private key, where a certificate is asked for" sign_with leaf.p8 new/leaf.key out
    fails 1 "owner.pub: a public key, where a private key is asked for (perhaps keys/owner.pem?)" \
        sign_with new/chain.der keys/owner.pub out
    fails 1 "leaf.csr: a certificate request, which a CA signs first, where a certificate is asked for" \
        sign_with leaf.csr new/leaf.key out
    fails 1 "chain.p7b: certificates alone (PKCS#7), where a private key" sign_with new/chain.der chain.p7b out
    fails 1 "keys/root.pem: a private key, where a certificate is asked for (perhaps keys/root.der?)" \
        mlxdpa verify signed --ca keys/root.pem
    fails 1 "keys/root.der: a certificate, where a public key is asked for" \
        mlxdpa verify app.signed --ca keys/root.der --key keys/root.der
}

@test "a leaf that ends within 90 days is a warning when it signs, and a line of show" {
    openssl req -new -key keys/leaf.pem -subj "/CN=Short" -out short.csr
    for days in 30 91; do
        openssl x509 -req -in short.csr -CA root.crt -CAkey keys/root.pem -days $days -out $days.crt 2>/dev/null
        sign_with $days.crt keys/leaf.pem 2>said
        mlxdpa show "$BATS_TEST_TMPDIR/out" >shown
        if [ $days = 30 ]; then
            grep -qE '^-W- 30.crt: the leaf ends on [0-9-]{10} .* UTC, in (29|30) days: sign again' said
            grep -q 'the leaf ends on' shown
        else
            [ ! -s said ]
            ! grep -q 'the leaf ends on' shown || false
        fi
    done
}
