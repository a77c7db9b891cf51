# libdpakit-engine.so: what it exports, and what a host program gets with it.

setup() {
    here=$BATS_TEST_DIRNAME/../..
    lib=$DPAKIT_BUILD/lib
    cd "$BATS_TEST_TMPDIR"
}

exports() { nm -D --defined-only "$1" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | LC_ALL=C sort; }

@test "the engine exports what its map names, and each name is used by another library of ours" {
    local l
    sed -n 's/^    \([a-z0-9_]*\);$/\1/p' "$here/runtime/engine.map" | LC_ALL=C sort >named
    exports "$lib/libdpakit-engine.so" | diff named -
    for l in "$lib"/libflexio.so "$lib"/libdoca_*.so; do nm -D --undefined-only "$l"; done |
        awk '{sub(/@.*/, "", $2); print $2}' | LC_ALL=C sort -u >used
    grep -qx dpk_process_create used
    LC_ALL=C comm -23 named used >unused
    diff unused - <<<dpk_emulated_1 # which libibverbs.so.1 finds by its name
    [ "$(wc -l <named)" -le 117 ]
}

@test "a host program has nothing of what only tools need" {
    ldd "$lib"/libdpakit-engine.so "$lib"/libdoca_common.so >needed
    grep -q libsqlite3 needed
    ! grep -E 'libxml2|liblzma|libelf|libcjson' needed || false
}
