/* doca_log (DOCA 2.2): as in later DOCA. */
#include "../doca/doca_log.h"
