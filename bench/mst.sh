#!/bin/bash
# mstconfig's query of an emulated card, next to mlxconfig-lite's query of the same device and what mstconfig needs by
# itself: it reads its database, which a list of the parameters also does, and locks a file and unlocks it for each
# access of the card, as often as strace counts. CPU times; rounds take turns, and the least of each counts. Without
# the packages mstflint and strace there is nothing to measure.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
. "$(dirname "$0")/verdict.bash"
for tool in mstconfig strace; do
    command -v $tool >/dev/null || { echo "mst: no $tool on this machine"; exit 0; }
done
db=/usr/share/mstflint/mlxconfig_dbs/mlxconfig_host.db
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 >log
theirs=(dpadev exec mlx5_0 -- mstconfig -d 03:00.0)
strace -f -c -e trace=flock -o calls "${theirs[@]}" query >log
calls=$(awk '$NF == "flock" {print $4}' calls)
printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' '#include <sys/file.h>' 'int main(int count, char **words)' \
    '{ int file = fileno(fopen("log", "r")); (void)count;' \
    'for (long i = atol(words[1]); i > 0; i--) flock(file, i & 1 ? LOCK_UN : LOCK_EX); }' >locks.c
gcc -O2 locks.c -o locks
# measure WHAT COMMAND...: a line "WHAT seconds" in the file `runs`.
measure() {
    local what=$1 TIMEFORMAT='%U %S'
    shift
    { time "$@" >out 2>err; } 2>spent
    awk -v what="$what" '{print what, $1 + $2}' spent >>runs
}
for _ in 1 2 3 4 5; do
    measure theirs "${theirs[@]}" query
    measure list "${theirs[@]}" -b "$db" show_confs
    measure locks ./locks "$calls"
    measure ours mlxconfig-lite -b "$db" -d mlx5_0 query
done
least() { awk -v w="$1" '$1 == w && (least == "" || $2 < least) {least = $2} END {print least}' runs; }
own=$(awk -v l="$(least list)" -v f="$(least locks)" 'BEGIN {printf "%.2f", l + f}')
r=$(awk -v t="$(least theirs)" -v o="$own" -v q="$(least ours)" 'BEGIN {printf "%.2f", (t - o) / q}')
printf 'mst: mstconfig query, CPU                %8.2f s   (its own work, %d locks: %.2f s; mlxconfig-lite query: %.2f s, ratio of the rest %s, limit 2: %s)\n' \
    "$(least theirs)" "$calls" "$own" "$(least ours)" "$r" "$(verdict "$r" 2)"
