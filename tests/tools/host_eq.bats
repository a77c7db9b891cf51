# libflexio's event queues (tests/host/flexio_eq_cases.c, tests/host/queue_dev.c).
# cases: flexio_eq_cases.c

load ../host/setup

setup_file() {
    build_queues flexio_eq_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

@test "an event queue that overruns is reported once" {
    "$BATS_FILE_TMPDIR/cases" an_event_queue_that_overruns_is_told_of >out 2>err
    cat out err
    read -r _ eq _ _ cq <out
    [ "$(grep -c . err)" = 1 ]
    grep -qE "EQ $eq is in the error state: overrun: 4 events .*flexio_dev_eq_update_ci.*CQ $cq\$" err
}

@test "event queues are refused with a reason" {
    case_ok event_queues_are_refused_with_a_reason
    [[ $output == *'flexio_cq_create: the process has no event queue'* ]]
}

@test "a program may declare event queues itself, as libsnap does" {
    cat >own.c <<'C'
#include <libflexio/flexio.h>
struct flexio_eq;
struct flexio_eq_attr {
    uint8_t log_eq_ring_depth;
    uint32_t uar_id;
};
flexio_status flexio_eq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_eq_attr *attr, struct flexio_eq **eq);
flexio_status flexio_eq_destroy(struct flexio_eq *eq);
struct flexio_hw_eq *flexio_eq_get_hw_eq(struct flexio_eq *eq);
int main(void)
{
    struct flexio_eq_attr attr = {.log_eq_ring_depth = 5};
    struct flexio_eq *eq;
    if (flexio_eq_create(NULL, NULL, &attr, &eq) == FLEXIO_STATUS_SUCCESS)
        return (int)flexio_eq_get_hw_eq(eq)->eq_num;
    return flexio_eq_destroy(eq);
}
C
    # shellcheck disable=SC2086
    gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" own.c -o own \
        -L"$DPAKIT_BUILD/lib" -lflexio -Wl,-rpath,"$DPAKIT_BUILD/lib"
    ./own
}
