/* Functions that programs of before FlexIO 24.01 call differently; host_flexio_older.bats runs
 * them. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "queue_world.h"

static void uars_and_outboxes_are_made_of_verbs_uars(void)
{
    struct flexio_process *p = queue_process();
    struct mlx5dv_devx_uar *devx = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
    struct flexio_uar *uar = NULL, *newer = NULL;
    struct flexio_outbox *outbox = NULL, *other = NULL;
    struct flexio_outbox_attr attr = {0};
    CHECK(devx && flexio_uar_create(p, devx, &uar) == OK && uar);
    CHECK(flexio_outbox_create(p, context, uar, &outbox) == OK && outbox);
    CHECK(flexio_outbox_get_uar(outbox) == uar);
    CHECK(flexio_uar_create(p, &newer) == OK && flexio_uar_get_id(newer) != flexio_uar_get_id(uar));
    CHECK(flexio_outbox_create(p, NULL, newer, &other) == OK);
    CHECK(flexio_outbox_get_id(outbox) != flexio_outbox_get_id(other));
    CHECK(flexio_uar_destroy(newer) == OK && flexio_outbox_get_uar(other) == NULL);
    CHECK(flexio_outbox_destroy(other) == OK);
    CHECK(flexio_outbox_create(p, &attr, &other) == OK && flexio_outbox_destroy(other) == OK);
    CHECK(flexio_outbox_destroy(outbox) == OK && flexio_uar_destroy(uar) == OK);
    mlx5dv_devx_free_uar(devx);
    CHECK(flexio_process_destroy(p) == OK);
}

/* In C++ the attributes have a member for it. */
static void a_process_has_the_uar_that_it_was_given(void)
{
    struct flexio_process *p = NULL;
    struct flexio_process_attr attr = {0};
    struct mlx5dv_devx_uar *devx = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
    memcpy((char *)&attr + offsetof(struct flexio_process_attr, en_pcc), &devx, sizeof devx);
    CHECK(flexio_process_create(context, queue_app, &attr, &p) == OK);
    uint64_t ring = 0, record = 0;
    struct flexio_cq *cq = make_cq_of(p, NULL, devx->page_id, &ring, &record);
    CHECK(call2(p, &bad_doorbell, 1, flexio_cq_get_cq_num(cq)) == 0);
    CHECK(flexio_cq_destroy(cq) == OK && flexio_process_destroy(p) == OK);
    mlx5dv_devx_free_uar(devx);
    CHECK(flexio_process_create(context, queue_app, &attr, &p) == FLEXIO_STATUS_FAILED);
}

static void they_are_refused_with_a_reason(void)
{
    struct flexio_process *p = queue_process(), *peer = queue_process();
    struct mlx5dv_devx_uar *devx = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC), none;
    struct flexio_uar *uar = NULL;
    struct flexio_outbox *outbox = NULL;
    none = *devx;
    none.page_id = 0;
    CHECK(flexio_uar_create(p, &none, &uar) == FLEXIO_STATUS_FAILED && !uar);
    none.page_id = UINT32_MAX;
    CHECK(flexio_uar_create(p, &none, &uar) == FLEXIO_STATUS_FAILED && !uar);
    CHECK(flexio_uar_create(NULL, devx, &uar) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_uar_create(p, (struct mlx5dv_devx_uar *)NULL, &uar) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_uar_create(p, devx, NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_uar_create(p, devx, &uar) == OK);
    CHECK(flexio_outbox_create(peer, context, uar, &outbox) == FLEXIO_STATUS_FAILED && !outbox);
    CHECK(flexio_outbox_create(p, context, (struct flexio_uar *)NULL, &outbox) ==
          FLEXIO_STATUS_FAILED);
    CHECK(flexio_outbox_create(NULL, context, uar, &outbox) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_uar_destroy(uar) == OK);
    CHECK(flexio_process_destroy(p) == OK && flexio_process_destroy(peer) == OK);
    mlx5dv_devx_free_uar(devx);
}

/* Frames come as long as a rule leads to the receive queue; no action is made of what is gone. */
static void a_tir_is_destroyed(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct steering rx = steer(s.rq, -1);
    struct mlx5dv_devx_obj *tir = flexio_rq_get_tir(s.rq);
    CHECK(mlx5dv_devx_obj_destroy(tir) == EBUSY);
    CHECK(call2(p, &frame, s.at, 60) == OUTCOME(0, 0, 0, 60u));
    CHECK(call1(p, &next_received, s.at) == OUTCOME(2, 0, 0, 60u));
    steering_end(&rx);
    CHECK(mlx5dv_devx_obj_destroy(tir) == 0);
    CHECK(mlx5dv_devx_obj_destroy(tir) == EINVAL);
    errno = 0;
    CHECK(!mlx5dv_dr_action_create_dest_devx_tir(tir) && errno == EINVAL);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(uars_and_outboxes_are_made_of_verbs_uars),
        CASE(a_process_has_the_uar_that_it_was_given),
        CASE(they_are_refused_with_a_reason),
        CASE(a_tir_is_destroyed),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
