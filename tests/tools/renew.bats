# mlxdpa renew: a new leaf under an existing CA, in files and in tokens, or by a CA elsewhere.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/tokens.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_device_elf
    make_host
    mlxdpa keygen keys --organization Example --name Test --days 100 --leaf-days 10 >said
    mlxdpa renew new --from keys >renewed 2>warned
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
}

# proves FOLDER [KEY OPTION...]: a signature of the new leaf is verified under the old root.
proves() {
    local folder=$1 key=${2-$1/leaf.key}
    shift; [ $# -eq 0 ] || shift
    mlxdpa -e "$f/host" -c "$folder/chain.pem" -p "$key" "$@" -o signed sign_dpa_apps
    mlxdpa verify signed --ca "$f/keys/root.pem" | grep -q '2 DPA programs verified'
    cat "$folder/leaf.pem" | openssl x509 -outform der | cmp - "$folder/leaf.der"
}

csr_signed() {
    openssl x509 -req -in "$1" -CA "$f/keys/intermediate.pem" -CAkey "$f/keys/intermediate.key" \
        -set_serial 77 -days 50 -copy_extensions copyall -out "$2" 2>>log
}

@test "a new leaf under the CA of a keygen folder has the old one's names, a new key, and a chain" {
    [ "$(ls "$f/new" | tr '\n' ' ')" = "chain.der chain.pem leaf.der leaf.key leaf.pem " ]
    [ "$(stat -c %a "$f/new" "$f/new/leaf.key" | tr '\n' ' ')" = "700 600 " ]
    [ "$(openssl x509 -in "$f/new/leaf.pem" -noout -subject -issuer)" = "$(openssl x509 -in "$f/keys/leaf.pem" -noout -subject -issuer)" ]
    ! cmp "$f/new/leaf.key" "$f/keys/leaf.key" || false
    cat "$f"/keys/{root,intermediate}.der "$f/new/leaf.der" | cmp - "$f/new/chain.der"
    openssl x509 -in "$f/new/leaf.pem" -noout -text | grep -q 'Code Signing'
    grep -q "policies name it $(sha256sum <"$f/new/leaf.der" | cut -d ' ' -f 1)" "$f/renewed"
    proves "$f/new"
}

@test "a leaf that outlasts its CA is warned of" {
    grep -q '^-W- .*Test root CA ends at .*the leaf is good for nothing then' "$f/warned"
    mlxdpa renew short --from "$f/keys" --leaf-days 9 2>said
    [ ! -s said ]
    ! openssl x509 -in short/leaf.pem -noout -checkend $((10 * 86400)) || false
}

@test "CA key and certificate are named, and the names are chosen" {
    cat "$f"/keys/{intermediate,root}.pem >ca.pem
    openssl rsa -in "$f/keys/intermediate.key" -aes256 -passout pass:ca -out ca.key 2>/dev/null
    mlxdpa renew out2 --ca-key ca.key --ca-passin pass:ca --ca-cert ca.pem --name Sig --organization Org --leaf-days 5 \
        --passin pass:leaf
    openssl x509 -in out2/leaf.pem -noout -subject | grep -qE 'O ?= ?Org, CN ?= ?Sig$'
    grep -q 'ENCRYPTED' out2/leaf.key
    proves out2 out2/leaf.key --passin pass:leaf
}

@test "a request, signed elsewhere, comes back as a leaf with its chain" {
    mlxdpa renew request --from "$f/keys" --csr-out request/leaf.csr >said
    grep -qF 'a request for O=Example, CN=Test signer.' said
    [ "$(ls request | tr '\n' ' ')" = "leaf.csr leaf.key " ]
    openssl req -in request/leaf.csr -noout -verify -subject 2>&1 | grep -qE 'O ?= ?Example, CN ?= ?Test signer'
    csr_signed request/leaf.csr leaf.crt
    mlxdpa renew next --cert-in leaf.crt --from "$f/keys" -p request/leaf.key
    openssl x509 -in leaf.crt -outform der | cmp - next/leaf.der
    [ ! -e next/leaf.key ]
    proves next request/leaf.key
    # The CA's file may contain the chain.
    openssl crl2pkcs7 -nocrl -certfile leaf.crt -certfile "$f/keys/intermediate.pem" -certfile "$f/keys/root.pem" -out all.p7b
    mlxdpa renew other --cert-in all.p7b -p request/leaf.key
    cmp other/chain.der next/chain.der
    # A request for an existing key, and a request outside of the folder.
    mlxdpa renew --csr-out again.csr -p request/leaf.key --name Again | grep -qF 'a request for CN=Again.'
    openssl req -in again.csr -noout -verify -subject 2>&1 | grep -qE 'CN ?= ?Again'
    mlxdpa renew apart --csr-out apart.csr
    [ "$(ls apart)" = leaf.key ] && [ -s apart.csr ]
}

@test "a CA's certificate for another key, or without a chain, is refused" {
    fails 1 "is not the one of the leaf" mlxdpa renew out --cert-in "$f/new/leaf.pem" --from "$f/keys" -p "$f/keys/leaf.key"
    openssl req -x509 -newkey rsa:2048 -nodes -keyout x.key -out x.pem -subj /CN=x -days 9 2>>log
    fails 1 "x.pem: not the leaf of a valid chain" mlxdpa renew out --cert-in x.pem --from "$f/keys" -p "$f/keys/leaf.key"
    fails 1 "nowhere" mlxdpa renew out --cert-in nowhere --from "$f/keys" -p "$f/keys/leaf.key"
    fails 1 "a private key, where a certificate is asked for" mlxdpa renew out --cert-in "$f/new/leaf.key" -p "$f/new/leaf.key"
    fails 1 "not a CA certificate" mlxdpa renew out --cert-in "$f/new/leaf.pem" --ca-cert "$f/new/leaf.pem" -p "$f/new/leaf.key"
}

@test "a CA that cannot vouch makes nothing" {
    fails 1 "not the key of the CA's certificate" mlxdpa renew out --ca-key "$f/keys/root.key" --ca-cert "$f/keys/intermediate.pem"
    fails 1 "not a CA certificate" mlxdpa renew out --ca-key "$f/keys/leaf.key" --ca-cert "$f/keys/leaf.pem"
    mkdir moved && cp "$f/keys/chain.der" moved
    fails 1 "name the CA's key with --ca-key" mlxdpa renew out --from moved
    mlxdpa renew taken --from moved --ca-key "$f/keys/intermediate.key"
    openssl req -new -key "$f/keys/leaf.key" -subj /CN=Old -out csr
    expired_certificate csr "$f/keys/root.pem" "$f/keys/root.key" old.pem
    fails 1 "old.pem" mlxdpa renew out --ca-key "$f/keys/leaf.key" --ca-cert old.pem
}

@test "nothing is overwritten, and wrong usage has its own exit code" {
    mkdir there && : >there.csr
    fails 1 "is there already" mlxdpa renew there --from "$f/keys"
    fails 1 "is there already" mlxdpa renew out --csr-out there.csr
    fails 1 "nowhere" mlxdpa renew nowhere/x --from "$f/keys"
    fails 1 "nowhere" mlxdpa renew out --csr-out nowhere/x
    fails 2 "renew needs the CA" mlxdpa renew out
    fails 2 "needs a new folder" mlxdpa renew --from "$f/keys"
    fails 2 "first step" mlxdpa renew out --csr-out a --cert-in b
    fails 2 "both name the CA" mlxdpa renew out --from "$f/keys" --ca-cert b
    fails 2 "a CA elsewhere signs" mlxdpa renew out --csr-out a --ca-key b
    fails 2 "nothing is signed here" mlxdpa renew out --cert-in a --ca-key b
    fails 2 "needs -p" mlxdpa renew out --cert-in a
    fails 2 "gets this name" mlxdpa renew out --csr-out out/leaf.key
    fails 1 "is not a name for a certificate" mlxdpa renew out --from "$f/keys" --name "$(printf 'x%.0s' {1..70})"
    [ ! -e a ] && [ -z "$(find . -name '.*.??????')" ]
}

@test "the CA's key, or the leaf's, is in a token" {
    with_any
    make_tokens
    export PKCS11_MODULE_PATH=$softhsm PIN=1234
    softhsm2-util --init-token --free --label dpa --pin 1234 --so-pin 5678
    softhsm2-util --import "$f/keys/intermediate.key" --token dpa --label ca --id 01 --pin 1234
    softhsm2-util --import "$f/new/leaf.key" --token dpa --label leaf --id 02 --pin 1234
    # OpenSSL's engine forgets memory when a login fails.
    ASAN_OPTIONS=detect_leaks=0 fails 1 "wrong PIN" mlxdpa renew out --from "$f/keys" --ca-key 'pkcs11:token=dpa;object=ca' --ca-passin pass:9999
    mlxdpa renew a --from "$f/keys" --ca-key 'pkcs11:token=dpa;object=ca' --ca-passin env:PIN
    proves a
    # A folder of keygen --token has the URI.
    mkdir uris && cp "$f/keys/chain.der" uris && echo 'pkcs11:token=dpa;object=ca' >uris/intermediate.uri
    mlxdpa renew b --from uris --ca-passin env:PIN
    proves b
    # Both keys are in the token: one PIN.
    mlxdpa renew c --from uris -p 'pkcs11:token=dpa;object=leaf' --passin env:PIN
    [ ! -e c/leaf.key ]
    proves c 'pkcs11:token=dpa;object=leaf' --passin env:PIN
    mlxdpa renew --csr-out d.csr -p 'pkcs11:token=dpa;object=leaf' --passin env:PIN
    csr_signed d.csr d.crt
    mlxdpa renew d --cert-in d.crt --from "$f/keys" -p 'pkcs11:token=dpa;object=leaf' --passin env:PIN
    # No PIN is sent for a certificate that leads nowhere.
    openssl req -x509 -key "$f/new/leaf.key" -out x.pem -subj /CN=x -days 9
    fails 1 "not the leaf of a valid chain" mlxdpa renew out --cert-in x.pem --from "$f/keys" \
        -p 'pkcs11:token=dpa;object=leaf' --passin pass:9999
}
