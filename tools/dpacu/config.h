/* config: the settings of the command line, which has nvcc's options. */
#ifndef DPK_DPACU_CONFIG_H
#define DPK_DPACU_CONFIG_H

#include "cli/cli.h"
#include "common/words.h"

struct config {
    struct words inputs, host_options, includes, defines, undefines, libraries, folders, forced;
    struct words system_includes, ignored, linker_options, run_words, sanitizers;
    const char *output, *standard, *level, *language, *hostcc, *architecture, *cuda_path;
    const char *relocatable, *cudart, *depend_file, *depend_target, *default_stream;
    bool compile, device_compile, preprocess, shared, archive, debug, device_debug, verbose, dryrun;
    bool device_link, device_only, run, list_arch, list_code, depend_only_own, depend_phony;
    bool depend, depend_own, depend_only, fast_math, no_warnings, line_info, keep, help_version;
    bool races, address, undefined; /* -fsanitize=thread, address, undefined */
    char *root;                     /* the tree that dpacu is part of */
    unsigned compute;               /* __CUDA_ARCH__ */
};

extern const struct dpk_option dpacu_config_options[];
/* Checks that the options fit together, and sets `root` and `compute`. */
enum dpk_status dpacu_config_check(struct config *c, struct dpk_error *err);
/* Checks that the inputs are there, and sets `inputs`. */
enum dpk_status dpacu_config_check_inputs(struct config *c, const struct dpk_args *args,
                                          struct dpk_error *err);
void dpacu_config_free(void *config);
/* Return true for a file that is compiled as CUDA, for any source, and if objects are linked on the
 * device side (-rdc=true, -dc). */
bool dpacu_config_is_cuda(const struct config *c, const char *path);
bool dpacu_config_is_source(const struct config *c, const char *path);
bool dpacu_config_is_rdc(const struct config *c);
/* Adds the words of clang's command. */
void dpacu_add_clang(struct words *w);
/* Prints the values of -arch, as architectures or as code. */
void dpacu_folders_list(bool code);
/* Prints the variables that build systems read from nvcc -v. */
void dpacu_folders_print(const struct config *c);
/* Fills the words of the command that links the objects, or puts them into an archive. */
void dpacu_link_words(const struct config *c, const struct words *objects, struct words *w);
/* Executes the compiler that links with these words, so that the program finds libcudart. Returns
 * an exit code if it fails. */
int dpacu_link_execute(int argc, char *const *argv);
/* Executes the program that was linked, or the only input if this is a program. Returns an exit
 * code if it fails. */
int dpacu_run_program(const struct config *c);
/* Returns true if the only input is a program. */
bool dpacu_run_has_program(const struct config *c);
/* Runs the build. Returns an exit code. */
int dpacu_build(struct config *c);

#endif
