# mlxdpa verify of several files and folders, and of files that cannot be read as what they should be.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    make_signed_files
    new_device open
    mlxdpa --cert_container_type add -c keys/root.der -o root.container --life_cycle_priority OEM \
        --cert_uuid $uuid --keypair_uuid $uuid create_cert_container
    mlxdpa --cert_container root.container --keypair_uuid $uuid --cert_uuid $uuid --life_cycle_priority OEM \
        -p keys/owner.pem -o root.signed sign_cert_container
    openssl pkey -in keys/owner.pem -pubout -out owner.pub
    ar rc archive.a signed
    gcc -shared -x c /dev/null -o plain.so
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$f/devices
    ca=(--ca "$f/keys/root.der")
}

# A release: programs at two depths, and other files.
make_release() {
    mkdir -p release/lib/deep release/doc
    cp "$f/signed" release/a
    cp "$f/archive.a" release/lib/deep/b.a
    cp "$f/app.signed" release/c.app
    cp "$f/plain.so" "$f/dev.elf" release/lib
    echo text >release/doc/README
    : >release/doc/empty
}

@test "several files are verified in one go, each with its name" {
    mlxdpa verify "$f/signed" "$f/app.signed" "${ca[@]}" >out
    [ "$(grep -E '^[^ ]' out)" = "$(printf '%s\n' "$f/signed: one:" "$f/signed: two:" \
        "$f/app.signed: single-program container:" "2 files verified.")" ]
    mlxdpa "$f/signed" "$f/app.signed" "${ca[@]}" verify | cmp - out
}

@test "a folder is verified with all that is in it, in the order of names" {
    make_release
    mlxdpa verify release "${ca[@]}" >out
    [ "$(grep -E '^[^ ]' out)" = "$(printf '%s\n' "release/a: one:" "release/a: two:" \
        "release/c.app: single-program container:" "release/lib/deep/b.a: one:" \
        "release/lib/deep/b.a: two:" "3 files verified, 4 other files skipped.")" ]
    mlxdpa verify release "$f/signed" "${ca[@]}" | grep -x '4 files verified, 4 other files skipped.'
    mlxdpa --json verify release "${ca[@]}" >json 2>err
    [ "$(jq -r '[.[] | .file + "=" + .verdict] | unique | join(" ")' json)" = \
        "release/a=OK release/c.app=OK release/lib/deep/b.a=OK" ]
    [ "$(cat err)" = "-I- 3 files verified, 4 other files skipped." ]
}

@test "the exit code is that of the first refusal in printed order" {
    make_release
    cp "$f/host" release/lib/unsigned
    head -c 5000 "$f/signed" >release/z
    fails 11 "3 of 8 checked refused, 4 other files skipped; release/lib/unsigned: one: UNSIGNED (" \
        mlxdpa verify release "${ca[@]}"
    [ "$(grep -c '=> verified' stdout)" -eq 5 ]
    fails 12 "3 of 5 checked refused; release/z: host file: BAD_FORMAT (" \
        mlxdpa verify release/z "$f/host" "$f/signed" "${ca[@]}"
    fails 11 "release/lib/unsigned: one: UNSIGNED (" mlxdpa --json verify "$f/signed" release/lib release/z "${ca[@]}"
    [ "$(jq -r '[.[].verdict] | join(" ")' stdout)" = "OK OK OK OK UNSIGNED UNSIGNED BAD_FORMAT" ]
}

@test "unparsable files are refused as BAD_FORMAT" {
    head -c 5000 "$f/signed" >cut
    head -c 5000 "$f/archive.a" >cut.a
    printf '!<arch>\nx' >odd.a
    echo text >text
    : >empty
    for file in cut cut.a odd.a text empty; do
        fails 12 "$file: " mlxdpa verify $file "${ca[@]}"
        grep -qE '^  file +refused +' stdout
        fails 12 "$file: " mlxdpa verify $file -d open
        fails 12 "$file: " mlxdpa --json verify $file "${ca[@]}"
        [ "$(jq -r '.[0] | "\(.file) \(.kind) \(.verdict) \(.code)"' stdout)" = "$file host file BAD_FORMAT 2" ]
        fails 12 "$file: " dparun -d open $file --rpc f
        fails 12 "$file: " dparun $file
    done
    fails 12 "BAD_FORMAT" mlxdpa --cert_container text --key "$f/owner.pub" verify
    fails 12 "plain.so: no DPA program in it" dparun -d open "$f/plain.so" --rpc f
    fails 1 "nowhere: No such file" dparun -d open nowhere --rpc f
    fails 12 "cut: " dpapcc run cut
}

@test "a folder without anything to verify is refused" {
    mkdir -p none/inner
    fails 12 "none: folder: BAD_FORMAT (no DPA program, container or NV configuration file in it)" \
        mlxdpa verify none "${ca[@]}"
    echo text >none/inner/text
    fails 12 "1 of 1 checked refused, 1 other file skipped; none: " mlxdpa verify none "${ca[@]}"
    fails 12 "1 of 3 checked refused" mlxdpa --json verify "$f/signed" none "${ca[@]}"
    [ "$(jq -r '.[2] | "\(.file) \(.kind) \(.verdict)"' stdout)" = "none folder BAD_FORMAT" ]
}

@test "ELF files of other machines are skipped, but not an archive with one in it" {
    mkdir release
    gcc -m32 -c -x c /dev/null -o small.o || skip "no 32-bit compiler here"
    cp "$f/signed" small.o release
    mlxdpa verify release "${ca[@]}" | grep -x '1 file verified, 1 other file skipped.'
    ar rc release/both.a small.o "$f/host"
    fails 12 "release/both.a: host file: BAD_FORMAT (member small.o: a 32-bit ELF" mlxdpa verify release "${ca[@]}"
}

@test "a file that is not there, or cannot be read, ends it before anything is printed" {
    fails 1 "nowhere: No such file" mlxdpa verify "$f/signed" nowhere "${ca[@]}"
    [ ! -s stdout ]
}

@test "pipes and links in a folder hang nothing and hide nothing" {
    mkdir -p release/inner outside
    mkfifo release/pipe
    cp "$f/host" outside/unsigned
    ln -s .. release/inner/up
    ln -s nowhere release/dangling
    cp "$f/signed" release/a
    timeout 60 mlxdpa verify release "${ca[@]}" >out 2>err
    grep -x '1 file verified, 3 other files skipped.' out
    grep -qx -- '-W- release/inner/up: a link to a folder, which is not followed: name that folder to verify it' err
    ln -s ../outside/unsigned release/link
    run -11 --separate-stderr mlxdpa verify release "${ca[@]}"
    [[ "$stderr" == *"release/link: one: UNSIGNED"* ]]
    ln -s release folder
    rm release/link
    timeout 60 mlxdpa verify folder "${ca[@]}" 2>err | grep -x '1 file verified, 3 other files skipped.'
}

@test "a device answers for several files, and a policy for programs in folders" {
    make_release
    fails 16 "6 of 6 checked refused" mlxdpa verify release "$f/app.signed" -d open
    make_locking_device locked "$f/keys/root.der" >/dev/null
    mlxdpa verify release -d locked | grep -x '3 files verified, 4 other files skipped.'
    cp "$f/root.signed" release/root.signed
    fails 2 "needs --key PUBLIC_KEY" mlxdpa verify release "${ca[@]}"
    echo 'policy: 1' >policy.yaml
    mlxdpa verify release "${ca[@]}" --key "$f/owner.pub" --policy policy.yaml |
        grep -x '4 files verified, 4 other files skipped.'
    printf 'policy: 1\nprograms: []\n' >policy.yaml
    fails 21 "5 of 6 checked refused" mlxdpa verify release "${ca[@]}" --key "$f/owner.pub" --policy policy.yaml
    fails 2 "--policy and --at are about programs" mlxdpa verify "$f/signed" release/root.signed "${ca[@]}" \
        --key "$f/owner.pub" --policy policy.yaml
}

@test "files may be given by several options, but not by options and words together" {
    mlxdpa -e "$f/signed" -s "$f/app.signed" "${ca[@]}" verify | grep -x '2 files verified.'
    fails 2 "by option or as words, not both" mlxdpa -e "$f/signed" verify "$f/app.signed" "$f/signed" "${ca[@]}"
}
