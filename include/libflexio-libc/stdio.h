/* The part of <stdio.h> that makes sense on the DPA. printf and its kin send messages to the
 * default stream; formats as flexio_dev_msg's. */
#ifndef FLEXIO_LIBC_STDIO_H
#define FLEXIO_LIBC_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int printf(const char *__restrict, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *__restrict, va_list) __attribute__((format(printf, 1, 0)));
int snprintf(char *__restrict, size_t, const char *__restrict, ...)
    __attribute__((format(printf, 3, 4)));
int vsnprintf(char *__restrict, size_t, const char *__restrict, va_list)
    __attribute__((format(printf, 3, 0)));
int puts(const char *);
#undef putchar /* <stdio.h> has a macro for it, of a stream that is not there */
int putchar(int);

#ifdef __cplusplus
}
#endif

#endif
