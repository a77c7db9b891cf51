/* <bits/types/size_t.h> of glibc. */
#ifndef DPAKIT_BITS_TYPES_SIZE_T_H
#define DPAKIT_BITS_TYPES_SIZE_T_H

#include <stddef.h>

#endif
