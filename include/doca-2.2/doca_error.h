/* doca_error (DOCA 2.2): as in later DOCA, which keeps the names of both. */
#include "../doca/doca_error.h"
