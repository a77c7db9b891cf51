#!/bin/bash
# The model of a network: its speed and memory, and its reference algorithms against their papers.
# The shorter of these figures are unit tests too (tests/unit/test_cc_papers.c).
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/bench/verdict.bash"

# run ALGORITHM TOPOLOGY WORKLOAD TIME [AFTER]: figures of a run; figure NAME: one of them.
run() { line=$("$DPAKIT_BUILD/bench/cc_bench" "$@"); }
figure() { awk -v name="$1" '{for (i = 1; i < NF; i += 2) if ($i == name) print $(i + 1)}' <<<"$line"; }
calc() { awk "BEGIN {printf \"%.3f\", $1}"; }
# off IS WANTED: by how many percent.
off() { calc "100 * ($1 > $2 ? $1 - $2 : $2 - $1) / $2"; }
# say WHAT FIGURE UNIT LIMIT [WHY]
say() {
    printf 'cc: %-50s %9s %s (limit %s: %s)%s\n' "$1" "$2" "$3" "$4" "$(verdict "$2" "$4")" "${5:+ $5}"
}
# least NAME RUN...: the least of five runs, for what a busy machine makes greater.
least() {
    local name=$1
    shift
    for _ in 1 2 3 4 5; do
        run "$@"
        figure "$name"
    done | sort -g | head -1
}

# ---- Speed and memory ----
say "an event, incast of 16, HPCC" "$(least ns_event hpcc incast:senders=16 long 10ms)" ns 333 "3 million a second"
work=poisson:load=0.5,sizes=hadoop
say "an event, fat tree of 128 hosts, HPCC" "$(least ns_event hpcc fat-tree:k=8 $work 500us)" ns 333
short=$(least ns_event dcqcn incast:senders=16,warmup=1ms long 5ms)
long=$(least ns_event dcqcn incast:senders=16,warmup=1ms long 50ms)
say "an event in ten times the time" "$(calc "$long / $short")" times 1.3 "cost is linear"
run dcqcn fat-tree:k=16 long:flows=10000 20us
say "10,000 flows in a fat tree of 1024 hosts" "$(figure mb)" MB 2000

# ---- A program, as dpapcc runs it: the model and the emulated DPA, by the figures of --stats ----
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
dpacc "$top"/examples/pcc/device/aimd.c -o "$t/aimd.a" --app-name=aimd -device-libs=-ldoca_pcc_dev
program() { dpapcc run "$t/aimd.a" -q --stats -o "$t/out" "$@" 2>&1; }
for _ in 1 2 3 4 5; do
    program --topology incast:senders=16 --time 20ms
done >"$t/stats"
# For each event of a program there are six of the model.
rate=$(sed -n 's/.* second, \([0-9]*\) of the algorithm$/\1/p' "$t/stats" | sort -g | tail -1)
say "dpapcc run, incast of 16: an event of the program" "$(calc "1e9 / $rate")" ns 1000 "with the model's share"
program --topology fat-tree:k=16 --workload long:flows=10000 --time 200us >"$t/stats"
say "dpapcc run, 10,000 flows in a fat tree" "$(sed -n 's/^-I- \([0-9]*\) MB.*/\1/p' "$t/stats")" MB 2000
rate=$(sed -n 's/.* processor, \([0-9]*\) events of the model.*/\1/p' "$t/stats")
say "dpapcc run, 10,000 flows: an event of the model" "$(calc "1e9 / $rate")" ns 1000 "first touches of packets and queues"

# ---- DCQCN: Zhu et al., SIGCOMM 2015 ----
# The queue at the fixed point of its fluid model (section 5.1, equations 5 to 7): FLOWS at 40 Gb/s.
fixed_point() {
    awk -v n="$1" '
    function change(p, r,    q, alpha, seen, bytes, timer, gap) {
        q = 1 - p; alpha = 1 - q ^ (55e-6 * r); seen = 1 - q ^ (50e-6 * r)
        bytes = p / (q ^ -b - 1); timer = p / (q ^ (-55e-6 * r) - 1)
        gap = alpha * seen / 50e-6 / (bytes + timer)
        return ai * r * (q ^ (5 * b) * bytes + q ^ (5 * 55e-6 * r) * timer) - gap / 50e-6 * seen
    }
    BEGIN {
        b = 10e6 / 1106; ai = 40e6 / 8 / 1106; low = 1e-6; high = 0.5
        for (i = 0; i < 100; i++) {
            middle = (low + high) / 2
            if (change(middle, 40e9 / 8 / 1106 / n) > 0) low = middle; else high = middle
        }
        printf "%.0f", 5000 + low / 0.01 * 195000
    }'
}
for flows in 2 4 8; do
    run dcqcn "incast:senders=$flows,rate=40G,ecn.kmin=5K,ecn.kmax=200K,ecn.pmax=0.01,warmup=50ms" long 400ms
    is=$(figure queue_mean) wanted=$(fixed_point $flows)
    off=$(off "$is" "$wanted")
    say "DCQCN, $flows flows: queue off its fixed point" "$off" % 35 "$is bytes, the fluid model's $wanted"
    say "DCQCN, $flows flows: unfairness" "$(calc "100 * (1 - $(figure fairness))")" % 3
done

# ---- HPCC: Li et al., SIGCOMM 2019 ----
run hpcc dumbbell:senders=2,warmup=1ms long 50ms
say "HPCC: use of the line off 95 %" "$(off "$(figure line)" 0.95)" % 1 "$(figure line) of it"
run hpcc incast:senders=16,warmup=100us long 50ms
say "HPCC, 16 to 1: queue p99" "$(figure queue_p99)" bytes 10000
run dcqcn incast:senders=8 long:stagger=500us 100ms 4000000
dcqcn=$(figure fair_ns)
run hpcc incast:senders=8 long:stagger=500us 100ms 4000000
say "HPCC: time to fair shares, of DCQCN's" "$(calc "$(figure fair_ns) / $dcqcn")" times 0.5 "$(figure fair_ns) and $dcqcn ns"
for sizes in hadoop websearch; do
    work=poisson:load=0.5,sizes=$sizes+bursts:size=64K,period=500us,flows=60
    run dcqcn fat-tree:k=8 $work 5ms
    dcqcn=$(figure short_p99)
    run hpcc fat-tree:k=8 $work 5ms
    say "HPCC, $sizes: p99 of short flows, of DCQCN's" "$(calc "$(figure short_p99) / $dcqcn")" times 0.5 \
        "slowdown $(figure short_p99) and $dcqcn"
done

# ---- Swift: Kumar et al., SIGCOMM 2020 ----
# The delay at which FLOWS with equal windows are at their target (section 3.5): FLOWS BASE_RTT.
target() {
    awk -v n="$1" -v base="$2" 'BEGIN {
        d = base
        for (i = 0; i < 200; i++) {
            extra = 50000 / (0.1 ^ -0.5 - 0.1) * ((100 / 8 / 1106 * d / n) ^ -0.5 - 0.1)
            d = (d + base + 11000 + (extra < 0 ? 0 : extra > 50000 ? 50000 : extra)) / 2
        }
        printf "%.0f", d
    }'
}
for flows in 2 8 32; do
    run swift incast:senders=$flows,warmup=5ms long 100ms
    is=$(figure rtt_p50) wanted=$(target $flows "$(figure base_rtt)")
    off=$(off "$is" "$wanted")
    say "Swift, $flows flows: median delay off its target" "$off" % 15 "$is ns, target $wanted"
    say "Swift, $flows flows: line that is not used" "$(calc "100 * (1 - $(figure line))")" % 1
done
