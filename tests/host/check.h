/* Cases of the host programs, and their checks. */
#ifndef TESTS_HOST_CHECK_H
#define TESTS_HOST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* One behaviour each; `main` runs the one that argv[1] names. */
struct test_case {
    const char *name;
    void (*run)(void);
};

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #x);                      \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

#endif
