# Names of programs and certificates in text and JSON: SHA-256, serial number, dates, equal to those of sha256sum
# and openssl.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
    printf '#include <stdint.h>\n__dpa_rpc__ uint64_t f(uint64_t a) { return a + 1; }\n' >k.c
    dpacc k.c -o one.a -hostcc=gcc --app-name=one
    sed 's/ f(/ g(/' k.c >g.c
    dpacc g.c -o fat.a -hostcc=gcc --app-name=fat -mcpu=nv-dpa-bf3,nv-dpa-cx8
    echo 'int main(void) { return 0; }' >main.c
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} main.c -Wl,--whole-archive one.a fat.a -Wl,--no-whole-archive -o host \
        -L"$DPAKIT_BUILD/lib" -lflexio -Wl,-rpath,"$DPAKIT_BUILD/lib"
    openssl req -x509 -newkey rsa:4096 -nodes -keyout root.pem -outform der -out root.der -subj /CN=Root \
        -days 300 2>/dev/null
    openssl req -newkey rsa:4096 -nodes -keyout leaf.pem -subj /CN=Leaf -out leaf.csr 2>/dev/null
    openssl x509 -req -in leaf.csr -CA root.der -CAform der -CAkey root.pem -set_serial 0x1234abcd -days 300 \
        -outform der -out leaf.der 2>/dev/null
    cat root.der leaf.der >chain.der
    mlxdpa -e host -c chain.der -p leaf.pem sign_dpa_apps
    dpacc-extract host -app-name one -o one.elf
    dpacc-extract host -app-name fat -mcpu nv-dpa-bf3 -o bf3.elf
    dpacc-extract host -app-name fat -mcpu nv-dpa-cx8 -o cx8.elf
    mlxdpa --cert_container_type add -c root.der -o root.bin --life_cycle_priority OEM create_cert_container
    uuid=$(uuidgen)
    mlxdpa --cert_container root.bin -p leaf.pem --keypair_uuid "$uuid" --cert_uuid "$uuid" \
        --life_cycle_priority OEM -o root.signed sign_cert_container
    openssl rsa -in leaf.pem -pubout -out leaf.pub 2>/dev/null
    DPAKIT_DEVICES=$PWD/devices new_device mlx5_0
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
}

digest() { sha256sum <"$1" | cut -d' ' -f1; }
end_of() { # FILE.der: "2026-01-31 12:00:00 UTC"
    date -u -d "$(openssl x509 -inform der -in "$1" -noout -enddate | cut -d= -f2)" '+%F %T UTC'
}

@test "show prints the digest of each program and each target" {
    mlxdpa -e host show >"$BATS_TEST_TMPDIR/text"
    grep -qx " *sha256: $(digest one.elf)" "$BATS_TEST_TMPDIR/text"
    mlxdpa -e host --json show >"$BATS_TEST_TMPDIR/json"
    jq -e --arg d "$(digest one.elf)" '.programs[] | select(.name == "one") | .targets[0].sha256 == $d' "$BATS_TEST_TMPDIR/json"
    for target in bf3 cx8; do
        jq -e --arg d "$(digest $target.elf)" --arg t $target '.programs[] | select(.name == "fat") |
            .targets[] | select(.target == $t) | .sha256 == $d' "$BATS_TEST_TMPDIR/json"
        grep -qx " *sha256: $(digest $target.elf)" "$BATS_TEST_TMPDIR/text"
    done
}

@test "verify prints the digest of each program and each target" {
    mlxdpa -e host --ca root.der verify >"$BATS_TEST_TMPDIR/text"
    mlxdpa -e host --ca root.der --json verify >"$BATS_TEST_TMPDIR/json"
    jq -e --arg d "$(digest one.elf)" '.[] | select(.name == "one") | .sha256 == $d' "$BATS_TEST_TMPDIR/json"
    jq -e --arg d "$(digest cx8.elf)" '.[] | select(.target == "cx8") | .sha256 == $d' "$BATS_TEST_TMPDIR/json"
    for file in one.elf bf3.elf cx8.elf; do
        grep -qx " *sha256: $(digest $file)" "$BATS_TEST_TMPDIR/text"
    done
}

@test "an unsigned program has a digest, too" {
    gcc -c -x c /dev/null -o empty.o
    mlxdpa -e one.a --json show | jq -e --arg d "$(digest one.elf)" '.programs[0].targets[0].sha256 == $d'
    run -11 --separate-stderr mlxdpa -e one.a --ca root.der --json verify
    jq -e --arg d "$(digest one.elf)" ".[0].sha256 == \$d" <<<"$output"
}

@test "show and verify name certificates by fingerprint, serial number and dates" {
    mlxdpa -e host --json show >"$BATS_TEST_TMPDIR/show"
    mlxdpa -e host --ca root.der --json verify >"$BATS_TEST_TMPDIR/verify"
    for where in 'show .programs[0].targets[0].chain' 'verify .[0].chain'; do
        read -r file path <<<"$where"
        jq -e --arg d "$(digest leaf.der)" --arg e "$(end_of leaf.der)" \
            "$path[1] | .sha256 == \$d and .serial == \"1234ABCD\" and .not_after == \$e and .subject == \"CN=Leaf\"" \
            "$BATS_TEST_TMPDIR/$file"
        jq -e --arg d "$(digest root.der)" "$path[0].sha256 == \$d" "$BATS_TEST_TMPDIR/$file"
    done
    mlxdpa -e host --ca root.der verify | grep -qx " *serial: 1234ABCD"
}

@test "a container's certificate is named as well" {
    mlxdpa verify root.signed --key leaf.pub --json | jq -e --arg d "$(digest root.der)" '.[0].certificate.sha256 == $d'
    mlxdpa verify root.signed --key leaf.pub | grep -qx " *sha256: $(digest root.der)"
    mlxdpa show root.signed --json | jq -e --arg d "$(digest root.der)" '.certificate.sha256 == $d'
    flint-lite -i root.signed --key leaf.pub --json verify |
        jq -e --arg d "$(digest root.der)" '.certificate_sha256 == $d and .component == "DIGITAL_CACERT"'
}

@test "a device ELF of its own has a digest" {
    mlxdpa show one.elf --json | jq -e --arg d "$(digest one.elf)" '.sha256 == $d'
}

@test "dpacc-extract lists programs as JSON" {
    dpacc-extract host --list --json >"$BATS_TEST_TMPDIR/json"
    jq -e --arg d "$(digest one.elf)" '.[] | select(.name == "one") | .targets[0].sha256 == $d and .signed' "$BATS_TEST_TMPDIR/json"
    jq -e --arg d "$(digest cx8.elf)" --argjson n "$(stat -c %s cx8.elf)" \
        '.[] | select(.name == "fat") | .targets[1] | .target == "cx8" and .sha256 == $d and .size == $n' "$BATS_TEST_TMPDIR/json"
    run -2 dpacc-extract host --json -o x
    [[ $output == "-E- --json goes with --list" ]]
}

@test "dparun --verify-only prints JSON, for one target's member" {
    dparun host --app fat --verify-only --json >"$BATS_TEST_TMPDIR/json"
    jq -e --arg d "$(digest bf3.elf)" '.sha256 == $d and .app == "fat" and .target == "bf3" and .verdict == "UNKNOWN_CA" and .runs and
        (.dpa_authentication | not) and .checks[-1].verdict == "UNKNOWN_CA"' "$BATS_TEST_TMPDIR/json"
    run -0 dparun host --app fat --verify-only
    [ "${lines[0]}" = "target: bf3" ]
    run -2 dparun host --rpc f --json
    [[ $output == "-E- --json goes with --verify-only" ]]
}

@test "flint-lite query prints JSON" {
    flint-lite -d mlx5_0 --json query | jq -e '.device == "mlx5_0" and .owner == null and .certificates == []'
    flint-lite -d mlx5_0 --json query_components | jq -e '. == []'
    run -2 flint-lite -d mlx5_0 -i root.signed --json -y burn
    [[ $output == "-E- burn takes no --json" ]]
}

@test "a fat member under another target than it was compiled for is a warning" {
    cd "$BATS_TEST_TMPDIR"
    dpacc "$BATS_FILE_TMPDIR/g.c" -o wrong.a -hostcc=gcc --app-name=wrong -mcpu=nv-dpa-bf3,nv-dpa-cx8 \
        --devicecc-options=-march=rv64imac_zba_zbb_zbs
    mlxdpa -e wrong.a -c "$BATS_FILE_TMPDIR/chain.der" -p "$BATS_FILE_TMPDIR/leaf.pem" sign_dpa_apps
    mlxdpa -e wrong.a --ca "$BATS_FILE_TMPDIR/root.der" --json verify >json
    jq -e '.[] | select(.target == "bf3") | .verdict == "OK" and (.checks[-1] | .name == "target" and .warning)' json
    jq -e '.[] | select(.target == "cx8") | .checks | map(.name) | index("target") == null' json
    mlxdpa -e "$BATS_FILE_TMPDIR/host" --ca "$BATS_FILE_TMPDIR/root.der" --json verify >json
    jq -e '[.[].checks[].warning] | any | not' json
}
