/* printf without floating point, for messages and strings. */
#ifndef DPK_GUEST_FORMAT_H
#define DPK_GUEST_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf: writes at most `size` bytes, the last one NUL, and returns the length of the complete
 * text. %d %i %u %x %X %o %c %s %p %%, lengths hh h l ll z j t, flags - + space # 0, width and
 * precision, both also as '*'. Anything else is copied unchanged. */
int _dpa_format(char *to, size_t size, const char *format, va_list values);

/* As _dpa_format, but a truncated text ends with " [cut]", and with the newline at the end of the
 * complete text. */
int _dpa_format_marked(char *to, size_t size, const char *format, va_list values);

#endif
