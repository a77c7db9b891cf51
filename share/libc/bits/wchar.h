/* <bits/wchar.h> of glibc. */
#ifndef DPAKIT_BITS_WCHAR_H
#define DPAKIT_BITS_WCHAR_H

#include <stdint.h>

#endif
