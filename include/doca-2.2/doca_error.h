/* doca_error (DOCA 2.2): as in later DOCA, which has the names of both generations. */
#include "doca_version.h"

#include "../doca/doca_error.h"
