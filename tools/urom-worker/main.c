/* urom-worker: a worker of the UROM service, which starts it. It loads plugins and serves one host
 * program. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "worker.h"

struct options {
    unsigned fd, max_size, parent;
    const char *id, *cpus, *describe;
};

/* ---- A question of the service ---- */

/* Prints the version of a plugin. The service asks in a process of its own, because a plugin's
 * start-up code may fail. */
static enum dpk_status describe(const char *path, struct dpk_error *err)
{
    struct plugin p = {0};
    uint64_t version;
    const enum dpk_status status = worker_plugin_load(path, &p, &version, err);
    if (status == DPK_OK)
        printf("%" PRIu64 "\n", version);
    return status;
}

/* ---- A worker ---- */

/* Sets the processors of this process. The host's processors take the places of the DPU's
 * processors in turn. */
static enum dpk_status set_cpus(const char *list, struct dpk_error *err)
{
    cpu_set_t may, set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        return dpk_fail_errno(err, "the processors of this process");
    const int count = CPU_COUNT(&may);
    for (const char *at = list; *at; at += *at == ',') {
        char *end;
        errno = 0;
        const unsigned long number = strtoul(at, &end, 10);
        if (end == at || errno || number >= 1024 || (*end && *end != ','))
            return dpk_fail(err, DPK_ERR_USAGE, "--cpus: '%s' is not a list of numbers", list);
        int left = (int)(number % (unsigned)count);
        for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &may) && left-- == 0)
                CPU_SET(cpu, &set);
        at = end;
    }
    return sched_setaffinity(0, sizeof set, &set) == 0 ? DPK_OK : dpk_fail_errno(err, "--cpus");
}

static enum dpk_status read_number(const char *what, const char *text, char end, uint64_t *out,
                                   const char **after, struct dpk_error *err)
{
    char *stop;
    errno = 0;
    *out = strtoull(text, &stop, 10);
    if (stop == text || errno || *stop != end || *text == '-')
        return dpk_fail(err, DPK_ERR_USAGE, "%s: '%s' does not begin with a number", what, text);
    *after = stop + (end != 0);
    return DPK_OK;
}

/* Loads and opens "ID:PATH". */
static enum dpk_status add_plugin(struct worker *w, const char *word, struct dpk_error *err)
{
    struct plugin *p = &w->plugins[w->plugin_count];
    const char *path = "";
    uint64_t version;
    enum dpk_status status = read_number("PLUGIN", word, ':', &p->id, &path, err);
    if (status == DPK_OK)
        status = worker_plugin_load(path, p, &version, err);
    p->worker = w;
    if (status == DPK_OK)
        status = worker_plugin_open(p, err);
    w->plugin_count += status == DPK_OK;
    return status;
}

static enum dpk_status start(struct worker *w, const struct options *o, const struct dpk_args *args,
                             struct dpk_error *err)
{
    const char *rest;
    enum dpk_status status = o->id ? read_number("--id", o->id, 0, &w->id, &rest, err) : DPK_OK;
    if (status == DPK_OK && o->cpus)
        status = set_cpus(o->cpus, err);
    w->max_size = o->max_size ? o->max_size : 65536;
    w->packed = malloc(NOTIFY_HEAD + w->max_size);
    w->plugins = calloc(args->count + 1, sizeof *w->plugins);
    if (status == DPK_OK && (!w->packed || !w->plugins))
        status = dpk_fail_nomem(err);
    for (size_t i = 0; status == DPK_OK && i < args->count; i++)
        status = add_plugin(w, args->words[i], err);
    return status;
}

static bool say_ready(struct worker *w)
{
    struct dpk_buf *b = dpk_urom_begin(&w->channel, DPK_UROM_READY);
    dpk_put_le64(b, w->id);
    dpk_put_le32(b, (uint32_t)w->plugin_count);
    for (size_t i = 0; i < w->plugin_count; i++) {
        dpk_put_le64(b, w->plugins[i].id);
        worker_plugin_put_address(&w->plugins[i], b);
    }
    return dpk_urom_end(&w->channel);
}

static void say_refused(struct worker *w, const struct dpk_error *err)
{
    struct dpk_buf *b = dpk_urom_begin(&w->channel, DPK_UROM_REFUSED);
    dpk_put_le32(b, DOCA_ERROR_INITIALIZATION);
    dpk_urom_put_text(b, err->message, strnlen(err->message, 200));
    dpk_urom_end(&w->channel);
}

static void finish(struct worker *w)
{
    for (size_t i = 0; i < w->plugin_count; i++)
        worker_plugin_close(&w->plugins[i]);
    worker_domain_leave_all(w);
    free(w->plugins);
    free(w->packed);
    dpk_urom_close(&w->channel);
}

static enum dpk_status run(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    struct worker w = {0};
    if (o->describe)
        return describe(o->describe, err);
    if (o->fd == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "urom-service starts workers; see urom-service(1)");
    /* A worker ends with its service. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (o->parent && getppid() != (pid_t)o->parent)
        return dpk_fail(err, DPK_ERR_IO, "the service has ended");
    signal(SIGPIPE, SIG_IGN);
    dpk_urom_open(&w.channel, (int)o->fd);
    const enum dpk_status status = start(&w, o, args, err);
    if (status != DPK_OK)
        say_refused(&w, err);
    else if (say_ready(&w))
        worker_serve(&w);
    finish(&w);
    return status;
}

static const struct dpk_option run_options[] = {
    {"fd", DPK_NUMBER, "N", offsetof(struct options, fd), 3, 1023,
     .help = "socket of the host program"},
    {"id", DPK_TEXT, "ID", offsetof(struct options, id), .help = "number of this worker"},
    {"max-size", DPK_NUMBER, "BYTES", offsetof(struct options, max_size), 1, DPK_UROM_MESSAGE_MAX,
     .standard = "65536", .help = "largest command or notification"},
    {"cpus", DPK_TEXT, "LIST", offsetof(struct options, cpus),
     .help = "processors of the DPU to run on: 0,1,4"},
    {"parent", DPK_NUMBER, "PID", offsetof(struct options, parent), 1, 4194304,
     .help = "process of the service, with which the worker ends"},
    {"describe", DPK_FILE, "FILE", offsetof(struct options, describe),
     .help = "print the version of a plugin"},
    {0}};
static const struct dpk_command run_command = {
    .words = "[PLUGIN...]", .options = run_options, .run = run};
static const struct dpk_tool tool = {
    .name = "urom-worker",
    .usage = "urom-worker --describe FILE\n"
             "urom-worker --fd N [--id ID] [--cpus LIST] ID:PLUGIN...",
    .about =
        "Runs plugins for one host program. urom-service starts it; --describe tells whether a\n"
        "file is a plugin, and its version.",
    .command = &run_command,
    .size = sizeof(struct options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
