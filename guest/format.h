/* printf without floating point, for messages and strings. */
#ifndef DPK_GUEST_FORMAT_H
#define DPK_GUEST_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf: writes at most `size` bytes, the last one NUL, and returns the length that the
 * whole text has. %d %i %u %x %X %o %c %s %p %%, lengths hh h l ll z j t, flags - + space # 0,
 * width and precision, both also as '*'. Anything else is copied as it stands. */
int _dpa_format(char *to, size_t size, const char *format, va_list values);

/* The same, but a text that is cut ends with " [cut]", and with the newline that the whole ends with. */
int _dpa_format_marked(char *to, size_t size, const char *format, va_list values);

#endif
