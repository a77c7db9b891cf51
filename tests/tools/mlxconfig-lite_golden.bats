# mlxconfig-lite: files like those of NVIDIA's tool, by the built-in TLVs and by NVIDIA's database.

setup() {
    golden=$DPAKIT_GOLDEN/nvconfig
    cd "$BATS_TEST_TMPDIR"
    db=${DPAKIT_TLV_DB:-}
}

# makes GOLDEN WORD...: the command with an output makes the golden file, with and without -b.
makes() {
    local want=$golden/$1
    shift
    mlxconfig-lite "$@" out && cmp out "$want" || return 1
    [ -f "$db" ] || return 0
    mlxconfig-lite -b "$db" "$@" out && cmp out "$want"
}

@test "create_conf makes the files that NVIDIA's tool makes" {
    uuid=240a42de-3223-173e-9929-d51e6547f1bf
    for x in auth-on auth-off-reordered owner-key remove-owner; do
        makes $x.bin create_conf "$golden/$x.xml"
        makes $x.signed4096.bin -p "$golden/../keys/owner.pem" -u $uuid create_conf "$golden/$x.xml"
        makes $x.signed2048.bin -p "$golden/../keys/owner2048.pem" -u $uuid create_conf "$golden/$x.xml"
    done
}

@test "xml2raw, raw2xml and xml2bin write what NVIDIA's tool writes" {
    for x in auth-on auth-off-reordered owner-key remove-owner; do
        makes $x.raw xml2raw "$golden/$x.xml"
        makes $x.fromraw.xml raw2xml "$golden/$x.raw"
        makes $x.payload xml2bin "$golden/$x.xml"
    done
}

@test "bin2xml writes what raw2xml does" {
    for x in auth-on owner-key remove-owner; do
        mlxconfig-lite bin2xml "$golden/$x.signed4096.bin" a.xml
        mlxconfig-lite xml2raw a.xml a.raw
        mlxconfig-lite raw2xml a.raw out
        cmp out a.xml
    done
}

@test "gen_xml_template writes what NVIDIA's tool writes" {
    makes template.xml gen_xml_template "$golden/tlvs.txt"
    makes template-all.xml -a gen_xml_template "$golden/tlvs.txt"
}
