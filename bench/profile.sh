#!/bin/bash
# What a profile costs: processor time of the same function with and without one, translated and
# interpreted. The two take turns, and each goes first as often as the other. Of many short runs the
# fastest fifth counts, by its mean: one lucky run is no measure either.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 >log
cat >prof.c <<'END'
#include <stdint.h>
#include <doca_dpa_dev.h>
__attribute__((noinline)) static uint64_t leaf(uint64_t n)
{
    uint64_t sum = 0;
    for (volatile uint64_t i = 0; i < 100; i++)
        sum = sum * 31 + (n ^ i);
    return sum;
}
__attribute__((noinline)) static uint64_t deep(uint64_t depth, uint64_t n)
{
    return (depth == 0 ? leaf(n) : deep(depth - 1, n)) ^ depth;
}
__dpa_rpc__ uint64_t work(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += deep(20, i);
    return sum;
}
END
dpacc prof.c -o prof.a -hostcc=gcc --app-name=prof
TIMEFORMAT='%U %S'
seconds() { { time dparun prof.a --rpc work "$1" --run-time-limit 60000 "${@:2}" >>log; } 2>&1 | awk '{ print $1 + $2 }'; }
fastest() { sort -n | head -n 6 | awk '{ sum += $1 } END { print sum / NR }'; }
one() { # NAME JIT CALLS
    export DPAKIT_JIT=$2
    seconds "$3" >/dev/null
    : >with; : >without
    for _ in {1..15}; do
        seconds "$3" >>without
        seconds "$3" --profile p.folded >>with
        seconds "$3" --profile p.folded >>with
        seconds "$3" >>without
    done
    local a b ratio
    a=$(fastest <without) b=$(fastest <with)
    ratio=$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", b / a }')
    printf 'profile: %-28s %10.2f s   (without: %.2f s, ratio %s, limit 1.05: %s)\n' "$1" "$b" "$a" \
        "$ratio" "$(verdict "$ratio" 1.05)"
}
one translated on 1000000
one interpreted off 250000
