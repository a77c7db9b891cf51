# tests/golden: in every clone and tarball, the files are those that NVIDIA's tools made. Files that no
# other test compares with dpakit's output are compared here.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    tree=$BATS_TEST_DIRNAME/../..
}

# same_as_sums FOLDER: the folder has the unchanged files of SHA256SUMS, and only the two files about them besides.
same_as_sums() {
    (cd "$1" && sha256sum --strict --quiet -c SHA256SUMS) || return 1
    { cut -c67- "$1/SHA256SUMS"; printf '%s\n' ./README.md ./SHA256SUMS; } | sort >listed
    (cd "$1" && find . ! -type d | sort) | diff listed -
}

@test "the golden files are those that SHA256SUMS lists" {
    same_as_sums "$DPAKIT_GOLDEN"
}

@test "a clone has the golden files byte for byte, whatever git's settings are" {
    command -v git >/dev/null || skip "no git here"
    export GIT_CONFIG_GLOBAL=$PWD/config GIT_CONFIG_SYSTEM=/dev/null
    git config --global core.autocrlf true
    git config --global user.name nobody
    git config --global user.email nobody@example.org
    mkdir -p made/tests
    cp -r "$tree/tests/golden" made/tests/
    cp "$tree/.gitattributes" made/
    printf '$Format:%%H$\r\n\n' >made/tests/golden/odd
    git init -q made
    (cd made && git add . && git commit -qm all)
    git clone -q made clone
    cmp clone/tests/golden/odd made/tests/golden/odd
    mkdir tarball
    git -C clone archive HEAD | tar -x -C tarball
    cmp tarball/tests/golden/odd made/tests/golden/odd
    rm {clone,tarball}/tests/golden/odd
    same_as_sums clone/tests/golden
    same_as_sums tarball/tests/golden
}

@test "xml2raw writes what NVIDIA's tool writes, for every TLV that is built in" {
    mlxconfig-lite gen_tlvs_file tlvs >printed
    local count=0 name _
    while read -r name _; do
        # The first two are in every file; the last are dpakit's own.
        case $name in file_applicable_to | nv_file_id_vendor | nv_dpakit_*) continue ;; esac
        mlxconfig-lite xml2raw "$DPAKIT_GOLDEN/nvtlvs/$name.xml" raw >printed
        cmp raw "$DPAKIT_GOLDEN/nvtlvs/$name.raw"
        count=$((count + 1))
    done <tlvs
    [ "$count" -ge 32 ]
}
