#!/usr/bin/env bats
# scripts/try-distro, with the test's own debootstrap, which makes a system of a few programs.

source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup() {
    repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR" || return
    mkdir bin tmp
    export XDG_CACHE_HOME=$PWD/cache TMPDIR=$PWD/tmp DPAKIT_MIRROR=http://127.0.0.1:9/debian
    cat >bin/debootstrap <<'END'
#!/bin/sh
# debootstrap --variant=minbase SUITE FOLDER MIRROR
set -eu
mkdir -p "$3/bin" "$3/dev" "$3/proc" "$3/sys" "$3/home" "$3/etc/apt/apt.conf.d" "$3/var/cache/apt/archives" "$3/tmp"
for p in sh env date chown dirname sed grep tr id cat sleep umount rmdir setpriv unshare; do
    cp -L "$(command -v $p)" "$3/bin/"
    ldd "$(command -v $p)" | grep -o '/[^ ]*' | while read -r lib; do
        mkdir -p "$3/${lib%/*}"
        cp -L "$lib" "$3/$lib"
    done
done
echo 'root:x:0:0::/root:/bin/sh' >"$3/etc/passwd"
cp "$FAKE_APT" "$3/bin/apt-get"
chmod +x "$3/bin/apt-get"
END
    chmod +x bin/debootstrap
    export FAKE_APT=$PWD/apt-get
    PATH=$PWD/bin:$PATH
}
tree_is_committed() {
    git -C "$repo" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "not a clone: nothing is committed"
}
as_root() {
    [ "$(id -u)" -eq 0 ] || skip "not root"
    unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces here"
}
left_over() {
    ls -A tmp
    grep "$PWD/tmp" /proc/self/mountinfo
}

@test "it reports what it cannot do" {
    run "$repo/scripts/try-distro"
    [ "$status" -eq 2 ]
    [[ $output == *"which suite?"* ]]
    run "$repo/scripts/try-distro" --wrong trixie
    [ "$status" -eq 2 ]
    [[ $output == *"unknown option --wrong"* ]]
    run "$repo/scripts/try-distro" ../etc
    [ "$status" -eq 2 ]
    run "$repo/scripts/try-distro" --help
    [ "$status" -eq 0 ]
    [[ $output == *"--smoke"* ]]
    run "$repo/scripts/try-distro" --check trixie
    [ "$status" -eq 2 ]
    [[ $output == *"needs root"* || $output == *"no mirror answers for trixie"* ]]
}

@test "a target that fails is reported, and nothing is left behind" {
    as_root
    tree_is_committed
    printf '#!/bin/sh\necho "no packages: $*"\nexit 5\n' >apt-get
    run "$repo/scripts/try-distro" --ci trixie demo
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"trixie, root, CI=true: ./bootstrap demo"*"no packages: update"*"demo: exit 5 after "* ]]
    [ -s cache/dpakit/try-distro/trixie.tar ]
    run left_over
    [ -z "$output" ]
}

@test "a machine may make namespaces, and in a container nobody may" {
    as_root
    tree_is_committed
    printf '#!/bin/sh\nunshare -rm id && echo made || echo refused\nunshare -m id && echo made || echo refused\nexit 5\n' >apt-get
    run "$repo/scripts/try-distro" trixie demo
    echo "$output"
    [[ $output == *"trixie, root: ./bootstrap demo"*made*made*"exit 5"* && $output != *refused* ]]
    [[ $output != *"/old"* ]]
    run "$repo/scripts/try-distro" trixie --container demo
    echo "$output"
    [[ $output == *"trixie, root, as in a container: ./bootstrap demo"*refused*refused*"exit 5"* && $output != *made* ]]
    run left_over
    [ -z "$output" ]
}

@test "the tests that are named are those that are run" {
    as_root
    tree_is_committed
    printf '#!/bin/sh\ncat /proc/$PPID/cmdline | tr "\\000" "|"\nexit 5\n' >apt-get
    run "$repo/scripts/try-distro" trixie --tests "verbs mlxdpa" test
    echo "$output"
    [[ $output == *"|test|TESTS=verbs mlxdpa|"* ]]
    run "$repo/scripts/try-distro" trixie --smoke test
    [ "$(grep -cE '\|test\|TESTS=test_base_bytes [a-z_ ]* host_pcc_wire\|' <<<"$output")" -eq 1 ]
    run "$repo/scripts/try-distro" trixie --tests
    [ "$status" -eq 2 ]
}

@test "two at once have a folder of packages each" {
    as_root
    tree_is_committed
    printf '#!/bin/sh\n: >/var/cache/apt/archives/"$(cat /name)"; echo "fetched $(cat /name)"; exit 5\n' >apt-get
    mkdir -p cache/dpakit/try-distro
    echo 'echo "$NAME.deb" >"$3/name"' >>bin/debootstrap
    NAME=alone run "$repo/scripts/try-distro" trixie demo
    [[ $output == *"fetched alone.deb"* ]]
    [ -e cache/dpakit/try-distro/trixie-debs/alone.deb ]
    rm cache/dpakit/try-distro/{trixie.tar,trixie-debs/alone.deb}
    NAME=second run flock cache/dpakit/try-distro/trixie.lock "$repo/scripts/try-distro" trixie demo
    [[ $output == *"fetched second.deb"* ]]
    [ -z "$(find cache -name '*.deb')" ]
    run left_over
    [ -z "$output" ]
}

@test "a signal ends it, and what runs inside" {
    as_root
    tree_is_committed
    printf '#!/bin/sh\nsleep 1234567 & echo started >/dev/shm/started; echo started; wait\n' >apt-get
    "$repo/scripts/try-distro" trixie demo >log 2>&1 3>&- &
    await grep -q '^started' log
    pgrep -fx 'sleep 1234567'
    kill -TERM $!
    wait $! && false || [ $? -eq 1 ]
    ! pgrep -fx 'sleep 1234567' || false
    run left_over
    [ -z "$output" ]
}
