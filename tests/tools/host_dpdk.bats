# The library doca_dpdk_bridge: DPDK without huge pages (tests/host/dpdk_main.c). A library of the tests stands for
# DPDK (tests/data/dpdk); a test takes DPDK itself where it is installed.

bats_require_minimum_version 1.5.0
load ../host/setup

# build PROGRAM OPTION...: with libraries after libdoca_dpdk_bridge.
build() {
    local l=$DPAKIT_BUILD/lib
    # shellcheck disable=SC2086
    gcc -std=gnu11 -Wall -Wextra ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" "$BATS_TEST_DIRNAME/../host/dpdk_main.c" \
        -o "$1" -L"$l" -ldoca_dpdk_bridge -ldoca_common "${@:2}" -Wl,-rpath,"$l"
}

setup_file() {
    local d=$BATS_TEST_DIRNAME/../data/dpdk
    cd "$BATS_FILE_TMPDIR"
    gcc -shared -fPIC -Wall -Wextra -Werror "$d/dpdk.c" -o librte_eal.so
    build starts -I"$d" -Werror -L. -Wl,--no-as-needed -lrte_eal -Wl,-rpath,"$PWD"
    build alone -I"$d" -Werror
    make_devices "$BATS_FILE_TMPDIR/devices"
}

# start ARGUMENT...: the lines of DPDK's start go to $output.
start() {
    run -0 --separate-stderr "$BATS_FILE_TMPDIR/starts" "$@"
    output=$(grep '^EAL\|^used' <<<"$output")
}

no_huge_pages() {
    ! cat /sys/kernel/mm/hugepages/hugepages-*/free_hugepages 2>/dev/null | grep -qvx 0 || skip 'this machine has free huge pages'
}

@test "DPDK starts without huge pages, and the program learns how many of its arguments were used" {
    no_huge_pages
    start -a 00:00.0 -- mine
    [ "$output" = 'EAL: --no-huge --no-shconf --no-telemetry -m 1024 -a 00:00.0
used: 2' ]
    start
    [ "$output" = 'EAL: --no-huge --no-shconf --no-telemetry -m 1024
used: 0' ]
    start -m64
    [ "$output" = 'EAL: --no-huge --no-shconf --no-telemetry -m64
used: 1' ]
}

@test "a program that chooses its memory gets no other" {
    start --no-huge --file-prefix=mine
    [ "$output" = 'EAL: --no-huge --file-prefix=mine
used: 2' ]
    start --socket-mem=64
    [ "$output" = 'EAL: --socket-mem=64
used: -1' ]
}

@test "emulated devices have no ports of DPDK, and the reason is told" {
    run -0 "$BATS_FILE_TMPDIR/starts"
    for line in DOCA_ERROR_NOT_SUPPORTED DOCA_ERROR_INVALID_VALUE DOCA_ERROR_NOT_FOUND DOCA_SUCCESS 0; do
        grep -qx "$line" <<<"$output"
    done
    [[ $output == *"doca_dpdk_port_probe: DPDK has no driver of emulated devices: their frames go by doca_eth"* ]]
    [[ $output == *"doca_dpdk_port_as_dev: port 0 of DPDK is not an emulated device"* ]]
    [[ $output == *"doca_dpdk_get_first_port_id: emulated devices have no port of DPDK"* ]]
}

@test "without DPDK the reason is told" {
    run -0 "$BATS_FILE_TMPDIR/alone"
    grep -qx 'used: -1' <<<"$output"
    [[ $output == *"rte_eal_init: no library of DPDK is loaded after libdoca_dpdk_bridge: link with librte_eal"* ]]
}

@test "Debian's DPDK starts" {
    pkg-config --exists libdpdk || skip "DPDK is not here: apt-get install libdpdk-dev"
    [ -z "${TEST_HOST_CFLAGS:-}" ] || skip 'DPDK is not made for sanitizers'
    cd "$BATS_TEST_TMPDIR"
    # shellcheck disable=SC2046
    build starts $(pkg-config --cflags --libs libdpdk)
    run -0 ./starts -a 00:00.0
    grep -qx 'used: 2' <<<"$output"
}

@test "the library has what its header declares, and no more" {
    local list=$BATS_TEST_DIRNAME/../host/doca_dpdk_bridge.txt
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_dpdk_bridge.so" | awk '$2 == "T" { print $3 }' | grep -vx rte_eal_init |
        LC_ALL=C sort | diff "$list" -
    nm -D "$DPAKIT_BUILD/lib/libdoca_dpdk_bridge.so" | grep -q ' T rte_eal_init$'
}
