/* doca_ctx (DOCA 2.2): doca_ctx_start and doca_ctx_stop as in later DOCA; work queues are not there. */
#include "doca_version.h"

#include "../doca/doca_ctx.h"
