# A host program whose port is plugged into an interface of the machine: examples/packet_swap, which sends back
# what arrives, its addresses swapped.

load ../helpers/device

source "$BATS_TEST_DIRNAME/../helpers/network.bash"
source "$BATS_TEST_DIRNAME/../helpers/packet_swap.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    build_packet_swap
    DPAKIT_DEVICES=$PWD/devices new_device mlx5_0
}

setup() {
    need_network
    cd "$BATS_TEST_TMPDIR"
    cp -r "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
    export program=$BATS_FILE_TMPDIR/packet_swap peer=$DPAKIT_BUILD/obj/tests/helpers/ether_peer
    { printf 'toThemfromMe\x88\xb5'; printf '%46s' 'a packet'; } >frame
}

# The program ends when it has sent back this many packets; the peer sends more.
swaps() { # INTERFACE
    "$program" mlx5_0 100000 >log 2>&1 &
    "$peer" "$1" 500 <frame >answer || { cat log; return 1; }
    kill $!
    wait $! || :
    ! grep -e '^-[EW]-' log || return 1
    [ "$(head -c 12 answer)" = fromMetoThem ]
    cmp <(tail -c +13 frame) <(tail -c +13 answer)
}

@test "packets come and go by a veth pair" {
    by_veth() {
        dpadev wire mlx5_0 veth:v0
        swaps v1
    }
    in_network by_veth
    grep -q '^500 of 500 answered' <<<"$output"
}

@test "packets come and go by a TAP" {
    [ -w /dev/net/tun ] || skip 'no /dev/net/tun that this user may open'
    by_tap() {
        ip tuntap add dpa0 mode tap
        ip link set dpa0 up
        DPAKIT_WIRE_mlx5_0=tap:dpa0 swaps dpa0
    }
    in_network by_tap
    grep -q '^500 of 500 answered' <<<"$output"
}

@test "a program goes on when its interface goes, and works again when it is back" {
    goes_and_comes() {
        dpadev wire mlx5_0 veth:v0
        "$program" mlx5_0 100000 >log 2>&1 &
        "$peer" v1 10 <frame >answer
        ip link set v0 down
        until grep -q -e '-W-.* wire veth:v0: the interface is down: sudo ip link set v0 up' log; do sleep 0.1; done
        ip link del v0
        ip link add v0 type veth peer name v1
        ip link set v0 up
        ip link set v1 up
        "$peer" v1 10 <frame >answer
        [ "$(head -c 12 answer)" = fromMetoThem ]
        kill $!
        [ "$(grep -c -e '-W-' log)" -le 2 ] # down, and gone
        ! grep -e '-E-' log || return 1
    }
    in_network goes_and_comes
}

@test "dpadev wire says which permission or interface is missing, and keeps the wire" {
    missing() {
        dpadev wire mlx5_0 veth:v7 2>err
        grep -q -e '^-W- veth:v7: there is no such interface: sudo ip link add v7 type veth peer name OTHER$' err
        [ "$(wc -l <err)" -eq 1 ]
        [ "$(dpadev wire mlx5_0)" = veth:v7 ]
        dpadev wire mlx5_0 veth:v0 2>err
        [ ! -s err ]
        setpriv --bounding-set=-all --inh-caps=-all dpadev wire mlx5_0 veth:v0 2>err
        grep -q -e '^-W- veth:v0: .* sudo setcap cap_net_raw+ep PROGRAM ' err
        ! DPAKIT_WIRE_mlx5_0=veth:v7 "$program" mlx5_0 1 2>err || return 1
        grep -q -e '^-E- DPAKIT_WIRE_mlx5_0: veth:v7: there is no such interface' err
    }
    in_network missing
}
