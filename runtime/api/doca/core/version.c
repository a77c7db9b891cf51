/* Which DOCA the libraries follow. */
#include <doca_version.h>

const char *doca_version_runtime(void)
{
    return doca_version();
}
