#!/bin/sh
# Fails unless an algorithm shares a link fairly, with a short queue and without losses.
#   ci.sh ALGO TOPOLOGY OUT     ALGO: what dpapcc runs; OUT: the folder for its results
# Environment: FAIRNESS (Jain's index, at least; default 0.95), QUEUE (bytes that the busiest queue
# may have at the 99th percentile; default 300000), THROUGHPUT (Gbit/s, at least; default 80)
set -eu
dpapcc run "$1" --topology "$2" --time 20ms --seed 1 -q -o "$3"
jq -e --argjson fairness "${FAIRNESS:-0.95}" --argjson queue "${QUEUE:-300000}" \
    --argjson throughput "${THROUGHPUT:-80}" '
    [if .fairness < $fairness then "fairness \(.fairness), not \($fairness)" else empty end,
     if .queue.p99 > $queue then "queue p99 \(.queue.p99) bytes, not \($queue)" else empty end,
     if .throughput_gbps < $throughput then "\(.throughput_gbps) Gbit/s, not \($throughput)"
     else empty end,
     if .packets.dropped > 0 then "\(.packets.dropped) packets dropped" else empty end] |
    if . == [] then "ok" else "FAILED: " + join("; ") + "\n" | halt_error end' "$3/summary.json"
