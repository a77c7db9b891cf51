#!/bin/bash
# RDMA between two machines: perftest of Debian on devices with a fabric, next to ucx_perftest on the same transport of
# UCX, TCP through a veth pair between two network namespaces. Rounds take turns, the median of each counts.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/bench/verdict.bash"
for program in ucx_perftest ib_write_bw; do
    command -v $program >/dev/null || { echo "fabric: left out: no $program (packages ucx-utils, perftest)"; exit 0; }
done
unshare -rnm mount -t sysfs sysfs /sys 2>/dev/null || { echo 'fabric: left out: needs network namespaces'; exit 0; }
# Where Debian builds it with MPI, it expects a launcher if nobody sits at a terminal.
plain=()
! ucx_perftest -h 2>&1 | grep -q -e '^ *-P ' || plain=(-P 0)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 >log
dpadev create mlx5_1 >>log
cat >tests <<'END'
latency -t tag_lat -s 8 -n 3000 -w 100
middle -t tag_bw -s 65536 -n 20000 -w 100
large -t tag_bw -s 1048576 -n 1200 -w 10
END

# Lines "WHO TEST VALUE", where the value is in us or MiB/s.
rounds() {
    local port=20000 server of_server of_client
    . "$top/tests/helpers/machines.bash"
    two_machines >>log
    # meet PORT COMMAND...: the server there, the client here, whose output is in `client`.
    meet() {
        there env "${@:2}" $of_server >server 2>&1 &
        server=$!
        until there grep -q "$(printf ':%04X .* 0A ' "$1")" /proc/net/tcp /proc/net/tcp6; do
            kill -0 $server 2>/dev/null || { cat server >&2; return 1; }
            sleep 0.05
        done
        env "${@:2}" $of_client 192.0.2.2 >client 2>&1 || { cat client server >&2; return 1; }
        wait $server || :
    }
    fabric() { # TEST PROGRAM OPTION...
        port=$((port + 1)) of_server='-d mlx5_1' of_client='-d mlx5_0'
        meet $port LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" timeout 100 "${@:2}" -x 3 -F -p $port
        awk -v t="$1" '/^ *[0-9]+ +[0-9]+ +[0-9.]+/ { print "fabric", t, t == "latency" ? $5 : $4 }' client
    }
    for _ in 1 2 3; do
        fabric latency ib_send_lat -s 8 -n 3000
        fabric middle ib_write_bw -s 65536 -n 20000
        fabric large ib_write_bw -s 1048576 -n 1200
        port=$((port + 1)) of_server='' of_client=''
        meet $port UCX_TLS=tcp,self UCX_NET_DEVICES=all timeout 100 ucx_perftest "${plain[@]}" -b tests -f -v -p $port
        awk -F, '$1 == "latency" { print "ucx", $1, $3 + 0 } $1 == "middle" || $1 == "large" { print "ucx", $1, $7 + 0 }' client
    done >figures
    kill "$other"
}
unshare -rnm bash -euc "$(declare -f rounds); plain=(${plain[*]}) top=\$0
    ip link add v0 type veth peer name v1
    ip link set v0 up
    rounds" "$top"

figure() { awk -v w="$1" -v t="$2" '$1 == w && $2 == t {print $3}' figures | sort -g | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
r=$(ratio "$(figure fabric latency)" "$(figure ucx latency)")
printf 'fabric: %-34s %8.1f us    (UCX over TCP: %.1f us, ratio %s, limit 2: %s)\n' 'a send of 8 bytes, one way' "$(figure fabric latency)" \
    "$(figure ucx latency)" "$r" "$(verdict "$r" 2)"
for size in 'middle 64 KiB' 'large 1 MiB'; do
    test=${size%% *}
    r=$(ratio "$(figure fabric "$test")" "$(figure ucx "$test")")
    printf 'fabric: %-34s %8.0f MiB/s (UCX over TCP: %.0f MiB/s, ratio %s, limit 0.8: %s)\n' "writes of ${size#* }" \
        "$(figure fabric "$test")" "$(figure ucx "$test")" "$r" "$(verdict 0.8 "$r")"
done
