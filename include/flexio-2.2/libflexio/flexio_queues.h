/* Queues of a DPA process, part of flexio.h: most as in later FlexIO. */
#include "flexio.h"
