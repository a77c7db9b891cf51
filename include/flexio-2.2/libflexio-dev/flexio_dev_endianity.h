/* flexio_dev_endianity: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_endianity.h"
