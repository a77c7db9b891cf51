/* <bits/time.h> of glibc. */
#ifndef DPAKIT_BITS_TIME_H
#define DPAKIT_BITS_TIME_H

#include <time.h>

#endif
