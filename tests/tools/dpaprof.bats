# Profiles: DPAKIT_PROFILE, dparun --profile, dpaprof.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >prof.c <<'END'
#include <stdint.h>
#include <doca_dpa_dev.h>
static volatile uint64_t sink;
__attribute__((noinline)) static uint64_t twice(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += i * i ^ (sum >> 3);
    return sum;
}
__attribute__((noinline)) static uint64_t primes(uint64_t n)
{
    uint64_t count = 0;
    for (uint64_t i = 2; i < n; i++) {
        uint64_t d = 2;
        while (d * d <= i && i % d != 0)
            d++;
        if (d * d > i)
            count++;
    }
    return count;
}
__attribute__((noinline)) static uint64_t deep(uint64_t n, uint64_t m)
{
    return n == 0 ? twice(m) : deep(n - 1, m) + sink;
}
__dpa_rpc__ uint64_t work(uint64_t n)
{
    uint64_t r = primes(n);
    for (int i = 0; i < 20; i++)
        r += deep(5, n / 2);
    sink = r;
    return r;
}
__dpa_global__ void each(uint64_t n) { sink = primes(n); }
__dpa_rpc__ uint64_t wrong(uint64_t n) { return primes(n) + *(volatile uint64_t *)8; }
END
    dpacc prof.c -o prof.a -hostcc=gcc --app-name=prof
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices DPAKIT_CACHE=off
}

# share FILE WORD: the share of instructions whose stacks have the word, in 1/10000.
share() { awk -v w="$2" '{ all += $NF } index($0, w) { got += $NF } END { print int(10000 * got / all) }' "$1"; }

@test "a sampled profile agrees with exact counts within 2 %" {
    dparun "$f/prof.a" --rpc work 30000 --profile sampled.folded --profile-every 1009
    dparun "$f/prof.a" --rpc work 30000 --profile exact.folded --profile-every 1 --stats >out
    # Each instruction is counted once.
    [ "$(awk '{ n += $NF } END { print n }' exact.folded)" -eq "$(sed -n 's/^instructions: //p' out)" ]
    for w in ';primes' ';twice' ';prof.c:8' ';prof.c:16' ';prof.c:17' ';prof.c:14'; do
        a=$(share sampled.folded "$w") b=$(share exact.folded "$w")
        [ "$b" -gt 0 ]
        [ $((a - b)) -le 200 ] && [ $((b - a)) -le 200 ] || { echo "$w: $a, exact $b"; false; }
    done
}

@test "samples are the same, interpreted or translated" {
    for jit in off on sync; do
        DPAKIT_JIT=$jit dparun "$f/prof.a" --rpc work 30000 --profile $jit.folded --profile-every 4999
    done
    [ "$(grep -c '' off.folded)" -gt 4 ]
    cmp off.folded on.folded
    cmp off.folded sync.folded
}

@test "callers are found by call frame information" {
    dparun "$f/prof.a" --rpc work 30000 --profile p.folded --profile-every 4999
    grep -q '^prof;work;deep;deep;deep;deep;deep;twice;prof.c:8 [0-9]*$' p.folded
    grep -q '^prof;work;primes;prof.c:16 [0-9]*$' p.folded
    ! grep -vE '^prof;(work|_dpa|deep)' p.folded
}

@test "inlined functions are frames, and their callers' frames lead to them" {
    cat >inl.c <<'END'
#include <stdint.h>
static volatile uint64_t sink;
static inline __attribute__((always_inline)) uint64_t inner(uint64_t n)
{
    uint64_t s = 0;
    for (uint64_t i = 0; i < n; i++)
        s += i * i ^ (s >> 3);
    return s;
}
__attribute__((noinline)) static uint64_t called(uint64_t n) { return inner(n) + sink; }
static inline __attribute__((always_inline)) uint64_t outer(uint64_t n)
{
    uint64_t s = inner(n);
    for (uint64_t i = 0; i < n; i++)
        sink += s;
    return s + called(n);
}
__dpa_rpc__ uint64_t work(uint64_t n)
{
    sink = n;
    return outer(n) + sink;
}
END
    # DWARF 5 and 4 encode addresses and ranges differently.
    for how in "-O2 -g" "-O2 -gdwarf-4" "-O3 -gdwarf-5 -funroll-loops"; do
        rm -rf inl.a
        dpacc inl.c -o inl.a -hostcc=gcc --app-name=inl --devicecc-options="$how"
        dparun inl.a --rpc work 3000 --profile e.folded --profile-every 1 --stats >out
        cat e.folded
        [ "$(awk '{ n += $NF } END { print n }' e.folded)" -eq "$(sed -n 's/^instructions: //p' out)" ]
        grep -q '^inl;work;outer;inner;inl.c:7 [0-9]*$' e.folded
        grep -q '^inl;work;outer;inl.c:[0-9]* [0-9]*$' e.folded
        grep -q '^inl;called;inner;inl.c:7 [0-9]*$' e.folded
        ! grep -qE ';(inner|outer);(work|called)|inner;outer|inl;(inner|outer)' e.folded || false
        # With callers, the inlined function has its own frame.
        dparun inl.a --rpc work 30000 --profile s.folded --profile-every 997
        grep -q '^inl;work;outer;called;inner;inl.c:7 [0-9]*$' s.folded
        dpaprof annotate s.folded inl.a >out
        grep -q 'inl.c' out
    done
    # Without debug information, functions have frames as before.
    dpacc inl.c -o inl.a -hostcc=gcc --app-name=inl --devicecc-options="-O2 -g0"
    dparun inl.a --rpc work 3000 --profile e.folded --profile-every 1
    grep -q '^inl;work [0-9]*$' e.folded
    ! grep -q inner e.folded || false
}

@test "all threads of a kernel are in the profile, short ones too" {
    dparun "$f/prof.a" --kernel each --threads 64 300 --profile p.folded --profile-every 50000 --stats >out
    all=$(sed -n 's/^instructions: //p' out)
    [ $((all / 64)) -lt 50000 ] # no thread has a whole sample to itself
    got=$(awk '{ n += $NF } END { print n + 0 }' p.folded)
    [ "$got" -gt $((all * 7 / 10)) ] && [ "$got" -lt $((all * 13 / 10)) ]
}

@test "the ending of the name says what is written" {
    dparun "$f/prof.a" --rpc work 3000 --profile p.json --profile-every 997
    python3 - p.json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
p = d["profiles"][0]
assert len(p["samples"]) == len(p["weights"]) > 3
assert p["endValue"] == sum(p["weights"])
frames = d["shared"]["frames"]
names = [[frames[i]["name"] for i in s] for s in p["samples"]]
assert ["prof", "work", "primes", "prof.c:16"] in names, names
assert {"name": "prof.c:16", "file": "prof.c", "line": 16} in frames
END
    dparun "$f/prof.a" --rpc work 3000 --profile p.svg --profile-every 997
    xmllint --noout p.svg
    grep -q '<title>primes: [0-9]* instructions' p.svg
    ! grep -qE 'href|src=|url\(' p.svg # nothing comes from elsewhere
}

@test "a browser draws a flame graph, and its script widens a frame" {
    command -v chromium >/dev/null || skip "no chromium"
    dparun "$f/prof.a" --rpc work 3000 --profile p.svg --profile-every 997
    cat >page.html <<END
<html><body>$(tail -n +2 p.svg)<p id="o"></p><script>
var w = n => [].slice.call(document.querySelectorAll('g.f')).filter(g => g.getAttribute('data-n') === n)[0];
var at = n => parseFloat(w(n).querySelector('rect').getAttribute('width'));
var a = at('primes'); w('primes').onclick(); document.getElementById('o').textContent = 'wider ' + (a < 1200 && at('primes') > 1199) + ' ' + w('twice').style.display;
</script></body></html>
END
    timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/c" --dump-dom \
        "file://$PWD/page.html" >dom 2>err || skip "chromium does not run here"
    grep -q 'wider true none' dom
    # Opened alone, the picture is as wide as its window.
    timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/c" --window-size=700,400 \
        --dump-dom "file://$PWD/p.svg" >dom 2>err
    grep -q '<svg [^>]*viewBox="0 0 700 [0-9]*" width="700"' dom
}

@test "a run that is too short for a sample warns, and so does the reader of its profile" {
    dparun "$f/prof.a" --rpc work 3 --profile short.folded 2>err
    grep -q '^-W- profile: no sample was taken, since no thread executed 2000003 instructions; set a smaller DPAKIT_PROFILE_EVERY$' err
    run dpaprof annotate short.folded "$f/prof.a"
    [ "$output" = "-E- short.folded: the profile has no samples" ]
}

@test "a name that ends otherwise, a folder that is not there and no number are refused at once" {
    for what in "p.txt|must end in .folded, .json or .svg" "none/p.svg|No such file"; do
        run dparun "$f/prof.a" --rpc work 3 --profile "${what%|*}"
        [ "$status" -eq $([ "${what%|*}" = p.txt ] && echo 2 || echo 1) ]
        [[ $output == "-E- "*"${what#*|}"* ]]
        [ "$(grep -c '' <<<"$output")" -eq 1 ]
    done
    DPAKIT_PROFILE=p.folded DPAKIT_PROFILE_EVERY=x run dparun "$f/prof.a" --rpc work 3
    [ "$status" -eq 2 ]
    [[ $output == *"DPAKIT_PROFILE_EVERY=x is not a number"* ]]
    [ -z "$(ls)" ]
}

@test "a program that fails leaves its profile; a killed program does not" {
    run dparun "$f/prof.a" --rpc wrong 3000 --profile p.folded --profile-every 997
    [ "$status" -eq 3 ]
    grep -q '^prof;wrong;primes' p.folded
    dparun "$f/prof.a" --rpc work 2000000000 --run-time-limit 60000 --profile k.folded &
    pid=$!
    sleep 0.5
    kill -9 $pid
    wait $pid || true
    [ ! -e k.folded ]
    [ -z "$(ls -A | grep -v '^p.folded$')" ]
}

@test "annotate shows source lines, sampled and exact" {
    dparun "$f/prof.a" --rpc work 3000 --profile s.folded --profile-every 997
    dparun "$f/prof.a" --rpc work 3000 --profile e.folded --profile-every 1
    dpaprof annotate s.folded "$f/prof.a" --exact e.folded --source "$f" >out
    want=$(awk '/;twice;prof.c:8 /{ n += $NF } END { print n }' e.folded)
    grep -qE "^ +[0-9.]+ % +[0-9]+ +$want +8  +sum \+= i \* i" out
    grep -qE '^ +6 +uint64_t sum = 0;' out   # no code of its own
    dpaprof annotate e.folded "$f/prof.a" >out
    grep -q 'prof.c: .* (its source is missing' out
}

@test "annotate and convert refuse files that are not profiles" {
    printf 'a;b\n' >bad.folded
    run dpaprof annotate bad.folded "$f/prof.a"
    [ "$status" -eq 1 ]
    [[ $output == "-E- bad.folded: line 1 is not "* ]]
    echo 'other;f 5' >other.folded
    run dpaprof annotate other.folded "$f/prof.a"
    [[ $output == "-E- other.folded: the profile has no samples of program prof" ]]
    run dpaprof convert other.folded other.png
    [ "$status" -eq 2 ]
    [ ! -e other.png ]
    cp other.folded same.folded
    run dpaprof convert same.folded same.folded
    [ "$status" -eq 2 ]
    [ "$(cat same.folded)" = 'other;f 5' ]
}

@test "convert takes folded stacks of others, whatever their names hold" {
    printf '%s\n' 'main;a<b>&"c";d e 5' 'main;a<b>&"c" 7' $'main;\x01\xff 1' >in.folded
    dpaprof convert in.folded out.svg
    xmllint --noout out.svg
    dpaprof convert in.folded out.json
    python3 -c 'import json; d = json.load(open("out.json")); assert d["profiles"][0]["endValue"] == 13'
    dpaprof convert in.folded again.folded
    [ "$(sort again.folded)" = "$(printf '%s\n' 'main;?? 1' 'main;a<b>&"c" 7' 'main;a<b>&"c";d e 5' | sort)" ]
}
