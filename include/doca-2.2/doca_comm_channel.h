/* doca_comm_channel (DOCA 2.2): as in DOCA 2.5. */
#include "doca_version.h"

#include "../doca-2.5/doca_comm_channel.h"
