/*
 * rv64, jit: random programs of functions, loops and calls, by rv64_run and rv64_step, interpreted
 * and translated.
 *
 * DPAKIT_TEST_PROGRAMS, DPAKIT_TEST_TRANSLATED: how many; DPAKIT_TEST_SEED: the seed of the first. A difference is reported with
 * its seed, and with a small program that has it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/jit/jit.h"
#include "rv64_minimise.h"

/* With sanitizers, what takes as long. Translating takes a millisecond for an instruction or two. */
#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 400, TRANSLATED = 8 };
#else
enum { PROGRAMS = 2000, TRANSLATED = 30 };
#endif

static struct trial trial;
static struct program program;

static uint64_t environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

static int setup(void **state)
{
    (void)state;
    (void)setenv("DPAKIT_CACHE", "off", 1); /* each program is translated for itself */
    return trial_create(&trial) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    trial_destroy(&trial);
    return 0;
}

/* Runs them, and gives what they have met. */
static struct trial_counts run_programs(const char *name, uint64_t otherwise)
{
    const struct finding found =
        run_apart(&trial, NULL, environment("DPAKIT_TEST_SEED", 1), environment(name, otherwise));
    if (found.status != 0) {
        tell_finding(&trial, &program, &found);
        fail_msg("the program of seed %llu runs otherwise", (unsigned long long)found.seed);
    }
    return found.counts;
}

static void run_and_step_agree_on_random_programs(void **state)
{
    (void)state;
    (void)run_programs("DPAKIT_TEST_PROGRAMS", PROGRAMS);
}

/* What is reached twice or so is translated, in the end by a thread of the translator. */
static void attach(struct trial *t)
{
    static struct rv64_translator eager;
    const bool on = chance(&t->choices, 8);
    t->exact = !on && chance(&t->choices, 3);
    jit_attach(t->core[0], on ? JIT_ON : JIT_SYNC, t->exact);
    eager = *t->core[0]->translator;
    eager.heat = 1 + choose(&t->choices, 4);
    rv64_core_set_translator(t->core[0], &eager);
}

static void translated_programs_run_as_interpreted(void **state)
{
    (void)state;
    trial.attach = attach;
    trial.most_items = 150;
    const struct trial_counts counts = run_programs("DPAKIT_TEST_TRANSLATED", TRANSLATED);
    assert_true(counts.translations > counts.programs);
}

static void random_programs_meet_every_stop_and_fault(void **state)
{
    (void)state;
    const struct finding found = run_apart(&trial, NULL, 1, 300);
    assert_int_equal(found.status, 0);
    assert_int_equal(found.counts.programs, 300);
    assert_true(found.counts.instructions > 300 * 1000);
    for (int why = RV64_STOP_BUDGET; why < RV64_STOP_WATCH; why++)
        if (found.counts.stops[why] < 30)
            fail_msg("stop %d: %llu times", why, (unsigned long long)found.counts.stops[why]);
    for (int fault = RV64_FAULT_FETCH; fault <= RV64_FAULT_MISALIGNED_STORE; fault++)
        if (found.counts.faults[fault] < 30)
            fail_msg("%s: %llu times", rv64_fault_name((enum rv64_fault)fault),
                     (unsigned long long)found.counts.faults[fault]);
}

static unsigned left_of(const struct program *p)
{
    unsigned left = 0;
    for (unsigned i = 0; i < p->count; i++)
        left += !p->items[i].dropped;
    return left;
}

static void a_wrong_result_is_found_and_its_program_made_small(void **state)
{
    (void)state;
    trial.wrong = true;
    const struct finding found = run_apart(&trial, NULL, 60, 50);
    assert_true(WIFEXITED(found.status));
    assert_int_equal(WEXITSTATUS(found.status), TRIAL_DIFFERS);
    program_of_seed(&trial, &program, found.seed);
    const unsigned all = left_of(&program);
    minimise(&trial, &program, &found);
    assert_in_range(left_of(&program), 1, all / 4);
    assert_int_equal(run_apart(&trial, &program, found.seed, 1).status, found.status);
    trial.wrong = false;
    assert_int_equal(run_apart(&trial, &program, found.seed, 1).status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(run_and_step_agree_on_random_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(translated_programs_run_as_interpreted, setup, teardown),
        cmocka_unit_test_setup_teardown(random_programs_meet_every_stop_and_fault, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_result_is_found_and_its_program_made_small, setup,
                                        teardown),
    };
    return cmocka_run_group_tests_name("rv64_programs", tests, NULL, NULL);
}
