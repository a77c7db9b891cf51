/* Shared by the files of dparun. */
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

/* The command line's options. */
struct options {
    const char *device, *app, *rpc, *kernel, *signature, *core, *gdb, *profile;
    unsigned every; /* instructions between samples; 0: default */
    unsigned threads;
    unsigned limit_ms; /* 0: default */
    bool stats, verify_only, json, replay;
    unsigned process; /* number of a process of a recording; 0: first */
    bool list;        /* list the functions, because no other action is given */
    const char *program;
    const char **args; /* arguments of the function: numbers */
    size_t arg_count;
};

/* The only command of the tool; load.c. */
extern const struct dpk_command dparun_run_command;

/* Prints the program's functions. No device decides whether the program may run. */
enum dpk_status dparun_list_functions(const struct dpk_source *s, struct dpk_error *err);

/* A debugger for which dparun waits. */
struct gdb {
    struct dpk_debugger *debugger;
    pthread_t thread;
    struct dpk_listener listener;
    int in, out;
};
/* dparun_connection_open opens the place for GDB to connect: a path, a port or "-". dparun_connection_close
 * closes it and the client's connection. */
enum dpk_status dparun_connection_open(struct gdb *g, const char *where, struct dpk_error *err);
void dparun_connection_close(struct gdb *g);
/* Stops the process, and serves GDB at the place in o->gdb from now on. */
enum dpk_status dparun_debugger_start(struct gdb *g, const struct options *o, struct dpk_process *p,
                                      struct dpk_error *err);
/* Reports the end of the process to GDB, if there is a debugger. */
void dparun_debugger_end(struct gdb *g, enum dpk_status status);

/* Runs the function of the options. */
enum dpk_status dparun_run(const struct options *o, const struct dpk_device *device,
                           const struct dpk_image *image, struct dpk_error *err);

/* Replays the recording `program`. */
enum dpk_status dparun_replay(const struct options *o, struct dpk_error *err);

#endif
