/* <bits/endian.h> of glibc. */
#ifndef DPAKIT_BITS_ENDIAN_H
#define DPAKIT_BITS_ENDIAN_H

#include <endian.h>

#endif
