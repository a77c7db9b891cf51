#!/bin/bash
# Host memory through a window: each load or store is looked up by its key and checked.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 >log
dpacc "$here/window_device.c" -o window.a -mcpu=nv-dpa-bf3 -hostcc=gcc --app-name=window_app >>log
gcc -O2 -I"$DPAKIT_BUILD/include" "$here/window_host.c" window.a -o host -L"$DPAKIT_BUILD/lib" \
    -lflexio -libverbs -Wl,-rpath,"$DPAKIT_BUILD/lib"
for what in load store; do
    printf 'window: %-5s of 8 bytes, CPU          %10s ns\n' "$what" "$(./host "$what" 1000000)"
done
printf 'window: copy of a page, CPU           %10s ns\n' "$(./host copy 100000)"
