#!/bin/bash
# CPU time of bench/kernels on the emulated core, next to the same C compiled for the host, and to
# qemu-riscv64 with the same program. Needs $DPAKIT_BUILD with what bench/bench.mk builds. All run in
# turn, and the least of BENCH_ROUNDS counts; their checksums must be equal.
# BENCH_TIERS: "off", the interpreter, which runs in the first round only; "on", which translates anew in
# each run; "stored", whose code comes from the cache on disk, as from a program's second run on.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
. "$(dirname "$0")/verdict.bash"
read -ra tiers <<<"${BENCH_TIERS:-off on stored}"
TIMEFORMAT='%U %S'
export DPAKIT_CACHE=off
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache DPAKIT_DEVICES=$work/devices
mkdir "$DPAKIT_DEVICES"
engines=(native)
if command -v qemu-riscv64 >/dev/null; then
    engines+=(qemu)
else
    echo "emulator: qemu-riscv64 is not installed, so nothing is compared with it"
fi

# Appends "ENGINE KERNEL SECONDS CHECKSUM" to the file `runs`. rv64_bench says the seconds of the
# thread that runs the program, without those of threads that compile it; for others, the process's.
run() { # ENGINE KERNEL COMMAND...
    local engine=$1 kernel=$2 seconds own
    shift 2
    if ! { time "$@" >"$work/out" 2>"$work/err"; } 2>"$work/time"; then
        echo "emulator: $kernel, $engine: $(<"$work/err")" >&2
        return 1
    fi
    seconds=$(awk '{print $1 + $2}' "$work/time")
    read -r _ own <"$work/err" || own=$seconds
    echo "$engine $kernel $own $(<"$work/out")" >>"$work/runs"
}
tier() { # TIER KERNEL PROGRAM
    case $1 in
    stored) DPAKIT_JIT=on DPAKIT_CACHE=on run "$1" "$2" "$DPAKIT_BUILD/bench/rv64_bench" "$3" ;;
    *) DPAKIT_JIT=$1 run "$1" "$2" "$DPAKIT_BUILD/bench/rv64_bench" "$3" ;;
    esac
}
for round in $(seq "${BENCH_ROUNDS:-5}"); do
    for native in "$DPAKIT_BUILD"/bench/native-*; do
        kernel=${native##*/native-} program=$DPAKIT_BUILD/bench/rv64-${native##*/native-}
        run native "$kernel" "$native"
        [ "${#engines[@]}" -eq 1 ] || run qemu "$kernel" qemu-riscv64 "$program"
        for tier in "${tiers[@]}"; do
            [ "$tier" = off ] && [ "$round" -gt 1 ] && continue
            tier "$tier" "$kernel" "$program"
        done
    done
done

if awk 'checksum[$2] == "" {checksum[$2] = $4} checksum[$2] != $4 {print; bad = 1} END {exit !bad}' \
    "$work/runs" >"$work/wrong"; then
    sed 's/^/emulator: another checksum than native: /' "$work/wrong" >&2
    exit 1
fi

awk -v engines="${engines[*]} ${tiers[*]}" -v figures="$work/figures" \
    -f "$(dirname "$0")/rv64.awk" "$work/runs"
figure() { awk -v t="$1" -v p="$2" -v f="$3" '$1 == t && $2 == p {print $f}' "$work/figures"; }
for tier in "${tiers[@]}"; do
    [ "$tier" != off ] || continue # the interpreter starts at once, and has no limits
    mean=$(figure "$tier" native 3) worst=$(figure "$tier" native 4) slower=$(figure "$tier" qemu 5)
    printf 'emulator, %s: geometric mean of time:native %s (limit 1.5: %s)\n' \
        "$tier" "$mean" "$(verdict "$mean" 1.5)"
    printf 'emulator, %s: worst of time:native %s (limit 3: %s)\n' \
        "$tier" "$worst" "$(verdict "$worst" 3)"
    [ -z "$slower" ] || printf 'emulator, %s: kernels slower than qemu %s (limit 0: %s)\n' \
        "$tier" "$slower" "$(verdict "$slower" 0)"
done
