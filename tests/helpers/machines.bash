# Two machines: two network namespaces, joined by a cable, with the devices mlx5_0 and mlx5_1. "source" it in a bats file.

source "${BASH_SOURCE[0]%/*}/network.bash"

need_ucx() {
    local said
    said=$(dpadev fabric mlx5_0 ucx:127.0.0.1 2>&1 >set)
    case $said in
    *UCX*libucx*) skip "$said" ;;
    esac
    [ -z "$said" ]
}

# Runs a command on the other machine, which has v1.
there() { nsenter --wd="$PWD" -t "$other" -n -m "$@"; }

need_machines() {
    need_network
    need_ucx
    unshare -rnm mount -t sysfs sysfs /sys || skip 'no sysfs for a network namespace of this user'
}

# Runs a function of the test's file in a network with its own /sys, where UCX looks for interfaces.
on_machines() {
    run timeout "${DPAKIT_TEST_LIMIT:-120}" unshare -rnm bash -c "$(declare -f)
        set -eu
        trap 'kill \$(jobs -p) 2>/dev/null || :' EXIT
        ip link add v0 type veth peer name v1
        ip link set v0 up
        \"\$@\"" on_machines "$@"
    echo "$output"
    [ "$status" -eq 0 ]
}

# Joins this network namespace with one more: 192.0.2.1 here, 192.0.2.2 there. Words: what helpers/bad_cable.c
# has to know of the cable.
two_machines() { # [DELAY_US LOST_OF_10000 [PULLED_AFTER PULLED_MS]]
    mount -t sysfs sysfs /sys
    unshare -nm sh -c 'mount -t sysfs sysfs /sys; echo up >up; exec sleep 300' &
    other=$!
    until [ -s up ]; do sleep 0.01; done
    if [ $# -gt 0 ]; then
        ip link set v1 name c0 up
        ip link add v1 type veth peer name c1
        ip link set c1 up
        "$DPAKIT_BUILD/obj/tests/helpers/bad_cable" c0 c1 "$@" >cable &
        cable=$!
    fi
    ip link set v1 netns $other
    ip link set lo up
    ip address add 192.0.2.1/24 dev v0
    there ip link set lo up
    there ip address add 192.0.2.2/24 dev v1
    there ip link set v1 up
    dpadev fabric mlx5_0 ucx:192.0.2.1
    there dpadev fabric mlx5_1 ucx:192.0.2.2
}
