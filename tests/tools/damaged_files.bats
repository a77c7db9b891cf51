# Truncated and damaged files of every kind that mlxdpa knows: list, show and verify report the error, and
# release all memory (with SANITIZE=1, leaks have their own exit code).

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    make_signed_files
    new_device open
    mlxdpa -s dev.elf -m app.yaml --xz --dpa_app_uuid $uuid --life_cycle_priority OEM -o xz create_single_dpa_app
    mlxdpa -s xz -c keys/chain.der -p keys/leaf.pem --life_cycle_priority OEM -o xz.signed sign_single_dpa_app
    mlxdpa --dpa_app_uuid $uuid -o removal --life_cycle_priority OEM create_dpa_app_removal
    mlxdpa --cert_container_type add -c keys/root.der -o container --life_cycle_priority OEM \
        --cert_uuid $uuid --keypair_uuid $uuid create_cert_container
    mlxdpa --cert_container container --keypair_uuid $uuid --cert_uuid $uuid --life_cycle_priority OEM \
        -p keys/owner.pem -o container.signed sign_cert_container
    ar rc archive.a signed
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
}

# looked_at FILE COMMAND...: these commands end with a documented exit code.
looked_at() {
    local got command file=$1
    shift
    for command in "$@"; do
        got=0
        # shellcheck disable=SC2086
        mlxdpa $command "$file" >out 2>err </dev/null || got=$?
        [[ $got -le 2 || ($command == verify* && $got -ge 11 && $got -le 40) ]] || { echo "$command $file: exit code $got" && cat err && return 1; }
        [[ $(<err) != *@(Leak|Address)Sanitizer* ]] || { cat err && return 1; }
    done
}
# Two halves of the commands: each reads with every parser, and prints text of one parser and JSON of another.
one_half=(list 'show --json' 'verify --ca keys/root.der' 'verify -d open --json')
other_half=(show 'list --json' 'verify -d open' 'verify --key keys/owner.pub')

# damaged FILE: truncates and changes the file at many places.
damaged() {
    local size at
    size=$(stat -c %s "$1")
    for at in 0 1 17 $((size / 7)) $((size / 3)) $((size / 2)) $((size - size / 5)) $((size - 1)); do
        head -c "$at" "$1" >"$1.cut"
        looked_at "$1.cut" "${one_half[@]}"
        cp "$1" "$1.changed"
        printf '\xa5\x5a\xff' | dd of="$1.changed" bs=1 seek="$at" conv=notrunc status=none
        looked_at "$1.changed" "${other_half[@]}"
    done
}

@test "containers with a program, compressed too" { damaged app.signed && damaged xz.signed; }

@test "a compressed program that is cut off" {
    # The sizes in the container are kept, and the stream inside is damaged at each of these places.
    for at in 100 200 260 300 400 500 700; do
        cp xz.signed broken
        printf 'broken' | dd of=broken bs=1 seek=$at conv=notrunc status=none
        looked_at broken "${one_half[@]}" "${other_half[@]}"
    done
}

@test "removals" { damaged removal; }

@test "certificate containers" { damaged container.signed; }

@test "host files and archives" { damaged signed && damaged archive.a; }

@test "device programs" { damaged dev.elf; }
