/*
 * For LD_PRELOAD: one allocation of a tool fails (see unit/starve.h).
 *
 *     STARVE=300 STARVE_CALLS=file LD_PRELOAD=.../starve_shim.so mlxdpa ...
 *
 * fails the 300th allocation; `file` gets the number of allocations if the tool ends normally.
 * Programs that the tool starts (a compiler) are not affected.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/starve.h"

static char path[4096];

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("STARVE"), *calls = getenv("STARVE_CALLS");
    starve.at = at ? strtoul(at, NULL, 10) : 0;
    if (calls)
        snprintf(path, sizeof path, "%s", calls);
    unsetenv("STARVE");
    unsetenv("STARVE_CALLS");
}

__attribute__((destructor)) static void end(void)
{
    int fd = *path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd >= 0)
        dprintf(fd, "%lu\n", starve.calls);
}
