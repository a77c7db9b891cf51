/* Serves GDB for a program that dparun runs. */
#include <string.h>
#include <unistd.h>

#include "bus/peers/peers.h"
#include "dparun.h"

static void note_stranger(void *context, const char *why)
{
    const struct gdb *g = context;
    (void)dpk_debugger_log(g->debugger, "attach", "NOT_ALLOWED", why);
    fprintf(stderr, "-W- refused: %s\n", why);
}

/* The process stays stopped until the client connects. */
static void *serve(void *context)
{
    struct gdb *g = context;
    struct dpk_error err = {0};
    if (g->listener.fd >= 0)
        g->in = g->out = dpk_accept(&g->listener, note_stranger, g);
    dpk_debugger_await(g->debugger);
    if (g->in >= 0 && dpk_debugger_serve(g->debugger, g->in, g->out, false, &err) != DPK_OK)
        fprintf(stderr, "-W- no debugger: %s\n", err.message);
    dpk_debugger_detach(g->debugger);
    return NULL;
}

/* GDB uses the original standard output; the program's output goes to standard error. */
static enum dpk_status use_standard(struct gdb *g, struct dpk_error *err)
{
    g->in = STDIN_FILENO;
    g->out = dup(STDOUT_FILENO);
    if (g->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return dpk_fail_errno(err, "--gdb");
    return DPK_OK;
}

static enum dpk_status use_listener(struct gdb *g, const char *where, struct dpk_error *err)
{
    enum dpk_status status = dpk_listen(where, &g->listener, err);
    if (status == DPK_OK)
        status = dpk_listener_guard(&g->listener, err);
    if (status == DPK_OK && g->listener.port)
        fprintf(stderr, "-I- waiting for GDB: target remote 127.0.0.1:%u\n", g->listener.port);
    else if (status == DPK_OK)
        fprintf(stderr, "-I- waiting for GDB: target remote %s\n", where);
    return status;
}

enum dpk_status dparun_connection_open(struct gdb *g, const char *where, struct dpk_error *err)
{
    return strcmp(where, "-") == 0 ? use_standard(g, err) : use_listener(g, where, err);
}

void dparun_connection_close(struct gdb *g)
{
    if (g->in >= 0)
        close(g->in);
    if (g->out >= 0 && g->out != g->in)
        close(g->out);
    dpk_listener_close(&g->listener);
}

enum dpk_status dparun_debugger_start(struct gdb *g, const struct options *o, struct dpk_process *p,
                                      struct dpk_error *err)
{
    *g = (struct gdb){.listener = {.fd = -1}, .in = -1, .out = -1};
    enum dpk_status status = dpk_debugger_create(p, &g->debugger, err);
    if (status != DPK_OK)
        return status;
    if (dpk_debugger_locked(g->debugger))
        fprintf(stderr, "-I- %s\n", dpk_debugger_locked(g->debugger));
    status = dparun_connection_open(g, o->gdb, err);
    if (status == DPK_OK && pthread_create(&g->thread, NULL, serve, g) != 0)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        return DPK_OK;
    dpk_debugger_destroy(g->debugger);
    g->debugger = NULL;
    dpk_listener_close(&g->listener);
    return status;
}

void dparun_debugger_end(struct gdb *g, enum dpk_status status)
{
    if (!g->debugger)
        return;
    if (status == DPK_OK)
        dpk_debugger_exit(g->debugger, 0);
    pthread_join(g->thread, NULL);
    dpk_debugger_destroy(g->debugger);
    dparun_connection_close(g);
}
