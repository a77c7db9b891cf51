#!/bin/bash
# RDMA between two threads of the DPA that poll: a message there and back (examples/ping_pong), next
# to a pipe of the host between two threads. Then the NIC between two processes: large messages next
# to a socket and to a copy, small ones next to a socket and to shared memory with a futex; rounds take turns.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/bench/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
dpadev create mlx5_0 >log
dpacc "$top/examples/ping_pong/device/ping_pong_dev.c" -o program.a -hostcc=gcc -flto \
    --app-name=ping_pong_app --devicecc-options=-O2 -I"$DPAKIT_BUILD/include/doca" \
    -device-libs="-L$DPAKIT_BUILD/lib -ldoca_dpa_dev -ldoca_dpa_dev_comm"
gcc -O2 "$top/examples/ping_pong/host/ping_pong.c" "$top/examples/common/dpa_rdma.c" program.a \
    -o ping_pong -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" \
    -ldoca_dpa -ldoca_rdma -ldoca_common -lflexio
median=$(for _ in 1 2 3 4 5 6 7 8 9; do ./ping_pong mlx5_0 20000; done |
    awk '{print $3}' | sort -n | sed -n 5p)
pipe=$(perf bench --format=simple sched pipe -T -l 20000 2>/dev/null |
    awk '{printf "%.2f", $1 * 1e6 / 20000}') || pipe=
printf 'rdma: ping-pong between two DPA threads %8.2f us  (limit 5.00 us: %s%s)\n' "$median" "$(verdict "$median" 5)" \
    "${pipe:+; a pipe between two threads there and back, perf bench: $pipe us}"

# ---- Between two processes
nic=$DPAKIT_BUILD/bench/rdma_nic
for _ in 1 2 3 4 5 6 7 8 9; do
    for what in write socketpair read hot-write hot-socketpair hot-read send asleep woken polled memcpy bounce futex; do
        value=$("$nic" "$what")
        printf '%s %s\n' "$what" "$value"
    done
done >rounds
sort -k1,1 -k2,2n rounds >figures
figure() { awk -v w="$1" '$1 == w {a[++n] = $2} END {print a[int((n + 1) / 2)]}' figures; }
# The median of the ratios to the socket's of the same round, from and to the same memory.
to_socket() { # WHAT SOCKET
    awk -v w="$1" -v s="$2" '$1 == w {f[++n] = $2} $1 == s {of[++m] = $2} END {for (i = 1; i <= n; i++) print f[i] / of[i]}' rounds |
        sort -g | awk '{a[NR] = $1} END {printf "%.2f", a[int((NR + 1) / 2)]}'
}
large() { # WHAT FIGURE SOCKET
    local r
    r=$(to_socket "$2" "$3")
    printf 'rdma: %-33s %8.2f GB/s  (a socket: %.2f GB/s, ratio %s, limit 1.2: %s)\n' "$1" "$(figure "$2")" \
        "$(figure "$3")" "$r" "$(verdict 1.2 "$r")"
}
large 'write of 1 MiB, between processes' write socketpair
large 'read of 1 MiB' read socketpair
large 'write of 1 MiB, in the cache' hot-write hot-socketpair
large 'read of 1 MiB, in the cache' hot-read hot-socketpair
printf 'rdma: %-33s %8.2f GB/s  (by one process)\n' 'memcpy of 1 MiB' "$(figure memcpy)"
# small WHAT FIGURE: next to a socket, and to a futex, by which it is judged.
small() {
    local f s x r
    f=$(figure "$2") s=$(figure bounce) x=$(figure futex)
    r=$(awk -v a="$f" -v b="$x" 'BEGIN {printf "%.2f", a / b}')
    printf 'rdma: %-33s %8.2f us  (a socket: %.2f us; shared memory and a futex: %.2f us, ratio %s, limit 3: %s)\n' \
        "$1" "$f" "$s" "$x" "$r" "$(verdict "$r" 3)"
}
small 'send there and back, by events' send
small 'the same, both sides poll' polled
printf 'rdma: %-33s %8.2f us  (programs that wait for descriptors)\n' 'the same, both sides sleep' "$(figure asleep)"
printf 'rdma: %-33s %8.2f us  (threads of the DPA: a thread of the engine is woken first, and wakes them)\n' \
    'the same, by the engine'"'"'s thread' "$(figure woken)"

# ---- The same where two busy loops want the processors, too: whoever polls must not wait for a slice of theirs.
busy=()
trap 'kill "${busy[@]}" 2>/dev/null || :; rm -rf "$work"' EXIT
for _ in 1 2; do
    "$nic" busy &
    busy+=($!)
done
for _ in 1 2 3 4 5; do
    for what in pipe polled send; do
        value=$("$nic" "$what")
        printf 'busy-%s %s\n' "$what" "$value"
    done
done | sort -k1,1 -k2,2n >>figures
kill "${busy[@]}"
pipe=$(figure busy-pipe)
# beside WHAT FIGURE
beside() {
    local f r
    f=$(figure "$2")
    r=$(awk -v a="$f" -v b="$pipe" 'BEGIN {printf "%.2f", a / b}')
    printf 'rdma: %-33s %8.2f us  (two pipes: %.2f us, ratio %s, limit 10: %s)\n' "$1" "$f" "$pipe" "$r" "$(verdict "$r" 10)"
}
beside 'two busy loops beside: both poll' busy-polled
beside 'the same, by events' busy-send
