/* dparun --replay: replays a recording, alone or under GDB. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "bus/peers/peers.h"
#include "dparun.h"
#include "engine/replay/replay.h"

static void print_message(void *context, const char *text, size_t size)
{
    (void)context;
    fwrite(text, 1, size, stdout);
    fflush(stdout);
}

static void print_result(void *context, uint64_t value)
{
    (void)context;
    printf("result: %" PRIu64 " (0x%" PRIx64 ")\n", value, value);
}

/* Prints facts of the recording. Nothing is verified, because a replay uses no device. */
static void introduce(const char *path, unsigned number, const struct dpk_replay_facts *f)
{
    fprintf(stderr, "-I- replay of program %s, not verified, SHA-256 %s\n", f->app, f->sha256);
    if (f->processes > 1)
        fprintf(stderr, "-I- process %u of %u in %s; --process chooses\n", number, f->processes,
                path);
    if (!f->whole)
        fprintf(stderr, "-W- %s ends before its program did\n", path);
}

static void print_stats(const struct dpk_replay *r)
{
    char digest[65];
    unsigned id;
    uint64_t instructions, all = 0;
    for (unsigned i = 0; dpk_replay_thread(r, i, &id, &instructions); i++)
        all += instructions;
    printf("instructions: %" PRIu64 "\n", all);
    for (unsigned i = 0; dpk_replay_thread(r, i, &id, &instructions); i++)
        printf("thread %u: %" PRIu64 " instructions\n", id, instructions);
    if (dpk_replay_digest(r, digest))
        printf("memory: SHA-256 %s\n", digest);
}

static enum dpk_status serve(const struct options *o, struct dpk_replay *r, struct dpk_error *err)
{
    struct gdb g = {.listener = {.fd = -1}, .in = -1, .out = -1};
    enum dpk_status status = dparun_connection_open(&g, o->gdb, err);
    if (status == DPK_OK && g.listener.fd >= 0)
        g.in = g.out = dpk_accept(&g.listener, NULL, NULL);
    if (status == DPK_OK && g.in >= 0)
        status = dpk_replay_serve(r, g.in, g.out, err);
    dparun_connection_close(&g);
    return status;
}

enum dpk_status dparun_replay(const struct options *o, struct dpk_error *err)
{
    const struct dpk_replay_sink sink = {.message = print_message, .result = print_result};
    const unsigned number = o->process ? o->process : 1;
    struct dpk_replay_facts facts;
    struct dpk_replay *r = NULL;
    enum dpk_status status = dpk_replay_open(o->program, number, &r, err);
    if (status != DPK_OK)
        return status;
    dpk_replay_facts(r, &facts);
    introduce(o->program, number, &facts);
    dpk_replay_set_sink(r, &sink);
    status = o->gdb ? serve(o, r, err) : dpk_replay_run(r, err);
    if (o->stats && !o->gdb)
        print_stats(r);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", o->program);
    dpk_replay_close(r);
    return status;
}
