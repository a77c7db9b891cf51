# Functions that programs of before FlexIO 24.01 call differently (tests/host/flexio_older_cases.c,
# tests/host/queue_dev.c).
# cases: flexio_older_cases.c

load ../host/setup

setup_file() {
    build_queues flexio_older_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "they are refused with a reason" {
    case_ok they_are_refused_with_a_reason
    [[ $output == *"flexio_uar_create: the process's device has no UAR 0xffffffff"* ]]
}

@test "C++ calls both forms, takes the address of one, and gives a UAR to a process" {
    local t=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
    cat >older.cc <<'C'
#include <libflexio/flexio.h>
extern struct flexio_app *queue_app;
static int both(flexio_process *p, mlx5dv_devx_uar *devx)
{
    flexio_uar *uar[3];
    flexio_outbox *outbox[2];
    flexio_outbox_attr attr = {nullptr, 0};
    flexio_status (*make)(flexio_process *, flexio_uar **) = flexio_uar_create;
    return flexio_uar_create(p, devx, &uar[0]) + flexio_uar_create(p, &uar[1]) + make(p, &uar[2]) +
           flexio_outbox_create(p, nullptr, uar[0], &outbox[0]) +
           flexio_outbox_create(p, &attr, &outbox[1]) + flexio_outbox_destroy(outbox[0]) +
           flexio_outbox_destroy(outbox[1]) + flexio_uar_destroy(uar[0]) +
           flexio_uar_destroy(uar[1]) + flexio_uar_destroy(uar[2]);
}
int main()
{
    ibv_device **list = ibv_get_device_list(nullptr);
    ibv_context *context = ibv_open_device(list[0]);
    mlx5dv_devx_uar *devx = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
    flexio_process_attr older = {}, newer = {nullptr, 0}, pcc = {nullptr, 1};
    flexio_process *p, *q, *none;
    older.uar = devx;
    if (flexio_process_create(context, queue_app, &older, &p) ||
        flexio_process_create(context, queue_app, &newer, &q) ||
        !flexio_process_create(context, queue_app, &pcc, &none) || both(p, devx))
        return 1;
    flexio_process_destroy(p);
    flexio_process_destroy(q);
    mlx5dv_devx_free_uar(devx);
    ibv_free_device_list(list);
    return ibv_close_device(context);
}
C
    # shellcheck disable=SC2086
    g++ -std=c++17 -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" older.cc \
        "$t/queue.a" -o older -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -pthread \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    run ./older
    [ "$status" -eq 0 ]
    [[ $output == *"congestion control is not supported"* ]]
}
