/* <bits/stdint-least.h> of glibc, which editors include for uint_least32_t and the like. */
#ifndef DPAKIT_BITS_STDINT_LEAST_H
#define DPAKIT_BITS_STDINT_LEAST_H

#include <stdint.h>

#endif
