# mlxconfig-lite: raw TLVs, backups, NVIDIA's database, and options that a command does not take.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"

setup_file() { make_world; }
setup() {
    enter_world
    golden=$DPAKIT_GOLDEN/nvconfig
    db=${DPAKIT_TLV_DB:-}
}
need_db() { [ -f "$db" ] || skip "no database of NVIDIA's (DPAKIT_TLV_DB)"; }

@test "options that are not a command's are refused" {
    local line
    while read -r line; do
        # shellcheck disable=SC2086
        refused 2 mlxconfig-lite $line || { echo "$line"; false; }
        says ' takes no -'
    done <<'END'
-a create_conf auth.xml made.bin
-d mlx5_0 create_conf auth.xml made.bin
-e xml2raw auth.xml made
-y gen_tlvs_file made
-p owner.pem xml2bin auth.xml made
--json -d mlx5_0 set DPA_AUTHENTICATION=1
--read_only -d mlx5_0 reset
-b x.db -d mlx5_0 apply auth.bin
-u 77dd4ef0-c633-11ed-9e20-001dd8b744ff -d mlx5_0 q
-y -d mlx5_0 q
--tlvs x raw2xml a b
--xml -d mlx5_0 get_raw a
END
    [ ! -e made ] && [ ! -e made.bin ]
}

@test "-eng and -k go together, and with nothing else" {
    refused 2 mlxconfig-lite -eng pkcs11 -u "$owner_uuid" create_conf auth.xml out.bin
    refused 2 mlxconfig-lite -k pkcs11:object=x -u "$owner_uuid" create_conf auth.xml out.bin
    refused 2 mlxconfig-lite -eng gost -k pkcs11:object=x -u "$owner_uuid" create_conf auth.xml out.bin
    says 'the only engine is pkcs11'
    refused 2 mlxconfig-lite -eng pkcs11 -k owner.pem -u "$owner_uuid" create_conf auth.xml out.bin
    refused 2 mlxconfig-lite -eng pkcs11 -k pkcs11:object=x -p owner.pem -u "$owner_uuid" create_conf auth.xml out.bin
    says 'two keys'
    refused 2 mlxconfig-lite -eng pkcs11 -k pkcs11:object=x create_conf auth.xml out.bin
    [ ! -e out.bin ]
}

@test "create_conf signs with -eng pkcs11 -k as with -p" {
    module=/usr/lib/softhsm/libsofthsm2.so
    [ -f $module ] && command -v softhsm2-util >/dev/null || skip "no SoftHSM"
    export SOFTHSM2_CONF=$PWD/softhsm.conf
    mkdir tokens
    echo "directories.tokendir = $PWD/tokens" >softhsm.conf
    softhsm2-util --init-token --free --label owner --so-pin 1234 --pin 5678 >/dev/null
    openssl pkcs8 -topk8 -nocrypt -in owner.pem -out owner.p8
    softhsm2-util --import owner.p8 --token owner --label key --id 01 --pin 5678 >/dev/null
    mlxconfig-lite -eng pkcs11 -k "pkcs11:token=owner;object=key?module-path=$module&pin-value=5678" \
        -u "$owner_uuid" create_conf auth.xml out.bin
    cmp out.bin auth.bin
}

@test "bin2xml brings back what create_conf was given" {
    mlxconfig-lite xml2raw auth.xml auth.raw
    mlxconfig-lite bin2xml auth.bin back.xml
    mlxconfig-lite xml2raw back.xml back.raw
    # the identity comes first in a file
    diff <(sort auth.raw) <(sort back.raw)
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf back.xml back.bin
    cmp back.bin auth.bin
}

@test "bin2xml --tlvs brings back what xml2bin made" {
    printf '%s 1\n' file_applicable_to nv_file_id_vendor nv_dpa_auth >tlvs.txt
    mlxconfig-lite --tlvs tlvs.txt bin2xml "$golden/auth-on.payload" out.xml
    sed "s/ovr_en='0'/ovr_en='1'/" "$golden/auth-on.fromraw.xml" | cmp - out.xml
    refused 1 mlxconfig-lite bin2xml "$golden/auth-on.payload" no.xml
    says '--tlvs'
    head -c 51 "$golden/auth-on.payload" >cut
    refused 1 mlxconfig-lite --tlvs tlvs.txt bin2xml cut no.xml
    says 'cut: truncated'
    cat "$golden/auth-on.payload" "$golden/auth-on.payload" >long
    refused 1 mlxconfig-lite --tlvs tlvs.txt bin2xml long no.xml
    says '52 bytes more'
    echo 'nv_nothing 1' >bad.txt
    refused 1 mlxconfig-lite --tlvs bad.txt bin2xml "$golden/auth-on.payload" no.xml
    says 'bad.txt: line 1: unknown TLV nv_nothing'
    [ ! -e no.xml ]
}

@test "a backup restores what users had set" {
    mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=1
    run mlxconfig-lite -d mlx5_0 backup save.raw
    [ "$output" = $'Collecting...\nSaving output...\nDone!' ]
    grep -qx '% TLV Type: 0x00000015, Writer ID: 0x00, USER, nv_dpa_auth' save.raw
    mlxconfig-lite -d mlx5_0 -y reset
    run mlxconfig-lite -d mlx5_0 -y set_raw save.raw
    [ "$status" -eq 0 ]
    [[ $output == *$'Raw TLV #1 Info:\nLength: 0x4\nVersion: 0\nOverrideEn: 1\nType: 0x00000015\nData: 0x80000000 '* ]]
    [[ $output == *'Applying... Done!'* ]]
    mlxconfig-lite -d mlx5_0 -e q | grep -qE '^\* +DPA_AUTHENTICATION +False\(0\) +False\(0\) +True\(1\)'
    mlxconfig-lite -d mlx5_0 get_raw save.raw | grep -qx 'Data: 0x80000000 '
    mlxconfig-lite raw2xml save.raw save.xml
    grep -q '<dpa_auth_en>True</dpa_auth_en>' save.xml
}

@test "nothing to back up is an error and no file" {
    refused 1 mlxconfig-lite -d mlx5_0 backup save.raw
    says 'nothing to back up'
    [ ! -e save.raw ]
}

@test "a backup of an owned device is restored while its owner's TLVs are as they were" {
    claimed
    mlxconfig-lite -d mlx5_0 apply auth.bin
    mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=False
    mlxconfig-lite -d mlx5_0 backup save.raw
    mlxconfig-lite -d mlx5_0 -y reset
    mlxconfig-lite -d mlx5_0 -y set_raw save.raw
    mlxconfig-lite -d mlx5_0 backup again.raw
    cmp save.raw again.raw
    sed 's/^\(0x13000004 0x00000015 0x00000000\).*/\1 0x00000000/' save.raw >forged.raw
    ! cmp -s save.raw forged.raw || false
    refused 1 mlxconfig-lite -d mlx5_0 -y set_raw forged.raw
    says 'only a signed file can'
}

@test "backup --xml is signed and applied" {
    claimed
    mlxconfig-lite -d mlx5_0 apply auth.bin
    mlxconfig-lite -d mlx5_0 --xml backup save.xml
    { identity_xml False; sed -n '/<nv_ls_nv_public_key_0/,$p' save.xml; } >keep.xml
    sed '/<nv_dpa_auth/,/<\/nv_dpa_auth>/d' keep.xml >off.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf off.xml off.bin
    mlxconfig-lite -d mlx5_0 apply off.bin
    mlxconfig-lite -d mlx5_0 q DPA_AUTHENTICATION | grep -q 'False(0)'
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf save.xml save.bin
    mlxconfig-lite -d mlx5_0 apply save.bin
    mlxconfig-lite -d mlx5_0 q DPA_AUTHENTICATION | grep -q 'True(1)'
}

@test "raw TLVs that users may not set change nothing" {
    claimed
    auth_xml True 0 >locked.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf locked.xml locked.bin
    mlxconfig-lite -d mlx5_0 apply locked.bin
    state >before
    head='MLNX_RAW_TLV_FILE\n'
    printf "$head"'0x03000004 0x00000015 0x00000000 0x00000000\n' >locked.raw
    refused 1 mlxconfig-lite -d mlx5_0 -y set_raw locked.raw
    says 'read-only'
    printf "$head"'0x03000004 0x0000019c 0x00000000 0x00000000\n' >key.raw
    refused 1 mlxconfig-lite -d mlx5_0 -y set_raw key.raw
    says "only a signed file can change the owner's key"
    printf "$head"'0x03000004 0x06000003 0x00000000 0x00000000\n' >file.raw
    refused 1 mlxconfig-lite -d mlx5_0 -y set_raw file.raw
    says 'about a file'
    printf "$head"'0x03000008 0x00000010 0x00000000 0x00000000\n' >short.raw
    refused 1 mlxconfig-lite -d mlx5_0 -y set_raw short.raw
    says 'short.raw: line 2'
    refused 1 mlxconfig-lite -d mlx5_0 set_raw locked.raw
    state >after
    cmp before after
}

@test "show_confs lists parameters with their values" {
    run mlxconfig-lite -d mlx5_0 show_confs
    [ "$status" -eq 0 ]
    [[ $output == *'List of configurations the device mlx5_0 may support:'* ]]
    [[ $output == *'DPA_AUTHENTICATION=<False|True>'* ]]
}

@test "a number beyond its limits is taken, as by NVIDIA's tool, with a warning" {
    sed 's|<day>17<|<day>99<|' auth.xml >odd.xml
    for with in '' "${db:+-b $db}"; do
        # shellcheck disable=SC2086
        mlxconfig-lite $with create_conf odd.xml odd.bin >out 2>err
        diff err - <<<'-W- odd.xml: nv_file_id_vendor: day is 0x99; legal: hexadecimal 0 to 1F'
    done
    sed 's|<day>17<|<day>1F<|' auth.xml >last.xml
    mlxconfig-lite create_conf last.xml last.bin 2>err
    [ ! -s err ]
}

@test "a value that its bits do not hold names TLV, line and what is legal" {
    sed 's|<day>17<|<day>199<|' auth.xml >bad.xml
    refused 1 mlxconfig-lite create_conf bad.xml bad.bin
    says "nv_file_id_vendor: line 12: day: bad value '199'; legal: hexadecimal 0 to FF"
    [ ! -f "$db" ] || refused 1 mlxconfig-lite -b "$db" create_conf bad.xml bad.bin
}

@test "a number with a leading zero, which is octal for NVIDIA's tools, is refused" {
    sed 's|<file_version>0<|<file_version>017<|' auth.xml >bad.xml
    ! cmp -s bad.xml auth.xml || false
    refused 1 mlxconfig-lite create_conf bad.xml bad.bin
    says "file_version: '017': NVIDIA's tools read a leading zero as octal; write the number without it"
    refused 1 mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=01
    says "'01': NVIDIA's tools read a leading zero as octal"
    sed 's|<day>17<|<day>07<|' auth.xml >hex.xml
    mlxconfig-lite create_conf hex.xml hex.bin
}

@test "a template of all ports and modules, filled in, comes back from all of its forms" {
    need_db
    printf '%s 1\n' file_applicable_to nv_file_id_vendor nv_keep_link_up nv_module_power >tlvs.txt
    mlxconfig-lite -b "$db" gen_xml_template tlvs.txt template.xml
    grep -q "<nv_keep_link_up port='all'>" template.xml
    grep -q "<nv_module_power module='all'>" template.xml
    sed -E "s|<([a-z_0-9]+)( index='[0-9]+' )?></|<\\1\\2>0</|" template.xml >filled.xml
    mlxconfig-lite -b "$db" xml2raw filled.xml made.raw
    [ "$(grep -c '^0x.* 0x010[1-8]' made.raw)" -eq 8 ]
    [ "$(grep -c '^0x.* 0x0900[04]' made.raw)" -eq 2 ]
    mlxconfig-lite -b "$db" xml2bin filled.xml made.bin
    mlxconfig-lite -b "$db" --tlvs tlvs.txt bin2xml made.bin back.xml
    mlxconfig-lite -b "$db" xml2bin back.xml again.bin
    cmp made.bin again.bin
}

@test "-b: parameters of ports, modules and arrays are set and asked" {
    need_db
    mlxconfig-lite -b "$db" -d mlx5_0 --yes s LINK_TYPE_P1=2 'PCI_DOWNSTREAM_PORT_OWNER[8]=0xF' \
        'MODULE_SPLIT_M0[0..3]=1' INTERNAL_CPU_OFFLOAD_ENGINE=DISABLED
    mlxconfig-lite -b "$db" -d mlx5_0 -e q LINK_TYPE_P1 LINK_TYPE_P2 'PCI_DOWNSTREAM_PORT_OWNER[8]' \
        'MODULE_SPLIT_M0[3..4]' MODULE_SPLIT_M1 INTERNAL_CPU_OFFLOAD_ENGINE >out
    grep -qE '^\* +LINK_TYPE_P1 +0 +0 +ETH\(2\)$' out
    grep -qE '^ +LINK_TYPE_P2 +0 +0 +0$' out
    grep -qE 'PCI_DOWNSTREAM_PORT_OWNER\[8\] .*EMBEDDED_CPU\(15\)$' out
    grep -qE 'MODULE_SPLIT_M0\[3\] +0x0 +0x0 +0x1$' out
    grep -qE '^ +MODULE_SPLIT_M0\[4\] +0x0 +0x0 +0x0$' out
    grep -qE '^ +MODULE_SPLIT_M1 +Array\[0\.\.15\]' out
    grep -qE 'INTERNAL_CPU_OFFLOAD_ENGINE +ENABLED\(0\) +ENABLED\(0\) +DISABLED\(1\)$' out
    refused 1 mlxconfig-lite -b "$db" -d mlx5_0 -y set LINK_TYPE=2
    says "LINK_TYPE is a port's"
    refused 2 mlxconfig-lite -b "$db" -d mlx5_0 -y set MODULE_SPLIT_M0=1
    refused 1 mlxconfig-lite -b "$db" -d mlx5_0 -y set LINK_TYPE_P1=3
    says 'LINK_TYPE_P1: bad value'
}

@test "query shows one moment, whatever is set meanwhile" {
    need_db
    local i values both=
    mlxconfig-lite -b "$db" -d mlx5_0 -y set KEEP_ETH_LINK_UP_P1=0 KEEP_ETH_LINK_UP_P2=0
    while [ ! -e enough ]; do
        for i in 1 0; do
            mlxconfig-lite -b "$db" -d mlx5_0 -y set KEEP_ETH_LINK_UP_P1=$i KEEP_ETH_LINK_UP_P2=$i || exit
        done
    done >/dev/null 3>&- &
    writer=$!
    for i in {1..12}; do
        values=$(mlxconfig-lite -b "$db" -d mlx5_0 q KEEP_ETH_LINK_UP_P1 KEEP_ETH_LINK_UP_P2 |
            awk '/KEEP_ETH/ { print $NF }' | sort | uniq -c | sed 's/^ *//')
        [[ "$values" =~ ^'2 '(True|False) ]] || { both=$values; break; }
    done
    touch enough
    wait $writer
    [ -z "$both" ] || { echo "$both"; false; }
}

@test "-b: a file that is not a database of NVIDIA's is refused" {
    refused 1 mlxconfig-lite -b missing.db gen_tlvs_file made
    says missing.db
    refused 1 mlxconfig-lite -b auth.xml gen_tlvs_file made
    says 'auth.xml: no SQLite database'
    refused 1 mlxconfig-lite -b devices/mlx5_0/device.db gen_tlvs_file made
    says 'device.db'
    [ ! -e made ]
}

@test "-b: the TLVs that are built in are the database's" {
    need_db
    mlxconfig-lite gen_tlvs_file tlvs.txt
    sed -i 's/0$/1/; /^nv_dpakit_/d' tlvs.txt # dpakit's own
    mlxconfig-lite -a gen_xml_template tlvs.txt own.xml
    mlxconfig-lite -b "$db" -a gen_xml_template tlvs.txt theirs.xml
    cmp own.xml theirs.xml
}

@test "-b: an unknown parameter of a TLV with many says some of those there are" {
    need_db
    echo "<config><nv_global_pci_conf_4><zzz>1</zzz></nv_global_pci_conf_4></config>" >bad.xml
    refused 1 mlxconfig-lite -b "$db" create_conf bad.xml bad.bin
    says "bad.xml: line 1: nv_global_pci_conf_4: line 1: zzz: nv_global_pci_conf_4 has no such parameter; legal: "
    says ", ..."
}
