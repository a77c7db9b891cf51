# Keys, files and a device for tests of provisioning. "source" it in a bats file.

. "${BASH_SOURCE[0]%/*}/device.bash"

test_keys=${BASH_SOURCE[0]%/*}/../data/keys

# Once per file: keys, a root CA, a device template, in $BATS_FILE_TMPDIR/world.
make_world() {
    mkdir "$BATS_FILE_TMPDIR/world" && cd "$BATS_FILE_TMPDIR/world" || return 1
    export DPAKIT_DEVICES=$PWD/devices
    owner_uuid=77dd4ef0-c633-11ed-9e20-001dd8b744ff
    cp "$test_keys"/{owner,root}.pem .
    openssl req -x509 -key root.pem -outform der -out root.der -sha256 \
        -subj "/O=Example/CN=Example DPA root CA" -days 3650
    dpadev create mlx5_0 >/dev/null
    cp devices/mlx5_0/factory/nvidia.pem devices/mlx5_0/factory/nvidia.uuid .
    claim_xml >claim.xml
    auth_xml True 1 >auth.xml
    mlxconfig-lite -p nvidia.pem -u "$(cat nvidia.uuid)" create_conf claim.xml claim.bin >/dev/null
    mlxconfig-lite -p owner.pem -u $owner_uuid create_conf auth.xml auth.bin >/dev/null
    mlxdpa --cert_container_type add -c root.der -o root.container --life_cycle_priority OEM \
        create_cert_container >/dev/null
    mlxdpa --cert_container root.container -p owner.pem --keypair_uuid $owner_uuid \
        --cert_uuid 0b1e4bd6-c634-11ed-afa1-0242ac120002 --life_cycle_priority OEM -o root.signed \
        sign_cert_container >/dev/null
}

# Once per test: a copy of it all.
enter_world() {
    cp -a "$BATS_FILE_TMPDIR/world" "$BATS_TEST_TMPDIR/" && cd "$BATS_TEST_TMPDIR/world" || return 1
    export DPAKIT_DEVICES=$PWD/devices
    owner_uuid=77dd4ef0-c633-11ed-9e20-001dd8b744ff
    cert_uuid=0b1e4bd6-c634-11ed-afa1-0242ac120002
}

identity_xml() { # KEEP
    cat <<EOF
<?xml version="1.0" encoding="UTF-8"?>
<config xmlns="http://www.mellanox.com/config">
<file_applicable_to ovr_en='0' rd_en='1' writer_id='0'>
    <psid> </psid><psid_branch></psid_branch>
</file_applicable_to>
<nv_file_id_vendor ovr_en='0' rd_en='1' writer_id='0'>
    <disable_override>False</disable_override>
    <keep_same_priority>$1</keep_same_priority>
    <per_tlv_priority>False</per_tlv_priority>
    <erase_lower_priority>False</erase_lower_priority>
    <file_version>0</file_version>
    <day>17</day><month>7</month><year>7e7</year>
    <seconds>1</seconds><minutes>e</minutes><hour>15</hour>
</nv_file_id_vendor>
EOF
}

claim_xml() { # the three public key TLVs of owner.pem, written as in the guide
    local modulus
    modulus=$(openssl rsa -in owner.pem -noout -modulus | sed 's/^Modulus=//; s/../&:/g')
    identity_xml True
    cat <<EOF
<nv_ls_nv_public_key_0 ovr_en='0' rd_en='1' writer_id='0'>
    <public_key_exp>65537</public_key_exp>
    <keypair_uuid>$owner_uuid</keypair_uuid>
</nv_ls_nv_public_key_0>
<nv_ls_nv_public_key_1 ovr_en='0' rd_en='1' writer_id='0'>
    <key>
    ${modulus:0:384}
    ${modulus:384:384}
    </key>
</nv_ls_nv_public_key_1>
<nv_ls_nv_public_key_2 ovr_en='0' rd_en='1' writer_id='0'>
    <key>${modulus:768:767}</key>
</nv_ls_nv_public_key_2>
</config>
EOF
}

auth_xml() { # VALUE OVR_EN
    identity_xml True
    echo "<nv_dpa_auth ovr_en='$2' rd_en='1' writer_id='0'><dpa_auth_en>$1</dpa_auth_en></nv_dpa_auth>"
    echo "</config>"
}

# The device's whole state but the log.
state() {
    dpadev show --json mlx5_0
    mlxconfig-lite -d mlx5_0 --json --read_only q
}

# refused CODE COMMAND...: one -E- line on stderr, exit CODE, the device unchanged.
refused() {
    local want=$1 code=0
    shift
    state >before
    "$@" >out 2>err </dev/null || code=$?
    state >after
    cmp before after || return 1
    [ "$code" -eq "$want" ] || { echo "exit $code"; cat out err; return 1; }
    [ "$(wc -l <err)" -eq 1 ] && grep -q '^-E- ' err || { cat err; return 1; }
}

says() { grep -qF -- "$1" err || { cat err; return 1; }; }

claimed() { mlxconfig-lite -d mlx5_0 apply claim.bin >/dev/null; }
