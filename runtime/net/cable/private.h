/* Declarations that the files of cable share. */
#ifndef DPK_NET_CABLE_PRIVATE_H
#define DPK_NET_CABLE_PRIVATE_H

#include "cable.h"

/* Returns a socket to the process that holds the outlet of a folder, if it is of the same user or of
 * root. Returns -1 if there is no such process. */
int cable_outlet_connect(const char *folder);

#endif
