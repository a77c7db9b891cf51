# examples/ci-signing: the job signs and releases, or says why not and releases nothing.
source "$BATS_TEST_DIRNAME/../helpers/readme.bash"

setup_file() {
    "$BATS_TEST_DIRNAME/../../examples/ci-signing/make-world.sh" "$BATS_FILE_TMPDIR/world"
}

setup() {
    world=$BATS_FILE_TMPDIR/world
    job=$BATS_TEST_DIRNAME/../../examples/ci-signing/ci-sign.sh
    cd "$BATS_TEST_TMPDIR"
    export SOFTHSM2_CONF=$world/softhsm2.conf PKCS11_MODULE_PATH=/usr/lib/softhsm/libsofthsm2.so
    export SIGN_KEY='pkcs11:token=dpa;object=leaf' SIGN_PIN=1234 SIGN_CHAIN=$world/chain.der
    export SIGN_ROOT=$world/root.der DEVICE=$world/device.archive OUT=$PWD/out
}

# fails CODE TEXT: the job ends so, and nothing is released.
fails() {
    run "$job"
    echo "$output"
    [ "$status" -eq "$1" ]
    [[ $output == *"$2"* ]]
    [ -z "$(ls out 2>/dev/null)" ]
}

@test "the commands of the README work" {
    paste_readme ci-signing
    [[ $output == *"Hello World"* ]]
    [ "${lines[-1]}" = release.tar.gz.sha256 ]
}

@test "what is released is signed, and tells how it ran" {
    "$job"
    cd out
    sha256sum -c release.tar.gz.sha256
    tar -xzf release.tar.gz
    mlxdpa -e release/hello_signed --ca "$world/root.der" verify
    jq -e 'map(.result) == ["OK", "UNSIGNED", "OK"]' release/device-log.json
    grep -q 'Hello World' release/run.log
}

@test "the world that a job sees has no private key" {
    ! grep -rlaE 'PRIVATE KEY' "$world" --exclude-dir=secret || false
    dpadev show --json x 2>/dev/null || DPAKIT_DEVICES=$PWD/d dpadev import x "$DEVICE"
    [ ! -e d/x/factory ]
}

@test "a wrong PIN, a missing variable, a foreign root: nothing is released" {
    SIGN_PIN=4321 fails 1 '-E-'
    SIGN_PIN='' fails 2 'SIGN_PIN is not set'
    openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -outform der -out foreign.der \
        -subj /CN=Foreign 2>/dev/null
    SIGN_ROOT=$PWD/foreign.der fails 1 'UNKNOWN_CA'
}

@test "a device that loads anything is no test of a signature" {
    DPAKIT_DEVICES=$PWD/d dpadev create open
    DPAKIT_DEVICES=$PWD/d dpadev export open open.archive
    DEVICE=$PWD/open.archive fails 1 'would load unsigned programs'
}
