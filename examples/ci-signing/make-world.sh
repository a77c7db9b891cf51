#!/bin/bash
# What a company has once, and a CI job only uses: a signing key that lives in a token, its certificate
# chain up to a root CA, and a provisioned device that accepts nothing else, as one file.
#
#   make-world.sh DIR
#
# writes into DIR: tokens/ and softhsm2.conf (SoftHSM2 in the place of an HSM; token "dpa", key "leaf",
# PIN 1234), chain.der, root.der, device.archive. The private keys of owner and root stay in DIR/secret,
# which no CI machine needs.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
mkdir -p "$1" && cd "$1"
mkdir -m 700 secret tokens
export DPAKIT_DEVICES=$PWD/secret/devices

# ---- The certificate chain: a root CA and a leaf that signs programs --------------------------------
openssl req -x509 -newkey rsa:4096 -nodes -keyout secret/root.pem -outform der -out root.der -sha256 \
    -subj "/O=Example/CN=Example DPA root CA" -days 3650 -addext keyUsage=critical,keyCertSign 2>/dev/null
openssl req -newkey rsa:4096 -nodes -keyout secret/leaf.pem -out secret/leaf.csr \
    -subj "/O=Example/CN=Example CI signer" 2>/dev/null
openssl x509 -req -in secret/leaf.csr -CA root.der -CAform der -CAkey secret/root.pem -days 730 -sha256 \
    -set_serial "0x$(openssl rand -hex 8)" -outform der -out secret/leaf.der \
    -extfile <(echo basicConstraints=critical,CA:FALSE && echo keyUsage=critical,digitalSignature) 2>/dev/null
cat root.der secret/leaf.der >chain.der

# ---- The token --------------------------------------------------------------------------------------
printf 'directories.tokendir = %s\nobjectstore.backend = file\nlog.level = ERROR\n' "$PWD/tokens" >softhsm2.conf
export SOFTHSM2_CONF=$PWD/softhsm2.conf
softhsm2-util --init-token --free --label dpa --pin 1234 --so-pin 5678 >/dev/null
softhsm2-util --import secret/leaf.pem --token dpa --label leaf --id 01 --pin 1234 >/dev/null
rm secret/leaf.pem

# ---- The device: its owner's key, the root CA, authentication on for good ---------------------------
owner=$(uuidgen -t)
openssl genrsa -out secret/owner.pem 4096 2>/dev/null
modulus=$(openssl rsa -in secret/owner.pem -noout -modulus | sed 's/^Modulus=//')
head="<?xml version='1.0' encoding='UTF-8'?>
<config xmlns='http://www.mellanox.com/config'>
<file_applicable_to ovr_en='0' rd_en='1' writer_id='0'><psid></psid><psid_branch></psid_branch></file_applicable_to>
<nv_file_id_vendor ovr_en='0' rd_en='1' writer_id='0'>
    <disable_override>False</disable_override> <keep_same_priority>True</keep_same_priority>
    <per_tlv_priority>False</per_tlv_priority> <erase_lower_priority>False</erase_lower_priority>
    <file_version>0</file_version> <day>17</day> <month>7</month> <year>7e7</year>
    <seconds>1</seconds> <minutes>e</minutes> <hour>15</hour>
</nv_file_id_vendor>"
cat >secret/claim.xml <<END
$head
<nv_ls_nv_public_key_0 ovr_en='0' rd_en='1' writer_id='0'>
    <public_key_exp>65537</public_key_exp> <keypair_uuid>$owner</keypair_uuid>
</nv_ls_nv_public_key_0>
<nv_ls_nv_public_key_1 ovr_en='0' rd_en='1' writer_id='0'><key>${modulus:0:512}</key></nv_ls_nv_public_key_1>
<nv_ls_nv_public_key_2 ovr_en='0' rd_en='1' writer_id='0'><key>${modulus:512:512}</key></nv_ls_nv_public_key_2>
</config>
END
cat >secret/lock.xml <<END
$head
<nv_dpa_auth ovr_en='0' rd_en='1' writer_id='0'><dpa_auth_en>True</dpa_auth_en></nv_dpa_auth>
</config>
END
dpadev create ci >/dev/null
nvidia=$DPAKIT_DEVICES/ci/factory
mlxconfig-lite -p "$nvidia/nvidia.pem" -u "$(cat "$nvidia/nvidia.uuid")" create_conf secret/claim.xml secret/claim.bin >/dev/null
mlxconfig-lite -p secret/owner.pem -u "$owner" create_conf secret/lock.xml secret/lock.bin >/dev/null
mlxdpa --cert_container_type add -c root.der -o secret/root.container --life_cycle_priority OEM \
    create_cert_container >/dev/null
mlxdpa --cert_container secret/root.container -p secret/owner.pem --keypair_uuid "$owner" \
    --cert_uuid "$(uuidgen -t)" --life_cycle_priority OEM -o secret/root.signed sign_cert_container >/dev/null
mlxconfig-lite -d ci apply secret/claim.bin >/dev/null
flint-lite -d ci -i secret/root.signed -y b >/dev/null
mlxconfig-lite -d ci apply secret/lock.bin >/dev/null
dpadev reset ci >/dev/null
dpadev export ci device.archive >/dev/null
echo "Made in $PWD: chain.der, root.der, softhsm2.conf, device.archive"
