# Programs for several targets: the output of tools, and the parts that a signature does not cover.

bats_require_minimum_version 1.5.0

load ../helpers/bytes

setup() {
    g=$DPAKIT_GOLDEN
    cd "$BATS_TEST_TMPDIR" || return 1
}

# verified FILE: writes the parts that its signature does not cover, as text and as JSON.
verified() {
    mlxdpa verify "$1" --ca "$g/keys/root.der" >out
    mlxdpa verify "$1" --ca "$g/keys/root.der" --json | jq -r '.[] | .not_covered[]' >json
    sed -n 's/^  not covered by the signature: //p' out | diff json -
}

@test "a program is listed and extracted target by target" {
    file=$g/hostelf-fat/fat-three-and-plain.signed.elf
    mlxdpa list "$file" >out
    cat out
    [ "$(awk '$1 == "bf3" || $1 == "cx8" || $1 == "cx9" {print $1, $2, $3}' out | paste -sd' ')" = \
        "bf3 79319 1352 cx8 80671 1352 cx9 82023 1352" ]
    [ "$(mlxdpa --json list "$file" | jq -c '.[1].targets[1]')" = \
        '{"target":"cx8","offset":80671,"size":1352,"signed":true}' ]
    dpacc-extract "$file" --list | grep -qE '^1 +gamma .* yes +nv-dpa-bf3,nv-dpa-cx8,nv-dpa-cx9$'
    dpacc-extract "$file" -app-name gamma -mcpu cx8 -o cx8.elf --signature cx8.crypto
    tail -c +80672 "$file" | head -c 1352 | cmp - cx8.elf
    [ "$(stat -c %s cx8.crypto)" -eq 4848 ]
}

@test "exactly the parts that are reported as not covered by a signature can be changed" {
    name="the program's name, and the rest of the host file"
    areas="targets and reserved words of the program's multi-target areas"
    verified "$g/hostelf/host-reserved.signed"
    [ "$(sort -u json)" = "$name" ]
    verified "$g/hostelf-fat/attr-one.signed.elf"
    [ "$(cat json)" = "$(printf '%s\n' "$areas" "$name" | sort -r)" ]
    cp "$g/hostelf-fat/fat-two.signed.elf" two
    verified two
    [ "$(sort -u json)" = "$(printf '%s\n' "$areas" "$name" | sort)" ]
    # Another name; in each area (their offsets: readelf -S) cx7 and bf3 change places, and reserved words are set.
    for area in 0x3037 0x3b1f 0x7b77; do
        put two $((area + 24)) 2 0 0 0 9
        put two $((area + 56)) 1 0 0 0 9
        put two $((area + 16)) 9 9 9 9
    done
    objcopy --rename-section .dpa_bin_beta=.dpa_bin_beth --rename-section .dpa_sig_beta=.dpa_sig_beth \
        --rename-section .dpa_proc_attr_beta=.dpa_proc_attr_beth two
    verified two
    [ "$(mlxdpa --json list two | jq -c '[.[0].name, .[0].targets[].target]')" = '["beth","bf3","cx7"]' ]
    # Attributes for a target that the program is not for.
    put two $(($(readelf -SW two | awk '$2 ~ /proc_attr/ {print "0x" $5}') + 24)) 9
    run -12 mlxdpa verify two --ca "$g/keys/root.der"
    [[ $output == *"made for a program with a manifest"* ]]
    cp "$g/hostelf-fat/fat-two.elf" full
    put full $((0x7b77 + 24)) 9
    mlxdpa -e full -c "$g/keys/chain3.der" -p "$g/keys/leaf.pem" sign_dpa_apps
    verified full
    grep -qx "attributes and crypto data for targets that the program is not for" json
}

@test "a length before crypto data that is not theirs is refused" {
    for length in "f1 12" "f4 12" "ec 12" "f0 12 00 00 01" "f8 1f" "f9 1f" "ff ff ff ff ff ff ff ff"; do
        cp "$g/hostelf-fat/fat-two.signed.elf" two
        # shellcheck disable=SC2046,SC2086
        put two $((0x3b1f + 24 + 64)) $(printf '0x%s ' $length)
        run ! --separate-stderr mlxdpa verify two --ca "$g/keys/root.der"
        [[ $stderr == *": 1 of 2 DPA programs refused; beta (cx7): "* ]]
    done
}

@test "an error in an area is shown with its program, and hides no other program" {
    cp "$g/hostelf-fat/fat-three-and-plain.signed.elf" three
    put three $((0x1355f + 24 + 8)) 0x71 # offset of the first ELF
    mlxdpa show three >out
    [ "$(grep -c '^    fault: WRONG: program: multi-target area: member 0: its bytes are not inside the area' out)" -eq 1 ]
    [ "$(mlxdpa --json list three | jq -c '[.[].name]')" = '["delta","gamma"]' ]
    run -12 --separate-stderr mlxdpa verify three --ca "$g/keys/root.der"
    [[ $stderr == *": 1 of 2 DPA programs refused; gamma: BAD_FORMAT (multi-target area: member 0"* ]]
    run -1 dpacc-extract three -app-name gamma -mcpu bf3 -o gamma.elf
    [[ $output == *"program 'gamma'"*"member 0: its bytes are not inside the area"* ]]
    dpacc-extract three -app-name delta -o delta.elf
    cp "$g/hostelf-fat/fat-three-and-plain.signed.elf" three
    put three $((0x1d627 + 0xd0 + 8)) 0x64 # length of the attributes for cx8
    [ "$(mlxdpa --json show three | jq -c '[.programs[1].targets[].fault]')" = \
        '[null,"WRONG: attributes: a length of 100 bytes, in 99",null]' ]
}

@test "signatures made elsewhere are one for each target" {
    file=$g/hostelf-fat/fat-two.elf
    sign() { mlxdpa -e "$file" -c "$g/keys/chain3.der" --profile compact --mft-compat "$@"; }
    mlxdpa -e "$file" --profile compact -o tbs export_tbs >names
    [ "$(paste -sd' ' names)" = "tbs.beta.cx7.tbs tbs.beta.bf3.tbs" ]
    for target in cx7 bf3; do
        openssl dgst -sha512 -sign "$g/keys/leaf.pem" -out tbs.beta.$target.sig tbs.beta.$target.tbs
    done
    sign --signature tbs -o out attach_signature
    cmp out "$g/hostelf-fat/fat-two.signed.elf"
    cp tbs.beta.cx7.sig tbs.beta.bf3.sig
    run -1 sign --signature tbs -o no attach_signature
    [[ $output == *"target bf3: the signature is not one of these bytes"* ]]
    [ ! -e no ]
}
