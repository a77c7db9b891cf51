/* flexio_dev_err: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_err.h"
