/* flexio_dev_tracer: as in later FlexIO. */
#include "../../libflexio-dev/flexio_dev_tracer.h"
