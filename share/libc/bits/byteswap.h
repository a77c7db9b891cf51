/* <bits/byteswap.h> of glibc. */
#ifndef DPAKIT_BITS_BYTESWAP_H
#define DPAKIT_BITS_BYTESWAP_H

#include <byteswap.h>

#endif
