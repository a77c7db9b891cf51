# dpapcc: algorithms of congestion control in the model of a network, as users run them.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    dpacc "$BATS_TEST_DIRNAME/../../examples/pcc/device/aimd.c" -o aimd.a --app-name=aimd \
        -device-libs="-ldoca_pcc_dev"
    # One program fails in each way, which a text in it chooses.
    program fails 'static const volatile char how[] = "how=0";
    if (how[4] == 49 && f->events == 50) *(volatile uint32_t *)8 = 1;
    if (how[4] == 50 && f->events == 50) context->data[12] = 1;
    while (how[4] == 51 && f->events >= 50) *(volatile uint32_t *)&f->events = 60;
    if (how[4] == 52 && f->events == 50) results->rate = 0;
    if (how[4] == 53 && f->events == 50) results->rate = DOCA_PCC_DEV_MAX_RATE + 1;'
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    aimd=$BATS_FILE_TMPDIR/aimd.a
}

files="fct.svg flows.csv queue.svg rates.svg report.html rtt.svg series.csv summary.json trace.json"

# program NAME BODY: NAME.a, whose algorithm does BODY for each event.
program() {
    {
        printf '#include <doca_pcc_dev.h>\n#include <doca_pcc_dev_event.h>\n'
        printf '#include <doca_pcc_dev_algo_access.h>\n'
        cat <<'C'
struct flow { uint32_t events; };
void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    struct doca_pcc_dev_algo_meta_data about = {.algo_id = 1};
    doca_pcc_dev_algo_init_metadata(0, &about, 0, 0);
    for (uint32_t port = 0; port < DOCA_PCC_DEV_MAX_NUM_PORTS; port++)
        doca_pcc_dev_init_algo_slot(port, 0, 0, 1);
    *disable_event_bitmask = 0;
}
doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port, uint32_t slot, uint32_t base,
    uint32_t count, const uint32_t *values, uint32_t *params)
{
    (void)port, (void)slot, (void)base, (void)count, (void)values, (void)params;
    return DOCA_PCC_DEV_STATUS_FAIL;
}
void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *context, doca_pcc_dev_event_t *event,
    const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results)
{
    struct flow *f = (struct flow *)context;
    (void)event, (void)attr;
    f->events++;
    results->rate = DOCA_PCC_DEV_MAX_RATE / 16;
    results->rtt_req = 0;
C
        printf '    %s\n}\n' "$2"
    } >"$1.c"
    dpacc "$1.c" -o "$1.a" --app-name="$1" -device-libs="-ldoca_pcc_dev"
}

# failing NUMBER NAME: NAME.a, which fails in this way.
failing() {
    LC_ALL=C sed "s/how=0/how=$1/" "$BATS_FILE_TMPDIR/fails.a" >"$2.a"
}

# as_executable NAME: a host program with the algorithm in it.
as_executable() {
    # shellcheck disable=SC2086
    echo 'int main(void) { return 0; }' | gcc ${TEST_HOST_CFLAGS:-} -x c - -o "$1" -x none \
        -Wl,--whole-archive "$aimd" -Wl,--no-whole-archive -L"$DPAKIT_BUILD/lib" -lflexio
}

@test "a reference runs, and a table says what it did" {
    run dpapcc run hpcc --topology incast:senders=4 --time 1ms
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "hpcc on incast:senders=4, 1 ms, seed 1" ]
    grep -qE '^throughput +[0-9.]+ Gbit/s$' <<<"$output"
    grep -qE '^flows +4$' <<<"$output"
    grep -qE '^packets dropped +0$' <<<"$output"
}

@test "results are a folder that is there whole" {
    dpapcc run hpcc --topology incast:senders=4 --time 1ms -q --stats -o out 2>stats
    grep -qE '^-I- hpcc: [0-9.]+ s of a processor, [0-9]+ events of the model a second, [0-9]+ of the algorithm$' stats
    grep -qE '^-I- [1-9][0-9]* MB of memory at most$' stats
    rm stats
    [ "$(cd out && echo *)" = "$files" ]
    [ "$(ls)" = out ]
    [ "$(stat -c %a out)" = "$(printf '%o' $((0777 & ~$(umask))))" ]
    for f in out/*.svg; do xmllint --noout --nonet "$f"; done
    jq -e '.complete and .flows == 4 and .packets.sent == .packets.received + .packets.in_flight' out/summary.json
    jq -e '.traceEvents | length > 100' out/trace.json >/dev/null
    [ "$(wc -l <out/flows.csv)" -eq 5 ]
    [ "$(awk -F, 'NR == 1 { n = NF } NF != n' out/series.csv out/flows.csv | grep -vc '^algorithm,flow,\|^"hpcc",[0-9],"')" -eq 0 ]
}

@test "the same seed gives the same bytes, another seed others" {
    local net=fat-tree:k=4 work=poisson:sizes=hadoop,load=0.3
    dpapcc run dcqcn --topology $net --workload $work --time 500us --seed 7 -o a >a.txt
    dpapcc run dcqcn --topology $net --workload $work --time 500us --seed 7 -o b >b.txt
    dpapcc run dcqcn --topology $net --workload $work --time 500us --seed 8 -o c >c.txt
    cmp a.txt b.txt
    diff -r a b
    ! cmp -s a/flows.csv c/flows.csv
}

@test "a program of our own runs on the DPA, with its parameters" {
    dpapcc list "$aimd" | tee list.txt
    grep -qx 'slot 0: AIMD by delay (id 0x00a1, version 1.0)' list.txt
    grep -qE '^  parameter TARGET_NS = 12000, 1000 to 10000000 ' list.txt
    [ "$(dpapcc list "$aimd" --json | jq -r '.[0].parameters[2].name')" = FACTOR ]
    dpapcc run "$aimd" --topology incast:senders=4 --time 2ms --json -o out >printed
    cmp printed out/summary.json
    jq -e '.algorithm == "aimd" and .parameters.TARGET_NS == 12000 and .counters.PROBES > 0 and
        .counters.PROBES == .calls.rtt and .dpa.events > 100 and .dpa.instructions.mean > 10 and
        .fairness > 0.9 and .throughput_gbps > 50' printed
    dpapcc run "$aimd" --topology incast:senders=4 --time 2ms --json --param target_ns=6000 >less
    jq -e '.parameters.TARGET_NS == 6000' less
    [ "$(jq .rtt_ns.p99 less)" -lt "$(jq .rtt_ns.p99 printed)" ]
}

@test "translated or interpreted, a program's results are the same bytes" {
    local how
    for how in off sync; do
        DPAKIT_JIT=$how dpapcc run "$aimd" --topology incast:senders=3 --time 300us --threads 2 -o $how -q
    done
    diff -r off sync
}

@test "algorithms are compared on the same traffic" {
    run dpapcc compare "$aimd" dcqcn "$aimd" --topology incast:senders=4 --time 1ms -o out
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qE '^ +aimd +dcqcn +aimd-3$' <<<"$output"
    grep -qE '^throughput( +[0-9.]+ [GM]bit/s){3}$' <<<"$output"
    jq -e '.runs[0].throughput_gbps == .runs[2].throughput_gbps' out/summary.json
    jq -e '[.runs[].algorithm] == ["aimd", "dcqcn", "aimd-3"]' out/summary.json
    [ "$(cd out && echo *)" = "$files" ]
}

@test "the page is well-formed, needs nothing else, and says what the summary says" {
    dpapcc compare "$aimd" dcqcn --topology dumbbell:senders=2 --time 1ms -q -o out
    xmllint --noout --nonet out/report.html
    ! grep -qE 'src=|url\(|@import|<script|<link' out/report.html
    ! grep -oE 'https?://[^"]*' out/report.html | grep -vx http://www.w3.org/2000/svg
    # Every number of the page, against the summary.
    grep -oE 'data-run="[0-9]+" data-key="[^"]*" data-value="[^"]*"' out/report.html |
        sed -E 's/data-run="([^"]*)" data-key="([^"]*)" data-value="([^"]*)"/\1 \2 \3/' >cells
    [ "$(wc -l <cells)" -gt 60 ]
    jq -r '.runs | to_entries[] | .key as $run | .value | paths(type == "number" or type == "null") as $p |
        "\($run) \($p | map(tostring) | join(".")) \(getpath($p) // "")"' out/summary.json >facts
    awk 'NR == FNR { v[$1 " " $2] = $3; next }
        !(($1 " " $2) in v) { print "not in the summary: " $0; bad = 1; next }
        v[$1 " " $2] != $3 && v[$1 " " $2] - $3 > 1e-9 * v[$1 " " $2] { print $0 ", not " v[$1 " " $2]; bad = 1 }
        END { exit bad }' facts cells
    # Every picture has a name and a description.
    [ "$(grep -c 'role="img" aria-labelledby=' out/report.html)" -eq 8 ]
    [ "$(grep -c '<desc id="[a-z]*-[wn]-d">[A-Z]' out/report.html)" -eq 8 ]
}

@test "an algorithm that fails: the event, what was until then, and exit code 3" {
    local number name words
    while IFS='|' read -r number name words; do
        failing "$number" "$name"
        run dpapcc run "$name.a" --topology incast:senders=2 --time 1ms -o "out-$name"
        echo "$output"
        [ "$status" -eq 3 ]
        grep -qE "^-E- $name.a: .*flow [0-9]+.*$words" <<<"$output"
        jq -e '.complete == false and (.failure.message | length) > 10 and .failure.time_ns > 0 and
            .packets.sent > 0 and .simulated_ns < 1000000' "out-$name/summary.json"
        grep -qF 'role="alert"' "out-$name/report.html"
    done <<'ALGORITHMS'
1|fault|fault
2|beyond|byte 48 of the flow's context
3|loop|
4|zero|rate
5|large|rate
ALGORITHMS
}

@test "an algorithm that fails does not stop the others" {
    failing 4 zero
    run dpapcc compare hpcc zero.a --topology incast:senders=2 --time 1ms -o out
    [ "$status" -eq 3 ]
    jq -e '.runs[0].complete and (.runs[1].complete | not)' out/summary.json
    jq -e '.runs[0].simulated_ns == 1000000' out/summary.json
}

@test "a device that asks for signatures runs what is signed, and refuses the rest" {
    source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
    new_device open
    as_executable unsigned
    local few=(--topology incast:senders=2 --time 100us -q -d mlx5_0)
    dpapcc run unsigned "${few[@]/mlx5_0/open}"
    mlxdpa -e unsigned -c "$test_keys/chain.der" -p "$test_keys/leaf.pem" -o signed sign_dpa_apps
    make_locking_device mlx5_0 "$test_keys/root.der"
    dpapcc run signed "${few[@]}" -o out
    run dpapcc run unsigned "${few[@]}" -o none
    echo "$output"
    [ "$status" -eq 11 ]
    grep -q '^-E- ' <<<"$output"
    [ -e out ] && [ ! -e none ]
}

@test "a device ELF of its own, and a program in an executable" {
    dpacc-extract "$aimd" -o aimd.elf
    dpapcc run aimd.elf --topology incast:senders=2 --time 200us --json >elf
    jq -e '.algorithm == "aimd" and .dpa.events > 0' elf
    as_executable main
    dpapcc run main --topology incast:senders=2 --time 200us --json >exe
    diff <(jq 'del(.algorithm, .source)' elf) <(jq 'del(.algorithm, .source)' exe)
}

@test "wrong usage is one line that says what is wrong" {
    local line
    printf '__dpa_global__ void f(void) { }\n' >f.c
    dpacc f.c -o other.a --app-name=other
    printf 'topology: [\n' >bad.yaml
    mkdir taken && touch taken/thesis.tex
    refused() { # WORDS COMMAND...
        local words=$1 code=0
        shift
        dpapcc "$@" >out 2>err || code=$?
        echo "dpapcc $*: $code, $(cat err)"
        [ "$code" -ge 1 ] && [ "$code" -le 2 ] && [ "$(grep -c '^-E- ' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qE -- "$words" err && [ ! -s out ]
    }
    refused 'missing.a' run missing.a
    refused 'not a program of congestion control' run other.a
    refused 'compare takes 2 to 16' compare dcqcn
    refused 'star' run dcqcn --topology star
    refused 'bad.yaml' run dcqcn --topology ./bad.yaml
    refused 'No such file' run dcqcn --topology ./none.yaml
    refused 'time' run dcqcn --time never
    refused 'no time at all' run dcqcn --time 0ms
    refused 'more than 100000 samples' run dcqcn --time 1s --interval 1us
    refused 'workload' run dcqcn --workload lunch
    refused 'has the parameters of its paper' run dcqcn --param AI=1
    refused 'not NAME=VALUE' run "$aimd" --param TARGET_NS
    refused 'not a number of 32 bits' run "$aimd" --param TARGET_NS=many
    refused 'it has TARGET_NS, INCREASE' run "$aimd" --param TARGET=1
    refused 'TARGET_NS=5' run "$aimd" --param TARGET_NS=5
    refused 'no algorithm in slot 3' run "$aimd" --slot 3
    refused 'thesis.tex' run dcqcn -o taken
    refused 'unknown command' walk dcqcn
    [ "$(ls taken)" = thesis.tex ]
    refused 'Not a directory|not a directory' run dcqcn -o f.c
}

@test "a wrong text of an option is wrong usage, which names the option and what there is; a wrong file is not" {
    wrong() { # CODE TEXT ARGUMENT...
        run "-$1" dpapcc run dcqcn --time 100us "${@:3}"
        echo "$output"
        [ "$output" = "-E- $2" ]
    }
    wrong 2 '--topology: no topology "star" (there are dumbbell, incast, parking-lot, fat-tree, custom)' --topology star
    wrong 2 '--topology: senders: 0 is not within 1 to 8000' --topology incast:senders=0
    wrong 2 '--topology: rate: "100" is not a rate, as 100G is' --topology incast:rate=100
    wrong 2 '--workload: no key "of" (there are start, stop, stagger, size, period, flows, sizes, load, from, to, algorithm, file)' \
        --workload bursts:of=3
    wrong 2 '--workload: no kind of workload "lunch" (there are long, bursts, poisson, flow, trace)' --workload lunch
    wrong 2 '--fail: there is no link between a and b to fail; the links are sender0,switch receiver,switch' \
        --topology incast:senders=1 --fail a,b:down=1us
    wrong 2 "option --interval: '1' is not a time, as 1.5us is" --interval 1
    wrong 1 '--workload: none.csv: No such file or directory' --workload trace:file=none.csv
    printf 'topology: incast\nsenders: 0\n' >net.yaml
    wrong 1 './net.yaml: line 2: senders: 0 is not within 1 to 8000' --topology ./net.yaml
}

@test "results replace those of an earlier run, and nothing else" {
    dpapcc run hpcc --time 100us -q -o out
    cp out/summary.json before
    ln -s out link
    dpapcc run swift --time 100us -q -o link/
    [ -L link ] && [ ! -L out ]
    ! cmp -s before out/summary.json
    [ "$(cd out && echo *)" = "$files" ]
    chmod -w . && run dpapcc run swift --time 100us -q -o new
    chmod +w .
    [ "$(id -u)" -eq 0 ] || [ "$status" -eq 1 ]
    [ "$(ls -d .out.* .new.* 2>/dev/null)" = "" ]
}

@test "thousands of flows are shown by quantiles" {
    dpapcc run hpcc --topology fat-tree:k=4 --workload poisson:sizes=hadoop,load=0.5 --time 1ms -q -o out
    [ "$(jq .finished out/summary.json)" -gt 100 ]
    jq -e '.slowdown.to_10k.flows > 0 and .slowdown.to_10k.p50 >= 1 and
        .slowdown.to_10k.p99 >= .slowdown.to_10k.p50' out/summary.json
    grep -qE '5 to 95 % of [0-9]+ flows' out/rates.svg
    [ "$(grep -c '>flow [0-9]*<' out/rates.svg)" -le 40 ]
}

@test "the budget is the time that a card has, or what is said" {
    dpapcc run "$aimd" --topology incast:senders=2 --time 500us --threads 4 --json >a
    dpapcc run "$aimd" --topology incast:senders=2 --time 500us --threads 8 --json >b
    jq -se '(.[1].dpa.budget_ns / .[0].dpa.budget_ns - 2 | fabs) < 0.01' a b
    dpapcc run "$aimd" --topology incast:senders=2 --time 500us --budget 1000 --json >c
    jq -e '.dpa.budget_ns == 1000 and .dpa.load == .dpa.ns.mean / 1000' c
}

@test "a function that a program must have is missed by name, in a line" {
    local name need=(doca_pcc_dev_user_init doca_pcc_dev_user_algo doca_pcc_dev_user_set_algo_params)
    cp "$BATS_FILE_TMPDIR/fails.c" without.c
    for name in "${need[@]}"; do sed -i "s/$name(/static_$name(/" without.c; done
    run dpacc without.c -o without.a --app-name=without -device-libs="-ldoca_pcc_dev"
    echo "$output"
    [ "$status" -ne 0 ] && [ ! -e without.a ]
    for name in "${need[@]}"; do
        # Some linkers repeat the message in each pass.
        [ "$(grep "$name" <<<"$output" | sort -u | wc -l)" -eq 1 ]
        grep -qF "a reaction point of DOCA PCC needs the function $name (dpa-pcc(7))" <<<"$output"
    done
    ! grep -q 'undefined symbol' <<<"$output"
}

@test "flows have sizes of a distribution of one's own" {
    printf '0 0\n1000 50\n9000 100\n' >sizes.txt
    dpapcc run hpcc --topology fat-tree:k=4 --workload poisson:sizes=./sizes.txt,load=0.3 --time 1ms -q -o out
    # Half of the sizes up to 1000, all up to 9000; uniform between.
    awk -F, 'NR > 1 { n++; small += $5 <= 1000; if ($5 > 9000) bad++; sum += $5 }
        END { print n, small / n, sum / n; exit !(n > 1000 && small / n > 0.45 && small / n < 0.55 && !bad &&
            sum / n > 2500 && sum / n < 3000) }' out/flows.csv
    dpapcc run hpcc --topology fat-tree:k=4 --workload poisson:sizes=./sizes.txt,load=0.3 --time 1ms -q -o again
    diff -r out again
    # With a topology file, paths are relative to its folder.
    mkdir sub && mv sizes.txt sub/
    printf 'topology: incast\nworkload:\n  - {kind: poisson, sizes: ./sizes.txt, load: 0.2}\n' >sub/net.yaml
    dpapcc run hpcc --topology sub/net.yaml --time 1ms --json | jq -e '.flows > 100'
    printf '0 0\n1000 x\n' >sub/sizes.txt
    run dpapcc run hpcc --topology sub/net.yaml
    [ "$status" -eq 1 ]
    [ "$output" = "-E- sub/./sizes.txt: line 2: the probability is not a number of 0 to 1, or of 0 to 100" ]
}

@test "flows of a trace, until all have ended" {
    printf 'start,source,destination,bytes\n0,sender0,receiver,64000\n5us,1,receiver,1000\n' >flows.csv
    dpapcc run hpcc --topology incast:senders=2 --workload trace:file=flows.csv --time 1s --interval 1ms --until-end --json -o out >json
    jq -e '.flows == 2 and .finished == 2 and .simulated_ns == .last_end_ns and .simulated_ns < 100000' json
    [ "$(sed 1d out/flows.csv | cut -d, -f3-6 | tr -d '"' | paste -sd' ')" = "sender0,receiver,64000,0 sender1,receiver,1000,5000" ]
    # A limit that is too small is reported.
    dpapcc run hpcc --topology incast:senders=2 --workload trace:file=flows.csv --time 4us --until-end -q 2>err
    [ "$(cat err)" = "-W- hpcc: 0 of 1 flows have ended after --time; give it more time" ]
    run dpapcc run hpcc --until-end
    [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && grep -q 'flow 0 has no end' <<<"$output"
    run dpapcc run hpcc --until-end --workload poisson:load=0.1
    [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && grep -q 'a `stop`' <<<"$output"
    dpapcc run hpcc --until-end --workload poisson:load=0.5,stop=200us --time 1s --interval 1ms --json >json
    jq -e '.finished == .flows and .flows > 1' json
    sed -i '3s/1,rec/sender7,rec/' flows.csv
    run dpapcc run hpcc --topology incast:senders=2 --workload trace:file=flows.csv
    [ "$status" -eq 2 ] && grep -qF 'flows.csv, line 3: the network has no host "sender7"' <<<"$output"
    sed -i '3s/sender7/receiver/' flows.csv
    run dpapcc run hpcc --topology incast:senders=2 --workload trace:file=flows.csv
    [ "$status" -eq 2 ] && grep -qF 'flows.csv, line 3: a flow from receiver to itself' <<<"$output"
    run dpapcc run hpcc --workload trace
    [ "$status" -eq 2 ] && grep -q 'trace:file=flows.csv' <<<"$output"
}

@test "links fail, and come up again" {
    dpapcc run hpcc --topology dumbbell:senders=2,timeout=100us --time 3ms --json -o out \
        --fail switch0,switch1:down=1ms,up=2ms >json
    jq -e '.packets.lost_on_links > 0 and .packets.sent == .packets.received + .packets.dropped + .packets.in_flight' json
    jq -e '[.traceEvents[] | select(.name | startswith("link ")) | "\(.name) \(.ts | floor)"] | unique ==
        ["link down 1000", "link up 2000"]' out/trace.json
    # No packet passes while the link is down, and all packets pass afterwards.
    awk -F, 'NR > 1 && $2 > 1100000 && $2 < 1900000 { down += $3; n++ } $2 > 2500000 { up += $3; m++ }
        END { exit !(n > 200 && down == 0 && up / m > 80e9) }' out/series.csv
    cat >net.yaml <<'YAML'
topology: dumbbell
timeout: 100us
failures:
  - {from: switch0, to: switch1, down: 1ms, up: 2ms}
YAML
    dpapcc run hpcc --topology ./net.yaml --time 3ms --json | jq 'del(.topology)' >same
    diff same <(jq 'del(.topology)' json)
    sed -i 's/to: switch1/to: switch7/' net.yaml
    run dpapcc run hpcc --topology ./net.yaml
    [ "$status" -eq 2 ] && [ "$output" = "-E- ./net.yaml: line 4: there is no link between switch0 and switch7 to fail; the links are sender0,switch0 sender1,switch0 receiver0,switch1 receiver1,switch1 ..." ]
    run dpapcc run hpcc --fail sender0,switch
    [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && grep -q 'NODE,NODE:down=TIME' <<<"$output"
}

@test "two algorithms share a network" {
    dpapcc mix "$aimd" dcqcn --topology incast:senders=4 --time 2ms --json -o out >json
    jq -e '.algorithm == "aimd+dcqcn" and .flows == 4 and .mix["1"].algorithm == "aimd" and .mix["2"].algorithm == "dcqcn" and
        .mix["1"].flows == 2 and .mix["2"].flows == 2 and (.mix["1"].share + .mix["2"].share - 1 | fabs) < 1e-9 and
        (.mix["1"].throughput_gbps + .mix["2"].throughput_gbps - .throughput_gbps | fabs) < 1e-6 and
        .mix.fairness > 0.5 and .mix.fairness <= 1' json
    [ "$(sed 1d out/flows.csv | cut -d, -f1 | tr -d '"' | paste -sd' ')" = "aimd dcqcn aimd dcqcn" ]
    grep -q '>flow 1, dcqcn<' out/rates.svg
    dpapcc mix "$aimd" dcqcn --topology incast:senders=4 --time 2ms | grep -qE '^fairness between them +0\.[5-9]'
    # An algorithm with itself is fair, and shares as if it were alone.
    dpapcc mix hpcc hpcc --topology incast:senders=4 --time 2ms --json >twice
    dpapcc run hpcc --topology incast:senders=4 --time 2ms --json >once
    [ "$(jq -c '[.throughput_gbps, .packets, .queue]' twice)" = "$(jq -c '[.throughput_gbps, .packets, .queue]' once)" ]
    jq -e '.mix.fairness > 0.99' twice
    # The workload assigns algorithms to flows.
    dpapcc mix hpcc dcqcn --topology dumbbell:senders=3 --time 1ms -q -o said \
        --workload flow:from=sender0,to=receiver0,algorithm=2+flow:from=sender1,to=receiver1,algorithm=1+flow:from=sender2,to=receiver2,algorithm=2
    [ "$(sed 1d said/flows.csv | cut -d, -f1 | tr -d '"' | paste -sd' ')" = "dcqcn hpcc dcqcn" ]
    run dpapcc mix hpcc dcqcn --workload long:algorithm=3
    [ "$status" -eq 2 ] && [ "$output" = "-E- the workload: algorithm 3 of 2 that share the network" ]
    run dpapcc mix hpcc
    [ "$status" -eq 2 ] && grep -q 'mix takes 2 to 16' <<<"$output"
}

@test "a sweep shows means of seeds with their intervals" {
    local net=(--topology fat-tree:k=4 --workload poisson:sizes=hadoop,load=@load --time 200us)
    dpapcc sweep dcqcn --over load=0.1,0.4 --seeds 4 "${net[@]}" --json -o out >json
    cmp json out/summary.json
    [ "$(cd out && echo *)" = "dropped.svg fairness.svg queue.svg rtt.svg runs.csv slowdown50.svg slowdown99.svg summary.json sweep.csv throughput.svg" ]
    for f in out/*.svg; do xmllint --noout --nonet "$f"; done
    jq -e '[.points[].at.load] == ["0.1", "0.4"] and .seeds == 4 and .points[0].metrics.throughput_gbps.n == 4 and
        .points[1].metrics.throughput_gbps.mean > 2 * .points[0].metrics.throughput_gbps.mean' json
    # Each run has the results of the command run, and the interval is Student's.
    [ "$(awk -F, '$1 == "0.4" && $2 == 3 { print $3 }' out/runs.csv)" = \
        "$(dpapcc run dcqcn "${net[@]/@load/0.4}" --seed 3 --json | jq -r '.throughput_gbps | . * 1e6 | round / 1e6')" ] ||
        awk -F, '$1 == "0.4" && $2 == 3 { print $3 }' out/runs.csv
    awk -F, 'NR == 1 { exit !($1 == "load" && $2 == "seed" && $3 == "throughput_gbps") }' out/runs.csv
    awk -F, -v want="$(awk -F, '$1 == "0.4" && $2 == "throughput_gbps" { print $5 }' out/sweep.csv)" '$1 == "0.4" { x[n++] = $3; s += $3 }
        END { m = s / n; for (i in x) q += (x[i] - m) ^ 2; h = 3.1824 * sqrt(q / (n - 1) / n)
            exit !(n == 4 && h / want > 0.9999 && h / want < 1.0001) }' out/runs.csv
    dpapcc sweep dcqcn --over load=0.1,0.4 --seeds 4 "${net[@]}" -q -o again
    diff -r out again
    # A parameter of a program; two axes.
    dpapcc sweep "$aimd" --over TARGET_NS=6000,20000 --over n=2,4 --seeds 2 --topology incast:senders=@n --time 2ms -q --log -o two
    jq -e '[.points[].at | "\(.TARGET_NS) \(.n)"] == ["6000 2", "6000 4", "20000 2", "20000 4"] and
        .points[1].metrics["rtt_ns.p99"].mean < .points[3].metrics["rtt_ns.p99"].mean' two/summary.json
    grep -q '>n=4<' two/rtt.svg
    run dpapcc sweep "$aimd" --over TARGET_NS=6000,20000 --seeds 2 --time 200us
    grep -qE '^round trip, p99 +[0-9.]+ .s Â± [0-9.]+ .?s$' <<<"$output" || grep -q '±' <<<"$output"
}

@test "an invalid sweep is refused in one line" {
    local words
    refused() { # WORDS ARGS...
        words=$1
        shift
        run dpapcc sweep "$@"
        echo "$output"
        [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && grep -qE -- "$words" <<<"$output"
    }
    refused "is not NAME=VALUE,VALUE" hpcc --over load
    refused "a value is empty" hpcc --over load=1,,2
    refused "has load twice" hpcc --over load=1 --over load=2
    refused "more than 10000 runs" hpcc --over a=1,2,3,4,5,6,7,8,9,10,11 --seeds 1000
    # The name of the algorithm, with which many messages begin, is there once.
    refused "^-E- at load=1, seed 1: hpcc has the parameters of its paper" hpcc --over load=1
    refused "^-E- at TARGET=1, seed 1: [^:]*aimd.a has no parameter 'TARGET'" "$aimd" --over TARGET=1
    run -2 dpapcc sweep hpcc --over n=0 --topology incast:senders=@n
    [[ $output == "-E- hpcc with n=0, seed 1: --topology: senders: 0 is not within "* ]]
    # A name that --over does not have is neither a number nor a file.
    refused "^-E- --topology: @m is not a NAME of --over" hpcc --over n=1 --topology incast:senders=@m,size=@n
    touch @x.txt
    refused "^-E- --workload: @x.txt is not a NAME of --over" hpcc --over n=1 --workload poisson:sizes=@x.txt,load=@n
}

@test "axes are logarithmic when they shall be" {
    dpapcc run hpcc --topology incast:senders=4 --time 500us -q -o linear
    dpapcc run hpcc --topology incast:senders=4 --time 500us -q --log -o log
    diff linear/flows.csv log/flows.csv
    for f in rates queue rtt; do
        xmllint --noout --nonet log/$f.svg
        ! cmp -s linear/$f.svg log/$f.svg
    done
    grep -q '>0.0001<\|>0.1<' log/queue.svg
}

@test "a target that an empty network misses is hinted at" {
    dpapcc run "$aimd" --topology incast:senders=2 --time 200us -q --param TARGET_NS=4000 2>err
    cat err
    grep -qE '^-W- aimd: TARGET_NS = 4000 is below the empty network.s round trip, [45][0-9]{3} ns: every probe looks like congestion$' err
    [ "$(wc -l <err)" -eq 1 ]
    dpapcc run "$aimd" --topology incast:senders=2 --time 200us -q 2>err
    [ ! -s err ]
}

@test "the help gives the exit codes that the tool uses" {
    dpapcc --help | tr '\n' ' ' | grep -q '1 failed, 2 wrong usage, 3 the algorithm failed (its results until then are written)'
    run -2 dpapcc run
    run -1 dpapcc run ./none.a
    failing 4 zero
    run -3 dpapcc run zero.a --topology incast:senders=2 --time 1ms
}

@test "a mistyped name of a reference is pointed out" {
    run -1 dpapcc run dcqn
    [ "$output" = "-E- dcqn: No such file or directory; did you mean dcqcn?" ]
    run -1 dpapcc run ./dcqn
    [ "$output" = "-E- ./dcqn: No such file or directory" ]
}
