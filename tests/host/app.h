/* The test program (device.c) as a host program sees it. */
#ifndef TESTS_HOST_APP_H
#define TESTS_HOST_APP_H

#include <libflexio/flexio.h>

#include "check.h"

extern struct flexio_app *test_app;
flexio_func_t add, sum, count, load, add_rank, append, spin, not_there;

/* The same program under another name, with these bytes as its signature section. */
struct flexio_app *make_app(const char *name, const void *sig, size_t sig_size);

#endif
