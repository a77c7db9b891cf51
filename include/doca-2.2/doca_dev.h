/* doca_dev (DOCA 2.2): as in later DOCA. */
#include "../doca/doca_dev.h"
