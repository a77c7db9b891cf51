/* doca_dpa_dev_sync_event (DOCA 2.2): as in later DOCA. */
#include "../doca/doca_dpa_dev_sync_event.h"
