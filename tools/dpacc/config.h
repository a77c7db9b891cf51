/* config: what the command line asks for. */
#ifndef DPACC_CONFIG_H
#define DPACC_CONFIG_H

#include "words.h"

#define TARGET_LIST "nv-dpa-bf3, nv-dpa-cx7, nv-dpa-cx8, nv-dpa-cx9"

struct target {
    const char *name; /* "bf3": tag of file names */
    const char *march;
    unsigned id; /* value of __NV_DPA */
};

struct config {
    struct words sources;  /* .c files */
    struct words archives; /* device archives, resolved */
    struct words host_options, device_options, link_options, device_libs;
    struct words includes; /* directories */
    struct words defines;  /* without -D */
    struct words inputs;   /* every input file, to keep the output off them */
    const struct target *target;
    const char *output, *app, *hostcc, *keep_dir, *attributes, *jobs_text, *mcpu;
    bool verbose, dryrun, keep, flto, help, version;
    bool compile_only, gen_libs, shared, link_dpa, no_asm_checks;
    unsigned jobs;
    char *root;             /* the tree that dpacc is part of */
    struct words arguments; /* the command line with options files put in */
};

/* Parses and checks everything that needs no tool. With `help` or `version` set nothing else is
 * checked. */
enum dpk_status config_parse(struct config *config, int argc, char **argv, struct dpk_error *err);
/* The part of config_parse behind the options: the tree, target, inputs, output. */
enum dpk_status config_check(struct config *config, const struct dpk_args *args,
                             struct dpk_error *err);
void config_free(struct config *config);
void config_help(FILE *to);

#endif
