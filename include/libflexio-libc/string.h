/* Strings and memory on the DPA: the C library's <string.h>. */
#ifndef FLEXIO_LIBC_STRING_H
#define FLEXIO_LIBC_STRING_H
#include <string.h>
#endif
