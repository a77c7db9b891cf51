/* flexio_os_syscall: calls of the DPA's system: only libflexio_dev calls them. */
#ifndef FLEXIO_OS_SYSCALL_H
#define FLEXIO_OS_SYSCALL_H

#include <libflexio-os/flexio_os.h>

#endif
