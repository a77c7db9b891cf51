#!/bin/bash
# The whole path once: compile a kernel, run it, claim and lock a device, see it refuse the unsigned
# program, sign the program, see it run, tamper with it, see it refused again.
#
#   DPAKIT_BUILD=build examples/hello/demo.sh [WORK-DIR]      (or: ./bootstrap demo)
#
# Everything happens in WORK-DIR (default: a temporary directory that is removed at the end),
# emulated devices included. Exits non-zero at the first step that does not go as told.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=${DPAKIT_BUILD:-$here/../../build}
tree=$(cd "$tree" && pwd)
if [ $# -gt 0 ]; then
    mkdir -p "$1" && cd "$1"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
fi
export PATH=$tree/bin:$PATH DPAKIT_DEVICES=$PWD/devices
export LD_LIBRARY_PATH=$tree/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

bold='' plain=''
[ ! -t 1 ] || { bold=$'\e[1m' plain=$'\e[0m'; }
step() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
tell() { printf '%s\n' "$*"; }
run() { printf '$ %s\n' "$(printf '%q ' "$@" | sed 's/ $//')"; "$@"; }
# A command that must be refused: its output must hold every text given before "--".
refused() {
    local want=()
    while [ "$1" != -- ]; do want+=("$1"); shift; done
    shift
    printf '$ %s\n' "$(printf '%q ' "$@" | sed 's/ $//')"
    local out
    if out=$("$@" 2>&1); then
        printf '%s\n' "$out"; tell "demo: this should have been refused"; exit 1
    fi
    printf '%s\n' "$out"
    local w
    for w in "${want[@]}"; do
        grep -qF -- "$w" <<<"$out" || { tell "demo: expected to read: $w"; exit 1; }
    done
    tell "(refused, as it should be)"
}
hello() { printf '$ ./%s mlx5_0\n' "$1"; ./"$1" mlx5_0 | tee out.txt; grep -q 'Hello World' out.txt; }

step "1. Compile the kernel with dpacc, then link the host program"
cp "$here/kernel.c" "$here/hello_world.c" .
cp "$tree/lib/libdoca_dpa.a" .
run dpacc \
    libdoca_dpa_dev.a \
    kernel.c \
    -o dpa_program.a \
    -hostcc=gcc \
    -hostcc-options="-Wno-deprecated-declarations" \
    --devicecc-options="-D__linux__ -Wno-deprecated-declarations" \
    --app-name="dpa_hello_world_app" \
    -I"$tree/include/doca-2.2/"
# shellcheck disable=SC2086  # a list of options, for the tests' sanitizer build
run gcc ${TEST_HOST_CFLAGS:-} hello_world.c -o hello_world \
    dpa_program.a libdoca_dpa.a \
    -I"$tree/include/doca-2.2/" \
    -DDOCA_ALLOW_EXPERIMENTAL_API \
    -L"$tree/lib/" -ldoca_common \
    -L"$tree/lib/" -lflexio \
    -lstdc++ -libverbs -lmlx5
run mlxdpa -e hello_world list

step "2. Make an emulated device; it runs the unsigned program"
run dpadev create mlx5_0
hello hello_world

step "3. Become the device's owner"
tell "# A key pair with its UUID"
owner_uuid=$(uuidgen -t)
run openssl genrsa -out "OEM.$owner_uuid.pem" 4096
tell "# NVIDIA's part, played with the device's factory key: a signed NV configuration with the public key"
modulus=$(openssl rsa -in "OEM.$owner_uuid.pem" -noout -modulus | sed 's/^Modulus=//' |
    tr 'A-F' 'a-f' | sed 's/../&:/g; s/:$//')
cat >owner.xml <<EOF
<?xml version="1.0" encoding="UTF-8"?>
<config xmlns="http://www.mellanox.com/config">
<file_applicable_to ovr_en='0' rd_en='1' writer_id='0'>
    <psid></psid><psid_branch></psid_branch>
</file_applicable_to>
<nv_file_id_vendor ovr_en='0' rd_en='1' writer_id='0'>
    <disable_override>False</disable_override>
    <keep_same_priority>True</keep_same_priority>
    <per_tlv_priority>False</per_tlv_priority>
    <erase_lower_priority>False</erase_lower_priority>
    <file_version>0</file_version>
    <day>17</day><month>7</month><year>7e7</year>
    <seconds>1</seconds><minutes>e</minutes><hour>15</hour>
</nv_file_id_vendor>
<nv_ls_nv_public_key_0 ovr_en='0' rd_en='1' writer_id='0'>
    <public_key_exp>65537</public_key_exp>
    <keypair_uuid>$owner_uuid</keypair_uuid>
</nv_ls_nv_public_key_0>
<nv_ls_nv_public_key_1 ovr_en='0' rd_en='1' writer_id='0'>
    <key>${modulus:0:767}</key>
</nv_ls_nv_public_key_1>
<nv_ls_nv_public_key_2 ovr_en='0' rd_en='1' writer_id='0'>
    <key>${modulus:768:767}</key>
</nv_ls_nv_public_key_2>
</config>
EOF
nvidia=$DPAKIT_DEVICES/mlx5_0/factory
run mlxconfig-lite -p "$nvidia/nvidia.pem" -u "$(cat "$nvidia/nvidia.uuid")" create_conf owner.xml owner.bin
run mlxconfig-lite -d mlx5_0 apply owner.bin

step "4. Give the device a root CA certificate"
new_key() { openssl req -newkey rsa:4096 -nodes -keyout "$1.pem" -out "$1.csr" -subj "/O=Example/CN=$2" 2>/dev/null; }
root_ca() {
    openssl req -x509 -newkey rsa:4096 -nodes -keyout "$1.pem" -outform der -out "$1.der" -sha256 \
        -subj "/O=Example/CN=$2" -days 3650 \
        -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
}
issue() { # CHILD ISSUER EXTENSION...
    openssl x509 -req -in "$1.csr" -CA "$2.der" -CAform der -CAkey "$2.pem" -days 3650 -sha256 \
        -set_serial "0x$(openssl rand -hex 8)" -outform der -out "$1.der" \
        -extfile <(printf '%s\n' "${@:3}") 2>/dev/null
}
tell '$ openssl req -x509 -newkey rsa:4096 ... -outform der -out root.der'
root_ca root "Example DPA root CA"
cert_uuid=$(uuidgen -t)
run mlxdpa --cert_container_type add -c root.der -o root.container --life_cycle_priority OEM create_cert_container
run mlxdpa --cert_container root.container -p "OEM.$owner_uuid.pem" --keypair_uuid "$owner_uuid" \
    --cert_uuid "$cert_uuid" --life_cycle_priority OEM -o root.signed sign_cert_container
run flint-lite -d mlx5_0 -i root.signed -y b

step "5. Enable DPA authentication"
sed '/<nv_ls_nv_public_key_0/,/<\/nv_ls_nv_public_key_2>/d' owner.xml |
    sed "s|</config>|<nv_dpa_auth ovr_en='0' rd_en='1' writer_id='0'><dpa_auth_en>True</dpa_auth_en></nv_dpa_auth>\n</config>|" >auth.xml
run mlxconfig-lite -p "OEM.$owner_uuid.pem" -u "$owner_uuid" create_conf auth.xml auth.bin
run mlxconfig-lite -d mlx5_0 apply auth.bin
run dpadev reset mlx5_0
run mlxconfig-lite -d mlx5_0 --read_only -e q DPA_AUTHENTICATION

step "6. The unsigned program is refused"
refused UNSIGNED -- ./hello_world mlx5_0

step "7. Sign it with the leaf of a chain of three certificates; it runs"
ca="basicConstraints=critical,CA:TRUE"
new_key product "Example product CA"
issue product root "$ca" keyUsage=critical,keyCertSign
new_key leaf "Example signer"
issue leaf product basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature
cat root.der product.der leaf.der >chain.der
cp hello_world unsigned
run mlxdpa -e hello_world -c chain.der -p leaf.pem -o hello_signed sign_dpa_apps
run mlxdpa -e hello_signed --ca root.der verify
hello hello_signed

step "8. One byte of the device code changed: refused"
# The first page of the device ELF has its headers.
code=$(($(dpacc-extract hello_signed --list --json | jq '.[0].targets[0].offset') + 4096))
cp hello_signed tampered
tell "# flipping the byte at offset 4096 of the device ELF (first instruction)"
byte=$(xxd -s $code -l 1 -p tampered)
printf '%02x' $((0x$byte ^ 1)) | xxd -r -p | dd of=tampered bs=1 seek=$code conv=notrunc status=none
refused DIGEST_MISMATCH segment -- ./tampered mlx5_0

step "9. Signed under a foreign CA: refused"
root_ca foreign "Somebody else"
new_key foreign_leaf "Somebody's signer"
issue foreign_leaf foreign basicConstraints=critical,CA:FALSE
cat foreign.der foreign_leaf.der >foreign_chain.der
run mlxdpa -e unsigned -c foreign_chain.der -p foreign_leaf.pem -o foreign_signed sign_dpa_apps
refused UNKNOWN_CA -- ./foreign_signed mlx5_0

step "10. What runs on the device: take the device ELF out again and look"
run dpacc-extract hello_signed -o hello.dpa.elf
if command -v gdb-multiarch >/dev/null; then
    run gdb-multiarch -batch -ex 'disassemble hello_world_kernel' hello.dpa.elf
else
    run llvm-objdump -d --disassemble-symbols=hello_world_kernel hello.dpa.elf
fi

step "What the device remembers"
run dpadev log mlx5_0
tell
tell "Done: compiled, run, provisioned, refused, signed, verified, run, tampered with, refused."
