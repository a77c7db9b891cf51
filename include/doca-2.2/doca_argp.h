/* doca_argp (DOCA 2.2): as in later DOCA. */
#include "../doca/doca_argp.h"
