# mlxdpa keygen: its keys in files and in tokens; it overwrites nothing.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/tokens.bash"

# Making keys takes seconds, so no other test makes keys in files. Only examples of pages make keys without a
# passphrase.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    P=secret mlxdpa keygen keys --organization Example --name Test --days 100 --leaf-days 10 --passin env:P >said
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
}

@test "it makes an owner's key, a root, an intermediate, a leaf and their chain" {
    [ "$(ls "$f/keys" | tr '\n' ' ')" = "chain.der chain.pem intermediate.der intermediate.key intermediate.pem leaf.der leaf.key leaf.pem owner.key owner.pub owner.uuid root.der root.key root.pem root.uuid " ]
    cat "$f"/keys/{root,intermediate,leaf}.der | cmp - "$f/keys/chain.der"
    for k in owner root intermediate leaf; do
        openssl rsa -in "$f/keys/$k.key" -passin pass:secret -noout -text | grep -q 'Private-Key: (4096 bit'
    done
    openssl rsa -in "$f/keys/owner.key" -passin pass:secret -pubout 2>/dev/null | cmp - "$f/keys/owner.pub"
    grep -qxE '[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}' "$f/keys/owner.uuid"
    ! cmp "$f/keys/owner.uuid" "$f/keys/root.uuid" || false
}

@test "each certificate, and the chain, is there as PEM too" {
    for c in root intermediate leaf; do
        openssl x509 -in "$f/keys/$c.pem" -outform der | cmp - "$f/keys/$c.der"
    done
    cat "$f"/keys/{root,intermediate,leaf}.pem | cmp - "$f/keys/chain.pem"
    ! grep -l PRIVATE "$f"/keys/*.pem || false
}

@test "a program that was signed without the intermediate certificate is refused with its name" {
    make_device_elf
    make_host
    mlxdpa -e host -c "$f/keys/leaf.pem" -p "$f/keys/leaf.key" --passin pass:secret -o signed sign_dpa_apps
    fails 16 "UNKNOWN_CA (O=Example, CN=Test intermediate CA, which issued O=Example, CN=Test signer, is neither in the chain nor trusted)" \
        mlxdpa verify signed --ca "$f/keys/root.pem"
}

@test "a certificate in place of the key is refused with the name of the key's file" {
    make_device_elf
    make_host
    fails 1 "leaf.pem: a certificate, where a private key is asked for (perhaps $f/keys/leaf.key?)" \
        mlxdpa -e host -c "$f/keys/chain.pem" -p "$f/keys/leaf.pem" -o out sign_dpa_apps
    fails 1 "root.key: a private key, where a certificate is asked for (perhaps $f/keys/root.der?)" \
        mlxdpa verify host --ca "$f/keys/root.key"
}

@test "only the owner can read the folder and each private key" {
    [ "$(stat -c %a "$f/keys")" = 700 ]
    [ "$(stat -c %a "$f"/keys/*.key | sort -u)" = 600 ]
}

@test "OpenSSL accepts the chain for signing code, with the wanted dates and names" {
    for c in root intermediate leaf; do cp "$f/keys/$c.pem" $c.crt; done
    openssl verify -purpose any -x509_strict -CAfile root.crt -untrusted intermediate.crt leaf.crt
    openssl x509 -in leaf.crt -noout -text >text
    grep -qE 'Issuer: O ?= ?Example, CN ?= ?Test intermediate CA' text
    grep -qE 'Subject: O ?= ?Example, CN ?= ?Test signer' text
    grep -q 'Code Signing' text
    grep -q 'Signature Algorithm: sha256WithRSAEncryption' text
    openssl x509 -in leaf.crt -noout -checkend $((9 * 86400))
    ! openssl x509 -in leaf.crt -noout -checkend $((11 * 86400)) || false
    openssl x509 -in root.crt -noout -checkend $((99 * 86400))
    ! openssl x509 -in root.crt -noout -checkend $((101 * 86400)) || false
}

@test "a program that the leaf signs is verified under the root" {
    make_device_elf
    printf '.section .dpa_bin_one,"",@progbits\n.incbin "dev.elf"\n' >host.s
    gcc -c host.s -o host
    mlxdpa -e host -c "$f/keys/chain.der" -p "$f/keys/leaf.key" --passin pass:secret -o signed sign_dpa_apps
    mlxdpa verify signed --ca "$f/keys/root.der" | grep -q '1 DPA program verified'
}

@test "an existing folder is not changed" {
    mkdir empty && touch file && ln -s nowhere link
    for name in empty file link "$f/keys" . /; do
        fails 1 "is there already" mlxdpa keygen "$name"
    done
    [ -z "$(ls -A empty)" ] && [ ! -s file ] && [ ! -e nowhere ]
    [ -z "$(find . -name '.*.??????')" ]
}

@test "names that no certificate can have, and folders that cannot be, are errors that leave nothing" {
    fails 1 "is not a name for a certificate" mlxdpa keygen new --name "$(printf 'x%.0s' {1..70})"
    fails 1 "nowhere" mlxdpa keygen nowhere/new
    fails 2 "--days" mlxdpa keygen new --days 0
    fails 2 "--passin" mlxdpa keygen new --passin pass:
    [ -z "$(find . -name 'new' -o -name '.new*')" ]
}

@test "with a passphrase the private keys are encrypted" {
    [ "$(head -qn 1 "$f"/keys/*.key | sort -u)" = "-----BEGIN ENCRYPTED PRIVATE KEY-----" ]
    ! openssl rsa -in "$f/keys/leaf.key" -passin pass:other -noout 2>/dev/null || false
}

@test "in a token: the keys never leave it, its URIs sign, and a second time nothing changes; long names cost the chain its root" {
    with_any
    make_tokens
    export PKCS11_MODULE_PATH=$softhsm PIN=1234
    softhsm2-util --init-token --free --label dpa --pin 1234 --so-pin 5678
    name=$(printf 'n%.0s' {1..48})
    mlxdpa keygen new --token pkcs11:token=dpa --passin env:PIN --name "$name" --organization "$name" \
        --days 100 --leaf-days 101 2>warned
    grep -q '^-W- --leaf-days 101: the CAs end after 100 days' warned
    cat new/{intermediate,leaf}.der | cmp - new/chain.der
    [ "$(stat -c %s new/chain.der)" -lt 4096 ]
    [ ! -e new/leaf.key ]
    cat new/{intermediate,leaf}.pem | cmp - new/chain.pem
    [ "$(cat new/leaf.uri)" = "pkcs11:token=dpa;object=dpa-leaf" ]
    make_device_elf
    printf '.section .dpa_bin_one,"",@progbits\n.incbin "dev.elf"\n' >host.s
    gcc -c host.s -o host
    mlxdpa -e host -c new/chain.der -p "$(cat new/leaf.uri)" --passin env:PIN -o signed sign_dpa_apps
    mlxdpa verify signed --ca new/root.der

    find tokens -type f | sort >before
    fails 1 "dpa-owner is in the token already" mlxdpa keygen out --token pkcs11:token=dpa --passin env:PIN
    fails 1 "no such token" mlxdpa keygen out --token pkcs11:token=other --passin env:PIN
    fails 2 "name the token alone" mlxdpa keygen out --token 'pkcs11:token=dpa;object=x' --passin env:PIN
    fails 1 "wrong PIN" mlxdpa keygen out --token pkcs11:token=dpa --passin pass:9
    fails 2 "not a pkcs11: URI of a token, such as" mlxdpa keygen out --token dpa --passin pass:9
    # A failure after the keys were made removes the keys.
    name=$(printf '\xf0\x9f\x98\x80%.0s' {1..48})
    fails 1 "have more than 4096 bytes" mlxdpa keygen out --token pkcs11:token=dpa --label more \
        --passin env:PIN --name "$name" --organization "$name"
    find tokens -type f | sort | cmp before -
}
