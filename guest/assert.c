/* Ends a program with a fault, which the host sees, so that the core file has the place. */
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/stdlib.h>

void abort(void)
{
    __builtin_trap();
}

/* assert() of the C library's <assert.h> calls this. */
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *what);
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *what)
{
    flexio_dev_msg_err(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, "%s:%d: %s: assertion '%s' failed\n", file,
                       line, function ? function : "?", what);
    abort();
}
