/* doca_dpa_dev_sync_event (DOCA 2.2): as in later DOCA. */
#include "doca_version.h"

#include "../doca/doca_dpa_dev_sync_event.h"
