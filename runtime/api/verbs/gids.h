/* GUIDs and GIDs of emulated devices. Private to verbs. */
#ifndef DPK_API_VERBS_GIDS_H
#define DPK_API_VERBS_GIDS_H

#include <infiniband/verbs.h>
#include <stdbool.h>

uint64_t verbs_gids_guid(const struct ibv_device *device);
uint64_t
verbs_gids_card_guid(const struct ibv_device *device); /* equal for both functions of a card */

/* Returns true if a device of this machine has that GID. */
bool verbs_gids_are_known(const union ibv_gid *gid);
/* Returns the index of a RoCE v2 GID in the device's table, or -1. */
int verbs_gids_find(struct ibv_context *context, const union ibv_gid *gid);

#endif
