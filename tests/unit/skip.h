/* For a test that cannot run here: it says why. cmocka's own skip() fails it, as it has no reason. */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

_Noreturn void skip_because(const char *reason);

#endif
