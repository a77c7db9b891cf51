/* flexio_dev_queue_access: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_queue_access.h"
