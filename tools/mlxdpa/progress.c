#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS 1000 /* nothing is shown before */
#define STEP_MS  100
#define WIDTH    40

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void progress_start(struct progress *p)
{
    *p = (struct progress){.terminal = isatty(STDERR_FILENO), .start = now_ms()};
}

void progress_show(struct progress *p, const char *what, size_t done, size_t total)
{
    int64_t now = p->terminal ? now_ms() : 0;
    if (!p->terminal || now - p->start < QUIET_MS || now - p->last < STEP_MS || total == 0)
        return;
    int filled = (int)(done * WIDTH / total);
    p->shown = true;
    p->last = now;
    fprintf(stderr, "\r%s [%.*s%*s] %zu of %zu", what, filled,
            "########################################", WIDTH - filled, "", done, total);
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
