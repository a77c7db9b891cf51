#!/usr/bin/env bats
# ./bootstrap asks the package system for what is missing, and names packages as the distribution does.
# The test has its own package system: `installed` and `known` list names; the arguments of apt-get
# are in `asked`.

setup() {
    repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR" || return
    mkdir bin tree
    cp "$repo/bootstrap" tree/
    tool dpkg-query 'sed "s/^/not-installed /" known; sed "s/^/installed /" installed'
    tool apt-cache 'if grep -qx "$2" known; then echo "Candidate: 1.0"; elif grep -qx "$2" named; then
        echo "Candidate: (none)"; fi'
    tool apt-get 'echo "$*" >>asked'
    tool sudo 'touch by-sudo; exec "$@"'
    tool make 'echo "make $*" >>asked'
    : >installed >known >named
    PATH=$PWD/bin:$PATH
    everything=$(sed -n "/^build=/,/'\$/p; /^demo=/,/'\$/p; /^check=/,/'\$/p; /^pages=/p; /^package=/,/'\$/p" tree/bootstrap |
        sed "s/^[a-z]*='//; s/'\$//" | tr -s ' |\n' '\n\n\n' | sort -u)
}
tool() { # NAME SCRIPT: runs in the test's folder, wherever it is called from
    printf '#!/bin/sh\ncd "%s" || exit\n%s\n' "$BATS_TEST_TMPDIR" "$2" >"bin/$1"
    chmod +x "bin/$1"
}
asked_for() {
    grep '^install ' asked | tr ' ' '\n' | grep -qxF -- "$1"
}

@test "with everything installed the package system is left alone" {
    echo "$everything" >installed
    tree/bootstrap test
    [ "$(cat asked)" = "make -j$(nproc) test" ]
}

@test "one of several packages is enough" {
    echo "$everything" | grep -vx pkcs11-provider >installed
    tree/bootstrap test
    [ "$(cat asked)" = "make -j$(nproc) test" ]
}

@test "of several packages the distribution's is installed" {
    echo "$everything" >known
    tree/bootstrap test
    asked_for pkcs11-provider
    asked_for libengine-pkcs11-openssl
    rm asked
    echo "$everything" | grep -vx pkcs11-provider >known
    echo pkcs11-provider >named # apt has heard of it, no more
    tree/bootstrap test
    asked_for libengine-pkcs11-openssl
    ! asked_for pkcs11-provider || false
    rm asked
    echo "$everything" | grep -vx libengine-pkcs11-openssl >known
    : >named
    tree/bootstrap test
    asked_for pkcs11-provider
    ! asked_for libengine-pkcs11-openssl || false
    grep -q '^update' asked
}

@test "a package that nobody has is left to apt to complain of" {
    echo "$everything" | grep -v pkcs11 >known
    tree/bootstrap test
    asked_for pkcs11-provider
}

@test "packages are built with what dpkg-buildpackage asks for" {
    echo "$everything" >known
    tree/bootstrap deb
    asked_for build-essential # which no package has to name
    sed -n '/^Build-Depends:/,/^[A-Z].*: [0-9]/p' "$repo/debian/control" |
        sed -n 's/^Build-Depends: debhelper-compat .*/debhelper/p; s/^ \([^ ,]*\).*/\1/p' >depends
    grep -qx debhelper depends
    grep -qx zlib1g-dev depends
    grep '^install ' asked | tr ' ' '\n' | grep -vxFf - depends >forgotten || true
    cat forgotten
    [ ! -s forgotten ]
}

@test "llvm-config may have the release in its name only" {
    local folder
    mkdir tools
    for folder in /usr/bin /bin; do
        ln -sf "$folder"/* tools/
    done
    rm -f tools/llvm-config*
    run env PATH="$PWD/tools" make -C "$repo" -s --no-print-directory \
        --eval 'show: ; @$(LLVM_CONFIG) --version' show
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output =~ ^[0-9]+\. ]]
}

@test "a build without LLVM's development files says which package has them" {
    run env PATH="${PATH#"$PWD/bin:"}" make -C "$repo" -s B="$PWD/build" LLVM_CONFIG=/bin/true "$PWD/build/obj/runtime/engine/llvm/object.o"
    echo "$output"
    [ "$status" -ne 0 ]
    [[ $output == *"the package llvm-dev"* ]]
}

@test "it says what it installs, why, and what to type next" {
    echo "$everything" | grep -vx -e gcc -e lowdown -e tmux >installed
    echo "$everything" >known
    run tree/bootstrap test
    echo "$output"
    [[ $output == *"bootstrap: to build: gcc"* ]]
    [[ $output == *"bootstrap: to run the tests: tmux"* ]]
    [[ $output == *"bootstrap: to make pages: lowdown"* ]]
    [[ $output != *"to run the demo"* ]]
    echo "$everything" >installed
    run tree/bootstrap
    [[ ${lines[-1]} == "bootstrap: built in build/. Next: ./bootstrap demo"* ]]
    [[ $output != *"apt-get installs"* ]]
    run tree/bootstrap demo
    [[ ${lines[-1]} == "bootstrap: next: docs/tutorial.md"* ]]
    tool make 'exit 3'
    run tree/bootstrap
    [ "$status" -eq 3 ]
    [[ $output != *"Next"* ]]
}
