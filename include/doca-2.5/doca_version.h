/* doca_version (DOCA 2.5): as in later DOCA. */
#ifndef DOCA_VER_MAJOR
#define DOCA_VER_MAJOR  2
#define DOCA_VER_MINOR  5
#define DOCA_VER_PATCH  0
#define DOCA_VER_STRING "2.5.0"
#endif
#include "../doca/doca_version.h"
