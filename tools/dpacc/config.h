/* config: what the command line asks for. */
#ifndef DPK_DPACC_CONFIG_H
#define DPK_DPACC_CONFIG_H

#include "cli/cli.h"
#include "words.h"

#define TARGET_LIST "nv-dpa-bf3, nv-dpa-cx7, nv-dpa-cx8, nv-dpa-cx9"
#define TARGETS_MAX 4

struct target {
    const char *name; /* "bf3": tag of file names */
    const char *march;
    unsigned id; /* value of __NV_DPA, and in areas of several targets */
};
const struct target *target_find(const char *name); /* NULL: unknown */

enum mode {
    MODE_PROGRAM,   /* a library for the host with the program in it */
    MODE_COMPILE,   /* a DPA object of each source */
    MODE_LIBRARIES, /* objects as two libraries, for host and device */
    MODE_SHARED,    /* MODE_PROGRAM, as a shared library */
};

struct config {
    enum mode mode;
    struct words units;    /* sources and DPA objects */
    struct words archives; /* device archives, resolved */
    struct words host_options, device_options, link_options, device_libs;
    struct words includes; /* directories */
    struct words defines;  /* without -D */
    struct words inputs;   /* every input file, to keep the output off them */
    struct words mcpu;     /* as given */
    const struct target *targets[TARGETS_MAX];
    size_t target_count;
    const char *output, *app, *hostcc, *keep_dir, *attributes, *options_file, *database;
    bool verbose, dryrun, keep, flto, coverage;
    bool compile_only, gen_libs, shared, link_dpa, no_asm_checks;
    unsigned jobs; /* 0: one for each processor */
    char *self;    /* this program's file */
    char *root;    /* the tree that it is part of */
};

/* Is this input compiled? Else it is a DPA object. */
bool config_is_source(const char *path);
bool config_keeps(const struct config *config);
/* What the output of one unit is called: "k.dpa.o" for k.c; "x_host.a", "x_device.a" for halves
 * 0 and 1 of MODE_LIBRARIES; else -o. Allocated. */
char *config_output(const struct config *config, size_t index);
size_t config_output_count(const struct config *config);

extern const struct dpk_option config_options[];
/* The command line with options files put in; nothing in it that looks like -output is an -o. */
enum dpk_status config_arguments(struct words *arguments, int argc, char **argv,
                                 struct dpk_error *err);
/* Says of an option of compilers where it goes. */
enum dpk_status config_unknown(const char *word, struct dpk_error *err);
/* What the options do not say by themselves, as far as it needs no tool: the tree, target, inputs,
 * output. */
enum dpk_status config_check(struct config *config, const struct dpk_args *args,
                             struct dpk_error *err);
/* Parts of it: where dpacc is (`self`, `root`); what `mcpu` means (`targets`). */
enum dpk_status config_find_root(struct config *c, struct dpk_error *err);
enum dpk_status config_choose_targets(struct config *c, struct dpk_error *err);
/* Is it a file that can be read? */
enum dpk_status config_check_readable(const char *path, struct dpk_error *err);
/* A library of the user's, or of that name of ours (libraries.c). */
enum dpk_status config_add_archive(struct config *c, const char *word, struct dpk_error *err);
/* Takes libraries out of the words for the linker: they may be fat, or have entry functions. */
enum dpk_status config_sort_libraries(struct config *c, struct dpk_error *err);
void config_free(void *config);

#endif
