/* flexio_dev_dpa_arch: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_dpa_arch.h"
