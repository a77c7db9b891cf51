/* config: the settings of the command line. */
#ifndef DPK_DPACC_CONFIG_H
#define DPK_DPACC_CONFIG_H

#include "cli/cli.h"
#include "common/words.h"

#define TARGET_LIST "nv-dpa-bf3, nv-dpa-cx7, nv-dpa-cx8, nv-dpa-cx9"
#define TARGETS_MAX 4

struct target {
    const char *name; /* "bf3"; part of file names */
    const char *march;
    unsigned id; /* value of __NV_DPA; also the id in areas of several targets */
};
const struct target *dpacc_target_find(const char *name); /* NULL for an unknown target */

enum mode {
    MODE_PROGRAM,   /* a library for the host that contains the program */
    MODE_COMPILE,   /* a DPA object for each source */
    MODE_LIBRARIES, /* two libraries from objects, for host and device */
    MODE_SHARED,    /* MODE_PROGRAM, as a shared library */
};

struct config {
    enum mode mode;
    struct words units;    /* sources and DPA objects */
    struct words archives; /* device archives, resolved */
    struct words host_options, device_options, link_options, device_libs;
    struct words includes; /* directories */
    struct words defines;  /* without -D */
    struct words inputs;   /* every input file, so that the output does not overwrite it */
    struct words mcpu;     /* as given */
    const struct target *targets[TARGETS_MAX];
    size_t target_count;
    const char *output, *app, *hostcc, *keep_dir, *attributes, *options_file, *database;
    bool verbose, dryrun, keep, flto, coverage;
    bool compile_only, gen_libs, shared, link_dpa, no_asm_checks;
    unsigned jobs;        /* 0: one for each processor */
    char *self;           /* this program's file */
    char *root;           /* the tree that it is part of */
    const char *headers;  /* the folder there of DOCA's headers */
    bool bare;            /* a program for one target is embedded as an ELF file, not as an area */
    struct words release; /* options for a release other than the tree's */
};

/* Returns true for a source; other inputs are DPA objects. */
bool dpacc_config_is_source(const char *path);
bool dpacc_config_keeps(const struct config *config);
/* Returns the name of an output: "k.dpa.o" for k.c; "x_host.a" and "x_device.a" for index 0 and 1
 * of MODE_LIBRARIES; else -o. Allocated. */
char *dpacc_config_output(const struct config *config, size_t index);
size_t dpacc_config_output_count(const struct config *config);

extern const struct dpk_option dpacc_config_options[];
/* Gets the command line with the content of options files. Refuses words like -output that would be
 * taken for -o. */
enum dpk_status dpacc_config_arguments(struct words *arguments, int argc, char **argv,
                                       struct dpk_error *err);
/* Explains where an option of a compiler belongs. */
enum dpk_status dpacc_config_unknown(const char *word, struct dpk_error *err);
/* Completes and checks the settings as far as no tool is needed: installation, target, inputs,
 * output. */
enum dpk_status dpacc_config_check(struct config *config, const struct dpk_args *args,
                                   struct dpk_error *err);
/* Parts of it: where dpacc is (`self`, `root`), for which release (`headers`, `release`, `bare`); what `mcpu`
 * means (`targets`). */
enum dpk_status dpacc_config_find_root(struct config *c, struct dpk_error *err);
enum dpk_status dpacc_config_choose_release(struct config *c, struct dpk_error *err);
enum dpk_status dpacc_config_choose_targets(struct config *c, struct dpk_error *err);
/* Returns an error if the file cannot be read. */
enum dpk_status dpacc_config_check_readable(const char *path, struct dpk_error *err);
/* Adds a library: a file of the user, or a library of dpakit with this name (libraries.c). */
enum dpk_status dpacc_config_add_archive(struct config *c, const char *word, struct dpk_error *err);
/* Moves libraries from the words for the linker to `archives`, because they may be for several
 * targets or have entry functions. */
enum dpk_status dpacc_config_sort_libraries(struct config *c, struct dpk_error *err);
void dpacc_config_free(void *config);

#endif
