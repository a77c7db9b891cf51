/* The version of DOCA that the libraries implement. */
#include <doca_version.h>

const char *doca_version_runtime(void)
{
    return doca_version();
}
