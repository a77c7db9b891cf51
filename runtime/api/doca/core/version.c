/* Which DOCA the libraries follow: the release whose tree they lie in (packaging/install-compat), as its
 * file VERSION says it. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_version.h>

static const char in_this_library = 0;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char release[32] = DOCA_VERSION_STRING;

/* The file VERSION of the tree that this library lies in, or NULL. */
static FILE *open_version(void)
{
    Dl_info self;
    char library[PATH_MAX], path[PATH_MAX];
    if (!dladdr(&in_this_library, &self) || !self.dli_fname || !realpath(self.dli_fname, library))
        return NULL;
    char *end = strrchr(library, '/');
    if (end)
        *end = '\0';
    int n = snprintf(path, sizeof path, "%s/../share/dpakit/VERSION", library);
    return n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
}

static void read_release(void)
{
    char line[sizeof release] = "";
    FILE *f = open_version();
    if (!f)
        return;
    if (fgets(line, sizeof line, f)) {
        const size_t length = strspn(line, "0123456789.");
        if (length > 0 && (line[length] == '\n' || line[length] == '\0')) {
            line[length] = '\0';
            memcpy(release, line, sizeof release);
        }
    }
    fclose(f);
}

const char *doca_version_runtime(void)
{
    pthread_once(&once, read_release);
    return release;
}
