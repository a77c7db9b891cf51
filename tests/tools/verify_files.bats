# mlxdpa verify, list and show of files other than host files, against keys, CAs and a device.
source "$BATS_TEST_DIRNAME/../helpers/bytes.bash"

load_world() { source "$BATS_TEST_DIRNAME/../helpers/provision.bash"; }

setup_file() {
    source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
    load_world
    make_world
    openssl rsa -in owner.pem -pubout -out owner.pub 2>/dev/null
    openssl rsa -in nvidia.pem -pubout -out nvidia.pub 2>/dev/null
    make_device_elf
    printf '.section .dpa_bin_one,"",@progbits\n.incbin "dev.elf"\n' >one.s
    echo 'int main(void) { return 0; }' >main.c
    gcc main.c one.s -o host
    cp "$test_keys/leaf.pem" .
    openssl req -new -key leaf.pem -subj /CN=Leaf -out leaf.csr
    openssl x509 -req -in leaf.csr -CA root.der -CAform der -CAkey root.pem -set_serial 2 -days 300 \
        -outform der -out leaf.der 2>/dev/null
    cat root.der leaf.der >chain.der
    mlxdpa -e host -c chain.der -p leaf.pem sign_dpa_apps
    printf 'type: 1\ndpa_app_subtype: 1\ndpa_app_version: 1\ndpa_os_api_version: 1\n%s\n%s\n' \
        'dpa_fw_api_version: 1' 'dpa_app_description_string: "a program"' >meta.yaml
    mlxdpa -s dev.elf -m meta.yaml -o app --xz --life_cycle_priority OEM create_single_dpa_app
    mlxdpa -s app -c chain.der -p leaf.pem -o app.signed --life_cycle_priority OEM sign_single_dpa_app
    mlxdpa --dpa_app_uuid $owner_uuid -o removal --life_cycle_priority OEM create_dpa_app_removal
    mlxdpa --dpa_app_removal_container removal -p owner.pem --keypair_uuid $owner_uuid \
        -o removal.signed --life_cycle_priority OEM sign_dpa_app_removal
}

setup() {
    load_world
    enter_world
}

# [CODE] TEXT COMMAND...: exit 1, or the code, and one -E- line with the text.
says_no() {
    local want=1 text code=0
    [[ $1 != [0-9]* || $1 == *' '* ]] || { want=$1 && shift; }
    text=$1
    shift
    "$@" >out 2>err </dev/null || code=$?
    cat out err
    [ "$code" -eq "$want" ] || { echo "exit $code"; return 1; }
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^-E- ' err
    grep -qF -- "$text" err
}

usage_error() {
    local text=$1 code=0
    shift
    "$@" >out 2>err </dev/null || code=$?
    cat err
    [ "$code" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$text" err
}

# ---- By keys --------------------------------------------------------------------------------------

@test "a container is proven by the key that signed it, among several" {
    run mlxdpa --cert_container root.signed --key nvidia.pub --key owner.pub verify
    [ "$status" -eq 0 ]
    grep -qE '^  container +OK +adds certificate .*, priority OEM$' <<<"$output"
    grep -qE '^  certificate +OK ' <<<"$output"
    grep -qE '^  signature +OK +by owner.pub, key pair '$owner_uuid <<<"$output"
    [ "${lines[-1]}" = "root.signed verified." ]
}

@test "an NV configuration file is proven by its key" {
    mlxdpa --nv_config auth.bin --key owner.pub verify
    mlxdpa verify claim.bin --key nvidia.pub
    says_no 19 "AUTH_FAILED" mlxdpa --nv_config auth.bin --key nvidia.pub verify
}

@test "a removal of a program is proven by its key" {
    mlxdpa verify removal.signed --key owner.pub
    says_no 19 "AUTH_FAILED" mlxdpa verify removal.signed --key nvidia.pub
    says_no 11 "UNSIGNED" mlxdpa verify removal --key owner.pub
}

@test "another key proves nothing" {
    says_no 19 "AUTH_FAILED (by none of the keys given" mlxdpa verify root.signed --key nvidia.pub
}

@test "unsigned parts are not proven" {
    says_no 11 "UNSIGNED" mlxdpa verify root.container --key owner.pub
    mlxconfig-lite create_conf auth.xml unsigned.bin >/dev/null
    says_no 11 "UNSIGNED" mlxdpa verify unsigned.bin --key owner.pub
    says_no 11 "UNSIGNED" mlxdpa verify app --ca root.der
}

@test "no byte of a signed file may change" {
    local size at
    for file in root.signed auth.bin removal.signed; do
        size=$(stat -c %s $file)
        for at in 0 17 30 50 80 $((size / 2)) $((size - 1)); do
            [ "$at" -lt "$size" ] || continue
            cp $file changed
            flip changed "$at"
            ! mlxdpa verify changed --key owner.pub >out 2>err || { echo "$file $at"; false; }
        done
    done
}

@test "exactly the parts that are reported as not covered by a signature can be changed" {
    local at=16 tlv
    not_covered() { # WORDS OF verify...
        mlxdpa verify "$@" >out
        mlxdpa verify "$@" --json >json
        sed -n 's/^  not covered by the signature: //p' out >lines
        jq -r '.[0].not_covered[]' json | diff lines -
        cat lines
    }
    [ "$(not_covered app.signed --ca root.der)" = "priorities of the container's items" ]
    cp app.signed changed
    while [ $at -lt "$(stat -c %s changed)" ]; do # every item's priority: User
        put changed $at $(($(byte changed $at) & 0xcf))
        at=$((at + 0x$(xxd -p -s $((at + 4)) -l 4 changed)))
    done
    mlxdpa verify changed --ca root.der | grep -q 'adds program .*, priority User'

    [ "$(not_covered auth.bin --key owner.pub)" = "UUIDs and priority of the signature's own TLVs" ]
    cp auth.bin changed
    for tlv in 600 300; do # the two halves; header, UUID of the signature, UUID of the key pair
        at=$(($(stat -c %s changed) - tlv))
        put changed $at $(($(byte changed $at) & 0xcf))
        put changed $((at + 12)) 7 7 7 7 7 7 0x47 7 0x87
        put changed $((at + 28)) 7 7 7 7 7 7 0x47 7 0x87
    done
    mlxdpa verify changed --key owner.pub

    # These are covered from their first byte to their signature.
    [ -z "$(not_covered root.signed --key owner.pub)" ]
    [ -z "$(not_covered removal.signed --key owner.pub)" ]
    # A refused file is not described further.
    openssl req -x509 -key "$test_keys/owner.pem" -out other.pem -subj /CN=Other -days 9
    says_no 16 "UNKNOWN_CA" mlxdpa verify app.signed --ca other.pem
    ! grep -q 'not covered' out || false
}

# ---- By certificates ------------------------------------------------------------------------------

@test "a single program is proven by a CA certificate" {
    run mlxdpa -s app.signed --ca root.der verify
    [ "$status" -eq 0 ]
    for check in container 'crypto data' 'hash list' chain certificates 'leaf key' signature; do
        grep -qE "^  $check +OK" <<<"$output"
    done
    openssl req -x509 -key "$test_keys/owner.pem" -out other.pem -subj /CN=Other -days 9
    says_no 16 "UNKNOWN_CA" mlxdpa -s app.signed --ca other.pem verify
}

# --ca accepts only certificates that dpadev trust accepts.
@test "a root that no device takes is not trusted" {
    openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out small.pem -subj /CN=Small -days 9 2>/dev/null
    openssl req -x509 -key "$test_keys/owner.pem" -out odd.pem -subj /CN=Odd -days 9 \
        -addext policyConstraints=critical,requireExplicitPolicy:0
    says_no "small.pem: not a root certificate, CN=Small: the certificate's key is RSA-2048, not RSA-4096" \
        mlxdpa verify app.signed --ca small.pem
    says_no "odd.pem: not a root certificate, CN=Odd: a critical extension" mlxdpa verify app.signed --ca odd.pem
    { openssl x509 -inform der -in root.der && cat small.pem; } >both.pem
    says_no "both.pem: not a root" mlxdpa verify app.signed --ca both.pem
}

@test "a directory of CA certificates is taken whole" {
    mkdir cas empty
    cp root.der cas/b.der
    openssl req -x509 -key "$test_keys/owner.pem" -out cas/a.pem -subj /CN=Other -days 9
    mlxdpa verify app.signed --ca cas
    mlxdpa -e host --ca cas verify
    echo hello >cas/c
    says_no "cas/c: " mlxdpa verify host --ca cas
    says_no "empty: no certificate in this directory" mlxdpa verify host --ca empty
}

@test "several files are verified at once, and a file that fails makes the command fail" {
    run mlxdpa -e host -s app.signed --cert_container root.signed --nv_config auth.bin --ca root.der \
        --key owner.pub verify
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "4 files verified." ]
    says_no 11 "1 of 2 checked refused" mlxdpa -e host --cert_container root.container --ca root.der \
        --key owner.pub verify
}

@test "verify prints JSON of every kind, refused ones too" {
    mlxdpa -e host -s app.signed --cert_container root.signed --nv_config auth.bin --ca root.der \
        --key owner.pub --json verify >out.json
    [ "$(jq -r '[.[] | .kind + "=" + .verdict] | join(" ")' out.json)" = \
        "program=OK certificate container=OK single-program container=OK NV configuration file=OK" ]
    run mlxdpa --json verify root.container --key owner.pub
    [ "$status" -eq 11 ]
    grep -v '^-E- ' <<<"$output" >out.json
    [ "$(jq -r '.[0].verdict + " " + .[0].checks[-1].name' out.json)" = "UNSIGNED signature" ]
}

# ---- By a device ----------------------------------------------------------------------------------

@test "a device says what it would accept, and stays as it is" {
    state >before
    dpadev log mlx5_0 >log.before
    mlxdpa verify claim.bin -d mlx5_0
    says_no 34 "REJECTED_UNKNOWN_KEY (mlx5_0: " mlxdpa verify auth.bin -d mlx5_0
    says_no 34 "REJECTED_UNKNOWN_KEY" mlxdpa verify root.signed -d mlx5_0
    state >after
    dpadev log mlx5_0 >log.after
    cmp before after
    cmp log.before log.after
    claimed
    mlxdpa verify auth.bin -d mlx5_0
    run mlxdpa verify root.signed -d mlx5_0
    [ "$status" -eq 0 ]
    grep -qE '^  device +OK +mlx5_0 accepts it' <<<"$output"
}

@test "a device's certificates prove programs" {
    says_no 16 "UNKNOWN_CA" mlxdpa verify host -d mlx5_0
    claimed
    flint-lite -d mlx5_0 -i root.signed -y b >/dev/null
    run mlxdpa verify host -d mlx5_0
    [ "$status" -eq 0 ]
    grep -qE '^  device +warning +mlx5_0: DPA_AUTHENTICATION is False' <<<"$output"
    mlxdpa -s app.signed -d mlx5_0 verify
    mlxconfig-lite -d mlx5_0 apply auth.bin >/dev/null
    dpadev reset mlx5_0 >/dev/null
    run mlxdpa verify host -d mlx5_0
    grep -qE '^  device +OK +mlx5_0: DPA_AUTHENTICATION is True' <<<"$output"
}

# ---- Nothing to verify ----------------------------------------------------------------------------

@test "nothing to verify is a failure" {
    usage_error "needs -e HOST_ELF, --cert_container, -s, --nv_config or a FILE" mlxdpa --ca root.der verify
    gcc main.c -o plain
    says_no 12 "no DPA program in it" mlxdpa verify plain --ca root.der
    says_no "dev.elf: a device program has no signature to verify; these have one: single-program container," mlxdpa verify dev.elf
}

@test "trust must fit what is verified" {
    usage_error "needs --key" mlxdpa verify root.signed --ca root.der
    usage_error "needs --ca" mlxdpa verify host --key owner.pub
    usage_error "needs --key" mlxdpa verify removal.signed -d mlx5_0
    usage_error "not both" mlxdpa verify host --ca root.der -d mlx5_0
    usage_error "not both" mlxdpa -e host --ca root.der verify host
    usage_error "option -e: given twice" mlxdpa -e main.c -e host --ca root.der verify
    says_no "nowhere" mlxdpa verify host -d nowhere
    says_no "root.der: " mlxdpa verify root.signed --key root.der
}

@test "files of no known kind are refused by name" {
    echo hello >text
    : >empty
    head -c 40 root.signed >cut
    says_no "nowhere: " mlxdpa verify nowhere --ca root.der
    for file in text empty; do says_no 12 "$file: " mlxdpa verify $file --ca root.der; done
    for file in text empty nowhere .; do
        says_no "$file: " mlxdpa list $file
        says_no "$file: " mlxdpa show $file
    done
    says_no 12 "BAD_FORMAT" mlxdpa verify cut --key owner.pub
    says_no "cut: " mlxdpa show cut
    says_no "cut: " mlxdpa list cut
    says_no 12 "BAD_FORMAT" mlxdpa --cert_container text --key owner.pub verify
}

# ---- list and show --------------------------------------------------------------------------------

@test "list shows the parts of each kind of file" {
    [ "$(mlxdpa list root.signed --json | jq -r '[.[].what] | join(",")')" = \
        "certificate,RSASSA-PKCS1-v1_5, SHA-512" ]
    [ "$(mlxdpa app.signed list --json | jq -r '[.[].what] | join(",")')" = \
        "ELF, xz,signature and chain,app metadata" ]
    [ "$(mlxdpa list auth.bin --json | jq -r '[.[].name] | join(",")')" = \
        "nv_file_id_vendor,file_applicable_to,nv_dpa_auth,signature" ]
    mlxdpa list dev.elf | grep -qE "^0 +program +0 +$(stat -c %s dev.elf) +ELF$"
    [ "$(mlxdpa list removal.signed | wc -l)" -eq 3 ]
}

@test "list gives offsets that are true" {
    read -r offset size < <(mlxdpa --json list root.signed | jq -r '.[0] | "\(.offset) \(.size)"')
    tail -c +$((offset + 1)) root.signed | head -c "$(stat -c %s root.der)" | cmp - root.der
    read -r offset size < <(mlxdpa --json list auth.bin | jq -r '.[2] | "\(.offset) \(.size)"')
    [ "$(xxd -p -s "$offset" -l "$size" auth.bin)" = 80000000 ]
}

@test "show prints the signer of a program, and the certificates" {
    mlxdpa --json show host >out.json
    [ "$(jq -r '.programs[0] | "\(.name) \(.signed) \(.signature) \(.signed_by) \(.chain | length)"' \
        out.json)" = "one true right CN=Leaf 2" ]
    [ "$(jq -r '.programs[0].chain[0] | "\(.valid_now) \(.key) \(.self_signed)"' out.json)" = \
        "true RSA-4096 true" ]
    run mlxdpa show host
    grep -qx '    signed by: CN=Leaf' <<<"$output"
    grep -qE '^        not after: 20[0-9-]+ ' <<<"$output"
}

@test "show points out a changed program" {
    cp host changed
    at=$(mlxdpa --json list host | jq .[0].offset)
    code=$(LC_ALL=C grep -obUaP '\x13{64}' host | awk -F: -v a="$at" '$1 >= a {print $1; exit}')
    put changed "$code" 0x14
    [[ $(mlxdpa --json show changed | jq -r '.programs[0].hashes') == 'WRONG: segment '* ]]
}

@test "show prints the content of containers and NV configuration files" {
    [ "$(mlxdpa --json show root.signed | jq -r '"\(.action) \(.priority) \(.cert_uuid) \(.signed)"')" = \
        "add OEM $cert_uuid true" ]
    [ "$(mlxdpa --json show app.signed | jq -r '"\(.description) \(.compressed) \(.size) \(.signed_by)"')" = \
        "a program true $(stat -c %s dev.elf) CN=Leaf" ]
    [ "$(mlxdpa --json show removal | jq -r '"\(.action) \(.uuid) \(.signed)"')" = "remove $owner_uuid false" ]
    [ "$(mlxdpa --json show auth.bin | jq -r '"\(.identity) \(.algorithm) \(.tlvs[2].name)"')" = \
        "vendor RSA-4096, SHA-512 nv_dpa_auth" ]
    [ "$(mlxdpa --json show dev.elf | jq -r .kind)" = "device program" ]
}

@test "a fat program is shown and verified target by target" {
    echo '__dpa_global__ void f(void) { }' >f.c
    dpacc -mcpu=nv-dpa-bf3,nv-dpa-cx7 f.c -o f.a
    mlxdpa -e f.a -c chain.der -p leaf.pem sign_dpa_apps
    [ "$(mlxdpa --json show f.a | jq '.programs[0].targets | length')" -eq 2 ]
    [ "$(mlxdpa --json verify f.a --ca root.der | jq -r '[.[].target] | join(" ")')" = "bf3 cx7" ]
    run mlxdpa verify f.a --ca root.der
    [ "${lines[-1]}" = "2 DPA programs verified." ]
    mlxdpa -e f.a strip_signature
    says_no 11 "UNSIGNED" mlxdpa verify f.a --ca root.der
}

@test "texts of a hostile file do not reach the terminal as they are" {
    printf '.section ".dpa_bin_a\\033[31m;touch x;#","",@progbits\n.incbin "dev.elf"\n' >evil.s
    gcc main.c evil.s -o evil 2>/dev/null || skip "the assembler does not take the name"
    for command in list show; do
        mlxdpa $command evil >out
        [ "$(tr -d '\033' <out | cmp - out && echo clean)" = clean ]
        mlxdpa --json $command evil | jq . >/dev/null
    done
    [ ! -e x ]
}

# ---- Signing --------------------------------------------------------------------------------------

@test "sign does what the command of the file's kind does" {
    oem="--life_cycle_priority OEM"
    mlxdpa -e host strip_signature -o stripped
    mlxdpa sign stripped -c chain.der -p leaf.pem -o out && cmp out host
    mlxdpa sign app -c chain.der -p leaf.pem $oem -o out && cmp out app.signed
    mlxdpa sign root.container -p owner.pem --keypair_uuid $owner_uuid --cert_uuid $cert_uuid $oem -o out
    cmp out root.signed
    mlxdpa sign removal -p owner.pem --keypair_uuid $owner_uuid $oem -o out && cmp out removal.signed
    says_no "cannot be signed here; these can: single-program container, certificate container, host file" \
        mlxdpa sign auth.bin -p owner.pem -o no
    [ ! -e no ]
    usage_error "sign needs -c" mlxdpa sign host -p leaf.pem -o no
    usage_error "sign needs -p" mlxdpa sign host -c chain.der -o no
    usage_error "sign needs -o" mlxdpa sign removal -p owner.pem --keypair_uuid $owner_uuid $oem
    usage_error "sign needs one of" mlxdpa sign -p leaf.pem -o no
    usage_error "sign needs one of" mlxdpa sign host -e host -p leaf.pem -o no
}
