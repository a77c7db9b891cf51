#!/bin/bash
# DOCA Ethernet: frames that one thread sends to its own port, and receives. The best of some rounds.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 >log
gcc -std=gnu11 -O2 -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" "$here/eth_bench.c" -o eth_bench \
    -L"$DPAKIT_BUILD/lib" -ldoca_eth -ldoca_flow -ldoca_common -Wl,-rpath,"$DPAKIT_BUILD/lib"
best=$(for _ in 1 2 3; do ./eth_bench; done | sort -n | tail -n 1)
printf 'eth: %-38s %8.2f M/s   (limit 1: %s)\n' 'frames of 64 bytes, sent and received' "$best" "$(verdict 1 "$best")"
