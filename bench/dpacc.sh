#!/bin/bash
# dpacc on a program of 10 files and 20,000 lines: its CPU time next to that of the compilers and
# other tools it runs, two jobs next to one, and a table of 1 MiB next to its compile alone. Best of
# two; and its help, which needs no compiler, best of twenty.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
. "$(cd "$(dirname "$0")" && pwd)/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for file in $(seq 0 9); do
    awk -v f="$file" 'BEGIN {
        print "#include <stdint.h>"
        print "#include \"libflexio-libc/string.h\""
        print "#include <libflexio-dev/flexio_dev.h>"
        print "struct item { uint32_t key, count; uint64_t sum; uint8_t tag[16]; };"
        print "static struct item items_" f "[64];"
        for (i = 0; i < 98; i++) {
            print "static uint64_t step_" f "_" i "(uint64_t a, uint64_t b, struct item *t)"
            print "{"
            print "    uint64_t h = a ^ 0x9e3779b97f4a7c15ull, k = b + " i ";"
            print "    for (unsigned n = 0; n < 1 + (a & 7); n++) {"
            print "        h = (h << 13 | h >> 51) * 5 + k;"
            print "        if (h & 64)"
            print "            t->sum += h >> 3;"
            print "        else"
            print "            t->tag[n & 15] = (uint8_t)(h + n);"
            print "        k ^= t[n & 3].sum + items_" f "[h & 63].count;"
            print "    }"
            print "    switch (k & 3) {"
            print "    case 0: t->count++; break;"
            print "    case 1: t->key = (uint32_t)k; break;"
            print "    case 2: memcpy(t->tag, &k, sizeof k); break;"
            print "    default: h -= k;"
            print "    }"
            print "    return h + k;"
            print "}"
        }
        print "__dpa_rpc__ uint64_t entry_" f "(uint64_t a, uint32_t b)"
        print "{"
        print "    uint64_t r = a;"
        print "    switch (b) {"
        for (j = 0; j < i; j++) {
            print "    case " j ":"
            print "        r += step_" f "_" j "(r, b, &items_" f "[b & 31]);"
            print "        break;"
        }
        print "    }"
        print "    return r;"
        print "}"
    }' >"part$file.c"
done

TIMEFORMAT='%U %S %R'
# measure FILE COMMAND...: adds a line "CPU-seconds wall-seconds" of it and what it waits for.
measure() {
    local file=$1
    shift
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print $1 + $2, $3}' >>"$file"
}
best() { sort -n -k "$2" "$1" | awk -v n="$2" 'NR == 1 {print $n}'; }

help=$(for _ in $(seq 20); do "$DPAKIT_BUILD/bench/measure" dpacc --help; done | sort -n | awk 'NR == 1 {print $1}')
printf 'dpacc: --help, wall                     %8.1f ms  (limit 5: %s)\n' "$help" "$(verdict "$help" 5)"

# The tools alone: the printed commands without those that are dpacc's own.
dpacc part?.c -o out.a -keep-dir kept
dpacc part?.c -o out.a -keep-dir kept -dryrun | grep -v "dpacc -step" >tools.sh
for _ in 1 2; do
    measure one dpacc part?.c -o out.a -j1
    measure two dpacc part?.c -o out.a -j2
    measure tools bash -e tools.sh
done
# On a busy machine two jobs get no more of it than one does: then the wall time tells nothing.
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
cpu=$(best one 1) tools=$(best tools 1) one=$(best one 2) two=$(best two 2)
own=$(ratio "$cpu" "$tools") jobs=$(ratio "$two" "$one")
printf 'dpacc: 10 files, %d lines, CPU       %8.2f s   (its compilers and linkers alone: %.2f s, ratio %s, limit 1.15: %s)\n' \
    "$(cat part?.c | wc -l)" "$cpu" "$tools" "$own" "$(verdict "$own" 1.15)"
# On a busy machine, and on one core, two jobs get no more of it than one does: the wall time tells nothing.
told=$(verdict "$jobs" 0.65)
[ "$(nproc)" -gt 1 ] && awk -v w="$one" -v c="$cpu" 'BEGIN {exit !(w <= 1.2 * c)}' || told="not judged, the machine was busy"
printf 'dpacc: the same with -j2, wall          %8.2f s   (-j1: %.2f s, ratio %s, limit 0.65: %s)\n' \
    "$two" "$one" "$jobs" "$told"

{
    echo '__dpa_global__ void f(void) {}'
    echo 'const unsigned char table[] = {'
    awk 'BEGIN {for (i = 0; i < 1048576; i++) printf "0x%02x,%s", i * 7919 % 251, i % 12 == 11 ? "\n" : " "}'
    echo '};'
} >table.c
dpacc table.c -o table.a -keep-dir kept -dryrun | grep -- '-c table.c' >table.sh
for _ in 1 2; do
    measure table dpacc table.c -o table.a
    measure table_compile bash -e table.sh
done
awk -v d="$(best table 1)" -v c="$(best table_compile 1)" 'BEGIN {
    printf "dpacc: a table of 1 MiB, CPU            %8.2f s   (its compile alone: %.2f s, ratio %.2f)\n", d, c, d / c
}'
