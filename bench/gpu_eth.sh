#!/bin/bash
# DOCA GPUNetIO: frames of 64 bytes that a kernel of the emulated GPU receives in a second, next to a program in C with a
# ring of a packet socket. Both receive from the same end of a veth pair, on one core; the other end is flooded from
# another core. The flood, which does the work of the kernel too, bounds both. Rounds take turns, the best of each counts.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
if [ "$(nproc)" -lt 2 ] || ! unshare -rn ip link add v0 type veth peer name v1 2>/dev/null; then
    echo 'gpu_eth: left out: needs two cores and network namespaces'
    exit 0
fi
. "$here/gpu.bash"
gcc -std=gnu11 -O2 "$here/packets_native.c" -o native
gpu_program gpu_eth_bench.cu kernel -ldoca_flow

# flooded COMMAND...: prints what the command does on the second core, while frames come from the first.
flooded() {
    unshare -rn bash -euc '
        ip link add v0 type veth peer name v1
        ip link set v0 up
        ip link set v1 up
        taskset -c "$1" ./native send v1 3 &
        taskset -c "$2" "${@:3}"
        kill $!' flooded "${cores[@]}" "$@"
}
mapfile -t cores < <(taskset -pc $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 2)
for _ in 1 2 3; do
    flooded ./native count v0 1 >>native.log
    flooded ./kernel 1 >>kernel.log 2>>log
done
best() { sort -n "$1" | tail -n 1; }
ratio=$(awk -v k="$(best kernel.log)" -v n="$(best native.log)" 'BEGIN { printf "%.2f", k / n }')
printf 'gpu: %-38s %8.2f M/s   (C: %.2f M/s, ratio %s, limit 0.3: %s)\n' 'frames of 64 bytes that a kernel receives' \
    "$(best kernel.log | awk '{ print $1 / 1e6 }')" "$(best native.log | awk '{ print $1 / 1e6 }')" "$ratio" "$(verdict 0.3 "$ratio")"
