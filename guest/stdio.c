/* The part of <stdio.h> that exists on the DPA. Output goes to the stream of flexio_dev_print. */
#include "format.h"
#include "message.h"

#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/stdio.h>
#include <limits.h>
#include <stdbool.h>

struct __file {
    char unused;
};
static FILE output, errors;
FILE *const stdout = &output;
FILE *const stderr = &errors;

int vsnprintf(char *to, size_t size, const char *format, va_list values)
{
    return _dpa_format(to, size, format, values);
}

int snprintf(char *to, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = _dpa_format(to, size, format, values);
    va_end(values);
    return length;
}

int vprintf(const char *format, va_list values)
{
    return _dpa_vmessage(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, FLEXIO_MSG_DEV_INFO, format, values);
}

int printf(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vprintf(format, values);
    va_end(values);
    return length;
}

int puts(const char *text)
{
    return printf("%s\n", text);
}

int putchar(int c)
{
    printf("%c", c);
    return (unsigned char)c;
}

int vsprintf(char *to, const char *format, va_list values)
{
    return _dpa_format(to, INT_MAX, format, values);
}

int sprintf(char *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsprintf(to, format, values);
    va_end(values);
    return length;
}

/* ---- Files: both are the default stream ---- */

static bool is_file(const FILE *file)
{
    return file == &output || file == &errors;
}

int vfprintf(FILE *file, const char *format, va_list values)
{
    return is_file(file) ? vprintf(format, values) : EOF;
}

int fprintf(FILE *file, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vfprintf(file, format, values);
    va_end(values);
    return length;
}

int fputs(const char *text, FILE *file)
{
    return fprintf(file, "%s", text);
}

int fputc(int c, FILE *file)
{
    return is_file(file) ? putchar(c) : EOF;
}

int fflush(FILE *file)
{
    return !file || is_file(file) ? 0 : EOF;
}

int feof(FILE *file)
{
    (void)file;
    return 0;
}

int ferror(FILE *file)
{
    return !is_file(file);
}

void clearerr(FILE *file)
{
    (void)file;
}
