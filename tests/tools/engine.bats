# libdpakit-engine.so: its exported names, and the libraries that a host program loads with it.

setup() {
    here=$BATS_TEST_DIRNAME/../..
    lib=$DPAKIT_BUILD/lib
    cd "$BATS_TEST_TMPDIR"
}

exports() { nm -D --defined-only "$1" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | LC_ALL=C sort; }

# Names that libraries need from other libraries.
needs() {
    local l
    for l; do nm -D --undefined-only "$l"; done | awk '{sub(/@.*/, "", $2); print $2}' | LC_ALL=C sort -u
}

# Names of a map, without patterns.
names() { sed -n 's/^    \([a-z0-9_]*\);$/\1/p' "$1" | LC_ALL=C sort; }

@test "the engine exports what its map names, and each name is used by another library of ours" {
    names "$here/runtime/engine.map" >named
    exports "$lib/libdpakit-engine.so" | diff named -
    needs "$lib"/libflexio.so "$lib"/libdoca_*.so >used
    grep -qx dpk_host_process_create used
    LC_ALL=C comm -23 named used | diff /dev/null -
    [ "$(wc -l <named)" -le 180 ]
}

@test "names that our libraries need of each other are exported for them alone" {
    local l
    needs "$lib"/libflexio.so "$lib"/libdoca_*.so | grep -E '^(dpk|ibv_dpakit)_' >used
    { names "$here/runtime/engine.map"; names "$here/runtime/api/doca/common.map"; names "$here/runtime/api/cuda/exports.map"
        names "$here/runtime/api/flexio/resources/exports.map"; } | LC_ALL=C sort -u >named
    LC_ALL=C comm -13 named used | diff /dev/null -
    names "$here/runtime/api/doca/common.map" >named
    needs "$lib"/libdoca_argp.so "$lib"/libdoca_comch.so "$lib"/libdoca_devemu.so "$lib"/libdoca_dma.so "$lib"/libdoca_dpdk_bridge.so "$lib"/libdoca_eth.so "$lib"/libdoca_flow.so "$lib"/libdoca_gpunetio.so "$lib"/libdoca_pcc.so "$lib"/libdoca_rdma.so "$lib"/libdoca_telemetry_dpa.so "$lib"/libdoca_urom.so "$lib"/libdoca_verbs.so >used
    LC_ALL=C comm -23 named used | diff /dev/null -
    exports "$lib/libdoca_common.so" | grep -v '^doca_' | diff named -
    exports "$lib/libdpakit-resources.so" | diff <(names "$here/runtime/api/flexio/resources/exports.map") -
}

@test "the other libraries export what is public alone" {
    local l
    exports "$lib/libflexio.so" >flexio
    grep -qx flexio_process_create flexio
    ! grep -v '^flexio_' flexio || false
    for l in argp comch devemu dma rdma urom; do
        exports "$lib/libdoca_$l.so" >doca
        [ -s doca ]
        ! grep -v '^doca_' doca || false
    done
}

@test "a host program has nothing of what only tools need" {
    ldd "$lib"/libdpakit-engine.so "$lib"/libdoca_common.so "$lib"/libflexio.so >needed
    grep -q libsqlite3 needed
    ! grep -E 'libxml2|liblzma|libelf|libcjson|libyaml' needed || false
}

@test "libflexio says so when the library that reads resources is not there" {
    mkdir lib
    cp -L "$lib"/libflexio.so.1 "$lib"/libdpakit-engine.so.1 lib
    cat >main.c <<'END'
#include <libflexio/flexio.h>
int main(void)
{
    static const char file[] = "my_app: {eus: [7]}";
    struct flexio_resource *res = NULL;
    return flexio_resources_create("my_app", file, sizeof file - 1, &res) != FLEXIO_STATUS_SUCCESS ||
           *flexio_resources_get_eus(res) != 7 || flexio_resources_destroy(res) != FLEXIO_STATUS_SUCCESS;
}
END
    # shellcheck disable=SC2086
    ${CC:-gcc} $TEST_HOST_CFLAGS -I"$DPAKIT_BUILD/include" main.c -o main lib/libflexio.so.1 -Wl,-rpath,"$PWD/lib"
    run timeout 60 ./main
    [ "$status" -eq 1 ]
    [[ "$output" = *"flexio_resources_create: no library that reads such files: $PWD/lib/libdpakit-resources.so.1: "* ]]
    cp -L "$lib/libdpakit-resources.so.1" lib
    timeout 60 ./main
}
