/* Integers of a width on the DPA: the C library's <inttypes.h>. Numbers that are too large saturate
 * without a report, as there is no errno. */
#ifndef FLEXIO_LIBC_INTTYPES_H
#define FLEXIO_LIBC_INTTYPES_H
#include <inttypes.h>
#endif
