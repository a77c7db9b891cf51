# mlxdpa verify --policy: a gate for programs, with one exit code for each reason.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_signed_files
    digest=$(sha256sum <dev.elf | cut -d ' ' -f 1)
    certificate=$(sha256sum <keys/leaf.der | cut -d ' ' -f 1)
    key=$(openssl x509 -inform der -in keys/leaf.der -noout -pubkey | openssl pkey -pubin -outform der |
        sha256sum | cut -d ' ' -f 1)
    other=$(printf 'b%.0s' {1..64})
    printf '%s=%s\n' digest "$digest" certificate "$certificate" key "$key" other "$other" >facts
    # Revocation lists of the root (nothing) and of the intermediate (the leaf).
    for ca in root intermediate; do
        openssl x509 -inform der -in keys/$ca.der -out $ca.crt
        mkdir $ca && : >$ca/index && echo 01 >$ca/number
        printf '%s\n' '[ca]' default_ca=d '[d]' database=$ca/index crlnumber=$ca/number \
            default_md=sha256 default_crl_days=60 >$ca/conf
        openssl ca -config $ca/conf -gencrl -keyfile keys/$ca.pem -cert $ca.crt -out $ca.crl
    done
    cp intermediate.crl clean.crl
    openssl x509 -inform der -in keys/leaf.der -out leaf.crt
    openssl ca -config intermediate/conf -revoke leaf.crt -keyfile keys/intermediate.pem -cert intermediate.crt
    openssl ca -config intermediate/conf -gencrl -keyfile keys/intermediate.pem -cert intermediate.crt -out intermediate.crl
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
    . "$f/facts"
}

policy() { printf 'policy: 1\n%s\n' "$1" >policy.yaml; }
gate() { mlxdpa verify "$f/signed" --ca "$f/keys/root.der" --policy policy.yaml "$@"; }
app_gate() { mlxdpa verify "$f/app.signed" --ca "$f/keys/root.der" --policy policy.yaml "$@"; }

@test "programs that the policy allows pass, with a line that says so" {
    policy ""
    gate
    policy "$(printf 'programs: [%s, %s]\nsigners:\n  - certificate: %s\n  - key: %s' "$other" "${digest^^}" "$certificate" "$other")"
    gate | grep -q '^  policy          OK       allowed'
    policy "signers: [{key: $key}]"
    gate --json | jq -e 'all(.[]; .checks[-1].name == "policy" and .verdict == "OK")'
}

@test "programs, signers and versions that are not allowed have their exit codes" {
    policy "programs: [$other]"
    fails 21 "PROGRAM_NOT_ALLOWED" gate
    policy "programs: []"
    fails 21 "PROGRAM_NOT_ALLOWED" gate
    policy "signers: [{certificate: $other}, {key: $other}]"
    fails 22 "SIGNER_NOT_ALLOWED" gate
    policy "signers: [{certificate: $key}, {key: $certificate}]"
    fails 22 "SIGNER_NOT_ALLOWED" gate
    policy "$(printf 'minimum_versions: {two: 1}\nunnamed: allow')"
    fails 23 "two: VERSION_TOO_LOW (it has no version" gate
    policy "minimum_versions: {$uuid: 7, other: 99}"
    mlxdpa show "$f/app.signed"
    app_gate
    policy "minimum_versions: {$uuid: 8}"
    fails 23 "version 7, and the policy allows 8 and later" app_gate
    # The verdict in JSON has the same number.
    policy "programs: [$other]"
    gate --json 2>/dev/null | jq -e '.[0].code == 21'
}

@test "a UUID means the same in any letters, twice too" {
    policy "minimum_versions: {${uuid^^}: 8}"
    fails 23 "version 7, and the policy allows 8 and later" app_gate
    policy "minimum_versions: {${uuid^^}: 7}"
    app_gate
    policy "minimum_versions: {$uuid: 7, ${uuid^^}: 8}"
    fails 1 "policy.yaml: line 2: twice: '${uuid^^}'" app_gate
}

@test "a program that no rule names is refused, so that another name frees from no minimum" {
    policy "minimum_versions: {elsewhere: 3}"
    fails 21 "one: PROGRAM_NOT_ALLOWED (no rule names it" gate
    fails 21 "no rule names it" app_gate
    policy "$(printf 'minimum_versions: {elsewhere: 3}\nunnamed: refuse')"
    fails 21 "no rule names it" gate
    policy "$(printf 'minimum_versions: {elsewhere: 3}\nsigners: [{key: %s}]' "$key")"
    fails 21 "no rule names it" gate
    policy "minimum_versions: {}"
    fails 21 "no rule names it" gate
    # A container is named by its UUID, and a program in a host file by its name: the two are not confused.
    policy "minimum_versions: {$uuid: 7}"
    fails 21 "no rule names it" gate
    app_gate
    # A program that is named by its digest may pass.
    policy "$(printf 'minimum_versions: {elsewhere: 3}\nprograms: [%s]' "$digest")"
    gate
    policy "$(printf 'minimum_versions: {elsewhere: 3}\nunnamed: allow')"
    gate
}

@test "show prints the digests that a policy asks for, and a refusal names those of who signed" {
    mlxdpa show "$f/signed" --json | jq -e --arg key "$key" --arg certificate "$certificate" \
        '.programs[0].chain[-1] | .key_sha256 == $key and .sha256 == $certificate'
    mlxdpa show "$f/signed" | grep -q "key sha256: $key"
    policy "signers: [{key: $other}]"
    fails 22 "signed by key: $key, certificate: $certificate, none of the 1 signers" gate
}

@test "signers are named by subject and issuer, exactly or by a pattern" {
    subject=$(mlxdpa show "$f/signed" --json | jq -r '.programs[0].chain[-1].subject')
    issuer=$(mlxdpa show "$f/signed" --json | jq -r '.programs[0].chain[-1].issuer')
    [ "$subject" = "O=Test public, CN=Test signer" ] && [ -n "$issuer" ] && [ "$issuer" != "$subject" ]
    local rule
    for rule in "subject: '$subject'" "issuer: '$issuer'" "subject: '$subject', issuer: '$issuer'" \
        "subject_pattern: 'O=Test*, CN=Test signe?'" "issuer_pattern: '${issuer%?}*'" \
        "subject_pattern: '*[s]igner', issuer: '$issuer'"; do
        policy "signers: [{$rule}]"
        gate
    done
    policy "signers: [{key: $other}, {subject: '$subject'}]"
    gate
    for rule in "subject: 'CN=Test signer'" "subject: '${subject,,}'" "subject: '$subject '" "issuer: '$subject'" \
        "subject: '$subject', issuer: 'O=Other'" "subject_pattern: 'CN=Test signer'" \
        "subject_pattern: '*Test'" "issuer_pattern: '*signer'"; do
        policy "signers: [{$rule}]"
        fails 22 "signed by key: $key, certificate: $certificate, none of the 1 signers" gate
    done
    for rule in "subject: ''" "subject: 'O=Test*'" "issuer: '*'" "subject: [a]" "subject: a, subject_pattern: b" "subject_pattern: '**'" \
        "subject: a, key: $key" "issuers: a" ""; do
        policy "signers: [{$rule}]"
        fails 1 "policy.yaml: line 2: " gate
    done
}

@test "a fingerprint may have colons" {
    colons=$(openssl x509 -inform der -in "$f/keys/leaf.der" -noout -fingerprint -sha256)
    policy "signers: [{certificate: '${colons#*=}'}]"
    gate
    policy "signers: [{key: '$(sed 's/../&:/g; s/:$//' <<<"${key^^}")'}]"
    gate
    policy "$(printf 'programs: ["%s"]' "$(sed 's/../&:/g; s/:$//' <<<"$digest")")"
    gate
}

@test "each verdict of a device has its exit code" {
    policy ""
    fails 11 UNSIGNED mlxdpa verify "$f/host" --ca "$f/keys/root.der" --policy policy.yaml
    fails 11 UNSIGNED mlxdpa verify "$f/host" --ca "$f/keys/root.der"
    fails 16 UNKNOWN_CA mlxdpa verify "$f/signed" --ca "$DPAKIT_GOLDEN/keys/root.der" --policy policy.yaml
    cp "$f/signed" changed
    at=$(grep -obUaP '\x13{8}' changed | head -n 1 | cut -d : -f 1)
    printf '\x93' | dd of=changed bs=1 seek="$at" conv=notrunc status=none
    fails 14 DIGEST_MISMATCH mlxdpa verify changed --ca "$f/keys/root.der" --policy policy.yaml
}

@test "the page's table has every reason, with the code that the sources have" {
    local page=$DPAKIT_BUILD/share/man/man1/mlxdpa.1 code name n=0 include=$BATS_TEST_DIRNAME/../../lib
    sed 's/\\-/-/g' "$page" | sed -n '/^\.SH EXIT STATUS/,/^\.SH ENV/p' | sed -nE 's/^([1-9][0-9])  ([A-Z_]+) .*/\1 \2/p' >table
    [ "$(wc -l <table)" -eq 13 ]
    while read -r code name; do
        grep -rqE "(DPK_VERDICT_$name = $((code - 10))|= $code,)" "$include/elfcrypto/elfcrypto.h" "$include/policy/policy.h" ||
            { echo "$code $name"; false; }
        n=$((n + 1))
    done <table
    [ "$(grep -cE '^    DPK_(VERDICT|POLICY)_[A-Z_]+ = [1-9]' "$include/elfcrypto/elfcrypto.h" "$include/policy/policy.h" |
        awk -F: '{ n += $2 } END { print n }')" -eq "$n" ]
}

@test "dparun and a device say the same code as verify" {
    local code
    export DPAKIT_DEVICES=$PWD/devices
    make_locking_device locked "$f/keys/root.der"
    same() { # CODE TEXT FILE
        fails "$1" "$2" mlxdpa verify "$3" --ca "$f/keys/root.der"
        fails "$1" "$2" mlxdpa verify "$3" -d locked
        fails "$1" "$2" dparun -d locked "$3" --app one --rpc nothing
    }
    same 11 UNSIGNED "$f/host"
    cp "$f/signed" changed
    at=$(grep -obUaP '\x13{8}' changed | head -n 1 | cut -d : -f 1)
    printf '\x93' | dd of=changed bs=1 seek="$at" conv=notrunc status=none
    same 14 DIGEST_MISMATCH changed
    make_locking_device stranger "$DPAKIT_GOLDEN/keys/root.der"
    fails 16 UNKNOWN_CA mlxdpa verify "$f/signed" -d stranger
    fails 16 UNKNOWN_CA dparun -d stranger "$f/signed" --app one --rpc nothing
    # The reasons of devices are tested elsewhere.
    mlxdpa --cert_container_type add -c "$f/keys/root.der" -o container --life_cycle_priority OEM create_cert_container
    fails 36 REJECTED_UNSIGNED mlxdpa verify container -d locked
}

@test "--at asks about another date" {
    policy ""
    gate --at "$(date -u -d '+10 days' +%F)"
    gate --at "$(date -u -d '+10 days' +%FT%TZ)"
    fails 17 "certificate has expired" gate --at 2048-05-20
    fails 17 "not yet valid" gate --at 2020-02-29
    fails 17 "has expired" mlxdpa verify "$f/signed" --ca "$f/keys/root.der" --at 2060-01-01
    for date in 2021-02-29 tomorrow 2026-1 2026-01-01T00:00 1969-01-01 2026-1-1 ' 2026-01-01' \
        2026-01-01T24:00:00Z 2026-01-01T10:59:60Z 2026-02-30T00:00:00Z 2026-01-01Z; do
        fails 2 "is not a date like" gate --at "$date"
    done
}

@test "a revoked leaf is refused, and so is a chain without its lists, or with old ones" {
    policy "crls: ['$f/root.crl', '$f/clean.crl']"
    gate
    policy "crls: ['$f/root.crl', '$f/intermediate.crl']"
    fails 17 "certificate revoked: O=Test public, CN=Test signer" gate
    policy "crls: ['$f/root.crl']"
    fails 17 "unable to get certificate CRL" gate
    policy "crls: ['$f/root.crl', '$f/clean.crl']"
    fails 17 "CRL has expired" gate --at "$(date -u -d '+65 days' +%F)"
    # Paths are relative to the policy.
    mkdir below && cp "$f"/{root,clean}.crl below
    printf 'policy: 1\ncrls: [root.crl, clean.crl]\n' >below/policy.yaml
    mlxdpa verify "$f/signed" --ca "$f/keys/root.der" --policy below/policy.yaml
}

@test "a file that is not a policy is refused with its line" {
    bad() { printf '%b' "$1" >policy.yaml && fails 1 "policy.yaml: $2" gate; }
    bad '' "not a policy"
    bad 'policy: 2\n' "line 1: the only version"
    bad 'programs: []\n' "no 'policy: 1'"
    bad 'policy: 1\nprogram: []\n' "line 2: unknown key 'program'; did you mean programs?"
    bad 'policy: 1\npolicy: 1\n' "line 2: twice"
    bad 'policy: 1\nprograms:\n  - digest: 12\n' "line 3: a SHA-256 stands alone in its entry"
    bad 'policy: 1\nprograms:\n  - 12\n' "line 3: not a SHA-256"
    bad 'policy: 1\nprograms: x\n' "line 2: a list is needed"
    bad 'policy: 1\nsigners: [{name: x}]\n' "line 2: unknown key 'name'; known keys: certificate, key, subject, "
    bad 'policy: 1\nminimum_versions: {a: 1, a: 2}\n' "line 2: twice: 'a'"
    bad 'policy: 1\nminimum_versions: {a: 4294967296}\n' "line 2: a version has 32 bits"
    bad 'policy: 1\nminimum_versions: {a: -1}\n' "line 2: not a version"
    bad 'policy: 1\nminimum_versions: {a: 010}\n' "line 2: not a version"
    bad "policy: 1\nminimum_versions:\n  ${uuid//-/}: 1\n" "line 3: neither a UUID with its dashes nor"
    bad "policy: 1\nminimum_versions:\n  ${uuid%f}: 1\n" "line 3: neither a UUID"
    bad "policy: 1\nminimum_versions:\n  '{$uuid}': 1\n" "line 3: neither a UUID"
    bad "policy: 1\nminimum_versions:\n  ' $uuid': 1\n" "line 3: neither a UUID"
    bad 'policy: 1\nminimum_versions: {deadbeefdeadbeefdeadbeefdeadbeef: 1}\n' "line 2: neither a UUID"
    bad 'policy: 1\nminimum_versions: {.dpa_bin_one: 1}\n' "line 2: neither a UUID"
    bad 'policy: 1\nminimum_versions: {"": 1}\n' "line 2: neither a UUID"
    bad 'policy: 1\nminimum_versions: [a]\n' "line 2: minimum_versions is a mapping"
    bad 'policy: 1\nunnamed: allow\n' "line 2: unnamed is about"
    bad 'policy: 1\nminimum_versions: {a: 1}\nunnamed: no\n' "line 3: unnamed is refuse or allow, not 'no'"
    bad 'policy: 1\ncrls: []\n' "line 2: no revocation list in crls"
    bad "policy: 1\nprograms: ['${other:0:2}:${other:2}']\n" "line 2: not a SHA-256"
    bad 'policy: 1\n--- {}\n' "line 2: more than one document"
    bad 'policy: 1\nprograms: [\n' "line"
    bad 'policy: 1\nprograms: &a [*a]\n' "line 2: a SHA-256 stands alone"
    fails 1 "nowhere.yaml" mlxdpa verify "$f/signed" --ca "$f/keys/root.der" --policy nowhere.yaml
    printf 'policy: 1\ncrls: [policy.yaml]\n' >policy.yaml
    fails 1 "not a list of revoked certificates" gate
    policy ""
    fails 2 "about programs" mlxdpa verify "$f/keys/root.der" --ca "$f/keys/root.der" --policy policy.yaml ||
        fails 1 "" mlxdpa verify "$f/keys/root.der" --ca "$f/keys/root.der" --policy policy.yaml
}
