#!/bin/bash
# Flow steering: what a frame costs with 100,000 rules, next to 10 in the same masks, and what RSS adds
# to a rule; rounds take turns.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/bench/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for _ in 1 2 3 4 5 6 7; do
    for rules in 10 100000 drop rss; do
        value=$("$DPAKIT_BUILD/bench/steering_bench" "$rules")
        echo "$value" >>"$work/$rules"
    done
done
few=$(sort -n "$work/10" | head -1) many=$(sort -n "$work/100000" | head -1)
ratio=$(awk -v f="$few" -v m="$many" 'BEGIN {printf "%.2f", m / f}')
printf 'steering: a frame by 100,000 rules     %8.1f ns  (by 10 rules: %.1f ns, ratio %s, limit 1.20: %s)\n' \
    "$many" "$few" "$ratio" "$(verdict "$ratio" 1.20)"
drop=$(sort -n "$work/drop" | head -1) rss=$(sort -n "$work/rss" | head -1)
printf 'steering: a frame by RSS over 256 queues %6.1f ns  (by a rule that drops it: %.1f ns)\n' "$rss" "$drop"
