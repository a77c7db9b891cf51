# mlxconfig-lite: files like NVIDIA's, and a device provisioned by the guide.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"

setup_file() { make_world; }
setup() { enter_world; }

@test "commands on files say that they saved" {
    run mlxconfig-lite gen_tlvs_file tlvs.txt
    [ "$status" -eq 0 ]
    [ "$output" = $'Saving output...\nDone!' ]
    grep -qE '^nv_dpa_auth {39}0$' tlvs.txt
}

@test "the list of TLVs begins as the guide's" {
    mlxconfig-lite gen_tlvs_file tlvs.txt
    printf '%-50s0\n' file_applicable_to file_comment file_signature file_dbg_fw_token_id \
        file_cs_token_id file_btc_token_id file_mac_addr_list file_public_key \
        file_signature_4096_a file_signature_4096_b | cmp - <(head -10 tlvs.txt)
}

@test "the list of TLVs becomes a template, edited it becomes a file" {
    mlxconfig-lite gen_tlvs_file tlvs.txt
    sed -i -E 's/^(file_applicable_to|nv_file_id_vendor|nv_dpa_auth)( +)0/\1\21/' tlvs.txt
    mlxconfig-lite -a gen_xml_template tlvs.txt t.xml
    sed -i -E "s|<(dpa_auth_en\|[a-z]+_override\|[a-z_]+_priority)></|<\1>False</|; s|<(file_version\|day\|month\|year\|seconds\|minutes\|hour)></|<\1>1</|" t.xml
    mlxconfig-lite create_conf t.xml t.bin
    [ "$(head -c 16 t.bin)" = 'MLNX.CONFIG.BIN!' ]
}

@test "the guide's story: claim, root CA, authentication, query" {
    run mlxconfig-lite -d /dev/mst/mt41692_pciconf0 apply claim.bin
    [ "$status" -eq 0 ]
    [ "$output" = $'Saving output...\nDone!' ]
    mlxconfig-lite -d mlx5_0 -e q LC_NV_PUB_KEY_0_255 LC_NV_PUB_KEY_UUID >out
    grep -q "$(openssl rsa -in owner.pem -noout -modulus | sed 's/Modulus=//' | cut -c1-512)" out
    grep -qi "${owner_uuid//-/}" out
    run flint-lite -d mlx5_0 -i root.signed -y b
    [ "$status" -eq 0 ]
    mlxconfig-lite -d mlx5_0 apply auth.bin
    mlxconfig-lite -d mlx5_0 -e q DPA_AUTHENTICATION | grep -qE 'False\(0\) +False\(0\) +True\(1\)'
    dpadev reset mlx5_0
    mlxconfig-lite -d mlx5_0 --read_only -e q DPA_AUTHENTICATION >out
    grep -qE '^Configurations: +Default +Current +Next Boot' out
    grep -qE 'DPA_AUTHENTICATION +False\(0\) +True\(1\) +True\(1\)' out
}

@test "the guide's manual recipe of signing a file is applied" {
    claimed
    mlxconfig-lite create_conf auth.xml unsigned.bin
    uuidgen -r | xxd -r -p - sig.uuid
    openssl dgst -sha512 -sign owner.pem -out sig unsigned.bin
    head -c 256 sig >sig1 && tail -c 256 sig >sig2
    echo "$owner_uuid" | xxd -r -p - key.uuid
    echo "03 00 01 20 06 00 00 0B 00 00 00 00" | xxd -r -p - h1
    echo "03 00 01 20 06 00 00 0C 00 00 00 00" | xxd -r -p - h2
    cat unsigned.bin h1 sig.uuid key.uuid sig1 h2 sig.uuid key.uuid sig2 >signed.bin
    mlxconfig-lite -d mlx5_0 apply signed.bin
    dpadev reset mlx5_0
    mlxconfig-lite -d mlx5_0 q DPA_AUTHENTICATION | grep -q 'True(1)'
}

@test "the owner's key is removed by a file that keeps nothing" {
    claimed
    { identity_xml False; echo '</config>'; } >remove.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf remove.xml remove.bin
    mlxconfig-lite -d mlx5_0 apply remove.bin
    dpadev show mlx5_0 | grep -qE 'Owner key pair: +none'
    refused 1 mlxconfig-lite -d mlx5_0 apply auth.bin
    says 'REJECTED_UNKNOWN_KEY (4)'
}

@test "a refusal names file, reason and code" {
    claimed
    mlxconfig-lite create_conf auth.xml unsigned.bin
    refused 1 mlxconfig-lite -d mlx5_0 apply unsigned.bin
    says 'unsigned.bin'
    says 'REJECTED_UNSIGNED (6)'
    dpadev log mlx5_0 | tail -1 | grep -q 'mlxconfig-lite  apply  REJECTED_UNSIGNED'
}

@test "a second owner from NVIDIA is refused" {
    claimed
    refused 1 mlxconfig-lite -d mlx5_0 apply claim.bin
    says 'REJECTED_NOT_APPLICABLE (3)'
}

@test "set asks, shows old and new, and waits for the reset" {
    run mlxconfig-lite -d mlx5_0 set DPA_AUTHENTICATION=1 <<<y
    [ "$status" -eq 0 ]
    [[ $output == *'False(0)        True(1)'* ]]
    [[ $output == *'Applying... Done!'* ]]
    mlxconfig-lite -d mlx5_0 -e q | grep -qE '^\* +DPA_AUTHENTICATION +False\(0\) +False\(0\) +True\(1\)'
}

@test "without an answer, nothing changes" {
    refused 1 mlxconfig-lite -d mlx5_0 set DPA_AUTHENTICATION=1
    says 'the answer was no'
    refused 1 mlxconfig-lite -d mlx5_0 reset
}

@test "reset drops what users set" {
    mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=True
    mlxconfig-lite -d mlx5_0 -y reset
    mlxconfig-lite -d mlx5_0 q | grep -qE 'DPA_AUTHENTICATION +False\(0\)'
}

@test "parameters that the owner protects are read-only and cannot be set" {
    claimed
    auth_xml True 0 >locked.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf locked.xml locked.bin
    mlxconfig-lite -d mlx5_0 apply locked.bin
    mlxconfig-lite -d mlx5_0 --read_only q | grep -qE '^RO +DPA_AUTHENTICATION +True\(1\)'
    [ "$(mlxconfig-lite -d mlx5_0 q | grep -c DPA_AUTHENTICATION)" -eq 0 ]
    refused 1 mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=False
    says 'read-only'
}

@test "settings that the owner hides count, and dpadev says so" {
    claimed
    auth_xml True 0 | sed "/nv_dpa_auth/s/rd_en='1'/rd_en='0'/" >auth.xml
    mlxconfig-lite -p owner.pem -u $owner_uuid create_conf auth.xml auth.bin
    mlxconfig-lite -d mlx5_0 apply auth.bin
    mlxconfig-lite -d mlx5_0 q DPA_AUTHENTICATION | grep -qE 'DPA_AUTHENTICATION +hidden'
    dpadev show mlx5_0 | grep -qF 'DPA authentication: off, after the next reset on'
    dpadev show mlx5_0 | grep -qF 'After the next reset: no program: there is no CA certificate'
    dpadev reset mlx5_0
    dpadev show mlx5_0 --json | jq -e '.dpa_authentication | .current and .next_boot'
}

@test "bad settings change nothing" {
    refused 1 mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=Maybe
    says 'legal: False or True'
    refused 1 mlxconfig-lite -d mlx5_0 -y set DPA_AUTH=1
    says 'unknown parameter DPA_AUTH; mlxconfig-lite show_confs lists those there are'
    refused 2 mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION
    refused 1 mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=1 NO_SUCH=1
}

@test "query --json is JSON" {
    mlxconfig-lite -d mlx5_0 --json --read_only q >rows.json
    jq -e 'map({(.name): .}) | add |
        .DPA_AUTHENTICATION.next_boot == "False(0)" and .LC_NV_PUB_KEY_EXP.read_only == true' rows.json
}

@test "bad XML names file, line, TLV, parameter and what is legal" {
    sed 's|<dpa_auth_en>True<|<dpa_auth_en>Perhaps<|' auth.xml >bad.xml
    refused 1 mlxconfig-lite create_conf bad.xml bad.bin
    says "bad.xml: line"
    says "nv_dpa_auth: line"
    says "dpa_auth_en: bad value 'Perhaps'; legal: False or True"
    [ ! -e bad.bin ]
}

@test "invalid input: one error, no output" {
    : >empty
    head -c 4096 /dev/urandom >random
    for in in missing empty random . nvidia.pem; do
        for command in create_conf xml2raw raw2xml xml2bin gen_xml_template; do
            refused 1 mlxconfig-lite $command "$in" out.file || { echo "$command $in"; false; }
            says "$in"
            [ ! -e out.file ]
        done
        refused 1 mlxconfig-lite -d mlx5_0 apply "$in"
        says "$in"
    done
}

@test "every truncation of XML is refused without output" {
    size=$(stat -c %s auth.xml)
    for ((n = 0; n < size - 1; n += 37)); do
        head -c $n auth.xml >cut.xml
        code=0
        mlxconfig-lite create_conf cut.xml cut.bin 2>err || code=$?
        [ "$code" -eq 1 ]
        [ ! -e cut.bin ]
    done
}

@test "an output that cannot be written is an error" {
    mkdir dir
    refused 1 mlxconfig-lite create_conf auth.xml dir
    refused 1 mlxconfig-lite create_conf auth.xml no/such/dir.bin
    says no/such
}

@test "wrong keys and UUIDs are refused" {
    refused 2 mlxconfig-lite -p owner.pem create_conf auth.xml out.bin
    refused 2 mlxconfig-lite -u "$owner_uuid" create_conf auth.xml out.bin
    refused 2 mlxconfig-lite -p owner.pem -u 00000000-0000-0000-0000-000000000000 create_conf auth.xml out.bin
    refused 1 mlxconfig-lite -p missing.pem -u "$owner_uuid" create_conf auth.xml out.bin
    says missing.pem
    refused 1 mlxconfig-lite -p root.der -u "$owner_uuid" create_conf auth.xml out.bin
    openssl genrsa -out small.pem 1024 2>/dev/null
    refused 1 mlxconfig-lite -p small.pem -u "$owner_uuid" create_conf auth.xml out.bin
    says '1024'
    run mlxconfig-lite -p owner.pem -u not-a-uuid create_conf auth.xml out.bin
    [ "$status" -ne 0 ]
    [ ! -e out.bin ]
}

@test "an encrypted key signs with its passphrase" {
    openssl rsa -in owner.pem -aes128 -passout pass:secret -out locked.pem 2>/dev/null
    mlxconfig-lite -p locked.pem --passin pass:secret -u "$owner_uuid" create_conf auth.xml out.bin
    cmp out.bin auth.bin
    refused 1 mlxconfig-lite -p locked.pem --passin pass:wrong -u "$owner_uuid" create_conf auth.xml x.bin
    says locked.pem
}

@test "wrong usage is exit 2" {
    refused 2 mlxconfig-lite
    refused 2 mlxconfig-lite aply x
    says 'did you mean apply?'
    refused 2 mlxconfig-lite -d mlx5_0 apply
    refused 2 mlxconfig-lite create_conf auth.xml
    refused 2 mlxconfig-lite -d mlx5_0 show_confs now
    refused 2 mlxconfig-lite -d mlx5_0 --host_id 1 query
    says "'1' is not 0, the only value that there is"
    refused 1 mlxconfig-lite -d mlx5_0 -y reset NV_NOWHERE
    says "with -b those of NVIDIA's database"
}

@test "an unknown device lists those there are" {
    refused 1 mlxconfig-lite -d mlx5_7 q
    says 'there are: mlx5_0'
}

@test "two parameters that cannot be in one file are refused" {
    sed 's|</config>|<file_signature><signature_uuid>00</signature_uuid></file_signature></config>|' auth.xml >bad.xml
    refused 1 mlxconfig-lite create_conf bad.xml bad.bin
    sed '/<file_applicable_to/,/<\/file_applicable_to>/d' auth.xml >bad.xml
    refused 1 mlxconfig-lite create_conf bad.xml bad.bin
    says 'file_applicable_to is missing'
    sed '/<nv_file_id_vendor/,/<\/nv_file_id_vendor>/d' auth.xml >bad.xml
    refused 1 mlxconfig-lite create_conf bad.xml bad.bin
    says 'no identity'
}

# ---- Command lines of NVIDIA's tool ----

@test "-f names the raw file of backup, set_raw and get_raw" {
    new_device two
    mlxconfig-lite -d two -y set USER_PROGRAMMABLE_CC=1
    mlxconfig-lite -d two -f b.raw backup
    mlxconfig-lite -d two backup other.raw
    cmp b.raw other.raw
    mlxconfig-lite -d two -f b.raw get_raw | grep -q 'Raw TLV #1 Info'
    mlxconfig-lite -d two -y reset
    mlxconfig-lite -y -d two -f b.raw set_raw
    # A byte order mark and CR LF, which some editors write, are ignored.
    { printf '\xef\xbb\xbf'; sed 's/$/\r/' b.raw; } >marked.raw
    mlxconfig-lite -y -d two -f marked.raw set_raw
    mlxconfig-lite -d two q USER_PROGRAMMABLE_CC | grep -q 'True(1)'
    run mlxconfig-lite -d two backup
    [ "$status" -eq 2 ] && [[ $output == *"backup needs a file: -f RAW"* ]]
    run mlxconfig-lite -d two -f b.raw backup c.raw
    [ "$status" -eq 2 ] && [[ $output == *"backup needs one file"* ]]
    [ ! -e c.raw ]
}

@test "t, g and x are short for the commands on files, -t hca says which devices" {
    mlxconfig-lite -t hca t tlvs.txt
    mlxconfig-lite gen_tlvs_file again.txt
    cmp tlvs.txt again.txt
    sed -i -E 's/^(nv_dpa_auth)( +)0/\1\21/' tlvs.txt
    mlxconfig-lite --device_type hca g tlvs.txt t.xml
    sed -i 's|<dpa_auth_en></|<dpa_auth_en>True</|' t.xml
    mlxconfig-lite x t.xml t.raw
    head -n 1 t.raw | grep -qx MLNX_RAW_TLV_FILE
    run mlxconfig-lite -t linkx t none.txt
    [ "$status" -eq 2 ] && [ ! -e none.txt ]
}

@test "-j writes the query as NVIDIA's tool does, with --enable_verbosity all three values" {
    mlxconfig-lite -d mlx5_0 -j next.json q DPA_AUTHENTICATION
    jq -e '.["Device #1"] | .device == "mlx5_0" and .device_type == "BlueField3" and
        (.tlv_configuration.DPA_AUTHENTICATION | keys == ["next_value", "read_only"])' next.json
    mlxconfig-lite -d mlx5_0 -y set USER_PROGRAMMABLE_CC=1
    mlxconfig-lite -d mlx5_0 --json_format all.json --enable_verbosity query >said
    jq -e '.["Device #1"].tlv_configuration.USER_PROGRAMMABLE_CC ==
        {current_value: "False(0)", default_value: "False(0)", modified: true, next_value: "True(1)", read_only: false}' all.json
    grep -qE '^\* +USER_PROGRAMMABLE_CC +False\(0\) +False\(0\) +True\(1\)' said
    grep -qx "The '\*' shows parameters with next value different from default/current value." said
    mlxconfig-lite -d mlx5_0 q >said
    ! grep -q '^\*' said || false
    run mlxconfig-lite -d mlx5_0 -j none/x.json q
    [ "$status" -eq 1 ] && [[ $output == *none/x.json* ]]
    mlxconfig-lite -d mlx5_0 -y reset
}

@test "a query without -d shows every device, each with its number" {
    new_device first
    new_device second
    mlxconfig-lite -j all.json -a query DPA_AUTHENTICATION >said
    [ "$(grep -c '^Device #' said)" -eq "$(dpadev list | wc -l)" ]
    jq -e 'to_entries | map(.value.device) | index("first") and index("second")' all.json
    dpadev delete second
    dpadev delete first
    run env DPAKIT_DEVICES="$PWD/none" mlxconfig-lite query
    [ "$status" -eq 1 ] && [[ $output == *"dpadev create"* ]]
}

@test "reset TLV drops what was set of that TLV alone, set --with_default what is not named" {
    new_device three
    mlxconfig-lite -d three -yy set USER_PROGRAMMABLE_CC=1 DPA_AUTHENTICATION=1
    mlxconfig-lite -d three -y reset NV_DPA_AUTH
    mlxconfig-lite -d three q USER_PROGRAMMABLE_CC | grep -q 'True(1)'
    mlxconfig-lite -d three q DPA_AUTHENTICATION | grep -q 'False(0)'
    run mlxconfig-lite -d three -y reset NV_NOTHING
    [ "$status" -eq 1 ] && [[ $output == *"no TLV NV_NOTHING"* ]]
    mlxconfig-lite -d three --host_id 0 --pf_index 0 -y set DPA_AUTHENTICATION=1 --with_default
    mlxconfig-lite -d three --host_id 0 q DPA_AUTHENTICATION | grep -q 'True(1)'
    run mlxconfig-lite -d three --host_id 1 q
    [ "$status" -eq 2 ]
}

@test "a device is found by its PCI address, in every tool" {
    new_device byaddress
    address=$(dpadev show --json byaddress | jq -r .pci_address)
    for word in "$address" "${address#0000:}" "/dev/mst/mt41692_pciconf$(dpadev show --json byaddress | jq -r .alias | tr -dc 0-9 | sed 's/^41692//')"; do
        mlxconfig-lite -d "$word" q | grep -qx 'Device:         byaddress'
        flint-lite -d "$word" q >/dev/null
        [ "$(dpadev show --json "$word" | jq -r .name)" = byaddress ]
    done
    for word in 7f:00.0 03:1f.0 03:00.7 ffff:ff:00.0 99999:03:00.0 03:00 :00.0; do
        run mlxconfig-lite -d "$word" q
        [ "$status" -ne 0 ] && [[ $output == *"$word"* ]]
    done
}

@test "XML that was copied from a web page: text between TLVs, no-break spaces for blanks" {
    mlxconfig-lite xml2raw auth.xml plain.raw
    sed -E ':a; s/^((\xc2\xa0)*) /\1\xc2\xa0/; ta; s|(<nv_dpa_auth)|Copied!\n\1|' auth.xml >copied.xml
    grep -q 'Copied!' copied.xml
    grep -qP '^\xC2\xA0' copied.xml
    mlxconfig-lite xml2raw copied.xml copied.raw
    cmp plain.raw copied.raw
}
