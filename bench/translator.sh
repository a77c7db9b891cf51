#!/bin/bash
# What translating costs: the time from the begin of a kernel of bench/kernels to its first translated code,
# the time for 1,000 instructions of the guest, and memory, next to the same run interpreted, and with the
# code from the cache. The least time and the medians of memory of all kernels. Needs $DPAKIT_BUILD with what bench/bench.mk builds.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
. "$(dirname "$0")/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache DPAKIT_DEVICES=$work/devices
mkdir "$DPAKIT_DEVICES"

# Appends "HOW FIRST_MS COMPILE_MS INSTRUCTIONS PEAK_KIB" to the file `runs`.
run() { # HOW PROGRAM
    local first compile instructions peak
    read -r _ _ peak < <("$DPAKIT_BUILD/bench/measure" "$DPAKIT_BUILD/bench/rv64_bench" "$2" 2>"$work/err")
    read -r first compile instructions < <(sed -n 2p "$work/err")
    echo "$1 $first $compile $instructions $peak" >>"$work/runs"
}
for program in "$DPAKIT_BUILD"/bench/rv64-*; do
    [ -e "$work/runs" ] || DPAKIT_JIT=off run off "$program" # slow, and all take the same memory
    DPAKIT_JIT=on run on "$program"
    DPAKIT_JIT=on run cached "$program"
done

median() { # HOW FIELD
    awk -v how="$1" -v field="$2" '$1 == how {print $field}' "$work/runs" | sort -n |
        awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}
least() { awk -v how="$1" '$1 == how {print $2}' "$work/runs" | sort -n | head -n 1; }
first=$(least on) cached=$(least cached)
each=$(awk '$1 == "on" {ms += $3; n += $4} END {printf "%.1f", n ? ms / n * 1000 : 0}' "$work/runs")
off=$(median off 5) on=$(median on 5) stored=$(median cached 5)
# A run may end before its last function is translated, which the next one does then.
awk '$1 == "on" && $4 == 0 {bad = 1} {n[$1] += $4} END {exit bad || n["cached"] * 5 > n["on"]}' "$work/runs" || {
    echo "translator: nothing was translated, or nothing came from the cache" >&2
    exit 1
}
printf 'translator: begin to first translated code  %8.1f ms  (limit 150: %s)\n' "$first" "$(verdict "$first" 150)"
printf 'translator: the same, from the cache        %8.1f ms  (translated: %.1f, ratio %.2f)\n' \
    "$cached" "$first" "$(awk -v a="$cached" -v b="$first" 'BEGIN {print a / b}')"
printf 'translator: 1,000 instructions              %8.1f ms  (limit 700: %s)\n' "$each" "$(verdict "$each" 700)"
for how in "translated $on" "from the cache $stored"; do
    awk -v what="${how% *}" -v kib="${how##* }" -v off="$off" 'BEGIN {
        printf "translator: peak memory, %-19s%8.1f MiB (interpreted: %.1f MiB, ratio %.2f)\n",
            what, kib / 1024, off / 1024, kib / off }'
done
