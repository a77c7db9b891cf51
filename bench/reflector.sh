#!/bin/bash
# Packets: examples/reflector on the DPA, next to the same in C for the host (bench/reflector_native.c),
# both plugged into the same source of frames; rounds take turns, the best of each counts. A frame
# of N bytes has its checksum; the source does not give it. BENCH_SOAK=1: then 10^8 frames.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/bench/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices XDG_CACHE_HOME=$work/cache
dpadev create mlx5_0 >log
dpacc "$top/examples/reflector/device/reflector_dev.c" -o app.a -mcpu=nv-dpa-bf3 -hostcc=gcc \
    --app-name=reflector_app -I"$DPAKIT_BUILD/include" >>log
gcc -O2 "$top/examples/reflector/host/reflector.c" "$top/examples/common/packets.c" app.a -o host -I"$DPAKIT_BUILD/include" \
    -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"

# Prints what the source of frames tells: frames a second, or with a RATE the median in microseconds.
reflect() { # dpa|native QUEUES FRAMES SIZE [RATE]
    local spec=generate:$3,$(($4 - 4)),$2${5:+,$5}
    if [ "$1" = dpa ]; then
        DPAKIT_WIRE_mlx5_0=$spec ./host mlx5_0 "$2" "$3" >out 2>&1
    else
        "$DPAKIT_BUILD/bench/reflector_native" "$spec" "$3" >out 2>&1
    fi
    grep -q ": $3 frames, $3 came back" out && ! grep -q twice out || { cat out >&2; return 1; }
    if [ -n "${5:-}" ]; then
        sed -nE 's/.*at most (.*) us;.*/\1/p' out
    else
        sed -nE 's/.*; (.*) a second$/\1/p' out
    fi
}

# Appends a figure of each to files of these names.
compare() { # NAME QUEUES FRAMES SIZE [RATE]
    local more=$3
    [ -n "${5:-}" ] || more=$(($3 * 5))
    reflect native "$2" "$more" "$4" ${5:+"$5"} >>"$1.native"
    DPAKIT_JIT=on reflect dpa "$2" "$3" "$4" ${5:+"$5"} >>"$1.on"
    DPAKIT_JIT=off reflect dpa "$2" "$3" "$4" ${5:+"$5"} >>"$1.off"
}
most() { sort -n "$1" | tail -n 1; }
least() { sort -n "$1" | head -n 1; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", b ? a / b : 0}'; }
line() { # NAME QUEUES SIZE
    local native on off
    native=$(most "$1.native") on=$(most "$1.on") off=$(most "$1.off")
    printf 'reflector: %3d queues, %4d bytes, frames a second %8d  (native %8d, ratio %s, limit 0.50: %s)\n' \
        "$2" "$3" "$on" "$native" "$(ratio "$on" "$native")" "$(verdict 0.5 "$(ratio "$on" "$native")")"
    printf 'reflector:   the same, interpreted             %8d  (native %8d, ratio %s, limit 0.20: %s)\n' \
        "$off" "$native" "$(ratio "$off" "$native")" "$(verdict 0.2 "$(ratio "$off" "$native")")"
}

# Peak memory in KiB of a run in which each frame comes back once and no counter disagrees.
soak() { # FRAMES
    local peak
    dpadev stats mlx5_0 --reset >>log
    read -r _ _ peak < <(DPAKIT_WIRE_mlx5_0=generate:$1,60,16 \
        "$DPAKIT_BUILD/bench/measure" ./host mlx5_0 16 "$1" 2>out)
    grep -q ": $1 frames, $1 came back" out && ! grep -q twice out || { cat out >&2; return 1; }
    # Queues and the wire, sent and received; no row of drops.
    [ "$(dpadev stats mlx5_0 | sed -n '2,5p' | grep -c " $1 ")" = 4 ] &&
        ! dpadev stats mlx5_0 | grep -q '^dropped' || { dpadev stats mlx5_0 >&2; return 1; }
    echo "$peak"
}
if [ "${BENCH_SOAK:-}" = 1 ]; then
    short=$(soak 1000000) long=$(soak 100000000)
    printf 'reflector: peak of 100,000,000 frames         %8d KiB (of 1,000,000: %d, ratio %s, limit 1.10: %s)\n' \
        "$long" "$short" "$(ratio "$long" "$short")" "$(verdict "$(ratio "$long" "$short")" 1.10)"
fi
for queues in 1 16 256; do
    for size in 64 512 1518; do
        for _ in 1 2 3; do compare "$queues-$size" "$queues" 400000 "$size"; done
        line "$queues-$size" "$queues" "$size"
    done
done
few=$(most 16-64.on) many=$(most 256-64.on)
printf 'reflector: 256 queues by 16, 64 bytes          %8d  (16 queues %8d, ratio %s, limit 1.00: %s)\n' \
    "$many" "$few" "$(ratio "$many" "$few")" "$(verdict 1 "$(ratio "$many" "$few")")"
for _ in 1 2 3; do compare latency 1 20000 64 10000; done
on=$(least latency.on) native=$(least latency.native)
printf 'reflector: median time of a frame             %8s us  (native %s us, limit 10: %s)\n' \
    "$on" "$native" "$(verdict "$on" 10)"
