/* <bits/stdint-intn.h> of glibc, which editors include for int32_t and the like. */
#ifndef DPAKIT_BITS_STDINT_INTN_H
#define DPAKIT_BITS_STDINT_INTN_H

#include <stdint.h>

#endif
