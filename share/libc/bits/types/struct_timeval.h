/* <bits/types/struct_timeval.h> of glibc. */
#ifndef DPAKIT_BITS_TYPES_STRUCT_TIMEVAL_H
#define DPAKIT_BITS_TYPES_STRUCT_TIMEVAL_H

#include <sys/time.h>

#endif
