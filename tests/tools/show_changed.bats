# mlxdpa show, and verify, of programs that somebody changed after they were signed.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_signed_files
    mlxdpa -e host -c keys/chain.der -p keys/leaf.pem --profile compact -o compact sign_dpa_apps
    for file in signed compact app.signed; do
        cp $file $file.changed
        at=$(grep -obUaP '\x13{8}' $file | head -n 1 | cut -d : -f 1)
        printf '\x93' | dd of=$file.changed bs=1 seek="$at" conv=notrunc status=none
    done
}

setup() { cd "$BATS_FILE_TMPDIR"; }

# terminal COMMAND: prints what the command prints on a terminal.
terminal() { script -qec "$1" /dev/null </dev/null; }

@test "a changed program does not read as good" {
    mlxdpa show signed.changed >out
    grep -q '^ *hashes: WRONG: segment [0-9]* was changed after signing$' out
    grep -q 'signature: right, but over other hashes than this program.s$' out
    mlxdpa show compact.changed | grep -q 'hashes: WRONG: the program was changed after signing$'
    mlxdpa show app.signed.changed | grep -q '^hashes: WRONG: '
    # The other program of the same file is as it was.
    mlxdpa show signed.changed --json | jq -e '.programs | map([.hashes_ok, .signature_ok, .chain_ok]) ==
        [[false, true, true], [true, true, true]]'
    mlxdpa show app.signed.changed --json | jq -e '[.hashes_ok, .signature_ok, .chain_ok] == [false, true, true]'
    mlxdpa show signed --json | jq -e 'all(.programs[]; .hashes_ok and .signature_ok and .chain_ok)'
    mlxdpa show app.signed --json | jq -e '.hashes_ok and .signature_ok and .chain_ok'
    mlxdpa show signed >out
    ! grep -q WRONG out || false
}

@test "a signature, a chain or crypto data that somebody changed is WRONG, too" {
    # In the reserved section: u64 length, header, hash list, 512 bytes of signature, chain.
    at=$(($(readelf -SW signed | awk '{ for (i = 1; i < NF; i++) if ($i == ".dpa_sig_one") print "0x" $(i + 3) }')))
    length=$(od -An -tu8 -j "$at" -N 8 signed | tr -d ' ')
    [ "$length" -gt 1000 ]
    end=$((at + 8 + length)) chain=$(stat -c %s keys/chain.der)
    changed() { # NAME OFFSET
        cp signed "$1"
        printf '\x55\x55\x55' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
        mlxdpa show "$1" | grep WRONG
    }
    changed header $((at + 8))
    mlxdpa show header --json | jq -e '.programs[0] | .signed and .hashes_ok == false and .signature_ok == false'
    changed forged $((end - chain - 256))
    mlxdpa show forged | grep -q 'signature: WRONG: '
    mlxdpa show forged --json | jq -e '.programs[0] | [.hashes_ok, .signature_ok, .chain_ok] == [true, false, true]'
    changed certificate $((end - 100))
    mlxdpa show certificate --json | jq -e '.programs[0].chain_ok == false'
}

@test "verify says it as well" {
    mlxdpa verify signed.changed --ca keys/root.der >out 2>err || true
    grep -q '^  hash list       refused  WRONG: segment [0-9]* was changed after signing$' out
    grep -q 'one: DIGEST_MISMATCH (segment' err
}

@test "on a terminal WRONG is red" {
    need_terminal
    terminal "mlxdpa show signed.changed" | grep -qF $'hashes: \e[31mWRONG: segment'
    terminal "mlxdpa verify signed.changed --ca keys/root.der" | grep -qF $'\e[31m  hash list'
    terminal "mlxdpa show signed" >out
    ! grep -qF $'\e' out || false
    terminal "NO_COLOR=1 mlxdpa show signed.changed" >out
    ! grep -qF $'\e' out || false
    mlxdpa show signed.changed >out
    ! grep -qF $'\e' out || false
}
