# Host programs with more than one DPA program or process in them, made as users make them.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    cat >one.c <<'C'
#include <doca_dpa_dev.h>
static uint64_t counter = 100;
__dpa_rpc__ uint64_t one_next(uint64_t step) { return counter += step; }
__dpa_global__ void one_count(uint64_t times)
{
    while (times--)
        __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}
C
    sed 's/one_/two_/; s/= 100/= 200/' one.c >two.c
    cat >host.c <<'C'
#include <libflexio/flexio.h>
#include <stdio.h>
extern struct flexio_app *one, *two;
flexio_func_t one_next, two_next;

static uint64_t next(struct flexio_process *p, flexio_func_t *f, uint64_t step)
{
    uint64_t value = 0;
    return flexio_process_call(p, f, &value, step) == FLEXIO_STATUS_SUCCESS ? value : UINT64_MAX;
}

int main(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *c = ibv_open_device(list[0]);
    struct flexio_process *a, *b, *d;
    struct flexio_app **apps;
    uint32_t count;
    uint64_t unused;
    if (flexio_app_get_list(&apps, &count) || count != 2)
        return 1;
    if (flexio_process_create(c, one, NULL, &a) || flexio_process_create(c, one, NULL, &b) ||
        flexio_process_create(c, two, NULL, &d))
        return 2;
    /* Each process has its own variables, though they have the same addresses. */
    if (next(a, &one_next, 1) != 101 || next(b, &one_next, 10) != 110 ||
        next(d, &two_next, 7) != 207 || next(a, &one_next, 1) != 102)
        return 3;
    /* A function of one program is none of the other. */
    if (flexio_process_call(a, &two_next, &unused, (uint64_t)1) != FLEXIO_STATUS_FAILED)
        return 4;
    if (flexio_process_destroy(a) || next(b, &one_next, 1) != 111 || next(d, &two_next, 1) != 208)
        return 5;
    flexio_process_destroy(b);
    flexio_process_destroy(d);
    flexio_app_list_free(apps);
    ibv_free_device_list(list);
    return ibv_close_device(c);
}
C
    for app in one two; do
        dpacc "$app.c" -o "$app.a" -hostcc=gcc --app-name="$app" -ldpa
    done
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" -I"$DPAKIT_BUILD/include/doca-2.2" host.c \
        one.a two.a "$DPAKIT_BUILD/lib/libdoca_dpa.a" -o host -L"$DPAKIT_BUILD/lib" -ldoca_common \
        -lflexio -lstdc++ -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
}

@test "two programs in one host program, three processes, each with its own variables" {
    run ./host
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"not a function of the process's program"* ]]
}

@test "dparun chooses among the programs of a host program" {
    run dparun host --app two --rpc two_next 5
    [ "$output" = "result: 205 (0xcd)" ]
    run dparun host --app one --rpc two_next 5
    [ "$status" -eq 1 ]
    [[ "$output" == *"program one has no entry function two_next"* ]]
}

@test "one worker repeats a program instruction by instruction" {
    export DPAKIT_WORKERS=1
    first=$(dparun host --app one --kernel one_count --threads 16 --stats 30000 | head -1)
    second=$(dparun host --app one --kernel one_count --threads 16 --stats 30000 | head -1)
    echo "$first / $second"
    [[ "$first" == "instructions: "* ]]
    [ "$first" = "$second" ]
}
