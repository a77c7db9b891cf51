/* GDB on a program that dparun runs. */
#include <string.h>
#include <unistd.h>

#include "dparun.h"

/* The client may come late: the process stands still until then. */
static void *serve(void *context)
{
    struct gdb *g = context;
    if (g->listener >= 0)
        g->in = g->out = dpk_accept(g->listener);
    dpk_debugger_await(g->debugger);
    if (g->in >= 0)
        dpk_debugger_serve(g->debugger, g->in, g->out, false, NULL);
    dpk_debugger_detach(g->debugger);
    return NULL;
}

/* GDB talks over what was standard output; what the program prints goes to standard error. */
static enum dpk_status use_standard(struct gdb *g, struct dpk_error *err)
{
    g->in = STDIN_FILENO;
    g->out = dup(STDOUT_FILENO);
    if (g->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return dpk_fail_errno(err, "--gdb");
    return DPK_OK;
}

enum dpk_status debugger_start(struct gdb *g, const struct options *o, struct dpk_process *p,
                               struct dpk_error *err)
{
    unsigned port = 0;
    *g = (struct gdb){.listener = -1, .in = -1, .out = -1};
    enum dpk_status status = strcmp(o->gdb, "-") == 0
                                 ? use_standard(g, err)
                                 : dpk_listen(o->gdb, &g->listener, &port, err);
    if (status == DPK_OK)
        status = dpk_debugger_create(p, &g->debugger, err);
    if (status != DPK_OK)
        return status;
    if (port)
        fprintf(stderr, "-I- waiting for GDB: target remote 127.0.0.1:%u\n", port);
    else if (g->listener >= 0)
        fprintf(stderr, "-I- waiting for GDB: target remote %s\n", o->gdb);
    if (pthread_create(&g->thread, NULL, serve, g) != 0) {
        dpk_debugger_destroy(g->debugger);
        g->debugger = NULL;
        return dpk_fail_nomem(err);
    }
    return DPK_OK;
}

void debugger_end(struct gdb *g, enum dpk_status status)
{
    if (!g->debugger)
        return;
    if (status == DPK_OK)
        dpk_debugger_exit(g->debugger, 0);
    pthread_join(g->thread, NULL);
    dpk_debugger_destroy(g->debugger);
    if (g->in >= 0)
        close(g->in);
    if (g->out >= 0 && g->out != g->in)
        close(g->out);
    if (g->listener >= 0)
        close(g->listener);
}
