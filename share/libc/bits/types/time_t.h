/* <bits/types/time_t.h> of glibc. */
#ifndef DPAKIT_BITS_TYPES_TIME_T_H
#define DPAKIT_BITS_TYPES_TIME_T_H

#include <sys/types.h>

#endif
