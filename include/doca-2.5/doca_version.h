/* doca_version (DOCA 2.5): as in later DOCA. */
#ifndef DOCA_VERSION_MAJOR
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  5
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.5.0"
#endif
#include "../doca/doca_version.h"
