# FlexIO 24.01 to 26.4: the names, their forms, and the choice between two forms
# (tests/host/flexio_dev.inc, tests/host/flexio*_values.txt).

load ../host/setup

here=$BATS_TEST_DIRNAME/../host

# Compiles device code from standard input, and an entry point, and other sources with it; options are of the device's
# compiler.
device() { # NAME [OPTIONS [SOURCE...]]
    local name=$1 options=${2:-}
    shift $(($# < 2 ? $# : 2))
    {
        cat
        printf '#include <libflexio-dev/flexio_dev.h>\n__dpa_rpc__ uint64_t entry(void);\n'
        printf '__dpa_rpc__ uint64_t entry(void) { return 0; }\n'
    } >"$BATS_TEST_TMPDIR/$name.c"
    dpacc "$BATS_TEST_TMPDIR/$name.c" "$@" -o "$BATS_TEST_TMPDIR/$name.a" -hostcc=gcc --app-name="app_$name" \
        --devicecc-options="-Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror -I$here $options"
}

# The option for a version; a comma would start another option.
used() { # MAJOR MINOR
    echo "-DFLEXIO_DEV_VER_USED=$(($1 << 24 | $2 << 16))"
}

# Device code that takes the address of every function of one set of forms, as it should be.
all_names() { # BEFORE SINCE [VERSION]
    [ $# -eq 2 ] || printf '#include <libflexio-dev/flexio_dev_ver.h>\n#define FLEXIO_DEV_VER_USED %s\n' "$3"
    cat <<C
#include <libflexio-dev/flexio_dev_debug.h>
#include <libflexio-dev/flexio_dev_err.h>
#include <libflexio-dev/flexio_dev_queue_access.h>
#define KEPT static __attribute__((used))
#define ALWAYS(result, name, ...) KEPT result (*const always_##name)(__VA_ARGS__) = &name;
#define BEFORE(result, name, ...) $1(before_, result, name, __VA_ARGS__)
#define SINCE(result, name, ...) $2(since_, result, name, __VA_ARGS__)
#define NEVER(which, ...)
#define HELD(which, result, name, ...) KEPT result (*const which##name)(__VA_ARGS__) = &name;
#include "flexio_dev.inc"
C
}

@test "every function of the device's side is there, in the form of its version" {
    [ "$(grep -cE '^(ALWAYS|BEFORE|SINCE)' "$here/flexio_dev.inc")" -ge 99 ]
    cd "$BATS_TEST_TMPDIR"
    all_names HELD NEVER 'FLEXIO_DEV_VER(24, 1, 0)' >v24_01.c
    all_names HELD NEVER 'FLEXIO_DEV_VER(24, 7, 0)' >v24_07.c
    all_names NEVER HELD 'FLEXIO_DEV_VER(24, 10, 0)' >v24_10.c
    all_names NEVER HELD 'FLEXIO_DEV_VER(25, 7, 0)' >v25_07.c
    all_names NEVER HELD FLEXIO_DEV_VER_LATEST >latest.c
    all_names HELD HELD >both.c # without a version
    device entry '' v24_01.c v24_07.c v24_10.c v25_07.c latest.c both.c </dev/null
}

# The device writes the results of its checks to two places of a completion, of which each layout has one.
@test "a completion means the same in the layout of each version" {
    local v
    cd "$BATS_TEST_TMPDIR"
    cat >cqe.c <<'C'
#include <stdint.h>
#include <libflexio-dev/flexio_dev_queue_access.h>
__dpa_rpc__ uint64_t checks_of(uint64_t unused)
{
    static struct flexio_dev_cqe64 cqe;
    volatile uint8_t *b = (uint8_t *)&cqe;
    (void)unused;
    b[21] = b[28] = 7, b[55] = 0x22, b[46] = 1, b[59] = 9, b[61] = 5, b[63] = 0xd1;
    return flexio_dev_cqe_get_csum_ok(&cqe) | flexio_dev_cqe_get_err_synd(&cqe) << 8 |
           (uint64_t)flexio_dev_cqe_get_byte_cnt(&cqe) << 16 | (uint64_t)flexio_dev_cqe_get_qpn(&cqe) << 32 |
           (uint64_t)flexio_dev_cqe_get_wqe_counter(&cqe) << 40 |
           (uint64_t)flexio_dev_cqe_get_opcode(&cqe) << 48 | (uint64_t)flexio_dev_cqe_get_owner(&cqe) << 56;
}
C
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device mlx5_0
    for v in '24 1' '24 4' '25 1' '26 4'; do
        # shellcheck disable=SC2086
        dpacc cqe.c -o cqe.a -hostcc=gcc --app-name=cqe \
            --devicecc-options="-Wall -Wextra -Werror -DFLEXIO_DEV_VER_USED=$(used $v | cut -d= -f2)"
        run dparun cqe.a --rpc checks_of 0
        echo "$v: $output"
        [ "$status" -eq 0 ]
        [[ $output == *"$((1 << 56 | 13 << 48 | 5 << 40 | 9 << 32 | 256 << 16 | 0x22 << 8 | 7))"* ]]
    done
}

@test "a thread has the name of its function" {
    cd "$BATS_TEST_TMPDIR"
    cat >name.c <<'C'
#include <stdint.h>
#include <string.h>
#include <libflexio-dev/flexio_dev.h>
__attribute__((noinline)) static const char *inner(void)
{
    return flexio_dev_get_current_thread_name();
}
__dpa_rpc__ uint64_t first_of_two(uint64_t unused)
{
    (void)unused;
    return strcmp(inner(), "first_of_two") == 0 && inner() == flexio_dev_get_current_thread_name();
}
__dpa_rpc__ uint64_t a_function_whose_name_is_longer_than_the_sixty_three_characters_that_count(uint64_t unused)
{
    (void)unused;
    return strlen(inner());
}
C
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device mlx5_0
    dpacc name.c -o name.a -hostcc=gcc --app-name=name --devicecc-options="-Wall -Wextra -Werror"
    run dparun name.a --rpc first_of_two 0
    echo "$output"
    [[ $output == "result: 1 "* ]]
    run dparun name.a --rpc a_function_whose_name_is_longer_than_the_sixty_three_characters_that_count 0
    echo "$output"
    [[ $output == "result: 63 "* ]]
}

@test "a version has the form of no other one" {
    run device old "$(used 24 7)" < <(all_names NEVER HELD)
    [ "$status" -ne 0 ]
    [[ $output == *"incompatible "*since_flexio_dev_window_config* ]]
    run device new "$(used 24 10)" < <(all_names HELD NEVER)
    [ "$status" -ne 0 ]
    [[ $output == *"incompatible "*before_flexio_dev_window_config* ]]
}

@test "every value of the reference is the headers'" {
    {
        printf '#include <stddef.h>\n#include <libflexio-dev/flexio_dev_queue_access.h>\n'
        sed 's/\(.*\) \(.*\)/_Static_assert(\1 == \2, "\1");/' "$here/flexio_dev_values.txt"
    } | device values
    {
        printf '#include <libflexio/flexio.h>\n'
        sed 's/\(.*\) \(.*\)/_Static_assert((int)\1 == \2, "\1");/' "$here/flexio_values.txt"
    } | gcc -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include" -fsyntax-only -x c -
}

@test "calls of both forms run, in one file and in files of two versions" {
    cd "$BATS_TEST_TMPDIR"
    cat >both.c <<'C'
#include <libflexio-dev/flexio_dev_queue_access.h>
uint64_t older(uint64_t address), newer(uint64_t address);
__dpa_rpc__ uint64_t both(uint64_t address)
{
    struct flexio_dev_thread_ctx *dtctx;
    enum flexio_window_entity entity = FLEXIO_DEV_WINDOW_ENTITY_1;
    flexio_uintptr_t at;
    flexio_dev_get_thread_ctx(&dtctx);
    return (uint64_t)flexio_dev_window_config(dtctx, 5, 6) << 0 |
           (uint64_t)flexio_dev_window_config(entity, 5, 6) << 1 |
           (uint64_t)flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_0, 5, 6) << 2 |
           (uint64_t)flexio_dev_window_ptr_acquire((void *)0, address, &at) << 3 |
           older(address) << 4 | newer(address) << 5;
}
C
    cat >older.c <<'C'
#include <libflexio-dev/flexio_dev_ver.h>
#define FLEXIO_DEV_VER_USED FLEXIO_DEV_VER(24, 4, 0)
#include <libflexio-dev/flexio_dev.h>
uint64_t older(uint64_t address)
{
    struct flexio_dev_thread_ctx *dtctx;
    flexio_uintptr_t at;
    flexio_dev_get_thread_ctx(&dtctx);
    return flexio_dev_window_ptr_acquire(dtctx, address, &at);
}
C
    cat >newer.c <<'C'
#include <libflexio/flexio_ver.h>
#define FLEXIO_DEV_VER_USED FLEXIO_VER(26, 4, 0)
#include <libflexio-dev/flexio_dev_debug.h>
uint64_t newer(uint64_t address)
{
    flexio_uintptr_t at;
    return flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_0, address, &at);
}
C
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device mlx5_0
    for o in -O0 -O2 -flto; do
        dpacc both.c older.c newer.c -o all.a -hostcc=gcc --app-name=all \
            --devicecc-options="-Wall -Wextra -Werror $([ $o = -flto ] || echo $o)" \
            $([ $o != -flto ] || echo -flto)
        cat >host.c <<'C'
#include <libflexio/flexio_ver.h>
#define FLEXIO_VER_USED FLEXIO_VER(25, 10, 0)
#include <libflexio/flexio.h>
extern flexio_func_t both;
int main(void)
{
    struct flexio_app_select_attr select = {0};
    struct flexio_process *process;
    struct flexio_app *app;
    uint64_t failed = 0;
    select.app_name = "all";
    select.hw_model_id = FLEXIO_HW_MODEL_DEF;
    select.ibv_ctx = ibv_open_device(ibv_get_device_list(NULL)[0]);
    if (flexio_version_set(FLEXIO_VER_USED) || flexio_app_get(&select, &app) ||
        flexio_process_create(select.ibv_ctx, app, NULL, &process) ||
        flexio_process_call(process, both, &failed, (uint64_t)4096))
        return 1;
    printf("failed: %lx\n", failed);
    return flexio_process_destroy(process);
}
C
        # shellcheck disable=SC2086
        gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" host.c all.a -o host \
            -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
        ASAN_OPTIONS=detect_leaks=0 run ./host
        [ "$output" = "failed: 3f" ] # no window is there
    done
}

@test "an invalid version is refused with a list of versions" {
    for v in "2 2" "23 10" "26 7" "99 1"; do
        # shellcheck disable=SC2086
        run device none "$(used $v)" <<<'#include <libflexio-dev/flexio_dev.h>'
        [ "$status" -ne 0 ]
        [[ $output == *'error: "FLEXIO_DEV_VER_USED: there is FLEXIO_DEV_VER(24, 1, 0) to FLEXIO_DEV_VER(26, 4, 0)"'* ]]
    done
    for v in 23,10,0 26,7,0 99,1,0; do
        run gcc -I"$DPAKIT_BUILD/include" "-DFLEXIO_VER_USED=FLEXIO_VER($v)" -fsyntax-only -x c - \
            <<<'#include <libflexio/flexio.h>'
        [ "$status" -ne 0 ]
        [[ $output == *'there is FLEXIO_VER(2, 2, 1), and FLEXIO_VER(24, 1, 0) to (26, 4, 0)'* ]]
    done
}

@test "versions that programs set are accepted" {
    cd "$BATS_TEST_TMPDIR"
    for v in 24,1,0 24,7,0 24,10,2 25,1,0 25,10,0 26,4,0 26,4,9; do
        printf '#define FLEXIO_VER_USED FLEXIO_VER(%s)\n#include <libflexio/flexio.h>\n' $v >$v.c
    done
    gcc -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include" -fsyntax-only ./*.c
    g++ -std=c++17 -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include" -fsyntax-only -x c++ ./*.c
}

@test "C++ sets the attributes of a stream by either names" {
    g++ -std=c++17 -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include" -fsyntax-only -x c++ - <<'C'
#include <libflexio/flexio.h>
void t(flexio_msg_stream_attr_t *older, struct flexio_msg_stream_attr *newer, struct flexio_log_dev_attr *oldest)
{
    older->sync_mode = FLEXIO_LOG_DEV_SYNC_MODE_SYNC;
    newer->sync_mode = FLEXIO_MSG_DEV_SYNC_MODE_SYNC;
    newer->transport_mode = 0;
    enum flexio_log_dev_sync_mode m = FLEXIO_LOG_DEV_SYNC_MODE_BATCH;
    flexio_log_dev_sync_mode n = m;
    flexio_msg_dev_sync_mode o = n;
    oldest->sync_mode = o;
}
C
}

@test "each header of the device compiles alone and twice, also with older build files" {
    mkdir "$BATS_TEST_TMPDIR/alone"
    for f in "$DPAKIT_BUILD"/include/libflexio-dev/*.h "$DPAKIT_BUILD"/include/libflexio-os/*.h; do
        f=${f#"$DPAKIT_BUILD/include/"}
        printf '#include <%s>\n#include <%s>\nextern int some;\n' "$f" "$f" >"$BATS_TEST_TMPDIR/alone/${f////_}.c"
    done
    device alone "-ffreestanding -DE_MODE_LE" "$BATS_TEST_TMPDIR"/alone/*.c </dev/null
    device entry <<'C'
#include <libflexio-dev/flexio_dev.h>
__FLEXIO_ENTRY_POINT_START
flexio_dev_event_handler_t handler;
__dpa_global__ void handler(uint64_t arg)
{
    (void)arg;
    flexio_dev_return();
}
__FLEXIO_ENTRY_POINT_END
C
}

@test "output and measurements of device code arrive" {
    cd "$BATS_TEST_TMPDIR"
    device debug <<'C'
#include <libflexio-dev/flexio_dev_debug.h>
__dpa_rpc__ uint64_t debug(uint64_t n);
__dpa_rpc__ uint64_t debug(uint64_t n)
{
    struct flexio_dev_perf_data sum = {0, 0, 0};
    print_sim_str("text\n", 0);
    print_sim_str("shorter", 5);
    print_sim_putc('\n');
    print_sim_hex(0xabcdef, 0);
    print_sim_hex(0xabcdef, 3);
    print_sim_int(-42, 0);
    print_sim_putc('\n');
    SIM_TRACEVAL(n + 1);
    FLEXIO_DEV_PERF_MEASURE(block) { n = n * 3 + 1; }
    for (int i = 0; i < 3; i++)
        FLEXIO_DEV_PERF_COLLECT(&sum) n++;
    flexio_dev_perf_print(&sum, "sum");
    flexio_dev_perf_measure_calibrate();
    return n;
}
C
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device mlx5_0
    run dparun debug.a --rpc debug 5
    echo "$output"
    [ "$status" -eq 0 ]
    text=$(sed 's|/ *[0-9]*/||g' <<<"$output")
    grep -qx text <<<"$text"
    grep -qx short <<<"$text"
    grep -qx 'abcdefdef-42' <<<"$text"
    grep -qxE 'debug:[0-9]+: n \+ 1 0x6' <<<"$text"
    for what in block sum calibration; do
        grep -qxE "$what: instructions/cycles: [0-9]+/[0-9]+" <<<"$text"
    done
    grep -q 'result: 19 ' <<<"$output"
}

@test "headers that host and device share may include the C library's" {
    for h in stdint string stdio stdlib stddef stdbool inttypes errno assert ctype limits pthread time \
        unistd sys/types; do
        echo "#include <$h.h>"
    done >"$BATS_TEST_TMPDIR/shared.h"
    cat >>"$BATS_TEST_TMPDIR/shared.h" <<'C'
struct shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t owner;
    pthread_rwlock_t readers;
};
static inline void shared_lock(struct shared *s) { pthread_mutex_lock(&s->lock); }
_Static_assert(sizeof(struct shared) == 40 + 48 + 8 + 56, "as the host has it");
C
    printf '#include "shared.h"\n#include <libflexio-libc/string.h>\n%s\n' \
        '__dpa_rpc__ uint64_t f(uint64_t a); __dpa_rpc__ uint64_t f(uint64_t a) { (void)shared_lock; return a; }' |
        device shared "-I$BATS_TEST_TMPDIR -Wno-unused-function"
    gcc -Wall -Wno-unused-function -Werror -I"$BATS_TEST_TMPDIR" -fsyntax-only -x c - <<<'#include "shared.h"'
    cd "$BATS_TEST_TMPDIR"
    printf '#include <pthread.h>\n#include <stdint.h>\n%s\n' \
        '__dpa_rpc__ uint64_t f(uint64_t m) { return (uint64_t)pthread_mutex_lock((pthread_mutex_t *)m); }' >none.c
    run dpacc none.c -o none.a -hostcc=gcc --app-name=none
    [ "$status" -ne 0 ]
    [[ $output == *pthread_mutex_lock* ]]
}

@test "a thread has no error, and ends its process with one of its own" {
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device mlx5_0
    cat >"$BATS_TEST_TMPDIR/ends.c" <<'C'
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_err.h>
__dpa_rpc__ uint64_t ends(uint64_t error)
{
    struct flexio_dev_thread_ctx *ctx;
    flexio_dev_get_thread_ctx(&ctx);
    flexio_dev_rst_errno(ctx);
    if (error)
        flexio_dev_error((uint8_t)error);
    return 40 + flexio_dev_get_errno(ctx) + flexio_dev_get_and_rst_errno(ctx);
}
C
    dpacc "$BATS_TEST_TMPDIR/ends.c" -o "$BATS_TEST_TMPDIR/ends.a" -hostcc=gcc --app-name=ends_app
    run dparun -d mlx5_0 "$BATS_TEST_TMPDIR/ends.a" --rpc ends 0
    [[ $output == *40* ]]
    run dparun -d mlx5_0 "$BATS_TEST_TMPDIR/ends.a" --rpc ends 7
    [ "$status" -ne 0 ]
    [[ $output == *"flexio_dev_error: 7"* ]]
}
