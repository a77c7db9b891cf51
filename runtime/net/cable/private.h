/* What the files of cable share. */
#ifndef DPK_NET_CABLE_PRIVATE_H
#define DPK_NET_CABLE_PRIVATE_H

#include "cable.h"

/* A socket to who holds the outlet of a folder, a process of the same user or of root. -1: there is
 * none. */
int outlet_connect(const char *folder);

#endif
