/* doca_argp (DOCA 2.2): as in later DOCA. */
#include "doca_version.h"

#include "../doca/doca_argp.h"
