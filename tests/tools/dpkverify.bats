# libdpkverify.so and its Python module: their verdicts on files, and their exported names.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_signed_files
    printf 'policy: 1\nprograms: []\n' >nothing.yaml
    printf 'policy: 1\nminimum_versions: {%s: 8}\n' $uuid >newer.yaml
    # shellcheck disable=SC2086
    gcc -std=gnu11 -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$BATS_TEST_DIRNAME/../host/dpkverify.c" \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -Wl,-rpath,"$DPAKIT_BUILD/lib" -ldpkverify -pthread -o check
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$f"
}

@test "a program in C gets code, reason and JSON" {
    ./check keys/root.der - signed >out.c
    [ "$(sed -n 1p out.c)" = 0 ] && [ -z "$(sed -n 2p out.c)" ]
    sed -n 3p out.c | jq -e '.code == 0 and (.programs | map(.name) == ["one", "two"]) and
        all(.programs[]; .verdict == "OK" and (.sha256 | length) == 64)'
    [ "$(./check keys/root.der - host | head -n 2 | tr '\n' ' ')" = "11 one: UNSIGNED: the program is not signed " ]
    [ "$(./check keys/root.der nothing.yaml signed | head -n 1)" = 21 ]
    [ "$(./check keys/root.der - app.signed | head -n 1)" = 0 ]
    [ "$(./check keys/root.der newer.yaml app.signed | head -n 1)" = 23 ]
    [ "$(./check "$DPAKIT_GOLDEN/keys/root.der" - signed | head -n 1)" = 16 ]
}

@test "a file without a program is refused, and a file that cannot be read is an error" {
    [ "$(./check keys/root.der - host.s | head -n 1)" = 12 ]
    [ "$(./check keys/root.der - dev.elf | head -n 2 | tr '\n' ' ')" = "12 BAD_FORMAT: no DPA program in it " ]
    : >empty
    [ "$(./check keys/root.der - empty | head -n 1)" = 12 ]
    ! ./check keys/root.der - nowhere 2>err || false
    grep -q 'nowhere: No such file' err
    ! ./check keys/root.der host.s signed 2>err || false
    grep -q 'host.s' err
    ! ./check host - signed 2>err || false
}

@test "bytes that change meanwhile, and several threads" {
    FLIP=1 ./check keys/root.der - signed
    FLIP=1 ./check keys/root.der - app.signed
}

@test "the library exports the names in its header, and nothing else" {
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdpkverify.so.1" | awk '$2 != "A" { print $3 }' |
        sed 's/@.*//' | sort >exported
    grep -o 'dpkverify_[a-z_]*(' "$DPAKIT_BUILD/include/dpkverify.h" | tr -d '(' | sort -u >declared
    diff exported declared
}

@test "the Python module says the same" {
    command -v python3 >/dev/null || skip "no Python here"
    [[ $DPAKIT_BUILD != */sanitize* ]] || skip "Python does not run with a sanitizer in a library"
    cat >check.py <<'END'
import dpkverify, sys, threading
trust = dpkverify.Trust(roots=["keys/root.der"])
right = trust.verify("signed")
assert right and right.code == 0 and right.reason == ""
assert [p["name"] for p in right.programs] == ["one", "two"]
assert right.content == open("signed", "rb").read()
wrong = trust.verify(open("host", "rb").read())
assert not wrong and wrong.code == 11 and "UNSIGNED" in wrong.reason
assert trust.verify(b"").code == 12
assert dpkverify.Trust(roots=["keys/root.der"], policy="nothing.yaml").verify("signed").code == 21
assert dpkverify.Trust().verify("signed").code == 16
for bad in (lambda: trust.verify("nowhere"), lambda: dpkverify.Trust(policy="host"),
            lambda: dpkverify.Trust(devices=["nowhere"])):
    try:
        bad()
    except dpkverify.Error as e:
        assert str(e)
    else:
        sys.exit("no error")
found = []
threads = [threading.Thread(target=lambda: found.append(trust.verify("signed").code)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert found == [0] * 4
END
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$DPAKIT_BUILD/share/dpakit/python python3 check.py
}

@test "a device's certificates are trusted as they are" {
    command -v python3 >/dev/null || skip "no Python here"
    [[ $DPAKIT_BUILD != */sanitize* ]] || skip "Python does not run with a sanitizer in a library"
    export DPAKIT_DEVICES=$PWD/devices PYTHONPATH=$DPAKIT_BUILD/share/dpakit/python PYTHONDONTWRITEBYTECODE=1
    dpadev create mlx5_0
    ask() { python3 -c 'import dpkverify; print(dpkverify.Trust(devices=["mlx5_0"]).verify("signed").code)'; }
    [ "$(ask)" = 16 ]
    dpadev claim mlx5_0 keys/owner.pem
    dpadev trust mlx5_0 keys/root.der -p keys/owner.pem
    [ "$(ask)" = 0 ]
}
