# mlxdpa: single-program containers.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_device_elf
    cat >meta.yaml <<'YAML'
dpa_app_subtype: 1
type: 2
dpa_app_version: 3
dpa_os_api_version: 4
dpa_fw_api_version: 5
dpa_app_description_string: "packet counter"
YAML
    echo 'a manifest' >manifest
    openssl req -x509 -newkey rsa:4096 -nodes -keyout root.pem -outform der -out root.der \
        -subj /CN=Root -days 300 2>log
    openssl genrsa -out leaf.pem 4096 2>>log
    openssl req -new -key leaf.pem -subj /CN=Leaf -out leaf.csr
    openssl x509 -req -in leaf.csr -CA root.der -CAform der -CAkey root.pem -set_serial 2 -days 300 \
        -outform der -out leaf.der 2>>log
    cat root.der leaf.der >chain.der
    openssl x509 -inform der -in root.der -out root.crt
    expired_certificate leaf.csr root.crt root.pem old.crt
    cat root.crt old.crt >old.pem
    mlxdpa -s dev.elf -m meta.yaml --manifest manifest -o app --life_cycle_priority OEM \
        create_single_dpa_app
    mlxdpa -s app -c chain.der -p leaf.pem -o app.signed --life_cycle_priority OEM sign_single_dpa_app
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    app=7cb4186c-5876-1496-9c2f-858824d578ce
    keypair=240a42de-3223-173e-9929-d51e6547f1bf
}

create() { mlxdpa -s "$f/dev.elf" -m "$f/meta.yaml" -o out --life_cycle_priority OEM "$@" create_single_dpa_app; }
sign() { mlxdpa -c "$f/chain.der" -p "$f/leaf.pem" --life_cycle_priority OEM -o out "$@" sign_single_dpa_app; }
remove() { mlxdpa --dpa_app_uuid $app --life_cycle_priority OEM -o removal create_dpa_app_removal; }

@test "containers equal NVIDIA's, plain and compressed, unsigned and signed" {
    g=$DPAKIT_GOLDEN/singleapp keys=$DPAKIT_GOLDEN/keys
    for kind in plain xz; do
        uuid=$(xxd -p -c 16 -s -90 -l 16 "$g/$kind.bin" | sed -E 's/^(.{8})(.{4})(.{4})(.{4})/\1-\2-\3-\4-/')
        [ $kind = xz ] && more=--xz || more=
        mlxdpa -s "$g/../hostelf/dev1.elf" -m "$g/meta.yaml" --manifest "$g/manifest.bin" \
            --dpa_app_uuid "$uuid" $more --life_cycle_priority OEM -o out create_single_dpa_app
        cmp out "$g/$kind.bin"
        mlxdpa -s out -c "$keys/chain3.der" -p "$keys/leaf.pem" --cert_chain_count 3 --mft-compat \
            --life_cycle_priority OEM -o signed sign_single_dpa_app
        cmp signed "$g/$kind.signed"
        mlxdpa -s "$g/$kind.signed" --ca "$keys/root.der" verify
    done
}

@test "removals equal NVIDIA's, unsigned and signed" {
    remove
    cmp removal "$DPAKIT_GOLDEN/singleapp/removal.bin"
    mlxdpa --dpa_app_removal_container removal -p "$DPAKIT_GOLDEN/keys/owner.pem" \
        --keypair_uuid $keypair --life_cycle_priority OEM -o signed sign_dpa_app_removal
    cmp signed "$DPAKIT_GOLDEN/singleapp/removal.signed"
}

@test "each container gets a time-based UUID of its own, which is printed" {
    run create
    [[ $output =~ ^"out was created successfully with UUID: "[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$ ]]
    [ "$output" != "$(create)" ]
}

@test "the same inputs and UUID give the same bytes" {
    create --dpa_app_uuid $app --xz && cp out first
    create --dpa_app_uuid $app --xz
    cmp out first
}

@test "a script may say that nothing is to be compressed, which is the default" {
    create --dpa_app_uuid $app && cp out plain
    create --dpa_app_uuid $app --no_compression
    cmp out plain
    fails 2 "--xz and --no_compression" create --xz --no_compression
}

@test "a container signed elsewhere equals one signed here" {
    for more in "" --xz; do
        create $more
        mv out unsigned
        [ "$(mlxdpa -s unsigned --life_cycle_priority OEM -o t export_tbs)" = t.tbs ]
        openssl dgst -sha512 -sign "$f/leaf.pem" -out t.sig t.tbs
        mlxdpa -s unsigned --life_cycle_priority OEM -o t --digest export_tbs
        openssl dgst -sha512 -binary t.tbs | cmp - t.sha512
        mlxdpa -s unsigned --life_cycle_priority OEM -c "$f/chain.der" --signature t -o there attach_signature
        sign -s unsigned
        cmp out there
        mlxdpa -s there --ca "$f/root.der" verify
    done
}

@test "a removal signed elsewhere equals one signed here" {
    openssl rsa -in "$f/leaf.pem" -pubout -out key.pub 2>log
    remove
    of() { mlxdpa --dpa_app_removal_container removal --life_cycle_priority OEM "$@"; }
    of --keypair_uuid $keypair -o t export_tbs
    openssl dgst -sha512 -sign "$f/leaf.pem" -out t.sig t.tbs
    of --keypair_uuid $keypair --signature t --key key.pub -o there attach_signature
    of --keypair_uuid $keypair -p "$f/leaf.pem" -o here sign_dpa_app_removal
    cmp here there
    mlxdpa verify there --key key.pub
    fails 2 "key-pair UUID" of -o out export_tbs
    fails 2 "needs --key" of --keypair_uuid $keypair --signature t -o out attach_signature
    fails 1 "removal, t.sig: the signature" of --keypair_uuid $app --signature t --key key.pub -o out \
        attach_signature
    mlxdpa -s "$f/app" --life_cycle_priority OEM -o u export_tbs
    fails 1 "holds a program" mlxdpa --dpa_app_removal_container "$f/app" --life_cycle_priority OEM \
        --keypair_uuid $keypair -o out export_tbs
}

@test "a signature of another container, or by another key, is not attached" {
    attach() { mlxdpa --life_cycle_priority OEM -c "$f/chain.der" --signature t -o out "$@" attach_signature; }
    cp "$f/app" app && cp "$f/app.signed" signed
    mlxdpa -s app --life_cycle_priority OEM -o t export_tbs
    openssl dgst -sha512 -sign "$f/root.pem" -out t.sig t.tbs
    fails 1 "app, t.sig: the signature is not one of these bytes" attach -s app
    openssl dgst -sha512 -sign "$f/leaf.pem" -out t.sig t.tbs
    create && mv out other
    fails 1 "other, t.sig: the signature is not one of these bytes" attach -s other
    fails 1 "already signed" attach -s signed
    fails 1 "signed: the container is already signed" mlxdpa -s signed --life_cycle_priority OEM -o out export_tbs
    head -c 511 t.sig >cut && mv cut t.sig
    fails 1 "t.sig: 511 bytes, a signature has 512" attach -s app
    fails 2 "needs one of" mlxdpa -s app -e app -o out export_tbs
    fails 2 "needs --signature" mlxdpa -s app -c "$f/chain.der" -o out attach_signature
    fails 2 "needs -c" mlxdpa -s app --signature t -o out attach_signature
}

@test "the manifest comes out again" {
    mlxdpa -s "$f/app" -o m query_manifest
    cmp m "$f/manifest"
    mlxdpa -s "$f/app.signed" -o m query_manifest
    cmp m "$f/manifest"
    create && mv out plain
    fails 1 "plain: there is no manifest in it" mlxdpa -s plain -o out query_manifest
}

@test "an expired leaf is refused; --force signs all the same and warns" {
    fails 1 "certificate has expired: CN=Leaf" mlxdpa -s "$f/app" -c "$f/old.pem" -p "$f/leaf.pem" \
        --life_cycle_priority OEM -o out sign_single_dpa_app
    mlxdpa -s "$f/app" -c "$f/old.pem" -p "$f/leaf.pem" --life_cycle_priority OEM -o forced --force \
        sign_single_dpa_app 2>stderr
    [[ $(cat stderr) == "-W- $f/old.pem: "*"expired"* ]]
    fails 17 "CERT_INVALID" mlxdpa verify forced --ca "$f/root.der"
}

@test "signing without -o replaces the container" {
    cp "$f/app" a
    mlxdpa -s a -c "$f/chain.der" -p "$f/leaf.pem" --life_cycle_priority OEM sign_single_dpa_app
    cmp a "$f/app.signed"
}

@test "a signed container is not signed again" {
    fails 1 "app.signed: the container is already signed" sign -s "$f/app.signed"
    remove
    mlxdpa --dpa_app_removal_container removal -p "$f/leaf.pem" --keypair_uuid $keypair \
        --life_cycle_priority OEM -o signed sign_dpa_app_removal
    fails 1 "signed: the container is already signed" mlxdpa --dpa_app_removal_container signed \
        -p "$f/leaf.pem" --keypair_uuid $keypair --life_cycle_priority OEM -o out sign_dpa_app_removal
}

@test "another priority than the container's is refused" {
    fails 1 "has life-cycle priority OEM, not User" mlxdpa -s "$f/app" -c "$f/chain.der" \
        -p "$f/leaf.pem" --life_cycle_priority User -o out sign_single_dpa_app
    remove
    fails 1 "has life-cycle priority OEM, not Nvidia" mlxdpa --dpa_app_removal_container removal \
        -p "$f/leaf.pem" --keypair_uuid $keypair --life_cycle_priority Nvidia -o out sign_dpa_app_removal
}

@test "containers of one kind are not signed as the other" {
    remove
    fails 1 "sign it with sign_dpa_app_removal" sign -s removal
    fails 1 "sign it with sign_single_dpa_app" mlxdpa --dpa_app_removal_container "$f/app" \
        -p "$f/leaf.pem" --keypair_uuid $keypair --life_cycle_priority OEM -o out sign_dpa_app_removal
}

@test "the key pair of a removal is that of who signs it, whatever was said before" {
    remove
    mlxdpa --dpa_app_uuid $app --life_cycle_priority OEM -o named --keypair_uuid $app \
        create_dpa_app_removal 2>err
    diff err - <<<'-W- named: --keypair_uuid is not stored: give it to sign_dpa_app_removal'
    cmp removal named
    signed_by() { # UUID IN OUT
        mlxdpa --dpa_app_removal_container "$2" -p "$f/leaf.pem" --keypair_uuid "$1" \
            --life_cycle_priority OEM -o "$3" sign_dpa_app_removal
    }
    signed_by $keypair removal first
    # Bytes 40 to 55 are the key pair's UUID.
    { head -c 40 removal; xxd -r -p <<<"${app//-/}"; tail -c +57 removal; } >other
    signed_by $keypair other second
    cmp first second
}

@test "a removal is not signed for nobody" {
    remove
    fails 2 "--keypair_uuid" mlxdpa --dpa_app_removal_container removal -p "$f/leaf.pem" \
        --life_cycle_priority OEM -o out sign_dpa_app_removal
}

@test "metadata errors name file, line and field" {
    sed 's/type: 2/type: 300/' "$f/meta.yaml" >m.yaml
    fails 1 "m.yaml: line 2: type: 300 is more than 255" mlxdpa -s "$f/dev.elf" -m m.yaml -o out \
        --life_cycle_priority OEM create_single_dpa_app
    : >empty
    fails 1 "empty: line 1: " mlxdpa -s "$f/dev.elf" -m empty -o out --life_cycle_priority OEM \
        create_single_dpa_app
    fails 1 "nowhere: No such file" mlxdpa -s "$f/dev.elf" -m nowhere -o out --life_cycle_priority OEM \
        create_single_dpa_app
}

@test "a file that is not a device ELF is not packed" {
    echo hello >text
    : >empty
    for file in text empty; do
        fails 1 "$file: " mlxdpa -s $file -m "$f/meta.yaml" -o out --life_cycle_priority OEM \
            create_single_dpa_app
    done
    printf 'int main(void) { return 0; }' | gcc -x c - -o host
    fails 1 "host: its device ELF is not one for RISC-V" mlxdpa -s host -m "$f/meta.yaml" -o out \
        --life_cycle_priority OEM create_single_dpa_app
    mlxdpa -s host -m "$f/meta.yaml" -o forced --life_cycle_priority OEM --force create_single_dpa_app
    fails 1 "forced: its device ELF is not one for RISC-V" sign -s forced
    sign -s forced --force
    mv out forced.signed
    fails 12 "BAD_FORMAT" mlxdpa verify forced.signed --ca "$f/root.der"
    fails 1 "nowhere: No such file" mlxdpa -s nowhere -m "$f/meta.yaml" -o out \
        --life_cycle_priority OEM create_single_dpa_app
    : >manifest
    fails 1 "manifest: empty file" create --manifest manifest
}

@test "a file that is not a container is not signed" {
    : >empty
    head -c 300 "$f/app" >cut
    for file in empty cut "$f/dev.elf"; do
        fails 1 "$file: " sign -s "$file"
        fails 1 "$file: " mlxdpa -s "$file" -o out query_manifest
    done
}

@test "missing options are wrong usage" {
    fails 2 "needs -s" mlxdpa create_single_dpa_app
    fails 2 "needs -m" mlxdpa -s x create_single_dpa_app
    fails 2 "needs -o" mlxdpa -s x -m y create_single_dpa_app
    fails 2 "needs --life_cycle_priority" mlxdpa -s x -m y -o out create_single_dpa_app
    fails 2 "needs -s" mlxdpa sign_single_dpa_app
    fails 2 "needs -c" mlxdpa -s x sign_single_dpa_app
    fails 2 "needs -p" mlxdpa -s x -c y sign_single_dpa_app
    fails 2 "needs --dpa_app_uuid" mlxdpa -o out create_dpa_app_removal
    fails 2 "needs --dpa_app_removal_container" mlxdpa -o out sign_dpa_app_removal
    fails 2 "needs -s" mlxdpa query_manifest
}
