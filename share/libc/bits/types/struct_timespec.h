/* <bits/types/struct_timespec.h> of glibc. */
#ifndef DPAKIT_BITS_TYPES_STRUCT_TIMESPEC_H
#define DPAKIT_BITS_TYPES_STRUCT_TIMESPEC_H

#include <time.h>

#endif
