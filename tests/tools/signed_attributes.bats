# A program's attributes under a signature in the compact profile, on a device that asks for it.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

bats_require_minimum_version 1.5.0

setup_file() {
    load ../helpers/dpacc.bash
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    openssl req -x509 -newkey rsa:4096 -nodes -keyout key.pem -out root.crt -subj /CN=root \
        -days 300 2>/dev/null
    openssl x509 -in root.crt -outform der -out root.der
    make_locking_device mlx5_0 root.der
    data=$BATS_TEST_DIRNAME/../data/dpacc
    printf 'the attributes of it' >attributes
    dpacc "$data/args_dev.c" -o args.a -app-name args_app --dpa-proc-attr=attributes
    link_host host -I"$data" "$data/args_run.c" args.a
    mlxdpa -e host -c root.crt -p key.pem --profile compact -o signed sign_dpa_apps
    sed 's/the attributes of it/the attributes of IT/' signed >changed
    chmod +x changed
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
}

@test "a host program's attributes go to the device with it" {
    ./signed
}

@test "a host program whose attributes were changed is refused" {
    ! cmp -s signed changed || false
    run -1 ./changed
    dpadev log mlx5_0 | grep -q 'args_app.*DIGEST_MISMATCH (manifest)'
}

@test "dparun takes the attributes out of the file" {
    run -0 dparun -d mlx5_0 signed --rpc rpc_integers 1 1 1 1 1 1 1 1 1 1 1 1 1
    run -14 --separate-stderr dparun -d mlx5_0 changed --rpc rpc_integers 1 1 1 1 1 1 1 1 1 1 1 1 1
    [[ $stderr == "-E- program args_app refused: DIGEST_MISMATCH (manifest)" ]]
}

@test "show checks the attributes with the rest" {
    [ "$(mlxdpa -e signed --json show | jq -r '.. | .hashes? // empty')" = \
        "every hash of the device ELF is right" ]
    [ "$(mlxdpa -e changed --json show | jq -r '.. | .hashes? // empty')" = "WRONG: manifest was changed after signing" ]
}
