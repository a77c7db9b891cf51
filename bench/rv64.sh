#!/bin/bash
# Emulator speed in instructions per second, next to qemu-riscv64 on the same programs.
# Needs $DPAKIT_BUILD with what bench/bench.mk builds. Times are user CPU time.
set -u
: "${DPAKIT_BUILD:?where the built tree is}"
TIMEFORMAT=%U
status=0
for kernel in sieve sha256 records_and_strings matrix; do
    program=$DPAKIT_BUILD/bench/rv64-$kernel
    if ! ours=$("$DPAKIT_BUILD/bench/rv64_bench" "$program" 2>&1); then
        echo "emulator: $kernel failed: $ours" >&2
        status=1
        continue
    fi
    read -r instructions seconds <<< "${ours##*$'\n'}"
    mips=$(awk "BEGIN {printf \"%.0f\", $instructions / $seconds / 1e6}")
    if ! command -v qemu-riscv64 > /dev/null; then
        printf 'emulator: %-20s %5d MIPS  (%s s; qemu-riscv64 is not installed)\n' \
            "$kernel" "$mips" "$seconds"
        continue
    fi
    qemu=$( { time theirs=$(qemu-riscv64 "$program"); printf '%s\n' "$theirs"; } 2>&1)
    if [ "${qemu##*$'\n'}" != "${ours%%$'\n'*}" ]; then
        echo "emulator: $kernel: results differ: $ours; qemu: $qemu" >&2
        status=1
    fi
    theirs=${qemu%%$'\n'*}
    printf 'emulator: %-20s %5d MIPS  (qemu-riscv64 user mode: %s s, ours %s s, ratio %s)\n' \
        "$kernel" "$mips" "$theirs" "$seconds" "$(awk "BEGIN {printf \"%.1f\", $seconds / $theirs}")"
done
exit $status
