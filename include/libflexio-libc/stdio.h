/* The part of <stdio.h> that the DPA supports. The printf functions send messages to the default
 * stream; formats as for flexio_dev_msg. There are no files but stdout and stderr, which both are that
 * stream: functions return EOF for another file, whatever it is. Messages are never buffered. */
#ifndef FLEXIO_LIBC_STDIO_H
#define FLEXIO_LIBC_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct __file; /* opaque */
typedef struct __file FILE;
extern FILE *const stdout;
extern FILE *const stderr;
#ifndef EOF
#define EOF (-1)
#endif

int printf(const char *__restrict, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *__restrict, va_list) __attribute__((format(printf, 1, 0)));
int snprintf(char *__restrict, size_t, const char *__restrict, ...)
    __attribute__((format(printf, 3, 4)));
int vsnprintf(char *__restrict, size_t, const char *__restrict, va_list)
    __attribute__((format(printf, 3, 0)));
/* Write as many bytes as the text has: the caller knows that there is room. */
int sprintf(char *__restrict, const char *__restrict, ...) __attribute__((format(printf, 2, 3)));
int vsprintf(char *__restrict, const char *__restrict, va_list)
    __attribute__((format(printf, 2, 0)));
int fprintf(FILE *__restrict, const char *__restrict, ...) __attribute__((format(printf, 2, 3)));
int vfprintf(FILE *__restrict, const char *__restrict, va_list)
    __attribute__((format(printf, 2, 0)));
int fputs(const char *__restrict, FILE *__restrict);
int fputc(int, FILE *);
int fflush(FILE *); /* NULL: both */
#undef feof
#undef ferror
#undef clearerr
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
int puts(const char *);
#undef putchar /* the macro of <stdio.h> uses a stream that does not exist here */
int putchar(int);

#ifdef __cplusplus
}
#endif

#endif
