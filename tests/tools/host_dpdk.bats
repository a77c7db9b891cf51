# The library doca_dpdk_bridge: DPDK without huge pages (tests/host/dpdk_main.c), and ports (dpdk_ports_main.c). A library of the tests stands for
# DPDK (tests/data/dpdk); a test takes DPDK itself where it is installed.

bats_require_minimum_version 1.5.0
load ../host/setup

# build SOURCE PROGRAM OPTION...: with libraries after libdoca_dpdk_bridge. $minor: of DOCA 2; without it, DOCA 3.
build() {
    local l=$DPAKIT_BUILD/lib folder=doca release=()
    if [ -n "${minor:-}" ]; then
        release=(-DDOCA_VERSION_MAJOR=2 -DDOCA_VERSION_MINOR="$minor" -DDOCA_VERSION_PATCH=0 -DDOCA_VERSION_STRING="\"2.$minor.0\"")
        [ "$minor" -ge 7 ] || folder=doca-2.5
    fi
    # shellcheck disable=SC2086
    gcc -std=gnu11 -Wall -Wextra ${TEST_HOST_CFLAGS:-} "${release[@]}" -I"$DPAKIT_BUILD/include/$folder" -I"$DPAKIT_BUILD/include" \
        "$BATS_TEST_DIRNAME/../host/$1.c" \
        -o "$2" -L"$l" -ldoca_dpdk_bridge -ldoca_flow -ldoca_common "${@:3}" -Wl,-rpath,"$l"
}

setup_file() {
    local d=$BATS_TEST_DIRNAME/../data/dpdk
    cd "$BATS_FILE_TMPDIR"
    gcc -shared -fPIC -Wall -Wextra -Werror "$d/dpdk.c" -o librte_eal.so
    local stand_in=(-I"$d" -Werror -L. -Wl,--no-as-needed -lrte_eal -Wl,-rpath,"$PWD")
    build dpdk_main starts "${stand_in[@]}"
    local minor
    for minor in '' 5 6 7 8 10; do
        build dpdk_ports_main "ports$minor" "${stand_in[@]}"
    done
    minor=
    build dpdk_main alone -I"$d" -Werror
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

# ports PROGRAM: runs it, and checks what it says (tests/host/dpdk_ports_main.c).
ports() {
    run -0 --separate-stderr "$1" -a 00:00.0
    diff - <(grep -v ^EAL <<<"$output") <<'END'
DOCA_ERROR_BAD_STATE
DOCA_ERROR_INVALID_VALUE
DOCA_ERROR_NOT_SUPPORTED
DOCA_ERROR_NOT_FOUND
DOCA_ERROR_ALREADY_EXIST
DOCA_ERROR_ALREADY_EXIST
DOCA_ERROR_NOT_FOUND
DOCA_ERROR_NOT_FOUND
MAC address: the device's
flow 0 5: DOCA_SUCCESS
flow - 0: DOCA_SUCCESS
flow 31 0: DOCA_ERROR_BAD_CONFIG
flow four 7: DOCA_ERROR_BAD_CONFIG
DOCA_ERROR_NOT_FOUND
the same port: 1
END
    for reason in 'doca_dpdk_port_probe: DPDK was not started (rte_eal_init)' \
        'doca_dpdk_port_probe: "dv_flow_en" is not KEY=VALUE' \
        'doca_dpdk_port_probe: representors have no ports of DPDK ("representor=pf0")' \
        'doca_dpdk_get_first_port_id: the device has no port of DPDK (doca_dpdk_port_probe)' \
        'doca_dpdk_port_probe: port 0 of DPDK is the device already' \
        'doca_dpdk_port_as_dev: port 31 of DPDK is not an opened device' \
        'doca_flow_port_start: no device was set (doca_flow_port_cfg_set_dev), and port 31 of DPDK is not an opened device'; do
        grep -qF -e "-E- $reason" <<<"$stderr"
    done
}

@test "a device has a port of DPDK, which starts with a card's offloads and leads DOCA Flow to the device" {
    no_huge_pages
    for minor in '' 5 6 7 8 10; do
        ports "$BATS_FILE_TMPDIR/ports$minor"
    done
}

@test "without DPDK the reason is told" {
    ! /sbin/ldconfig -p | grep -q 'librte_eal\.so' || skip 'DPDK is here'
    run -0 "$BATS_FILE_TMPDIR/alone"
    grep -qx 'used: -1' <<<"$output"
    [[ $output == *"doca_dpdk_port_probe: the program has no DPDK with ports: link with librte_eal and librte_ethdev"* ]]
    [[ $output == *"rte_eal_init: no library of DPDK is loaded after libdoca_dpdk_bridge, and there is no librte_eal: install libdpdk-dev"* ]]
}

@test "Debian's DPDK starts, and makes ports" {
    pkg-config --exists libdpdk || skip "DPDK is not here: apt-get install libdpdk-dev"
    [ -z "${TEST_HOST_CFLAGS:-}" ] || skip 'DPDK is not made for sanitizers'
    cd "$BATS_TEST_TMPDIR"
    # shellcheck disable=SC2046
    for name in dpdk_main dpdk_ports_main; do
        build "$name" "$name" $(pkg-config --cflags --libs libdpdk)
    done
    run -0 ./dpdk_main -a 00:00.0
    grep -qx 'used: 2' <<<"$output"
    ports ./dpdk_ports_main
}

@test "the library has what its header declares, and no more" {
    local list=$BATS_TEST_DIRNAME/../host/doca_dpdk_bridge.txt
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_dpdk_bridge.so" | awk '$2 == "T" { print $3 }' | grep -v '^rte_' |
        LC_ALL=C sort | diff "$list" -
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_dpdk_bridge.so" | awk '$3 ~ /^rte_/ { print $3 }' | tr '\n' ' ' |
        grep -qx 'rte_eal_init rte_eth_dev_configure rte_eth_rx_queue_setup rte_eth_tx_queue_setup rte_flow_isolate '
}
