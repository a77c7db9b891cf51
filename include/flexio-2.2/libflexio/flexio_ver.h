/* Versions of the FlexIO API: as in later FlexIO. */
#include "../../libflexio/flexio_ver.h"
