/* <bits/stdint-uintn.h> of glibc, which editors include for uint32_t and the like. */
#ifndef DPAKIT_BITS_STDINT_UINTN_H
#define DPAKIT_BITS_STDINT_UINTN_H

#include <stdint.h>

#endif
