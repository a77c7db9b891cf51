/* Event queues: as in later FlexIO. */
#ifndef LIBFLEXIO_2_2_FLEXIO_EQ_H
#define LIBFLEXIO_2_2_FLEXIO_EQ_H

#include "flexio.h"

#include "../../libflexio/flexio_eq.h"

#endif
