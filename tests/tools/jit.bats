# Translated device code, as a user meets it: the same as interpreted code, but faster.

load ../helpers/device

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/forks.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    cat >hot.c <<'C'
#include <stdint.h>
#include <libflexio-dev/flexio_dev.h>
uint64_t table[64], *at = table;
volatile uint64_t rounds;
__attribute__((noinline)) static uint64_t mix(uint64_t s, uint64_t i)
{
    return s * 31 + (i ^ (s >> 7));
}
__dpa_rpc__ uint64_t sum(uint64_t to)
{
    uint64_t s = 0;
    for (uint64_t i = 0; i < to; i++)
        s = mix(s, i);
    return s;
}
__dpa_rpc__ uint64_t fill(uint64_t to) /* faults where the pages end, when it has long been hot */
{
    uint64_t last = 0;
    for (uint64_t i = 0; i < to; i++) {
        last = mix(last, i);
        at[i] = last; /* mark: fill */
    }
    return last;
}
__dpa_rpc__ uint64_t uneven(uint64_t to)
{
    struct __attribute__((packed)) { uint8_t pad; uint64_t value; } *p = (void *)table;
    for (uint64_t i = 0; i < to; i++)
        *(volatile uint64_t *)(uintptr_t)((uint8_t *)table + 1 + i % 8) += i;
    return p->value;
}
__attribute__((noinline)) static void late(void)
{
    rounds = 1;
}
__dpa_rpc__ uint64_t count(uint64_t to) /* every turn in memory, for watches */
{
    for (uint64_t i = 0; i < to; i++) {
        rounds = mix(rounds, i) % 1000 + i * 1000; /* mark: count */
        if (i == to / 2)
            late();
    }
    return rounds;
}
__dpa_rpc__ uint64_t endless(uint64_t unused)
{
    for (;;)
        rounds++; /* mark: endless */
    return unused;
}
__dpa_global__ void work(uint64_t to)
{
    (void)sum(to);
}
C
    dpacc hot.c -o hot.a --app-name=hot --devicecc-options='-O2 -g'
    dpacc-extract hot.a -o hot.elf
    # Many functions, each of which gets hot: there is always something to translate.
    {
        echo '#include <stdint.h>'
        for i in {1..60}; do
            printf '__attribute__((noinline)) static uint64_t f%d(uint64_t n) { uint64_t s = %d; for (uint64_t i = 0; i < n; i++) s = s * 31 + (i ^ s >> %d); return s; }\n' "$i" "$i" "$i"
        done
        echo '__dpa_rpc__ uint64_t many(uint64_t n) { uint64_t s = 0;'
        for i in {1..60}; do echo "s += f$i(n);"; done
        echo 'return s; }'
    } >many.c
    dpacc many.c -o many.a --app-name=many_app
    cat >host.c <<'C'
#include <libflexio/flexio.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern struct flexio_app *many_app;
extern flexio_func_t many;
static struct flexio_process *process;
static void *call(void *turns)
{
    uint64_t result = 0;
    if (flexio_process_call(process, &many, &result, *(uint64_t *)turns) != FLEXIO_STATUS_SUCCESS)
        exit(1);
    return NULL;
}
/* exit: leaves so many microseconds after the call has begun. fork: makes so many children, which
 * exit at once, while the call runs. */
int main(int argc, char **argv)
{
    uint64_t turns = 1000000;
    pthread_t thread;
    const int number = atoi(argv[2]);
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(list[0]);
    if (argc != 3 || !context || flexio_process_create(context, many_app, NULL, &process) != FLEXIO_STATUS_SUCCESS)
        return 1;
    if (pthread_create(&thread, NULL, call, &turns) != 0)
        return 1;
    if (strcmp(argv[1], "exit") == 0) {
        pthread_detach(thread);
        usleep((useconds_t)number);
        exit(0);
    }
    for (int i = 0; i < number; i++) {
        int status = 1;
        pid_t child = fork();
        if (child == 0)
            exit(0);
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    pthread_join(thread, NULL);
    return flexio_process_destroy(process) != FLEXIO_STATUS_SUCCESS;
}
C
    # shellcheck disable=SC2086
    gcc -std=gnu11 -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" host.c many.a -o host \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices DPAKIT_RUNTIME=$PWD/run XDG_CACHE_HOME=$PWD/cache
    unset DPAKIT_JIT
}

teardown() { end_background; }

# interpreted_as COMMAND...: output, errors and exit code are the same, interpreted and translated.
interpreted_as() {
    local mode
    for mode in off sync on; do
        DPAKIT_JIT=$mode "$@" >"said.$mode" 2>&1 && echo 0 >>"said.$mode" || echo $? >>"said.$mode"
        sed -i -e '/^time: /d' -e '/^translator: /d' "said.$mode"
    done
    cat said.off
    diff said.off said.sync
    diff said.off said.on
}

# Copies the tools like an installation without the translator.
without_translator() {
    mkdir -p alone/bin
    cp "$DPAKIT_BUILD/bin/dparun" alone/bin/
}

@test "DPAKIT_JIT may be off, sync or on" {
    interpreted_as dparun "$f/hot.elf" --rpc sum 100000 --stats
    grep -q '^instructions: ' said.off
    run -2 --separate-stderr env DPAKIT_JIT=fast dparun "$f/hot.elf" --rpc sum 10
    [[ $stderr == *"DPAKIT_JIT=fast is not known; it may be off, sync or on" ]]
}

# ---- The library

@test "the translator is found by a tool's own place, however it is called" {
    mkdir lib
    echo not a library >lib/libdpakit-llvm.so.1
    mkdir here && cd here
    cp "$f/hot.elf" .
    for tool in dparun "$DPAKIT_BUILD/bin/dparun"; do
        run -0 --separate-stderr env DPAKIT_JIT=sync "$tool" hot.elf --rpc sum 1000
        [ -z "$stderr" ]
    done
    dparun hot.elf --rpc sum 50000000
    stored() { [ -n "$(ls "$XDG_CACHE_HOME/dpakit/code")" ]; }
    stored
}

@test "without the translator everything is interpreted, and users who asked for it are warned" {
    without_translator
    want=$(DPAKIT_JIT=off dparun "$f/hot.elf" --rpc sum 100000)
    for mode in '' off; do
        run -0 --separate-stderr env DPAKIT_JIT=$mode alone/bin/dparun "$f/hot.elf" --rpc sum 100000
        [ "$output" = "$want" ]
        [ -z "$stderr" ]
    done
    for mode in on sync; do # in the background, the run must outlast the start of a thread
        count=$([ $mode = on ] && echo 10000000 || echo 100000)
        run -0 --separate-stderr env DPAKIT_JIT=$mode alone/bin/dparun "$f/hot.elf" --rpc sum $count
        [ $mode = on ] || [ "$output" = "$want" ]
        [ "$(grep -c '^-W- .*libdpakit-llvm1' <<<"$stderr")" -eq 1 ]
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
    done
}

@test "a translator that cannot be loaded is reported with the reason, and does no harm" {
    without_translator
    mkdir alone/lib
    : >alone/lib/libdpakit-llvm.so.1
    run -0 --separate-stderr env DPAKIT_JIT=on alone/bin/dparun "$f/hot.elf" --rpc sum 10000000
    [[ $stderr == "-W- "*"libdpakit-llvm.so.1: file too short; "* ]]
    run -0 --separate-stderr alone/bin/dparun "$f/hot.elf" --rpc sum 100000
    [ -z "$stderr" ]
}

# Prints the mapped files of the dparun process that waits at $1.
mapped() { grep -q "libLLVM" "/proc/$1/maps"; }

@test "only a program with hot code loads LLVM" {
    in_background dparun "$f/hot.elf" --gdb ./socket --rpc sum 100
    await test -S socket
    ! mapped $! || false
    in_background dparun "$f/hot.elf" --rpc endless 0
    await mapped $!
}

# ---- Statistics

@test "--stats shows the translations and their cost" {
    run -0 --separate-stderr env DPAKIT_JIT=sync dparun "$f/hot.elf" --rpc sum 1000 --stats
    echo "$output"
    [[ $output =~ translator:\ ([1-9][0-9]*)\ regions\ translated,\ 0\ from\ the\ cache,\ 0\ refused ]]
    [[ $output =~ translator:\ ([0-9.]+)\ s\ for\ ([1-9][0-9]+)\ instructions,\ ([1-9][0-9]+)\ bytes\ of\ code ]]
    awk -v s="${BASH_REMATCH[1]}" 'BEGIN { exit !(s > 0 && s < 60) }'
    dparun "$f/hot.elf" --rpc sum 50000000 --stats >first
    dparun "$f/hot.elf" --rpc sum 50000000 --stats >second
    cat first second
    grep -qx 'translator: [1-9][0-9]* regions translated, 0 from the cache, 0 refused' first
    grep -qx 'translator: 0 regions translated, [1-9][0-9]* from the cache, 0 refused' second
    grep -qx 'translator: 0.000000 s for 0 instructions, [1-9][0-9]* bytes of code' second
}

@test "--stats shows refused translations with reasons" {
    without_translator
    run -0 --separate-stderr env DPAKIT_JIT=sync alone/bin/dparun "$f/hot.elf" --rpc sum 1000 --stats
    echo "$output"
    [[ $output =~ translator:\ 0\ regions\ translated,\ 0\ from\ the\ cache,\ ([1-9][0-9]*)\ refused ]]
    grep -q "^translator: ${BASH_REMATCH[1]} refused: no libdpakit-llvm.so.1 beside " <<<"$output"
    mkdir -p alone/lib
    echo 'int dpk_jit_translate(void) { return 1; }' >refuses.c
    gcc -shared -fPIC refuses.c -o alone/lib/libdpakit-llvm.so.1
    alone/bin/dparun "$f/hot.elf" --rpc sum 10000000 --stats >refused
    cat refused
    grep -q '^translator: 0 regions translated, 0 from the cache, [1-9]' refused
    grep -qx 'translator: [1-9][0-9]* refused: no reason given' refused
}

# ---- The same results

@test "faults of hot code are reported as those of interpreted code" {
    interpreted_as dparun "$f/hot.elf" --rpc fill 100000000 --core "core"
    grep -q "store access fault at address 0x[0-9a-f]*000, pc 0x.*hot.c:$(grep -n 'mark: fill' "$f/hot.c" | cut -d: -f1))" said.off
    for mode in off sync on; do
        rm -f core
        DPAKIT_JIT=$mode dparun "$f/hot.elf" --rpc fill 100000000 --core core 2>/dev/null || true
        gdb-multiarch -nx -batch -ex 'info registers' -ex bt "$f/hot.elf" core >"core.$mode" 2>&1
    done
    grep -q '^pc ' core.off
    diff core.off core.sync
    diff core.off core.on
}

@test "misaligned accesses are counted, carried out, and faults if that is wanted, in hot code, too" {
    interpreted_as dparun "$f/hot.elf" --rpc uneven 1000000 --stats
    grep -qx 'misaligned accesses: 1750000' said.off
    DPAKIT_STRICT=align interpreted_as dparun "$f/hot.elf" --rpc uneven 1000000
    grep -q 'misaligned load' said.off
    for mode in off sync on; do
        DPAKIT_JIT=$mode DPAKIT_TRACE=trace.json dparun "$f/hot.elf" --rpc uneven 100000
        [ "$(jq '[.traceEvents[] | select(.name == "misaligned") | .args.accesses] | max' trace.json)" = 175000 ]
    done
}

@test "instructions are counted the same, of every thread" {
    export DPAKIT_WORKERS=1
    interpreted_as dparun "$f/hot.elf" --kernel work --threads 8 300000 --stats
    [ "$(grep -c '^thread [0-7]: [0-9]* instructions' said.off)" -eq 8 ]
}

@test "a hot loop ends at its run-time limit" {
    for mode in off sync on; do
        run -3 --separate-stderr env DPAKIT_JIT=$mode timeout 60 \
            dparun "$f/hot.elf" --run-time-limit 300 --rpc endless 0
        [[ $stderr == *"run-time limit of 300 ms reached"* ]]
    done
}

@test "a hot loop ends with a signal" {
    for mode in sync on; do
        DPAKIT_JIT=$mode in_background dparun "$f/hot.elf" --run-time-limit 100000 --rpc endless 0
        await mapped $!
        sleep 0.2
        kill -TERM $!
        code=0
        wait $! || code=$?
        [ "$code" -eq 143 ]
    done
}

# ---- GDB

session() { # MODE FUNCTION ARGUMENT COMMANDS...
    local commands=() mode=$1 call="--rpc $2 $3"
    shift 3
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    for c; do commands+=(-ex "$c"); done
    timeout 100 gdb-multiarch -nx -batch -ex 'set confirm off' -ex 'set remotetimeout 60' \
        -ex "target remote | exec env DPAKIT_JIT=$mode dparun --gdb - $f/hot.elf $call 2>program" \
        "${commands[@]}" "$f/hot.elf" >out 2>&1 || true
    cat out program
}

@test "GDB: breakpoints, watches and single steps come in hot code as elsewhere" {
    line=$(grep -n 'mark: count' "$f/hot.c" | cut -d: -f1)
    for mode in off sync on; do
        session $mode count 2000000 'break late' continue "break hot.c:$line" continue continue 'print i' \
            'print rounds' delete 'watch rounds' continue continue 'print rounds' delete stepi \
            'info registers' 'stepi 20' 'info registers' continue
        await grep -q '^result: ' program
        grep -v -e '^Remote' -e '^Reading' -e '^warning' out >"out.$mode"
        mv program "program.$mode"
    done
    grep -qx '$1 = 1000002' out.off
    [ "$(grep -c '^Hardware watchpoint 3: rounds' out.off)" -ge 2 ]
    diff out.off out.sync
    diff out.off out.on
    diff program.off program.sync
    diff program.off program.on
}

# Interrupts the loop until it is hot. The signal comes when dparun has worked for half a second since "continue":
# before, GDB may not wait for it yet, and would end the command.
@test "GDB: Ctrl-C stops a hot loop, which then goes on" {
    cat >later <<'END'
worked() { awk '{ print $14 + $15 }' "/proc/$child/stat"; }
child=$(pgrep -P "$1" -x dparun) || exit
from=$(worked)
while [ "$(worked)" -lt $((from + 50)) ]; do sleep 0.1; done
kill -INT "$1"
END
    printf '%s\n' 'while rounds <= 100000' '  shell sh ./later $PPID >/dev/null 2>&1 &' '  continue' end >interrupt
    for mode in sync on; do
        session $mode endless 0 'source interrupt' 'print rounds > 100000' 'print $before = rounds' 'stepi 100' \
            'print rounds > $before' kill
        grep -q 'received signal SIGINT' out
        grep -qx '$1 = 1' out
        grep -qx '$3 = 1' out
    done
}

# ---- Host programs

# Children of fork(), and processes that exit while threads run, leave memory behind.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

@test "a host program exits while code is translated: it neither crashes nor hangs" {
    export DPAKIT_CACHE=off
    for i in {1..60..3}; do
        DPAKIT_JIT=on timeout 30 "$f/host" exit $((i * 1000)) || { echo "$i: $?"; false; }
    done
    for i in {1..40..3}; do
        DPAKIT_JIT=sync timeout 30 "$f/host" exit $((i * 3000)) || { echo "sync, $i: $?"; false; }
    done
}

@test "a host program exits while it takes code from the cache" {
    dparun "$f/many.a" --rpc many 1000000
    "$f/host" fork 0
    for i in {1..40..3}; do
        timeout 30 "$f/host" exit $((i * 500)) || { echo "$i: $?"; false; }
    done
}

@test "a host program forks while code is translated, and its children exit" {
    forks_whole
    DPAKIT_CACHE=off timeout 100 "$f/host" fork 200
}

# A translator that takes a second to load, as LLVM may on a busy machine. All that time it holds the list of
# functions that exit() calls, and afterwards it has data whose destruction at exit takes two seconds.
slow_translator() {
    mkdir -p slow
    cp "$DPAKIT_BUILD/lib/libdpakit-engine.so.1" slow/
    cat >slow.c <<'C'
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
extern void __cxa_finalize(void *of);
static int ends_nothing;
static volatile int ended;
static pid_t process;
static void nothing(void) {}
static void end(void)
{
    ended = 1;
    if (getpid() == process)
        sleep(2);
}
__attribute__((constructor)) static void begin(void)
{
    struct timespec now, from;
    clock_gettime(CLOCK_MONOTONIC, &from);
    process = getpid();
    atexit(end);
    for (int i = 0; i < 10000; i++)
        atexit(nothing);
    do {
        __cxa_finalize(&ends_nothing);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - from.tv_sec + (now.tv_nsec - from.tv_nsec) / 1e9 < 1);
    if (ended) /* the data has gone that this has made */
        abort();
}
int dpk_jit_translate(void)
{
    if (ended)
        abort();
    return 1; /* refused */
}
C
    gcc -shared -fPIC slow.c -o slow/libdpakit-llvm.so.1
    export LD_LIBRARY_PATH=$PWD/slow DPAKIT_CACHE=off
}

@test "a host program exits while the translator is loaded" {
    slow_translator
    timeout 60 "$f/host" exit 300000
    DPAKIT_JIT=sync timeout 60 "$f/host" exit 300000
}

@test "a host program forks while the translator is loaded, and its children exit" {
    forks_whole
    slow_translator
    timeout 60 "$f/host" fork 30
}

@test "the hottest place is translated first, though a smaller one came before it" {
    cat >two.c <<'C'
#include <stdint.h>
__dpa_rpc__ uint64_t two(uint64_t to)
{
    volatile uint64_t small = 0;
    uint64_t s = 1;
    for (uint64_t i = 0; i < 10000; i++)
        small += i;
    for (uint64_t i = 0; i < to; i++)
        s = (s * 31 + (i ^ s >> 7) + (s << 9 ^ i * 5)) ^ (s >> 3) * 11 ^ (i << 7 | s >> 2);
    return s + small;
}
C
    dpacc two.c -o two.a --app-name=two_app
    dpacc-extract two.a -o two.elf
    # A translator that loads slowly, and prints its requests.
    mkdir slow
    cp "$DPAKIT_BUILD/lib/libdpakit-engine.so.1" "$DPAKIT_BUILD/bin/dparun" slow/
    cat >slow.c <<'C'
#include <stdio.h>
#include <unistd.h>
#include "engine/jit/translate.h"
__attribute__((constructor)) static void begin(void)
{
    usleep(200000);
}
enum dpk_status dpk_jit_translate(const struct jit_region *region, const struct jit_options *options,
                                  struct dpk_buf *image, struct dpk_error *err)
{
    fprintf(stderr, "region of %u\n", region->insn_count);
    return DPK_ERR_UNSUPPORTED;
}
C
    gcc -shared -fPIC -I"$BATS_TEST_DIRNAME/../../lib" -I"$BATS_TEST_DIRNAME/../../runtime" slow.c \
        -o slow/libdpakit-llvm.so.1
    run -0 --separate-stderr env LD_LIBRARY_PATH="$PWD/slow" DPAKIT_CACHE=off slow/dparun two.elf \
        --run-time-limit 100000 --rpc two 20000000 # with sanitizers it takes longer than programs may
    read -r _ _ first <<<"$(grep -m 1 '^region of' <<<"$stderr")"
    [ "$first" -gt 12 ]
    grep -qx 'region of [4-8]' <<<"$stderr"
}

# ---- The cache

@test "translated code is taken from the cache: no LLVM is loaded" {
    want=$(DPAKIT_JIT=off dparun "$f/hot.elf" --rpc sum 10000000)
    for turn in first second; do
        run -0 --separate-stderr env LD_DEBUG=files dparun "$f/hot.elf" --rpc sum 10000000
        [ "$output" = "$want" ]
        grep -q 'file=.*libLLVM.*generating link map' <<<"$stderr" && echo yes >$turn || echo no >$turn
        [ -z "$(find cache -type f ! -perm 600)" ]
    done
    [ "$(cat first second)" = $'yes\nno' ]
}

@test "DPAKIT_CACHE=off writes nothing" {
    DPAKIT_CACHE=off dparun "$f/hot.elf" --rpc sum 50000000
    [ ! -e cache ]
}

@test "a damaged file of the cache is reported, not used, and replaced" {
    want=$(dparun "$f/hot.elf" --rpc sum 50000000)
    for damage in 'truncate -s 100' 'truncate -s 0' 'dd if=/dev/zero bs=1 seek=60 count=64 conv=notrunc status=none'; do
        find cache/dpakit/code -type f >files
        [ -s files ]
        while read -r file; do $damage $([[ $damage != dd* ]] || echo of=)"$file"; done <files
        run -0 --separate-stderr dparun "$f/hot.elf" --rpc sum 50000000
        echo "$stderr"
        [ "$output" = "$want" ]
        [ "$(grep -c '^-W- .*damaged' <<<"$stderr")" -eq 1 ]
        run -0 --separate-stderr dparun "$f/hot.elf" --rpc sum 50000000
        [ "$output" = "$want" ]
    done
}

@test "programs that run at once share the cache" {
    want=$(DPAKIT_JIT=off dparun "$f/many.a" --rpc many 100000)
    for i in 1 2 3 4; do
        in_background dparun "$f/many.a" --rpc many 100000 >"out.$i" 2>&1
    done
    for job in "${started[@]}"; do wait "$job"; done
    for i in 1 2 3 4; do [ "$(cat out.$i)" = "$want" ]; done
}
