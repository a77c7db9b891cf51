/* The part of <stdio.h> that the DPA supports. The printf functions send messages to the default
 * stream; formats as for flexio_dev_msg. */
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
#undef putchar /* the macro of <stdio.h> uses a stream that does not exist here */
int putchar(int);

#ifdef __cplusplus
}
#endif

#endif
