# Text files of editors that write a byte order mark in front of UTF-8 are read like others.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# mark FILE: puts a byte order mark in front.
mark() {
    printf '\xef\xbb\xbf' | cat - "$1" >marked
    mv marked "$1"
}

@test "lists of TLVs, and XML" {
    mlxconfig-lite gen_tlvs_file tlvs.txt
    sed -i -E 's/^(nv_dpa_auth)( +)0/\1\21/' tlvs.txt
    mlxconfig-lite -a gen_xml_template tlvs.txt plain.xml
    mark tlvs.txt
    mlxconfig-lite -a gen_xml_template tlvs.txt t.xml
    cmp plain.xml t.xml
    sed -i -E "s|></|>0</|" t.xml plain.xml
    mark t.xml
    mlxconfig-lite xml2raw plain.xml plain.raw
    mlxconfig-lite xml2raw t.xml t.raw
    cmp plain.raw t.raw
}

@test "YAML of programs and of policies" {
    make_signed_files
    mark app.yaml
    mlxdpa -s dev.elf -m app.yaml --dpa_app_uuid $uuid --life_cycle_priority OEM -o again create_single_dpa_app
    cmp again app
    printf 'policy: 1\nsigners:\n  - certificate: %s\n' "$(sha256sum <keys/leaf.der | cut -d ' ' -f 1)" >policy.yaml
    mark policy.yaml
    mlxdpa verify signed --ca keys/root.der --policy policy.yaml --at 2022-01-01T00:00:00Z
}

@test "options files of dpacc" {
    echo --nonsense >options
    mark options
    fails 2 "unknown option --nonsense" dpacc --options-file options
}
