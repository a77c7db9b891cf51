# dpadev claim, trust, lock: the same as the commands of the guide, and in their order only.

source "$BATS_TEST_DIRNAME/../helpers/provision.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp -r "$test_keys" keys
    mkdir devices
    DPAKIT_DEVICES=$PWD/devices dpadev create mlx5_0
}

setup() {
    cp -a "$BATS_FILE_TMPDIR"/{keys,devices} "$BATS_TEST_TMPDIR/" && cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices SOURCE_DATE_EPOCH=1800000000
}

own() { # as far as STEP
    dpadev claim mlx5_0 keys/owner.pem >/dev/null
    [ "$1" != claim ] || return 0
    dpadev trust mlx5_0 keys/root.der -p keys/owner.pem >/dev/null
    [ "$1" != trust ] || return 0
    dpadev lock mlx5_0 -p keys/owner.pem >/dev/null
}

@test "the commands that are printed do the same, and make the same files, byte for byte" {
    mkdir -p files by_hand/files
    ln -s ../keys by_hand/keys
    for step in "claim mlx5_0 keys/owner.pem" "trust mlx5_0 keys/root.der -p keys/owner.pem" \
        "lock mlx5_0 -p keys/owner.pem"; do
        state >before
        cp -a devices by_hand/
        # shellcheck disable=SC2086
        dpadev $step -o files --dry-run >script
        state | cmp before - # nothing happened
        (cd by_hand && DPAKIT_DEVICES=$PWD/devices sh -e ../script)
        # shellcheck disable=SC2086
        dpadev $step -o files >said
        sed '$d' said | cmp script -
        state | sed 's,/by_hand,,g' >mine
        DPAKIT_DEVICES=$PWD/by_hand/devices state | sed 's,/by_hand,,g' | cmp mine -
        rm -r by_hand/devices
    done
    [ "$(ls files | tr '\n' ' ')" = "mlx5_0.claim.bin mlx5_0.claim.xml mlx5_0.lock.bin mlx5_0.lock.xml mlx5_0.root.container mlx5_0.root.signed " ]
    diff -r files by_hand/files
}

@test "after the three and a reset a device runs what is signed alone" {
    own lock
    dpadev reset mlx5_0
    dpadev show --json mlx5_0 >show
    grep -qE '"current":[[:space:]]*"certified"' show
    grep -q "$(cat keys/owner.uuid)" show
    grep -q "$(cat keys/root.uuid)" show
    ! mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=False || false
}

@test "the public half is enough to claim, and its UUID may be given" {
    cp keys/owner.pub only.pub
    refused 1 dpadev claim mlx5_0 only.pub && says "--owner-uuid"
    refused 1 dpadev claim mlx5_0 nokey.pem && says "nokey.pem: No such file"
    # A file that is not a key is reported as such, with and without a UUID beside it.
    refused 1 dpadev claim mlx5_0 keys/leaf.der && says "keys/leaf.der: a certificate, where a private key is asked for"
    printf 'no key\n' >note && refused 1 dpadev claim mlx5_0 note && says "the owner's key: note: "
    dpadev claim mlx5_0 only.pub --owner-uuid 77dd4ef0-c633-11ed-9e20-001dd8b744ff
    dpadev show mlx5_0 | grep -q "Owner key pair: 77dd4ef0-c633-11ed-9e20-001dd8b744ff"
}

@test "a wrong order is an error that names what comes first" {
    refused 1 dpadev trust mlx5_0 keys/root.der -p keys/owner.pem && says "dpadev claim mlx5_0"
    refused 1 dpadev lock mlx5_0 -p keys/owner.pem && says "dpadev claim mlx5_0"
    own claim
    refused 1 dpadev claim mlx5_0 keys/owner.pem && says "has an owner already"
    refused 1 dpadev lock mlx5_0 -p keys/owner.pem && says "dpadev trust mlx5_0 ROOT first"
    dpadev trust mlx5_0 keys/root.der -p keys/owner.pem
    refused 1 dpadev trust mlx5_0 keys/root.der -p keys/owner.pem && says "trusts this certificate already"
    dpadev lock mlx5_0 -p keys/owner.pem
    refused 1 dpadev lock mlx5_0 -p keys/owner.pem && says "is locked already"
    refused 1 dpadev lock mlx5_0 -p keys/owner.pem --dry-run && says "is locked already"
}

@test "a key that does not fit changes nothing and leaves no file" {
    refused 1 dpadev claim mlx5_0 keys/owner.pem -p keys/leaf.pem --nvidia-uuid "$(cat devices/mlx5_0/factory/nvidia.uuid)"
    says "is not the one that mlx5_0 knows"
    refused 2 dpadev claim mlx5_0 keys/owner.pem -p keys/leaf.pem
    refused 1 dpadev claim mlx5_0 "$DPAKIT_GOLDEN/keys/owner2048.pem" --owner-uuid "$(cat keys/owner.uuid)" && says "RSA-4096"
    own claim
    rm mlx5_0.*
    refused 1 dpadev trust mlx5_0 keys/root.der -p keys/leaf.pem && says "is not the one that mlx5_0 knows"
    refused 1 dpadev trust mlx5_0 keys/leaf.der -p keys/owner.pem && says "keys/leaf.der"
    refused 2 dpadev trust mlx5_0 keys/root.der
    rm devices/mlx5_0/factory/nvidia.pem
    dpadev delete mlx5_0 && cp -a "$BATS_FILE_TMPDIR/devices" . && rm devices/mlx5_0/factory/nvidia.*
    refused 1 dpadev claim mlx5_0 keys/owner.pem && says "--nvidia-uuid"
    [ -z "$(ls mlx5_0.* 2>/dev/null)" ]
}

@test "words of the printed commands are quoted for a shell, and secrets are not in them" {
    mkdir "a folder; \$(touch pwned)'"
    cp -a keys/. "a folder; \$(touch pwned)'"
    dpadev claim mlx5_0 "a folder; \$(touch pwned)'/owner.pem"
    dpadev trust mlx5_0 "a folder; \$(touch pwned)'/root.der" -p "a folder; \$(touch pwned)'/owner.pem" \
        --passin pass:hush-hush --dry-run >script
    sh -e ./script
    [ ! -e pwned ]
    ! grep -q hush script || false
    dpadev show mlx5_0 | grep -q 'CA certificates: 1 of 8'
}

@test "with anti-rollback the files are not older than what was applied" {
    dpadev create mlx5_1 --anti-rollback
    dpadev claim mlx5_1 keys/owner.pem
    { identity_xml True | sed 's/file_version>0/file_version>31/'; echo '</config>'; } >later.xml
    mlxconfig-lite -p keys/owner.pem -u "$(cat keys/owner.uuid)" create_conf later.xml later.bin
    mlxconfig-lite -d mlx5_1 apply later.bin
    dpadev trust mlx5_1 keys/root.der -p keys/owner.pem
    dpadev lock mlx5_1 -p keys/owner.pem
    grep -q '<file_version>31<' mlx5_1.lock.xml
}
