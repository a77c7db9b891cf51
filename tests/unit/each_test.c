/* Linked into every unit test, around cmocka: prints lines for tests/run about each test, as
 * comments between the lines of TAP. "# begin NAME" when the test starts, so that a test that hangs
 * has a name (helpers/watch.c); "# skip: REASON" when it is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "skip.h"

/* Names that the linker gives (--wrap): __real_X is cmocka's X, and who calls X gets __wrap_X. */
int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
_Noreturn void __real__skip(const char *file, int line);
_Noreturn void __wrap__skip(const char *file, int line);

static const struct CMUnitTest *next_test;

static void tell(const char *what, const char *text)
{
    printf("# %s %s\n", what, text);
    fflush(stdout);
}

/* The setup of every test: cmocka calls it for each, in their order. */
static int begin_test(void **state)
{
    const struct CMUnitTest *test = next_test++;
    tell("begin", test->name);
    return test->setup_func ? test->setup_func(state) : 0;
}

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct CMUnitTest *told = calloc(count + 1, sizeof *told);
    if (!told)
        return -1;
    for (size_t i = 0; i < count; i++) {
        told[i] = tests[i];
        told[i].setup_func = begin_test;
    }
    next_test = tests;
    int failed = __real__cmocka_run_group_tests(name, told, count, setup, teardown);
    free(told);
    return failed;
}

_Noreturn void skip_because(const char *reason)
{
    tell("skip:", reason);
    __real__skip(__FILE__, __LINE__);
}

_Noreturn void __wrap__skip(const char *file, int line)
{
    print_error("%s:%d: skip() has no reason, skip_because() has\n", file, line);
    _fail(file, line);
    abort();
}
