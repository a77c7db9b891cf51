# What tests of signing share. "source" it in a bats file.

. "${BASH_SOURCE[0]%/*}/device.bash"

test_keys=${BASH_SOURCE[0]%/*}/../data/keys

# fails CODE TEXT COMMAND...: that exit code, one -E- line with the text, no file "out".
fails() {
    local code=$1 text=$2 got=0
    shift 2
    rm -f out
    "$@" >stdout 2>stderr </dev/null || got=$?
    cat stderr
    [ "$got" -eq "$code" ]
    [ "$(wc -l <stderr)" -eq 1 ]
    grep -q '^-E- ' stderr
    grep -qF -- "$text" stderr
    [ ! -e out ]
}

# make_device_elf: dev.elf, a program for the DPA that is only there to be signed.
make_device_elf() {
    printf '.globl _start\n_start: .zero 300, 0x13\n' >dev.s
    clang --target=riscv64 -c dev.s -o dev.o
    ld.lld dev.o -o dev.elf
}

# make_host: host, a host file with the program dev.elf, named "one" and "two".
make_host() {
    for p in one two; do
        printf '.section .dpa_bin_%s,"",@progbits\n.incbin "dev.elf"\n' $p
        printf '.section .dpa_sig_%s,"",@progbits\n.zero 65536\n' $p
    done >host.s
    gcc -c host.s -o host
}

# expired_certificate CSR ROOT.pem ROOT_KEY OUT: a certificate under this root that has expired.
expired_certificate() {
    mkdir ca
    : >ca/index
    echo 09 >ca/serial
    printf '%s\n' '[ca]' default_ca=d '[d]' database=ca/index serial=ca/serial new_certs_dir=ca \
        default_md=sha256 policy=p '[p]' commonName=supplied >ca/conf
    openssl ca -batch -config ca/conf -cert "$2" -keyfile "$3" -in "$1" -notext \
        -startdate 20200101000000Z -enddate 20200201000000Z -out "$4" 2>>log
}

# make_locking_device NAME ROOT.der: a device that wants programs to be signed under this root.
make_locking_device() {
    new_device "$1"
    mlxdpa --cert_container_type add -c "$2" -o root.bin --life_cycle_priority Nvidia \
        create_cert_container
    mlxdpa --cert_container root.bin -p "$nvidia_key.pem" \
        --keypair_uuid "$(<"$nvidia_key.uuid")" --cert_uuid "$(uuidgen)" \
        --life_cycle_priority Nvidia -o root.signed sign_cert_container
    flint-lite -d "$1" -i root.signed -y b
    mlxconfig-lite -d "$1" -y set DPA_AUTHENTICATION=1
    dpadev reset "$1"
}

# make_leaf_world: a host file with two programs ("host"), a leaf's key and chain ("leaf.pem", "leaf.pub",
# "chain.der"), another key ("other.pem"), a container ("container"), and what leaf.pem makes of them:
# "signed", "container.signed".
make_leaf_world() {
    make_device_elf
    make_host
    cp "$test_keys/leaf.pem" .
    cp "$test_keys/owner.pem" other.pem
    openssl req -x509 -key leaf.pem -outform der -out chain.der -subj /CN=Leaf -days 300
    openssl pkey -in leaf.pem -pubout -out leaf.pub
    mlxdpa -e host -c chain.der -p leaf.pem -o signed sign_dpa_apps
    mlxdpa --cert_container_type add -c chain.der -o container --life_cycle_priority OEM \
        --cert_uuid $uuid --keypair_uuid $uuid create_cert_container
    container -p leaf.pem -o container.signed
}

# make_signed_files: the keys of tests ("keys"), a host file with two programs ("host") and a container
# with one of version 7 ("app"), and what keys/leaf.pem makes of them: "signed", "app.signed".
make_signed_files() {
    cp -r "$test_keys" keys
    make_device_elf
    make_host
    mlxdpa -e host -c keys/chain.der -p keys/leaf.pem -o signed sign_dpa_apps
    printf '%s\n' 'type: 2' 'dpa_app_subtype: 1' 'dpa_app_version: 7' 'dpa_os_api_version: 4' \
        'dpa_fw_api_version: 5' 'dpa_app_description_string: x' >app.yaml
    mlxdpa -s dev.elf -m app.yaml --dpa_app_uuid $uuid --life_cycle_priority OEM -o app create_single_dpa_app
    mlxdpa -s app -c keys/chain.der -p keys/leaf.pem --life_cycle_priority OEM -o app.signed sign_single_dpa_app
}

# Sign in the world of a leaf, which lies in $f or here, with the options that are given.
uuid=77dd4ef0-c633-11ed-9e20-001dd8b744ff
sign() {
    mlxdpa -e "$f/host" -c "$f/chain.der" "$@" sign_dpa_apps
}

container() {
    mlxdpa --cert_container "${f:-.}/container" --keypair_uuid $uuid --cert_uuid $uuid \
        --life_cycle_priority OEM "$@" sign_cert_container
}
