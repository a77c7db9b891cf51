#!/bin/bash
# An event of the example's algorithm of congestion control on the emulated DPA.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/bench/verdict.bash"
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

dpacc "$top"/examples/pcc/device/*.c -o "$t/algo.a" -app-name=algo -device-libs=-ldoca_pcc_dev \
    -devicecc-options="-I$DPAKIT_BUILD/include/doca -I$top/examples/pcc/device"
dpacc-extract "$t/algo.a" -o "$t/algo.elf" >/dev/null

# say WHAT LIMIT WHY
say() {
    local ns instructions
    read -r ns instructions < <("$DPAKIT_BUILD/bench/pcc_bench" "$t/algo.elf" "${EVENTS:-500000}")
    printf 'pcc: %-45s %6s ns (limit %s: %s) %s instructions, %s\n' "$1" "$ns" "$2" \
        "$(verdict "$ns" "$2")" "$instructions" "$3"
}
say "an event, translated" 1000 "a million a second"
DPAKIT_JIT=off say "an event, interpreted" 2000 "before it is translated"
