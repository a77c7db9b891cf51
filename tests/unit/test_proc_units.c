/* runtime/engine/proc: triggers, execution units and their affinity. */
#include "dpa_threads.h"

/* ---- Triggers ---- */

static void notification_activates_its_thread(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct handler a = handler(p, "handle"), b = handler(p, "handle");
    struct dpk_trigger *ta = trigger(a, DPK_TRIGGER_NOTIFICATION);
    struct dpk_trigger *tb = trigger(b, DPK_TRIGGER_NOTIFICATION);
    rpc(p, "notify", dpk_trigger_handle(ta), 3);
    rpc(p, "notify", dpk_trigger_handle(tb), 1);
    activated(a, 3);
    activated(b, 1);
    dpk_trigger_signal(tb, 1);
    activated(b, 2);
    and_no_more(a, 3);
    dpk_process_destroy(p);
}

static void bad_triggers_fault(void **state)
{
    (void)state;
    const char *const names[] = {"notify", "arm"};
    for (int kind = 0; kind < 4; kind++) {
        struct handler h = handler(process(), "handle");
        struct dpk_trigger *wrong =
            trigger(h, kind % 2 ? DPK_TRIGGER_NOTIFICATION : DPK_TRIGGER_QUEUE);
        uint64_t number = dpk_trigger_handle(wrong);
        if (kind >= 2)
            dpk_trigger_destroy(wrong);
        struct dpk_error err = {0};
        assert_int_equal(try_rpc(h.p, names[kind % 2], number, 1, 0, NULL, &err), DPK_ERR_FAULT);
        assert_non_null(strstr(err.message, "bad trigger handle 0x1"));
        dpk_process_destroy(h.p);
    }
    struct dpk_process *p = process();
    assert_int_equal(try_rpc(p, "notify", UINT64_MAX, 1, 0, NULL, NULL), DPK_ERR_FAULT);
    dpk_process_destroy(p);
}

static void thread_of_another_process_cannot_be_attached(void **state)
{
    (void)state;
    struct handler a = handler(process(), "handle"), b = handler(process(), "handle");
    struct dpk_trigger *t = trigger(a, DPK_TRIGGER_QUEUE);
    assert_int_equal(dpk_trigger_attach(t, b.t, NULL), DPK_ERR_MISMATCH);
    dpk_process_destroy(b.p);
    dpk_process_destroy(a.p);
}

static void completion_is_an_event_only_if_the_queue_is_armed(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle");
    struct dpk_trigger *queue = trigger(h, DPK_TRIGGER_QUEUE);
    dpk_trigger_signal(queue, 1);
    and_no_more(h, 0);
    dpk_trigger_arm(queue, 1); /* the one completion was seen */
    and_no_more(h, 0);
    dpk_trigger_signal(queue, 1);
    dpk_trigger_signal(queue, 1); /* disarmed already */
    activated(h, 1);
    and_no_more(h, 1);
    dpk_process_destroy(h.p);
}

static void unseen_completion_is_an_event_at_the_arming(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle");
    struct dpk_trigger *queue = trigger(h, DPK_TRIGGER_QUEUE);
    dpk_trigger_signal(queue, 1);
    rpc(h.p, "arm", dpk_trigger_handle(queue), 0);
    activated(h, 1);
    rpc(h.p, "arm", dpk_trigger_handle(queue), 1);
    and_no_more(h, 1);
    dpk_process_destroy(h.p);
}

/* The host completes while the device reads and arms: whatever the interleaving, the last
 * completion is seen, and no activation finds nothing new. */
static void no_completion_is_missed_while_the_device_arms(void **state)
{
    (void)state;
    struct handler h = handler(process(), "drain_queue");
    struct dpk_trigger *queue = trigger(h, DPK_TRIGGER_QUEUE);
    set_word(h.p, h.at + 8, dpk_trigger_handle(queue));
    dpk_trigger_arm(queue, 0);
    for (uint64_t i = 1; i <= 3000; i++) {
        set_word(h.p, h.at + 16, i);
        dpk_trigger_signal(queue, 1);
        if (i % 7 == 0)
            usleep(20);
    }
    becomes_idle(h.p);
    uint64_t before = activations(h);
    assert_true(before >= 1 && before <= 3000);
    set_word(h.p, h.at + 16, 3001); /* armed again at the end of it all: one more is one more */
    dpk_trigger_signal(queue, 1);
    activated(h, before + 1);
    dpk_process_destroy(h.p);
}

/* ---- Execution units ---- */

static void there_are_256_units_or_as_many_as_wanted(void **state)
{
    (void)state;
    const struct {
        const char *text;
        unsigned count;
    } good[] = {{"", 256}, {"1", 1}, {"256", 256}, {"20-39", 20}, {"0-255", 256}};
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        setenv("DPAKIT_EUS", good[i].text, 1);
        struct dpk_process *p = process();
        assert_int_equal(dpk_eu_count(p), good[i].count);
        dpk_process_destroy(p);
    }
    const char *const bad[] = {"0",   "257",   "-1", "x",  "3x",
                               "5-4", "0-256", "1-", " 1", "9999999999"};
    struct dpk_image *image = kernels_image();
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct dpk_process *p = NULL;
        struct dpk_error err = {0};
        setenv("DPAKIT_EUS", bad[i], 1);
        assert_int_equal(dpk_process_create(image, NULL, &p, &err), DPK_ERR_USAGE);
        assert_non_null(strstr(err.message, bad[i]));
    }
    unsetenv("DPAKIT_EUS");
    dpk_image_free(image);
}

static void groups_must_be_ranges_of_units(void **state)
{
    (void)state;
    const char *const bad[] = {"1", "1=", "1=0", "1=3-2", "1=0-8", "1=0-7,", "=0-1", "1=0-1;2=2-3"};
    struct dpk_image *image = kernels_image();
    setenv("DPAKIT_EUS", "8", 1);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct dpk_process *p = NULL;
        setenv("DPAKIT_EU_GROUPS", bad[i], 1);
        assert_int_equal(dpk_process_create(image, NULL, &p, NULL), DPK_ERR_USAGE);
    }
    unsetenv("DPAKIT_EU_GROUPS");
    unsetenv("DPAKIT_EUS");
    dpk_image_free(image);
}

static uint64_t unit_of(struct dpk_process *p, struct dpk_affinity affinity)
{
    struct handler h =
        handler_with(p, "handle_and_tell", (struct dpk_thread_options){.affinity = affinity});
    dpk_thread_activate(h.t);
    activated(h, 1);
    uint64_t unit = word(p, h.at + 16);
    dpk_thread_destroy(h.t);
    return unit;
}

static void affinity_decides_the_unit(void **state)
{
    (void)state;
    setenv("DPAKIT_EUS", "20-39", 1);
    setenv("DPAKIT_EU_GROUPS", "7=3-4,8=5-19", 1);
    struct dpk_process *p = process();
    for (uint32_t eu = 0; eu < 20; eu++)
        assert_int_equal(unit_of(p, (struct dpk_affinity){DPK_AFFINITY_STRICT, eu}), eu);
    for (int i = 0; i < 5; i++) {
        uint64_t eu = unit_of(p, (struct dpk_affinity){DPK_AFFINITY_GROUP, 7});
        assert_true(eu == 3 || eu == 4);
        assert_true(unit_of(p, (struct dpk_affinity){.kind = DPK_AFFINITY_NONE}) < 3);
    }
    struct dpk_thread_options options = {.call = function(p, "handle")};
    const struct dpk_affinity none_such[] = {
        {DPK_AFFINITY_STRICT, 20}, {DPK_AFFINITY_STRICT, UINT32_MAX}, {DPK_AFFINITY_GROUP, 1}};
    for (int i = 0; i < 3; i++) {
        struct dpk_thread *t = NULL;
        options.affinity = none_such[i];
        assert_int_equal(dpk_thread_create(p, &options, &t, NULL), DPK_OK);
        assert_int_equal(dpk_thread_start(t, NULL), DPK_ERR_RANGE);
    }
    struct dpk_error err = {0};
    launch(p, (struct kernel){"nothing", .threads = 3});
    assert_int_equal(try_launch(p, (struct kernel){"nothing", .threads = 4}, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "there are 3 execution units that are in no EU group"));
    drain(p);
    dpk_process_destroy(p);
    unsetenv("DPAKIT_EU_GROUPS");
    unsetenv("DPAKIT_EUS");
}

static void groups_of_all_units_leave_none_to_others(void **state)
{
    (void)state;
    setenv("DPAKIT_EUS", "8", 1);
    setenv("DPAKIT_EU_GROUPS", "1=0-5,2=4-7", 1);
    struct dpk_process *p = process();
    struct dpk_error err = {0};
    struct dpk_thread *t = NULL;
    struct dpk_thread_options options = {.call = function(p, "handle")};
    assert_int_equal(dpk_thread_create(p, &options, &t, NULL), DPK_OK);
    assert_int_equal(dpk_thread_start(t, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "every execution unit is in an EU group"));
    assert_int_equal(rpc(p, "add", 20, 22), 42);
    unsetenv("DPAKIT_EU_GROUPS");
    unsetenv("DPAKIT_EUS");
    dpk_process_destroy(p);
}

static void threads_of_one_unit_take_turns(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_thread_options same = {.affinity = {DPK_AFFINITY_STRICT, 5}};
    struct handler slow = handler_with(p, "handle_slowly", same);
    struct handler next = handler_with(p, "handle", same), other = handler(p, "handle");
    dpk_thread_activate(slow.t);
    activated(slow, 1);
    dpk_thread_activate(next.t);
    dpk_thread_activate(other.t);
    activated(other, 1);
    and_no_more(next, 0);
    set_word(p, slow.at + 8, 1);
    activated(next, 1);
    dpk_process_destroy(p);
}

static void kernels_of_more_threads_than_units_are_refused(void **state)
{
    (void)state;
    setenv("DPAKIT_EUS", "4", 1);
    struct dpk_process *p = process();
    struct dpk_error err = {0};
    launch(p, (struct kernel){"nothing", .threads = 4});
    assert_int_equal(try_launch(p, (struct kernel){"nothing", .threads = 5}, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "there are 4 execution units"));
    drain(p);
    unsetenv("DPAKIT_EUS");
    dpk_process_destroy(p);
}

static void two_hundred_polling_threads_leave_room_for_a_call(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct handler h[200];
    for (int i = 0; i < 200; i++) {
        h[i] = handler(p, "handle_slowly");
        dpk_thread_activate(h[i].t);
    }
    assert_int_equal(rpc(p, "add", 20, 22), 42);
    struct handler late = handler(p, "handle");
    dpk_thread_activate(late.t);
    activated(late, 1);
    for (int i = 0; i < 200; i++)
        dpk_thread_stop(h[i].t);
    dpk_process_destroy(p);
}

static void waiting_threads_do_not_spin(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct handler h[50];
    for (int i = 0; i < 50; i++)
        h[i] = handler(p, "handle");
    for (int i = 0; i < 50; i++)
        dpk_thread_activate(h[i].t);
    for (int i = 0; i < 50; i++)
        activated(h[i], 1);
    becomes_idle(p);
    uint64_t instructions = dpk_process_instructions(p);
    double used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    usleep(200000);
    assert_int_equal(dpk_process_instructions(p), instructions);
    assert_true(seconds(CLOCK_PROCESS_CPUTIME_ID) - used < 0.1);
    dpk_process_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notification_activates_its_thread),
        cmocka_unit_test(bad_triggers_fault),
        cmocka_unit_test(thread_of_another_process_cannot_be_attached),
        cmocka_unit_test(completion_is_an_event_only_if_the_queue_is_armed),
        cmocka_unit_test(unseen_completion_is_an_event_at_the_arming),
        cmocka_unit_test(no_completion_is_missed_while_the_device_arms),
        cmocka_unit_test(there_are_256_units_or_as_many_as_wanted),
        cmocka_unit_test(groups_must_be_ranges_of_units),
        cmocka_unit_test(affinity_decides_the_unit),
        cmocka_unit_test(groups_of_all_units_leave_none_to_others),
        cmocka_unit_test(threads_of_one_unit_take_turns),
        cmocka_unit_test(kernels_of_more_threads_than_units_are_refused),
        cmocka_unit_test(two_hundred_polling_threads_leave_room_for_a_call),
        cmocka_unit_test(waiting_threads_do_not_spin),
    };
    return cmocka_run_group_tests_name("proc units", tests, NULL, NULL);
}
