#!/bin/bash
# Packets: examples/reflector on the DPA, next to the same in C for the host (bench/reflector_native.c),
# both plugged into the same interface of a veth pair, whose other end has the source of frames; then
# both into the source itself, which shows what the port costs. Rounds take turns, the best of each
# counts. A frame of N bytes has its checksum; the source does not give it. BENCH_SOAK=1: first 10^8
# frames.
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

# The command that reflects frames of a wire: examples/reflector, or that of the host.
reflector() { # dpa|native WIRE QUEUES FRAMES
    if [ "$1" = dpa ]; then
        DPAKIT_WIRE_mlx5_0=$2 timeout 60 ./host mlx5_0 "$3" "$4"
    else
        timeout 60 "$DPAKIT_BUILD/bench/reflector_native" "$2" "$4"
    fi
}
# The same behind a veth pair, in a network of its own: without IPv6, whose frames would be among
# those that the reflector counts. WINDOW: how many frames are on their way.
behind_veth() { # dpa|native SOURCE QUEUES FRAMES
    echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6 || true
    ip link add dpa0 type veth peer name far0
    ip link set dpa0 up
    ip link set far0 up
    rm -f ready
    reflector "$1" veth:dpa0 "$3" "$4" >ready 2>&1 &
    until grep -qs 'for packets' ready; do sleep 0.05; done
    timeout 60 "$DPAKIT_BUILD/bench/reflector_feed" "$2" veth:far0 ${WINDOW:+"$WINDOW"}
    wait
}
export -f reflector behind_veth

# Prints what the source of frames tells: frames a second, or with a RATE the median in microseconds.
reflect() { # reflector|behind_veth dpa|native QUEUES FRAMES SIZE [RATE]
    local spec=generate:$4,$(($5 - 4)),$3${6:+,$6}
    if [ "$1" = reflector ]; then
        reflector "$2" "$spec" "$3" "$4" >out 2>&1
    else
        unshare -rn bash -c 'behind_veth "$@"' bash "$2" "$spec" "$3" "$4" >out 2>&1
    fi
    if ! grep -q ": $4 frames, $4 came back" out || grep -q twice out; then
        cat out >&2
        return 1
    fi
    if [ -n "${6:-}" ]; then
        sed -nE 's/.*at most (.*) us;.*/\1/p' out
    else
        sed -nE 's/.*; (.*) a second$/\1/p' out
    fi
}

# Appends a figure of each to files of these names.
compare() { # NAME HOW QUEUES FRAMES SIZE [RATE]
    local name=$1
    shift
    reflect "$1" native "${@:2}" >>"$name.native"
    DPAKIT_JIT=on reflect "$1" dpa "${@:2}" >>"$name.on"
    DPAKIT_JIT=off reflect "$1" dpa "${@:2}" >>"$name.off"
}
most() { sort -n "$1" | tail -n 1; }
least() { sort -n "$1" | head -n 1; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", b ? a / b : 0}'; }
limit() { echo ", limit $1: $(verdict "$1" "$2")"; } # LEAST RATIO
line() { # NAME WHAT [limits]
    local native on off fast slow
    native=$(most "$1.native") on=$(most "$1.on") off=$(most "$1.off")
    fast=$(ratio "$on" "$native") slow=$(ratio "$off" "$native")
    printf 'reflector: %-34s %9d a second  (native: %d, ratio %s%s)\n' "$2" "$on" "$native" "$fast" \
        "${3:+$(limit 0.50 "$fast")}"
    printf 'reflector: %-34s %9d a second  (native: %d, ratio %s%s)\n' "   interpreted" "$off" "$native" \
        "$slow" "${3:+$(limit 0.20 "$slow")}"
}

# Peak memory in KiB of a run in which each frame comes back once and no counter disagrees.
soak() { # FRAMES
    local peak
    dpadev stats mlx5_0 --reset >>log
    read -r _ _ peak < <(DPAKIT_WIRE_mlx5_0=generate:$1,60,16 \
        "$DPAKIT_BUILD/bench/measure" ./host mlx5_0 16 "$1" 2>out)
    dpadev stats mlx5_0 >>out
    # Queues and the wire, sent and received; no row of drops.
    if ! grep -q ": $1 frames, $1 came back" out || grep -q twice out || grep -q '^dropped' out ||
        [ "$(grep -cE "^(sent|received) .* $1 " out)" != 4 ]; then
        cat out >&2
        return 1
    fi
    echo "$peak"
}
if [ "${BENCH_SOAK:-}" = 1 ]; then
    short=$(soak 1000000) long=$(soak 100000000)
    printf 'reflector: peak of 100,000,000 frames         %8d KiB (of 1,000,000: %d, ratio %s, limit 1.10: %s)\n' \
        "$long" "$short" "$(ratio "$long" "$short")" "$(verdict "$(ratio "$long" "$short")" 1.10)"
fi
if unshare -rn ip link add dpa0 type veth peer name far0 2>/dev/null; then
    for size in 64 512 1518; do
        for _ in 1 2; do compare "veth-$size" behind_veth 16 50000 "$size"; done
        line "veth-$size" "veth, 16 queues, $size bytes" limits
    done
    # Each queue has room for 64. With 512 frames on their way, 256 queues have two each.
    for window in 512 1900; do
        for _ in 1 2 3 4; do
            for queues in 16 256; do
                WINDOW=$window DPAKIT_JIT=on reflect behind_veth dpa "$queues" 50000 64 >>"$window-$queues"
            done
        done
        few=$(most "$window-16") many=$(most "$window-256")
        printf 'reflector: %-34s %9d a second  (16 queues: %d, ratio %s%s)\n' \
            "veth, 256 queues, $window under way" "$many" "$few" "$(ratio "$many" "$few")" \
            "$([ "$window" = 512 ] || limit 1 "$(ratio "$many" "$few")")"
    done
else
    echo "reflector: no veth pair: namespaces are not allowed, or there is no ip"
fi
for queues in 1 16 256; do
    for size in 64 512 1518; do
        for _ in 1 2; do compare "$queues-$size" reflector "$queues" 1000000 "$size"; done
        line "$queues-$size" "in memory, $queues queues, $size bytes"
    done
done
for _ in 1 2 3; do compare latency reflector 1 20000 64 10000; done
on=$(least latency.on) native=$(least latency.native)
printf 'reflector: %-34s %9s us        (native: %s us, limit 10: %s)\n' "median time of a frame" "$on" \
    "$native" "$(verdict "$on" 10)"
