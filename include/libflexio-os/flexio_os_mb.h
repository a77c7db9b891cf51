/* flexio_os_mb: memory barriers, which <dpaintrin.h> has. */
#ifndef FLEXIO_OS_MB_H
#define FLEXIO_OS_MB_H

#include <dpaintrin.h>
#include <libflexio-os/flexio_os.h>

#endif
