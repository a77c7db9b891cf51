/* <bits/pthreadtypes.h> of glibc. */
#ifndef DPAKIT_BITS_PTHREADTYPES_H
#define DPAKIT_BITS_PTHREADTYPES_H

#include <pthread.h>

#endif
