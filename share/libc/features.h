/* <features.h> of glibc, for headers that ask which C library there is: not glibc. */
#ifndef DPAKIT_FEATURES_H
#define DPAKIT_FEATURES_H

#include <sys/cdefs.h>
#include <sys/features.h>

#endif
