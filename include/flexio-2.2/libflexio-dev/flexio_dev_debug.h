/* flexio_dev_debug: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_debug.h"
