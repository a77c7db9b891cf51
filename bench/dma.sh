#!/bin/bash
# DOCA DMA: copies next to memcpy, within a process and from another one; small tasks, few and many at
# once. Rounds take turns, and ratios are of their medians.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
dpadev create mlx5_0 >log
gcc -std=gnu11 -O2 -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" "$here/dma_bench.c" -o dma_bench \
    -L"$DPAKIT_BUILD/lib" -ldoca_dma -ldoca_common -Wl,-rpath,"$DPAKIT_BUILD/lib"
for _ in 1 2 3 4 5; do
    for what in memcpy copy import export bare-import hot-memcpy hot-copy hot-import import-task 'tasks 32' 'tasks 10000' 'contexts 1' 'contexts 1000'; do
        # shellcheck disable=SC2086
        echo "${what/ /-} $(./dma_bench $what)"
    done
done | sort -k1,1 -k2,2n >figures
figure() { awk -v w="$1" '$1 == w {a[++n] = $2} END {print a[int((n + 1) / 2)]}' figures; }
ratio() { awk -v a="$(figure "$1")" -v b="$(figure "$2")" 'BEGIN {printf "%.2f", a / b}'; }

# large WHAT FIGURE BESIDE NAME [LEAST]: with a least ratio it is judged.
large() {
    local r v=
    r=$(ratio "$2" "$3")
    [ -z "${5-}" ] || v=", limit $5: $(verdict "$5" "$r")"
    printf 'dma: %-38s %8.2f GB/s  (%s: %.2f GB/s, ratio %.2f%s)\n' "$1" "$(figure "$2")" "$4" "$(figure "$3")" "$r" "$v"
}
large 'copies of 1 MiB' copy memcpy memcpy 0.8
large 'the same 1 MiB, in the cache' hot-copy hot-memcpy memcpy 0.8
large 'from another process, 1 MiB' import bare-import process_vm_readv 0.8
large 'the same' import memcpy memcpy
large 'to another process, 1 MiB' export memcpy memcpy
large 'from it, in the cache' hot-import hot-memcpy memcpy
printf 'dma: %-38s %8.2f M/s   (limit 2.00: %s)\n' 'tasks of 64 bytes, 32 at once' "$(figure tasks-32)" \
    "$(verdict 2 "$(figure tasks-32)")"
printf 'dma: %-38s %8.2f M/s   (ratio %.2f to 32, limit 0.50: %s)\n' 'the same, 10,000 at once' "$(figure tasks-10000)" \
    "$(ratio tasks-10000 tasks-32)" "$(verdict 0.5 "$(ratio tasks-10000 tasks-32)")"
printf 'dma: %-38s %8.2f M/s   (ratio %.2f to one task of one context, limit 0.50: %s)\n' '1,000 contexts with a task each' \
    "$(figure contexts-1000)" "$(ratio contexts-1000 contexts-1)" "$(verdict 0.5 "$(ratio contexts-1000 contexts-1)")"
printf 'dma: %-38s %8.2f us\n' 'a task of 64 bytes, another process' "$(figure import-task)"
