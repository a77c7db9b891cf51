/* flexio_dev_queue_types: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_queue_types.h"
