#!/bin/bash
# Frames that a kernel of the emulated GPU sends at a given time (doca_gpu_dev_eth_txq_wait_send): how late they are on the
# wire, by the time stamps of tcpdump at the other end of a veth pair. A frame is 1 ms after the frame before. The median of
# a run counts, and the best of three runs: another program on the core delays a frame by its slice.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
if ! command -v tcpdump >/dev/null || ! unshare -n ip link add v0 type veth peer name v1 2>/dev/null; then
    echo 'gpu_times: left out: needs tcpdump and root' # tcpdump gives up its rights, which a user namespace does not allow
    exit 0
fi
. "$here/gpu.bash"
count=200
gpu_program gpu_times_bench.cu sender

# Prints the lateness of each frame in ns. A time before the planned one by less than half a second is negative.
run() {
    unshare -n bash -euc '
        ip link add v0 type veth peer name v1
        ip link set v0 up
        ip link set v1 up
        timeout 20 tcpdump -Z root -i v1 -w frames.pcap --time-stamp-precision=nano --immediate-mode -c $0 ether proto 0x88b5 2>started &
        until grep -q listening started; do kill -0 $! || { cat started >&2; exit 1; }; sleep 0.05; done
        ./sender $0 2>>log
        wait' "$count"
    tcpdump -r frames.pcap --time-stamp-precision=nano -tt -x 2>>log | while read -r first second third _; do
        case $first in
        *.*) stamp=10#${first#*.} ;;
        0x0000:)
            late=$((stamp - 16#$second$third))
            [ "$late" -ge -500000000 ] || late=$((late + 1000000000))
            [ "$late" -le 500000000 ] || late=$((late - 1000000000))
            echo "$late"
            ;;
        esac
    done
}
for _ in 1 2 3; do
    run | sort -n >late
    [ "$(wc -l <late)" -eq $count ] || { cat log started >&2; echo "gpu_times: $(wc -l <late) of $count frames arrived" >&2; exit 1; }
    awk -v n=$count '{ a[NR] = $1 / 1e3 } END { print a[int(n / 2)], a[int(n * 0.9)], a[n], a[1] }' late
done | sort -n | head -n 1 >figures
read -r median most worst first <figures
awk -v f="$first" 'BEGIN { exit f < 0 }' || { echo "gpu_times: a frame left $first us early" >&2; exit 1; }
printf 'gpu: %-38s %8.1f us    (90 of 100: %.1f us, latest: %.1f us, limit 20 us: %s)\n' 'a frame leaves after its time' "$median" \
    "$most" "$worst" "$(verdict "$median" 20)"
