/* Flow steering by mlx5dv_dr, of frames of libflexio's queues; host_steering.bats runs them. */
#include "steering_world.h"

static void rules_choose_frames(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct steering rx = steer(s.rq, 0x42);
    CHECK(!comes_back(&s, (uint8_t[14]){0}, 14));
    CHECK(comes_back(&s, (uint8_t[14]){[6] = 0x42}, 14));
    steering_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* As NVIDIA's packet processor on a DPU has it: out by a table of the FDB and its rule. */
static void sent_frames_pass_tables_of_the_fdb(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct steering rx = steer(s.rq, -1);
    struct tables fdb = tables(MLX5DV_DR_DOMAIN_TYPE_FDB);
    struct parameters dmac = {64, {[8] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
                      nine = {64, {[8] = 9, 9, 9, 9, 9, 9}}, ten = {64, {[8] = 10}};
    const uint8_t to_nine[14] = {9, 9, 9, 9, 9, 9}, to_ten[14] = {10};
    struct mlx5dv_dr_matcher *root = matcher(fdb.root, &dmac), *next = matcher(fdb.next, &dmac);
    struct mlx5dv_dr_action *jump = mlx5dv_dr_action_create_dest_table(fdb.next);
    struct mlx5dv_dr_action *uplink = mlx5dv_dr_action_create_dest_vport(fdb.domain, 0xffff);
    struct mlx5dv_dr_action *self = mlx5dv_dr_action_create_dest_vport(fdb.domain, 0);
    CHECK(jump && uplink && self);
    struct mlx5dv_dr_rule *rules[] = {rule(root, &nine, jump), rule(next, &nine, uplink),
                                      rule(root, &ten, self)};
    CHECK(mlx5dv_dr_action_destroy(jump) == EBUSY && mlx5dv_dr_matcher_destroy(next) == EBUSY);
    CHECK(mlx5dv_dr_table_destroy(fdb.next) == EBUSY);
    /* With a capture in its place what goes out by the uplink does not come back. */
    const bool plugged = getenv("DPAKIT_PACKETS_SENT") != NULL;
    CHECK(comes_back(&s, to_nine, 14) == !plugged);
    CHECK(comes_back(&s, to_ten, 14));
    CHECK(comes_back(&s, (uint8_t[14]){11}, 14) == !plugged); /* no rule knows it */
    for (unsigned i = 0; i < 3; i++)
        CHECK(mlx5dv_dr_rule_destroy(rules[i]) == 0);
    CHECK(mlx5dv_dr_action_destroy(jump) == 0 && mlx5dv_dr_action_destroy(uplink) == 0 &&
          mlx5dv_dr_action_destroy(self) == 0);
    CHECK(mlx5dv_dr_matcher_destroy(root) == 0 && mlx5dv_dr_matcher_destroy(next) == 0);
    tables_end(&fdb);
    steering_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* A rule for a port of UDP after a rule for a MAC address, as programs for that port have it. */
static void received_frames_pass_tables_of_the_nic(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    struct parameters dmac = {64, {[8] = 0xff}}, five = {64, {[8] = 5}},
                      udp = {64, {[6] = 0xff, 0xff, [16] = 0xff, [30] = 0xff, 0xff}},
                      port = {64, {[6] = 0x08, 0x00, [16] = 17, [30] = 0x12, 0x34}};
    struct mlx5dv_dr_action *to = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(s.rq)),
                            *jump = mlx5dv_dr_action_create_dest_table(rx.next);
    struct mlx5dv_dr_matcher *root = matcher(rx.root, &dmac), *next = matcher(rx.next, &udp);
    struct mlx5dv_dr_rule *rules[] = {rule(root, &five, jump), rule(next, &port, to)};
    uint8_t header[42] = {5, [12] = 0x08, 0x00, 0x45, [23] = 17, [36] = 0x12, 0x34};
    CHECK(comes_back(&s, header, sizeof header));
    header[37]++; /* the port */
    CHECK(!comes_back(&s, header, sizeof header));
    header[37]--, header[23] = 6; /* TCP */
    CHECK(!comes_back(&s, header, sizeof header));
    header[23] = 17, header[0] = 6; /* the address */
    CHECK(!comes_back(&s, header, sizeof header));
    header[0] = 5;
    CHECK(comes_back(&s, header, sizeof header));
    CHECK(mlx5dv_dr_rule_destroy(rules[0]) == 0 && mlx5dv_dr_rule_destroy(rules[1]) == 0);
    CHECK(mlx5dv_dr_action_destroy(to) == 0 && mlx5dv_dr_action_destroy(jump) == 0);
    CHECK(mlx5dv_dr_matcher_destroy(root) == 0 && mlx5dv_dr_matcher_destroy(next) == 0);
    tables_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* As an observer has it: each frame goes to the receive queue and, here to nobody, to the stack. */
static void arrays_drop_and_default_miss(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    struct parameters none = {.size = 64}, smac = {64, {0xff}}, three = {64, {3}}, four = {64, {4}};
    struct mlx5dv_dr_action *drop = mlx5dv_dr_action_create_drop(),
                            *miss = mlx5dv_dr_action_create_default_miss(),
                            *tir = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(s.rq));
    struct mlx5dv_dr_action_dest_attr to[2] = {{.type = MLX5DV_DR_ACTION_DEST, .dest = miss},
                                               {.type = MLX5DV_DR_ACTION_DEST, .dest = tir}},
                                      *destinations[] = {&to[0], &to[1]};
    struct mlx5dv_dr_action *both = mlx5dv_dr_action_create_dest_array(rx.domain, 2, destinations);
    CHECK(drop && miss && tir && both && mlx5dv_dr_action_destroy(tir) == EBUSY);
    struct mlx5dv_dr_matcher *some = matcher(rx.root, &smac),
                             *all = mlx5dv_dr_matcher_create(rx.root, 1, 0, P(none));
    struct mlx5dv_dr_rule *rules[] = {rule(some, &three, drop), rule(some, &four, miss),
                                      rule(all, &none, both)};
    CHECK(comes_back(&s, (uint8_t[14]){[6] = 5}, 14));
    CHECK(!comes_back(&s, (uint8_t[14]){[6] = 3}, 14));
    CHECK(!comes_back(&s, (uint8_t[14]){[6] = 4}, 14));
    for (unsigned i = 0; i < 3; i++)
        CHECK(mlx5dv_dr_rule_destroy(rules[i]) == 0);
    CHECK(mlx5dv_dr_action_destroy(both) == 0 && mlx5dv_dr_action_destroy(tir) == 0);
    CHECK(mlx5dv_dr_action_destroy(miss) == 0 && mlx5dv_dr_action_destroy(drop) == 0);
    CHECK(mlx5dv_dr_matcher_destroy(some) == 0 && mlx5dv_dr_matcher_destroy(all) == 0);
    tables_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* The reasons are on the standard error. */
static void what_cannot_be_done_is_refused(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX),
                  tx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_TX),
                  fdb = tables(MLX5DV_DR_DOMAIN_TYPE_FDB);
    struct parameters none = {.size = 64}, l4 = {64, {[24] = 0xc0}},
                      gre = {128, {[64 + 16] = 0xff}}, inner = {192, {[128 + 6] = 0xff}},
                      smac = {64, {0xff}}, other = {64, {1, 1}}, odd = {63, {1}};
    CHECK(REFUSED(mlx5dv_dr_domain_create(context, 77), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_matcher_create(rx.root, 0, 1, P(l4)), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_matcher_create(rx.root, 0, 3, P(gre)), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_matcher_create(rx.root, 0, 4, P(inner)), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_matcher_create(rx.root, 0, 0x80, P(none)), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_vport(rx.domain, 0xffff), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_vport(fdb.domain, 3), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_table(rx.root), EINVAL));
    /* Parts that do not count say nothing. */
    struct mlx5dv_dr_matcher *m = mlx5dv_dr_matcher_create(rx.root, 0, 1, P(gre));
    CHECK(m && mlx5dv_dr_matcher_destroy(m) == 0);
    struct mlx5dv_dr_action *tir = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(s.rq)),
                            *uplink = mlx5dv_dr_action_create_dest_vport(fdb.domain, 0xffff),
                            *jump = mlx5dv_dr_action_create_dest_table(rx.next),
                            *both[] = {tir, jump}, *foreign = (void *)&none;
    struct mlx5dv_dr_matcher *in = matcher(rx.root, &smac), *out = matcher(fdb.root, &smac),
                             *sent = matcher(tx.root, &smac);
    CHECK(REFUSED(mlx5dv_dr_rule_create(in, P(none), 1, &uplink), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_rule_create(out, P(none), 1, &tir), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_rule_create(sent, P(none), 1, &jump), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in, P(none), 2, both), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in, P(none), 1, &foreign), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in, P(none), 0, both), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in, P(other), 1, &tir), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in, P(odd), 1, &tir), EINVAL));
    struct mlx5dv_dr_action_dest_attr good = {.type = MLX5DV_DR_ACTION_DEST, .dest = tir},
                                      strange = {.type = MLX5DV_DR_ACTION_DEST, .dest = foreign},
                                      outside = {.type = MLX5DV_DR_ACTION_DEST, .dest = uplink},
                                      *array[9] = {&good, &strange};
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_array(rx.domain, 1, array), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_array(rx.domain, 2, array), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_array(rx.domain, 9, array), EOPNOTSUPP));
    array[1] = &outside;
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_array(rx.domain, 2, array), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_action_create_push_vlan(tx.domain, 0), EINVAL));
    __be64 nothing = 0;
    CHECK(REFUSED(mlx5dv_dr_action_create_modify_header(rx.domain, 0, 4, &nothing), EINVAL));
    CHECK(mlx5dv_dr_matcher_destroy(in) == 0 && mlx5dv_dr_matcher_destroy(out) == 0 &&
          mlx5dv_dr_matcher_destroy(sent) == 0);
    CHECK(mlx5dv_dr_action_destroy(tir) == 0 && mlx5dv_dr_action_destroy(uplink) == 0 &&
          mlx5dv_dr_action_destroy(jump) == 0);
    tables_end(&rx);
    tables_end(&tx);
    tables_end(&fdb);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* An action may outlive the receive queue, but no rule leads there any more. */
static void no_rule_leads_to_a_queue_that_is_gone(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    struct parameters none = {.size = sizeof none.bytes};
    struct mlx5dv_dr_matcher *in = matcher(rx.root, &none);
    struct mlx5dv_dr_action *tir = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(s.rq));
    struct mlx5dv_dr_rule *rule = NULL;
    CHECK(tir && (rule = mlx5dv_dr_rule_create(in, P(none), 1, &tir)));
    CHECK(mlx5dv_dr_rule_destroy(rule) == 0 && flexio_rq_destroy(s.rq) == OK);
    s.rq = NULL;
    errno = 0;
    CHECK(!mlx5dv_dr_rule_create(in, P(none), 1, &tir) && errno == EINVAL);
    CHECK(call2(p, &frame, s.at, 60) == OUTCOME(0, 0, 0, 60u));
    CHECK(mlx5dv_dr_matcher_destroy(in) == 0 && mlx5dv_dr_action_destroy(tir) == 0);
    tables_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(rules_choose_frames),
        CASE(sent_frames_pass_tables_of_the_fdb),
        CASE(received_frames_pass_tables_of_the_nic),
        CASE(arrays_drop_and_default_miss),
        CASE(what_cannot_be_done_is_refused),
        CASE(no_rule_leads_to_a_queue_that_is_gone),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
