#!/bin/bash
# Remote direct memory operations: appends by a worker next to the same done by the initiator itself, over TCP, as
# between machines, and over shared memory. Two rounds, and the best of each counts.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
[ -f "$DPAKIT_BUILD/lib/dpakit/urom/worker_rdmo.so" ] || { echo 'urom: built without libucx-dev'; exit 0; }
work=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill $service; wait; rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 --pair >log
gcc -std=gnu11 -D_GNU_SOURCE -O2 -I"$here/../tests/host" -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" "$here/urom_bench.c" \
    -o urom_bench -L"$DPAKIT_BUILD/lib" -ldoca_urom -ldoca_common -lucp -lucs -Wl,-rpath,"$DPAKIT_BUILD/lib"
urom-service -d mlx5_0 >service.log 2>&1 &
service=$!
until grep -q serving service.log; do sleep 0.1; done
best() { awk -v w="$1" '$1 == w && $2 > f {f = $2} END {print f}' figures; }
for transport in tcp shm; do
    for _ in 1 2; do UCX_TLS=$transport,self ./urom_bench; done >figures
    r=$(awk -v a="$(best own_small)" -v b="$(best small)" 'BEGIN {printf "%.2f", b / a}')
    printf 'urom: %-36s %8.1f k/s   (by the initiator: %.1f k/s, ratio %s%s)\n' "appends of 64 bytes, $transport" "$(best small)" \
        "$(best own_small)" "$r" "$([ $transport = shm ] || echo ", limit 3: $(verdict 3 "$r")")"
    r=$(awk -v a="$(best own_big)" -v b="$(best big)" 'BEGIN {printf "%.2f", b / a}')
    printf 'urom: %-36s %8.0f MB/s  (a put: %.0f MB/s, ratio %s)\n' "appends of 1 MiB, $transport" "$(best big)" "$(best own_big)" "$r"
done
