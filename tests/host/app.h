/* The test program (device.c) as a host program sees it. */
#ifndef TESTS_HOST_APP_H
#define TESTS_HOST_APP_H

#include <libflexio/flexio.h>
#include <stdio.h>
#include <stdlib.h>

extern struct flexio_app *test_app;
flexio_func_t add, sum, count, load, add_rank, append, spin, not_there;

/* The same program under another name, with these bytes as its signature section. */
struct flexio_app *make_app(const char *name, const void *sig, size_t sig_size);

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
