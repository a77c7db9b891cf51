/* Completion queues and queue pairs that commands make, in memory of the program. Private to devx. */
#ifndef DPK_API_DEVX_QUEUE_H
#define DPK_API_DEVX_QUEUE_H

#include "api/verbs/verbs.h"
#include "command.h"

#define DEVX_LOG_COMPLETIONS 22u /* largest logarithms of the sizes of queues */
#define DEVX_LOG_WORKS       15u
#define DEVX_RECEIVE         16u  /* bytes of a receive */
#define DEVX_QPC             232u /* bytes of a queue pair's context (struct qpc) */

/* ---- caps.c ---- */
int devx_query_caps(const struct devx_command *c, struct ibv_context *context);
int devx_query_roce_address(const struct devx_command *c, struct ibv_context *context);
#endif
