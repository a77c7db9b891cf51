#!/bin/bash
# DOCA comch between two processes: a message there and back next to a bare socket, and small messages from
# a producer to a consumer. Rounds take turns, and the best of each counts.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 --pair >log
gcc -std=gnu11 -O2 -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" "$here/comch_bench.c" -o comch_bench \
    -L"$DPAKIT_BUILD/lib" -ldoca_comch -ldoca_common -Wl,-rpath,"$DPAKIT_BUILD/lib"
for _ in 1 2; do
    for what in socket comch messages; do
        echo "$what $(./comch_bench $what)"
    done
done | sort -k1,1 -k2,2n >figures
least() { awk -v w="$1" '$1 == w {print $2; exit}' figures; }
most() { awk -v w="$1" '$1 == w {f = $2} END {print f}' figures; }

r=$(awk -v a="$(least socket)" -v b="$(least comch)" 'BEGIN {printf "%.2f", b / a}')
printf 'comch: %-36s %8.2f us    (a bare socket: %.2f us, ratio %s, limit 2: %s)\n' 'a message of 64 bytes, there and back' \
    "$(least comch)" "$(least socket)" "$r" "$(verdict "$r" 2)"
printf 'comch: %-36s %8.2f M/s   (limit 3: %s)\n' 'messages of 64 bytes, by a producer' "$(most messages)" \
    "$(verdict 3 "$(most messages)")"
