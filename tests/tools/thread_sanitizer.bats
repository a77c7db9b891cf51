# -fsanitize=thread for device code: data races between threads of the DPA.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >race.c <<'END'
#include <stdint.h>
#include <string.h>
#include <doca_dpa_dev.h>
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
uint64_t counter, data, sum, lock, ready, old;
volatile uint64_t flag;
_Alignas(8) char text[64], bits[8];
__attribute__((noinline)) static void count(void)
{
    counter++;
}
static unsigned rank(void) { return doca_dpa_dev_thread_rank(); }
__dpa_global__ void plain(void)
{
    count();
}
__dpa_global__ void mixed(void)
{
    if (rank() == 0)
        counter = 5;
    else
        __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}
__dpa_global__ void spins(uint64_t orders)
{
    for (int i = 0; i < 5; i++) {
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
            doca_dpa_dev_yield();
        sum++;
        if (orders)
            __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
        else
            __atomic_store_n(&lock, 0, __ATOMIC_RELAXED);
    }
}
__dpa_global__ void passes(uint64_t fences)
{
    if (rank() == 0) {
        data = 7;
        if (fences & 1)
            __dpa_thread_memory_fence(__DPA_W, __DPA_W);
        flag = 1;
    } else {
        while (!flag)
            doca_dpa_dev_yield();
        if (fences & 2)
            __dpa_thread_memory_fence(__DPA_R, __DPA_R);
        if (data == 7)
            __atomic_fetch_add(&ready, 1, __ATOMIC_RELAXED);
    }
}
__dpa_global__ void copies(uint64_t from)
{
    char mine[16] = "0123456789abcde";
    memcpy(text + from * rank(), mine, sizeof mine);
}
__dpa_global__ void fine(void)
{
    static struct { char a, b; uint16_t c[256]; } shared;
    if (rank() < 2)
        rank() ? (void)(shared.a = 1) : (void)(shared.b = 2);
    shared.c[rank()] = 3;
    uint64_t seen = __atomic_load_n(&ready, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&ready, &seen, seen + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    __atomic_fetch_or((uint8_t *)__builtin_assume_aligned(bits, 8), 1, __ATOMIC_RELAXED);
    __atomic_fetch_and((uint16_t *)__builtin_assume_aligned(bits, 8), 3, __ATOMIC_RELEASE);
    __atomic_fetch_xor((uint32_t *)__builtin_assume_aligned(bits, 8), 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_nand((uint32_t *)__builtin_assume_aligned(bits, 8), 1, __ATOMIC_ACQUIRE);
    __atomic_fetch_sub(&sum, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/* The last of them to come reads what all have written. */
__dpa_rpc__ uint64_t total(uint64_t n) { return counter + n; }
__dpa_global__ void barrier(void)
{
    static uint64_t parts[256], come;
    parts[rank()] = rank();
    if (__atomic_add_fetch(&come, 1, __ATOMIC_ACQ_REL) != doca_dpa_dev_num_threads())
        return;
    for (unsigned i = 0; i < doca_dpa_dev_num_threads(); i++)
        sum += parts[i];
    come = 0;
}
__dpa_global__ void handler(uint64_t how)
{
    if (how == 1)
        counter++;
    else
        __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
    flexio_dev_thread_reschedule();
}
__dpa_global__ void reads(uint64_t how)
{
    (void)how;
    old = counter;
    flexio_dev_thread_reschedule();
}
__dpa_rpc__ uint64_t activate(uint64_t id, uint64_t n)
{
    counter = n;
    flexio_dev_event_handler_activate((uint32_t)id);
    return 0;
}
END
    cat >host.c <<'END'
#include <libflexio/flexio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern struct flexio_app *prog;
extern flexio_func_t handler, reads, activate, total;
static struct flexio_process *p;
static struct flexio_event_handler *make(flexio_func_t *f, uint64_t argument)
{
    struct flexio_event_handler_attr attr = {.host_stub_func = f};
    struct flexio_event_handler *h;
    if (flexio_event_handler_create(p, &attr, &h) || flexio_event_handler_run(h, argument))
        exit(8);
    return h;
}
static void wake(struct flexio_event_handler *h, uint64_t n)
{
    uint64_t result;
    if (flexio_process_call(p, &activate, &result, (uint64_t)flexio_event_handler_get_id(h), n))
        exit(7);
    usleep(20000);
}
int main(int argc, char **argv)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *c = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    if (argc < 2 || flexio_process_create(c, prog, NULL, &p))
        return 9;
    if (!strcmp(argv[1], "handlers")) { /* both count, without order between them */
        struct flexio_event_handler *a = make(&handler, atoi(argv[2])), *b = make(&handler, atoi(argv[2]));
        for (int i = 0; i < 3; i++)
            wake(a, 0), wake(b, 0);
        flexio_event_handler_destroy(a);
        flexio_event_handler_destroy(b);
    }
    if (!strcmp(argv[1], "activates")) { /* who is activated reads what the activating thread wrote */
        struct flexio_event_handler *a = make(&reads, 0);
        wake(a, 1);
        flexio_event_handler_destroy(a);
    }
    if (!strcmp(argv[1], "calls")) { /* calls one after another */
        uint64_t result;
        struct flexio_event_handler *a = make(&reads, 0);
        for (int i = 0; i < 3; i++)
            flexio_process_call(p, &total, &result, 3UL);
        flexio_event_handler_destroy(a);
    }
    flexio_process_destroy(p);
    ibv_close_device(c);
    return 0;
}
END
    dpacc race.c -o race.a -app-name=prog -devicecc-options=-fsanitize=thread
    # shellcheck disable=SC2086  # a list of options
    gcc $TEST_HOST_CFLAGS -I"$DPAKIT_BUILD/include" host.c race.a -o host -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices
}

kernel() { run dparun "$f/race.a" --kernel "$1" --threads "${3:-4}" ${2:+"$2"}; }
# races KERNEL ARGUMENT PATTERN: the program continues, and one line has the pattern.
races() {
    kernel "$1" "$2"
    echo "$output"
    [ "$status" -eq 0 ] && [ "$(grep -c '' <<<"$output")" -eq 1 ] && [[ $output =~ $3 ]]
}
silent() {
    kernel "$@"
    echo "$output"
    [ "$status" -eq 0 ] && [ -z "$output" ]
}

@test "two plain accesses: both threads, functions, lines, once" {
    races plain '' '^-E- program prog: thread ([0-9]+): data race: write of 8 bytes at address 0x[0-9a-f]+, in count \(race.c:11\); thread [0-9]+: write of 8 bytes at address 0x[0-9a-f]+, in count \(race.c:11\)$'
    [[ ${BASH_REMATCH[1]} -lt 4 ]]
}

@test "an atomic access races with a plain one" {
    races mixed '' 'data race: (atomic )?write of 8 bytes .*mixed \(race.c:2[13]\).*(atomic )?write of 8 bytes .*, in mixed \(race.c:2[13]\)$'
}

@test "a lock orders if it releases" {
    silent spins 1
    silent spins 1 64
    races spins 0 'data race: write of 8 bytes .*, in spins \(race.c:30\)'
}

@test "a flag orders with fences on both sides" {
    silent passes 3
    for fences in 0 1 2; do
        kernel passes "$fences" 2
        [ "$status" -eq 0 ]
        [[ $output =~ data\ race:\ read\ of\ .*,\ in\ passes\ \(race.c:49\)\;\ thread\ .*:\ write\ of\ .*,\ in\ passes\ \(race.c:40\) ]] ||
            { echo "$output"; false; }
    done
}

@test "copies race by their ranges" {
    silent copies 16
    races copies 15 'data race: write of 16 bytes .*, in copies \(race.c:56\); thread [0-9]+: write of [1-8] bytes .*, in copies \(race.c:56\)$'
}

@test "neighbours, atomics of each size, and a barrier are not reported as races, interpreted and translated" {
    for jit in off sync; do
        export DPAKIT_JIT=$jit DPAKIT_CACHE=off
        silent fine '' 64
        silent barrier '' 64
        silent passes 3 64
    done
}

@test "one thread, and one worker" {
    silent plain '' 1
    DPAKIT_WORKERS=1 races plain '' 'data race'
}

@test "event handlers race, though one runs after the other; who activates comes first" {
    run "$f/host" handlers 1
    [ "$status" -eq 0 ]
    [[ $output =~ data\ race:\ write\ of\ 8\ bytes.*in\ handler\ \(race.c:89\)\;.*in\ handler\ \(race.c:89\) ]] || { echo "$output"; false; }
    run "$f/host" activates
    [ "$status" -eq 0 ]
    [ -z "$output" ] || { echo "$output"; false; }
    run "$f/host" calls
    [ "$status" -eq 0 ]
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "with DPAKIT_RACES=end the first race ends the program" {
    export DPAKIT_RACES=end
    # Also if the host thread that launches reaches it first.
    for i in {1..25}; do
        kernel plain '' $((2 + i % 7))
        [ "$status" -eq 3 ] || { echo "run $i: $status"; false; }
        [[ $output == "-E- "*": thread "*": data race: write of 8 bytes "* ]] || { echo "$output"; false; }
        [ "$(grep -c '' <<<"$output")" -eq 1 ]
    done
    DPAKIT_RACES=no kernel plain ''
    [ "$status" -ne 0 ]
    [[ $output == "-E- "*"DPAKIT_RACES=no is not known; it may be tell or end" ]] || { echo "$output"; false; }
}

@test "programs that say nothing true of their accesses do no harm" {
    cat >lies.c <<'END'
#include <stdint.h>
#include <doca_dpa_dev.h>
void __tsan_init(void);
static void call(uint64_t n, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    register uint64_t a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a3 __asm__("a3") = d;
    register uint64_t a7 __asm__("a7") = n;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
}
__dpa_global__ void lies(uint64_t n)
{
    static const uint64_t odd[] = {0, 1, 7, 8, 0xffffffff, 1ul << 32, -1ul, -8ul, 0x80000000};
    __tsan_init();
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        for (unsigned j = 0; j < sizeof odd / sizeof *odd; j++)
            for (uint64_t how = 0; how < 128; how += 3)
                call(23, odd[i], odd[j] % 512 + (odd[j] == -1ul ? odd[j] : 0), how | odd[j] << 7, odd[(i + j) % 9] ^ n);
    call(24, -1ul, 0, 0, 0);
}
END
    dpacc lies.c -o lies.a
    run dparun lies.a --kernel lies --threads 4 0
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}
