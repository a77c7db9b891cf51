#!/bin/bash
# UCX between two processes: Debian's ucx_perftest on an emulated device, by connections (rc_v) and datagrams
# (ud_verbs), next to UCX's own TCP on the loopback interface and its shared memory (posix). Rounds take turns.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/bench/verdict.bash"
command -v ucx_perftest >/dev/null || { echo 'ucx: no ucx_perftest: package ucx-utils'; exit 0; }
# Where Debian builds it with MPI, it expects a launcher if nobody sits at a terminal.
plain=()
! ucx_perftest -h 2>&1 | grep -q -e '^ *-P ' || plain=(-P 0)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$work"' EXIT
cd "$work"
mkdir -m 700 run
export DPAKIT_DEVICES=$work/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib XDG_RUNTIME_DIR=$work/run
"$DPAKIT_BUILD/bin/dpadev" create mlx5_0 >log

cat >tests <<'END'
latency -t tag_lat -s 8 -n 1000 -w 20
middle -t tag_bw -s 65536 -n 400 -w 10
large -t tag_bw -s 1048576 -n 50 -w 5
END

# Whether a process listens at the port, or has ended.
listens() { ! kill -0 "$server" 2>/dev/null || grep -qE "$(printf ':%04X [0-9A-F]+:0000 0A' "$1")" /proc/net/tcp /proc/net/tcp6; }

# measure TLS DEVICE: lines "TLS TEST VALUE", where the value is in us (the median) or MB/s.
measure() {
    local port
    export UCX_TLS=$1,self UCX_NET_DEVICES=$2
    while :; do
        port=$((10000 + RANDOM % 20000))
        timeout 120 ucx_perftest "${plain[@]}" -b tests -p "$port" >server 2>&1 &
        server=$!
        until listens "$port"; do sleep 0.05; done
        ! kill -0 "$server" 2>/dev/null || break
    done
    timeout 120 ucx_perftest "${plain[@]}" -b tests -f -v -p "$port" 127.0.0.1 >client 2>&1 || { cat client server; exit 1; }
    wait "$server" || true
    server=
    awk -F, -v tls="$1" '$1 == "latency" {print tls, $1, $3 + 0} $1 == "middle" || $1 == "large" {print tls, $1, $7 + 0}' client
}
for _ in 1 2 3; do
    measure rc_v mlx5_0:1
    measure ud_verbs mlx5_0:1
    measure tcp lo
    measure posix all
done >rounds
figure() { awk -v t="$1" -v w="$2" '$1 == t && $2 == w {print $3}' rounds | sort -g | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }

# latency NAME TLS: it has no limit, since a machine with other work makes a polling end sleep (dpa-verbs(7), NOTES).
latency() {
    local f t
    f=$(figure "$2" latency) t=$(figure tcp latency)
    printf "ucx: %-33s %8.2f us  (UCX's TCP: %.2f us, ratio %s; its shared memory: %.2f us)\n" "$1" "$f" "$t" \
        "$(ratio "$f" "$t")" "$(figure posix latency)"
}
# bandwidth NAME TLS TEST LIMIT: TCP may be so much faster.
bandwidth() {
    local f t r
    f=$(figure "$2" "$3") t=$(figure tcp "$3")
    r=$(ratio "$t" "$f")
    printf "ucx: %-33s %8.0f MB/s  (UCX's TCP: %.0f MB/s, TCP to this %s, limit %s: %s; its shared memory: %.0f MB/s)\n" "$1" "$f" \
        "$t" "$r" "$4" "$(verdict "$r" "$4")" "$(figure posix "$3")"
}
latency 'tag of 8 bytes, rc_verbs' rc_v
latency 'the same, ud_verbs' ud_verbs
bandwidth 'tags of 64 KiB, rc_verbs' rc_v middle 2
bandwidth 'tags of 1 MiB' rc_v large 2
printf 'ucx: %-33s %8.0f MB/s  (each message is in packets of 1 KiB)\n' 'tags of 64 KiB, ud_verbs' "$(figure ud_verbs middle)"
