/* Cases of the host programs, and their checks. */
#ifndef TESTS_HOST_CHECK_H
#define TESTS_HOST_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One behaviour each; `main` runs the one that argv[1] names. */
struct test_case {
    const char *name;
    void (*run)(void);
};
#define CASE(f)                                                                                    \
    {                                                                                              \
#f, f                                                                                      \
    }

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #x);                      \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

/* The case that argv[1] names. NULL: there is none. */
static inline const struct test_case *find_case(const struct test_case *cases, size_t count,
                                                int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < count; i++)
        if (strcmp(argv[1], cases[i].name) == 0)
            return &cases[i];
    fprintf(stderr, "no such case\n");
    return NULL;
}

/* For a main that does no more than run that case; what it returns. */
static inline int run_by_name(const struct test_case *cases, size_t count, int argc, char **argv)
{
    const struct test_case *c = find_case(cases, count, argc, argv);
    if (!c)
        return 98;
    c->run();
    return 0;
}

#endif
