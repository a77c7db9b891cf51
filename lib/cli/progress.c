/* Progress bars. */
#include "cli/cli.h"

#include <time.h>
#include <unistd.h>

#define QUIET_MS 1000 /* shorter work shows no bar */
#define STEP_MS  100
#define WIDTH    40

void dpk_progress_start(struct dpk_progress *p)
{
    *p = (struct dpk_progress){.terminal = isatty(STDERR_FILENO), .start = (int64_t)dpk_now_ms()};
}

void dpk_progress_show(struct dpk_progress *p, const char *what, size_t done, size_t total,
                       const char *unit)
{
    int64_t now = p->terminal ? (int64_t)dpk_now_ms() : 0;
    if (!p->terminal || now - p->start < QUIET_MS || now - p->last < STEP_MS || total == 0)
        return;
    int filled = (int)(done * WIDTH / total);
    p->shown = true;
    p->last = now;
    fprintf(stderr, "\r%s [%.*s%*s] %zu of %zu%s", what, filled,
            "########################################", WIDTH - filled, "", done, total, unit);
}

void dpk_progress_end(struct dpk_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
