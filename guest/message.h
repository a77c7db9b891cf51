#ifndef DPK_GUEST_MESSAGE_H
#define DPK_GUEST_MESSAGE_H

#include <stdarg.h>

/* Formats and sends one message. A message of more than 1023 bytes is truncated, with a mark. Returns
 * its length. */
int _dpa_vmessage(int stream, unsigned level, const char *format, va_list values);

#endif
