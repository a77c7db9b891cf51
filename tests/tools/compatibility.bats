# What dpakit-compatibility(7) says and no other test compares.

bats_require_minimum_version 1.5.0

setup() {
    g=$DPAKIT_GOLDEN
    cd "$BATS_TEST_TMPDIR" || return 1
}

# signed_program FILE NAME: signs it as NVIDIA's tool of 2026 does; then both signatures, ours and theirs.
signed_program() {
    mlxdpa -e "$g/hostelf-fat/$1.elf" -c "$g/keys/chain3.der" -p "$g/keys/leaf.pem" --app "$2" \
        --profile compact --mft-compat -o signed sign_dpa_apps
    cp "$g/hostelf-fat/$1.signed.elf" golden
    for file in signed golden; do
        objcopy -O binary --only-section=".dpa_sig_$2" --set-section-flags ".dpa_sig_$2=alloc" $file $file.crypto
        [ -s $file.crypto ]
    done
}

@test "a program for one target without attributes is signed as by NVIDIA's tool, beside fat ones too" {
    signed_program fat-three-and-plain delta
    cmp signed.crypto golden.crypto
}

@test "a fat program in NVIDIA's layout is refused by name" {
    for file in fat-two fat-three-and-plain; do
        run -1 mlxdpa -e "$g/hostelf-fat/$file.elf" -c "$g/keys/chain3.der" -p "$g/keys/leaf.pem" -o out sign_dpa_apps
        [[ $output == *"fat file: made by NVIDIA's compiler"* ]]
        [ ! -e out ]
    done
}

# The page sends their users to NVIDIA's tool. When this fails, the page has to change.
@test "NVIDIA's attributes are signed otherwise here" {
    signed_program attr-one alpha
    run -1 cmp -s signed.crypto golden.crypto
    run -1 mlxdpa -e golden --ca "$g/keys/root.der" verify
    [[ $output == *"DIGEST_MISMATCH (manifest)"* ]]
}

@test "huge pages that are not there are refused when they are registered" {
    export DPAKIT_DEVICES=$PWD/devices
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} -Wall -Wextra -Werror "$BATS_TEST_DIRNAME/../host/huge_pages.c" -o huge_pages \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -Wl,-rpath,"$DPAKIT_BUILD/lib" \
        -Wl,--no-as-needed -lflexio -libverbs -lmlx5
    dpadev create mlx5_0
    code=0
    ./huge_pages >out 2>&1 || code=$?
    cat out
    [ $code -ne 77 ] || skip "this kernel has no huge pages: $(cat out)"
    [ $code -eq 0 ]
}
