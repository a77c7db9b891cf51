/* dparun: what its files share. */
#ifndef DPK_DPARUN_DPARUN_H
#define DPK_DPARUN_DPARUN_H

#include <pthread.h>

#include "bus/peers/peers.h"
#include "cli/cli.h"
#include "common/source.h"
#include "engine/debug/debug.h"
#include "engine/jit/jit.h"
#include "engine/loader/loader.h"
#include "engine/proc/proc.h"

/* What the command line says. */
struct options {
    const char *device, *app, *rpc, *kernel, *signature, *core, *gdb, *profile;
    unsigned every; /* instructions from sample to sample; 0: the default */
    unsigned threads;
    unsigned limit_ms; /* 0: the default */
    bool stats, verify_only, json, replay;
    unsigned process; /* of a recording; 0: the first */
    bool list;        /* none of what it could do is asked for */
    const char *program;
    const char **args; /* the numbers for the function */
    size_t arg_count;
};

/* The only command; load.c. */
extern const struct dpk_command run_command;

/* Prints the program's functions, without asking a device whether it may run. */
enum dpk_status list_functions(const struct dpk_source *s, struct dpk_error *err);

/* A debugger that dparun waits for. */
struct gdb {
    struct dpk_debugger *debugger;
    pthread_t thread;
    struct dpk_listener listener;
    int in, out;
};
/* Opens where GDB comes to: a path, a port or -; and closes it and the client's connection. */
enum dpk_status connection_open(struct gdb *g, const char *where, struct dpk_error *err);
void connection_close(struct gdb *g);
/* Lets the process stand still and serves GDB from now on, where o->gdb says. */
enum dpk_status debugger_start(struct gdb *g, const struct options *o, struct dpk_process *p,
                               struct dpk_error *err);
/* Tells GDB how it ended; nothing if there is none. */
void debugger_end(struct gdb *g, enum dpk_status status);

/* Runs the function that the options name. */
enum dpk_status run(const struct options *o, const struct dpk_device *device,
                    const struct dpk_image *image, struct dpk_error *err);

/* Runs the recording `program` again. */
enum dpk_status replay(const struct options *o, struct dpk_error *err);

#endif
