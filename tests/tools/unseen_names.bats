# Names in files with invisible characters, or characters that change the direction of text: tools show them as
# escapes.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

turn=$'\xe2\x80\xae' # U+202E
none=$'\xe2\x80\x8b' # U+200B

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_signed_files
    printf '.section ".dpa_bin_ad%smin","",@progbits\n.incbin "dev.elf"\n' "$none" >odd.s
    printf '.section ".dpa_bin_x%sa","",@progbits\n.incbin "dev.elf"\n' "$turn" >>odd.s
    gcc -c odd.s -o odd
    cp odd "member${turn}o.o"
    ar rc odd.a "member${turn}o.o"
    openssl req -utf8 -x509 -key keys/owner.pem -outform der -out odd.der -subj "/CN=Si${turn}gner" -days 9
    openssl x509 -inform der -in odd.der -out odd.crt
    mlxdpa -e odd -c odd.der -p keys/owner.pem -o odd.signed sign_dpa_apps
    mlxdpa -s dev.elf -m app.yaml --dpa_app_uuid $uuid --life_cycle_priority OEM -o odd.app create_single_dpa_app
    mlxdpa -s odd.app -c odd.der -p keys/owner.pem --life_cycle_priority OEM -o odd.app.signed sign_single_dpa_app
    # shellcheck disable=SC2086
    gcc -std=gnu11 -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$BATS_TEST_DIRNAME/../host/dpkverify.c" \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -Wl,-rpath,"$DPAKIT_BUILD/lib" -ldpkverify -pthread -o check
}

setup() { cd "$BATS_FILE_TMPDIR"; }

# seen TEXT... -- COMMAND: the command prints each of the texts, and no invisible character.
seen() {
    local texts=()
    while [ "$1" != -- ]; do texts+=("$1") && shift; done
    shift
    "$@" >out 2>&1 </dev/null || true
    cat -v out
    ! grep -qF -e "$turn" -e "$none" out || return 1
    for text in "${texts[@]}"; do grep -qF -- "$text" out; done
}

@test "names of programs, of members and of who signed" {
    seen 'ad\u200bmin' 'x\u202ea' -- mlxdpa list odd.signed
    seen 'ad\u200bmin' 'Si\u202egner' -- mlxdpa show odd.signed
    seen 'ad\u200bmin' 'Si\u202egner' -- mlxdpa verify odd.signed --ca odd.der
    seen 'ad\u200bmin: UNSIGNED' -- mlxdpa verify odd --ca odd.der
    seen 'member\u202eo.o' -- mlxdpa show odd.a
    seen 'Si\u202egner' -- mlxdpa verify odd.app.signed --ca odd.der
    seen 'ad\u200bmin' -- dpacc-extract odd --list
    seen 'ad\u200bmin' -- dparun odd
}

@test "names in JSON are the same" {
    for command in list show 'verify --ca odd.der'; do
        # shellcheck disable=SC2086
        seen 'ad\\u200bmin' -- mlxdpa $command odd.signed --json
    done
    seen 'member\\u202eo.o' -- mlxdpa show odd.a --json
    seen 'ad\\u200bmin' 'ad\u200bmin: UNSIGNED' -- ./check odd.der - odd
}

@test "names of files, too" {
    cp signed "a${turn}b"
    seen 'a\u202eb' -- mlxdpa show "a${turn}b"
    seen 'n\u200bo: No such file' -- mlxdpa show "n${none}o"
}
