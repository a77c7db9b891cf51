/* runtime/device/running: data that programs share about a device, and DPA processes that obey it.
 * */
#include "dpa.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "device/running/running.h"

static char folder[] = "/tmp/test_live_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const struct dpk_live_program me = {.name = "me", .vhca = 7};

static struct dpk_live *enter(void)
{
    struct dpk_live *live = NULL;
    struct dpk_error err = {0};
    if (dpk_live_enter(folder, &me, &live, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_live_entered(live);
    return live;
}

static struct dpk_live_seen look(void)
{
    struct dpk_live_seen seen;
    struct dpk_error err = {0};
    if (dpk_live_look(folder, true, &seen, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return seen;
}

static size_t living(void)
{
    struct dpk_live_seen seen = look();
    size_t count = seen.count;
    dpk_live_seen_free(&seen);
    return count;
}

/* A process that has done `what` and waits to be killed; it has written a byte by then. */
static pid_t child_that(void (*what)(void))
{
    int done[2];
    char byte = 0;
    assert_int_equal(pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        what();
        byte = write(done[1], "x", 1) == 1;
        pause();
        _exit(byte);
    }
    assert_int_equal(read(done[0], &byte, 1), 1);
    close(done[0]);
    close(done[1]);
    return child;
}

static void end_child(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* ---- The room ---- */

static void processes_have_the_lowest_numbers(void **state)
{
    (void)state;
    struct dpk_live *a = enter(), *b = enter();
    assert_int_equal(dpk_live_number(a), 0);
    assert_int_equal(dpk_live_number(b), 1);
    dpk_live_leave(a);
    a = enter();
    assert_int_equal(dpk_live_number(a), 0);
    struct dpk_live_seen seen = look();
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.processes[1].name, "me");
    assert_int_equal(seen.processes[1].vhca, 7);
    assert_int_equal(seen.processes[1].pid, getpid());
    dpk_live_seen_free(&seen);
    dpk_live_leave(a);
    dpk_live_leave(b);
    assert_int_equal(living(), 0);
}

static void a_unit_is_one_process_s(void **state)
{
    (void)state;
    struct dpk_live *a = enter(), *b = enter();
    assert_true(dpk_live_claim(a, 3));
    assert_false(dpk_live_claim(b, 3));
    dpk_live_give(b, 3); /* not its own: nothing happens */
    assert_false(dpk_live_claim(b, 3));
    struct dpk_units open = dpk_live_free(b, true);
    assert_int_equal(dpk_units_count(&open), DPK_UNITS_MAX - 1);
    dpk_live_give(a, 3);
    assert_true(dpk_live_claim(b, 3));
    dpk_live_leave(b);
    assert_true(dpk_live_claim(a, 3));
    dpk_live_leave(a);
}

static void take_all_units(void)
{
    struct dpk_live *live = enter();
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++)
        if (!dpk_live_claim(live, i))
            _exit(1);
}

static void the_dead_leave_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        pid_t child = child_that(take_all_units);
        struct dpk_live *live = enter();
        assert_int_equal(dpk_live_number(live), 1);
        assert_false(dpk_live_claim(live, 5));
        assert_int_equal(living(), 2);
        struct dpk_units open = dpk_live_free(live, true);
        assert_true(dpk_units_none(&open));
        end_child(child);
        open = dpk_live_free(live, true);
        assert_int_equal(dpk_units_count(&open), DPK_UNITS_MAX);
        assert_int_equal(living(), 1);
        dpk_live_leave(live);
    }
}

static struct dpk_live *inherited;

static void forget(void)
{
    dpk_live_forked(inherited);
}

static void a_child_does_not_keep_its_parent_s_process_alive(void **state)
{
    (void)state;
    inherited = enter();
    pid_t child = child_that(forget);
    dpk_live_leave(inherited);
    assert_int_equal(living(), 0);
    end_child(child);
}

static void what_is_not_ours_is_not_trusted(void **state)
{
    (void)state;
    char path[200], command[300];
    struct dpk_error err = {0};
    struct dpk_live_seen seen;
    struct dpk_live *live = enter();
    snprintf(command, sizeof command,
             "cd %s/live && echo x >1 && mkdir 2 && ln -s /dev/zero 3 && mkfifo 4", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(living(), 1);
    snprintf(path, sizeof path, "%s/live/units", folder);
    struct dpk_live *second = enter(); /* the dead file 1 is gone, and its number taken */
    assert_int_equal(dpk_live_number(second), 1);
    dpk_live_leave(second);
    dpk_live_leave(live);
    snprintf(command, sizeof command, "head -c 4096 /dev/zero >%s", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(dpk_live_look(folder, false, &seen, &err), DPK_ERR_FORMAT);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/live", folder);
    assert_int_equal(chmod(path, 0770), 0);
    assert_int_equal(dpk_live_look(folder, false, &seen, &err), DPK_ERR_REFUSED);
    assert_int_equal(chmod(path, 0700), 0);
}

static void choices_are_hexadecimal(void **state)
{
    (void)state;
    struct dpk_live_choice choice;
    assert_int_equal(dpk_live_choose("0,1f,ff", &choice, NULL), DPK_OK);
    assert_true(choice.wanted[0] && choice.wanted[0x1f] && choice.wanted[0xff]);
    assert_false(choice.wanted[1]);
    assert_int_equal(dpk_live_choose(NULL, &choice, NULL), DPK_OK);
    assert_true(choice.wanted[9]);
    const char *const bad[] = {"", ",", "1,", "100", "-1", "x", "1 2", "fffffffffffffffffff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(dpk_live_choose(bad[i], &choice, NULL), DPK_ERR_USAGE);
}

static void nothing_begins_while_units_change(void **state)
{
    (void)state;
    struct dpk_live_pause pause;
    size_t count;
    struct dpk_live *live = enter();
    assert_int_equal(dpk_live_still(folder, &pause, &count, NULL), DPK_OK);
    assert_int_equal(count, 1);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        struct dpk_live *late = enter();
        _exit(dpk_live_number(late) == 1 ? 0 : 1);
    }
    int how = 0;
    usleep(50000);
    assert_int_equal(waitpid(child, &how, WNOHANG), 0);
    dpk_live_moves(&pause);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    dpk_live_leave(live);
}

/* ---- Processes of the DPA ---- */

static struct dpk_process *process_here(void)
{
    struct dpk_image *image = kernels_image();
    struct dpk_process *p = NULL;
    struct dpk_error err = {0};
    snprintf(image->card, sizeof image->card, "%s", folder);
    if (dpk_process_create(image, NULL, &p, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_image_free(image);
    return p;
}

static void call(struct dpk_process *p, const char *name)
{
    struct dpk_call function;
    const uint64_t args[2] = {1, 2};
    struct dpk_error err = {0};
    if (dpk_process_function(p, name, &function, &err) != DPK_OK ||
        dpk_process_call(p, &function, args, sizeof args, NULL, &err) != DPK_OK)
        fail_msg("%s", err.message);
}

/* What other programs read is what the process knows itself, to the last instruction. */
static void counters_are_exact(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_process *p = process_here();
    uint64_t at = 0, total = 0, executions = 0;
    call(p, "add");
    assert_int_equal(dpk_live_collect(folder, UINT_MAX, true, true, &err), DPK_OK);
    const uint64_t before = dpk_process_instructions(p);
    assert_int_equal(dpk_heap_alloc(p, 8, &at, &err), DPK_OK);
    struct dpk_launch launch = {.threads = 8};
    assert_int_equal(dpk_process_function(p, "count", &launch.call, &err), DPK_OK);
    const uint64_t args[2] = {at, 100000};
    launch.args = args;
    launch.args_size = sizeof args;
    assert_int_equal(dpk_process_launch(p, &launch, &err), DPK_OK);
    assert_int_equal(dpk_process_drain(p, &err), DPK_OK);
    for (int i = 0; i < 100; i++)
        call(p, "add");
    assert_int_equal(dpk_live_collect(folder, UINT_MAX, false, false, &err), DPK_OK);
    const uint64_t counted = dpk_process_instructions(p) - before;
    call(p, "add"); /* is not counted */
    struct dpk_live_seen seen = look();
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.processes[0].name, "kernels");
    for (size_t i = 0; i < seen.processes[0].thread_count; i++) {
        const struct dpk_live_thread *t = &seen.processes[0].threads[i];
        total += t->instructions;
        executions += t->executions;
    }
    assert_true(seen.processes[0].thread_count >= 8);
    assert_int_equal(total, counted);
    assert_int_equal(executions, 108);
    assert_true(seen.for_ns > 0 && !seen.collects);
    dpk_live_seen_free(&seen);
    dpk_process_destroy(p);
    assert_int_equal(living(), 0);
}

static void take_four_units(void)
{
    struct dpk_live *live = enter();
    for (unsigned i = 0; i < 4; i++)
        if (!dpk_live_claim(live, i))
            _exit(1);
}

/* A kernel waits for units that another program has, also if that dies. */
static void kernels_wait_for_units_of_other_programs(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    setenv("DPAKIT_EUS", "4", 1);
    pid_t child = child_that(take_four_units);
    struct dpk_process *p = process_here();
    struct dpk_launch launch = {.threads = 2};
    assert_int_equal(dpk_process_function(p, "nothing", &launch.call, &err), DPK_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(dpk_process_launch(p, &launch, &err), DPK_OK);
    usleep(50000);
    assert_int_equal(dpk_process_instructions(p), 0);
    call(p, "add"); /* an RPC needs no unit */
    end_child(child);
    assert_int_equal(dpk_process_drain(p, &err), DPK_OK);
    unsetenv("DPAKIT_EUS");
    dpk_process_destroy(p);
}

int main(void)
{
    setenv("DPAKIT_EUS", "256", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_have_the_lowest_numbers),
        cmocka_unit_test(a_unit_is_one_process_s),
        cmocka_unit_test(the_dead_leave_nothing),
        cmocka_unit_test(a_child_does_not_keep_its_parent_s_process_alive),
        cmocka_unit_test(what_is_not_ours_is_not_trusted),
        cmocka_unit_test(choices_are_hexadecimal),
        cmocka_unit_test(nothing_begins_while_units_change),
        cmocka_unit_test(counters_are_exact),
        cmocka_unit_test(kernels_wait_for_units_of_other_programs),
    };
    return cmocka_run_group_tests_name("live", tests, make_folder, remove_folder);
}
