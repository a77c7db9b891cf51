/* The part of <stdio.h> that exists on the DPA. Output goes to the stream of flexio_dev_print. */
#include "format.h"
#include "message.h"

#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/stdio.h>

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
