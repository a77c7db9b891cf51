/* doca_version (DOCA 2.2): as in later DOCA. */
#ifndef DOCA_VERSION_MAJOR
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  2
#define DOCA_VERSION_PATCH  1
#define DOCA_VERSION_STRING "2.2.1"
#endif
#include "../doca/doca_version.h"
