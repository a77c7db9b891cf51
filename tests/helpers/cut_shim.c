/*
 * For LD_PRELOAD: calls of a tool that change files fail, or kill it (see unit/cut.h).
 *
 *     CUT=fail:3 CUT_MARK=mark LD_PRELOAD=.../cut_shim.so mlxdpa ...
 *
 * cuts at the third call; the file `mark` exists afterwards if there was a third call. Modes: fail,
 * full, read_only, kill, torn.
 */
#include "../unit/cut.h"

static struct cut plan;

/* A call that replaces a file. It is not in cut.h, because SQLite ignores its result. */
int fchmod(int fd, mode_t mode)
{
    return cut_call(CUT_CHANGES, SYS_fchmod, fd, (long)mode, 0, 0);
}

/* Called before a call that may end this process. */
static void mark(void)
{
    const char *path = getenv("CUT_MARK");
    if (path)
        (void)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0600);
}

__attribute__((constructor)) static void start(void)
{
    static const char *const modes[] = {"nothing", "kill", "torn", "fail", "full", "read_only"};
    const char *text = getenv("CUT");
    const char *colon = text ? strchr(text, ':') : NULL;
    for (size_t i = 0; colon && i < sizeof modes / sizeof *modes; i++)
        if (strlen(modes[i]) == (size_t)(colon - text) &&
            strncmp(modes[i], text, strlen(modes[i])) == 0)
            plan = (struct cut){.mode = (enum cut_mode)i,
                                .at = (unsigned)strtoul(colon + 1, NULL, 10),
                                .armed = true,
                                .fired = mark};
    cut = &plan;
}
