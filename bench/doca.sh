#!/bin/bash
# DOCA DPA as programs of 3.x see it; limits are what the hardware's guide promises.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 >log
dpacc "$here/doca_device.c" -o bench.a -hostcc=gcc --app-name=bench_app -I"$DPAKIT_BUILD/include/doca" \
    -device-libs="-L$DPAKIT_BUILD/lib -ldoca_dpa_dev"
gcc -O2 -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" "$here/doca_host.c" bench.a -o host \
    -L"$DPAKIT_BUILD/lib" -ldoca_dpa -ldoca_common -lflexio -Wl,-rpath,"$DPAKIT_BUILD/lib"

figure() { # WHAT NAME LIMIT
    local f
    f=$(./host "$2")
    awk -v w="$1" -v f="$f" -v l="$3" -v v="$(verdict "$f" "$3")" \
        'BEGIN {printf "doca: %-32s %10.2f us  (ratio %.2f, limit %.2f us: %s)\n", w, f, f / l, l, v}'
}
figure "empty kernel, launch to wait" launch 10
figure "the same, 1 ms after the last" launch-idle 10
figure "a kernel of a chain of 1,000" chain 5
figure "ping-pong of two threads" ping-pong 5
sum=$(./host adds)
printf 'doca: %-32s %10.0f     (exactly %d: %s)\n' "adds of 100 times 256 threads" "$sum" 25600 \
    "$(verdict "$sum" 25600 exactly)"
