# Names of symbols: grep finds each exported name whole.
# Once: a fact about the plain build and the sources.

setup() {
    cd "$BATS_TEST_TMPDIR"
    tree=$BATS_TEST_DIRNAME/../..
    lib=$DPAKIT_BUILD/lib
}

exports() { nm -D --defined-only "$@" | awk 'NF == 3 && $2 ~ /^[TDBRVWi]$/ { sub(/@.*/, "", $3); print $3 }'; }

# The words of the sources that libraries are made of.
words() {
    find "$tree"/{lib,runtime,include,tools} -name '*.[chS]' -exec cat {} + |
        grep -aoE '[A-Za-z_][A-Za-z0-9_]*' | LC_ALL=C sort -u
}

@test "each exported name stands whole in the sources, so that grep finds its definition" {
    find "$lib" -name '*.so*' -type f >libraries
    [ "$(wc -l <libraries)" -ge 10 ]
    exports $(cat libraries) | LC_ALL=C sort -u >names
    [ "$(wc -l <names)" -gt 1000 ]
    words >words
    run env LC_ALL=C comm -23 names words
    echo "$output"
    [ -z "$output" ]
}

@test "ARCHITECTURE.md is a map of 2,500 words at most, whose paths are there" {
    [ "$(wc -w <"$tree/ARCHITECTURE.md")" -le 2500 ]
    grep -oE '`(lib|runtime|guest|tools|include|docs|tests|scripts|share|man)/[A-Za-z0-9_./-]*`' "$tree/ARCHITECTURE.md" |
        tr -d '`' | sort -u >paths
    [ "$(wc -l <paths)" -ge 40 ]
    while read -r path; do [ -e "$tree/$path" ] || echo "absent: $path"; done <paths >absent
    cat absent
    [ ! -s absent ]
}
