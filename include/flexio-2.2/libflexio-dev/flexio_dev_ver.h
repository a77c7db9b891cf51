/* flexio_dev_ver: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_ver.h"
