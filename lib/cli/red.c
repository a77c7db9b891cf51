/* Colours important text red. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

static bool has_colours(FILE *to)
{
    const char *no = getenv("NO_COLOR");
    return isatty(fileno(to)) && !(no && *no);
}

const char *dpk_red(FILE *to)
{
    return has_colours(to) ? "\033[31m" : "";
}

const char *dpk_red_end(FILE *to)
{
    return has_colours(to) ? "\033[0m" : "";
}
