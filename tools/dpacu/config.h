/* config: the settings of the command line, which has nvcc's options. */
#ifndef DPK_DPACU_CONFIG_H
#define DPK_DPACU_CONFIG_H

#include "cli/cli.h"
#include "common/words.h"

struct config {
    struct words inputs, host_options, includes, defines, undefines, libraries, folders, forced;
    struct words system_includes, ignored, linker_options;
    const char *output, *standard, *level, *language, *hostcc, *architecture, *cuda_path;
    const char *relocatable, *cudart, *depend_file, *depend_target;
    bool compile, device_compile, preprocess, shared, archive, debug, device_debug, verbose, dryrun;
    bool depend, depend_own, depend_only, fast_math, no_warnings, line_info, keep, help_version;
    char *root;       /* the tree that dpacu is part of */
    unsigned compute; /* __CUDA_ARCH__ */
};

extern const struct dpk_option dpacu_config_options[];
/* Checks that the options fit together, and sets `root` and `compute`. */
enum dpk_status dpacu_config_check(struct config *c, const struct dpk_args *args,
                                   struct dpk_error *err);
void dpacu_config_free(void *config);
/* Return true for a file that is compiled as CUDA, for any source, and if objects are linked on the
 * device side (-rdc=true, -dc). */
bool dpacu_config_is_cuda(const struct config *c, const char *path);
bool dpacu_config_is_source(const char *path);
bool dpacu_config_is_rdc(const struct config *c);
/* Runs the build. Returns an exit code. */
int dpacu_build(struct config *c);

#endif
