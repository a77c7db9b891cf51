# Claims of dpakit-compatibility(7) that no other test checks.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup() {
    g=$DPAKIT_GOLDEN
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "several targets and attributes are signed, verified and stripped as in files of NVIDIA's tool" {
    for file in hostelf-fat/{attr-one,fat-two,fat-three-and-plain} hostelf-area/{area-one,area-one-attr}; do
        mlxdpa -e "$g/$file.elf" -c "$g/keys/chain3.der" -p "$g/keys/leaf.pem" \
            --profile compact --mft-compat -o signed sign_dpa_apps
        cmp signed "$g/$file.signed.elf"
        mlxdpa -e "$g/$file.signed.elf" --ca "$g/keys/root.der" verify
        mlxdpa -e signed strip_signature
        cmp signed "$g/$file.elf"
    done
}

@test "huge pages that are not there are refused when they are registered" {
    export DPAKIT_DEVICES=$PWD/devices
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} -Wall -Wextra -Werror "$BATS_TEST_DIRNAME/../host/huge_pages.c" -o huge_pages \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -Wl,-rpath,"$DPAKIT_BUILD/lib" \
        -Wl,--no-as-needed -lflexio -libverbs -lmlx5
    new_device mlx5_0
    code=0
    ./huge_pages >out 2>&1 || code=$?
    cat out
    [ $code -ne 77 ] || skip "this kernel has no huge pages: $(cat out)"
    [ $code -eq 0 ]
}
