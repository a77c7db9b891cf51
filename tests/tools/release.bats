# mlxdpa release: the files in the folder, their checks by openssl and sha256sum, and refused input.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp -r "$test_keys" keys
    printf 'int flexio_dev_x(void) { return 1; }\nvoid _start(void) { flexio_dev_x(); }\n' >dev.c
    clang --target=riscv64 -ffreestanding -fno-builtin -nostdlib -c dev.c -o dev.o
    ld.lld dev.o -o dev.elf
    make_host
    chmod 751 host
    SOURCE_DATE_EPOCH=1700000000 mlxdpa release host -c keys/chain.der -p keys/leaf.pem -o out \
        --source-uri git+https://example.org/x --source-revision "$(printf 'a%.0s' {1..40})" >said
    jq -r .payload out/host.intoto.jsonl | base64 -d >statement
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
}

sum() { sha256sum <"$1" | cut -d ' ' -f 1; }
release() { mlxdpa release "$f/host" -c "$f/keys/chain.der" -p "$f/keys/leaf.pem" "$@"; }

@test "the folder has the signed file, chain, checksums and papers" {
    [ "$(ls "$f/out" | tr '\n' ' ')" = "SHA256SUMS SHA256SUMS.sig chain.der host host.intoto.jsonl host.spdx.json " ]
    (cd "$f/out" && sha256sum --strict -c SHA256SUMS) | grep -c OK | grep -qx 4
    mlxdpa verify "$f/out/host" --ca "$f/keys/root.der" | grep -q '2 DPA programs verified'
    cmp "$f/out/chain.der" "$f/keys/chain.der"
    mlxdpa -e "$f/host" -c "$f/keys/chain.der" -p "$f/keys/leaf.pem" -o signed sign_dpa_apps
    cmp signed "$f/out/host"
    [ "$(stat -c %a "$f/out/host")" = 751 ]
    grep -qx 'Released 2 DPA programs in out.' "$f/said"
}

@test "openssl alone verifies the envelope, and no changed statement" {
    [ "$(jq -r .payloadType "$f/out/host.intoto.jsonl")" = application/vnd.in-toto+json ]
    jq -r '.signatures[0].sig' "$f/out/host.intoto.jsonl" | base64 -d >sig
    openssl x509 -inform der -in "$f/keys/leaf.der" -noout -pubkey >pub
    pae() { printf 'DSSEv1 28 application/vnd.in-toto+json %d ' "$(wc -c <"$1")" && cat "$1"; }
    pae "$f/statement" >right
    openssl dgst -sha512 -verify pub -signature sig right
    sed 's/host/tost/' "$f/statement" >other
    pae other >wrong
    ! openssl dgst -sha512 -verify pub -signature sig wrong || false
    openssl pkey -pubin -in pub -outform der >spki
    [ "$(jq -r '.signatures[0].keyid' "$f/out/host.intoto.jsonl")" = "$(sum spki)" ]
}

@test "openssl alone verifies the signature of SHA256SUMS, and of no changed list" {
    openssl x509 -inform der -in "$f/keys/leaf.der" -noout -pubkey >pub
    openssl dgst -sha512 -verify pub -signature "$f/out/SHA256SUMS.sig" "$f/out/SHA256SUMS"
    sed 's/host$/tost/' "$f/out/SHA256SUMS" >changed
    ! openssl dgst -sha512 -verify pub -signature "$f/out/SHA256SUMS.sig" changed || false
}

@test "the statement names file and programs, compilers and source" {
    q() { jq -re "$1" "$f/statement"; }
    [ "$(q ._type)" = https://in-toto.io/Statement/v1 ]
    [ "$(q .predicateType)" = https://slsa.dev/provenance/v1 ]
    [ "$(q '.subject | map(.name) | join(" ")')" = "host one two" ]
    [ "$(q '.subject[0].digest.sha256')" = "$(sum "$f/out/host")" ]
    [ "$(q '.subject[1].digest.sha256')" = "$(sum "$f/dev.elf")" ]
    q '.predicate.buildDefinition.internalParameters.compilers.one | join(" ")' | grep -q 'clang version'
    [ "$(q '.predicate.buildDefinition.resolvedDependencies[0].digest.sha256')" = "$(sum "$f/host")" ]
    [ "$(q '.predicate.buildDefinition.resolvedDependencies[1].digest.gitCommit')" = "$(printf 'a%.0s' {1..40})" ]
    [ "$(q '.predicate.runDetails.metadata.finishedOn')" = 2023-11-14T22:13:20Z ]
    [ "$(q '.predicate.runDetails.byproducts[0].digest.sha256')" = "$(sum "$f/out/host.spdx.json")" ]
    q .predicate.runDetails.builder.id
}

@test "the SBOM names the file, its programs and the libraries that they are linked with" {
    q() { jq -re "$1" "$f/out/host.spdx.json"; }
    [ "$(q '[.spdxVersion, .dataLicense, .SPDXID] | join(" ")')" = "SPDX-2.3 CC0-1.0 SPDXRef-DOCUMENT" ]
    [ "$(q '.packages | map(.name) | join(" ")')" = "host one libflexio_dev two" ]
    [ "$(q '.packages[0].checksums[0].checksumValue')" = "$(sum "$f/out/host")" ]
    [ "$(q '[.relationships[] | .relationshipType] | sort | join(" ")')" = \
        "CONTAINS CONTAINS DESCRIBES STATIC_LINK STATIC_LINK" ]
    # Every relation is between existing elements.
    q '(.packages | map(.SPDXID) + ["SPDXRef-DOCUMENT"]) as $all |
       [.relationships[] | .spdxElementId, .relatedSpdxElement] | all(. as $x | $all | index($x))'
}

@test "with SOURCE_DATE_EPOCH two runs give the same bytes" {
    SOURCE_DATE_EPOCH=1700000000 release -o again --source-uri git+https://example.org/x \
        --source-revision "$(printf 'a%.0s' {1..40})"
    diff -r "$f/out" again
}

@test "wrong input is one error, and there is no folder" {
    mkdir there
    fails 1 "is there already" release -o there
    [ -z "$(ls there)" ]
    cp "$f/dev.elf" none
    fails 1 "no DPA program" mlxdpa release none -c "$f/keys/chain.der" -p "$f/keys/leaf.pem" -o out
    fails 1 "is not the one of the leaf" mlxdpa release "$f/host" -c "$f/keys/chain.der" -p "$f/keys/root.pem" -o out
    fails 2 "go together" release -o out --source-uri x
    fails 2 "hexadecimal" release -o out --source-uri x --source-revision main
    SOURCE_DATE_EPOCH=never fails 2 "SOURCE_DATE_EPOCH" release -o out
    fails 1 "UNKNOWN_CA" release -o out --ca "$DPAKIT_GOLDEN/keys/root.der"
    cat "$f"/keys/{intermediate,leaf}.der >rootless.der
    fails 2 "needs --ca" mlxdpa release "$f/host" -c rootless.der -p "$f/keys/leaf.pem" -o out
    mlxdpa release "$f/host" -c rootless.der -p "$f/keys/leaf.pem" -o rooted --ca "$f/keys/root.der"
    cp "$f/host" chain.der
    fails 2 "of that name" mlxdpa release chain.der -c "$f/keys/chain.der" -p "$f/keys/leaf.pem" -o new
    [ -z "$(find . -name '.*.??????')" ]
}
