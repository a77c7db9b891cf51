/* doca_version (DOCA 2.2): as in later DOCA. */
#ifndef DOCA_VER_MAJOR
#define DOCA_VER_MAJOR  2
#define DOCA_VER_MINOR  2
#define DOCA_VER_PATCH  1
#define DOCA_VER_STRING "2.2.1"
#endif
#include "../doca/doca_version.h"
