/* Runs a program, for -run. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dpacu_run_has_program(const struct config *c)
{
    struct stat there;
    return c->inputs.count == 1 && !dpacu_config_is_source(c, c->inputs.at[0]) &&
           stat(c->inputs.at[0], &there) == 0 && S_ISREG(there.st_mode) &&
           access(c->inputs.at[0], X_OK) == 0;
}

int dpacu_run_program(const struct config *c)
{
    struct dpk_error err = {0};
    struct words w = {0};
    const char *path = c->output ? c->output : "a.out";
    if (dpacu_run_has_program(c))
        path = c->inputs.at[0];
    dpk_words_addf(&w, "%s%s", strchr(path, '/') ? "" : "./", path);
    dpk_words_append(&w, &c->run_words);
    if (w.failed) {
        dpk_fail_nomem(&err);
    } else {
        execv(w.at[0], w.at);
        dpk_fail_errno(&err, "%s", w.at[0]);
    }
    dpk_words_free(&w);
    dpk_tool_fail(&err);
    return 2;
}
