/* dpacu: compiles CUDA C++ for the emulated GPU, with nvcc's command line. */
#include "config.h"
#include "line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CMake, Meson and build scripts read these lines of nvcc's --version. */
#define COMPATIBLE_VERSION                                                                         \
    "In place of nvcc: NVIDIA (R) Cuda compiler driver\n"                                          \
    "Cuda compilation tools, release 12.4, V12.4.0"

static enum dpk_status compile(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct config *config = options;
    enum dpk_status status = dpacu_config_check(config, err);
    if (status == DPK_OK && (config->list_arch || config->list_code)) {
        dpacu_folders_list(config->list_code);
        return DPK_OK;
    }
    if (status == DPK_OK && (config->verbose || config->dryrun))
        dpacu_folders_print(config);
    if (status == DPK_OK)
        status = dpacu_config_check_inputs(config, args, err);
    if (status != DPK_OK)
        return status;
    const bool made = config->run && dpacu_run_has_program(config);
    const int code = made ? 0 : dpacu_build(config); /* prints errors */
    if (code == 0 && config->run && !config->dryrun && dpacu_run_program(config) != 0)
        return DPK_ERR_TOOL; /* it has printed why */
    return code == 0 ? DPK_OK : code == 1 ? DPK_ERR_FORMAT : DPK_ERR_TOOL;
}

static int exit_code(enum dpk_status status)
{
    if (status == DPK_ERR_USAGE || status == DPK_ERR_NOMEM || status == DPK_ERR_TOOL)
        return 2;
    return status == DPK_OK ? 0 : 1;
}

static const struct dpk_command compile_command = {
    .words = "[INPUT...]",
    .options = dpacu_config_options,
    .run = compile,
    .release = dpacu_config_free,
};
static const struct dpk_tool tool = {
    .name = "dpacu",
    .usage = "dpacu INPUT... [-o PROGRAM] [options]\n"
             "       dpacu SOURCE.cu... -c [-o OBJECT.o] [options]\n"
             "       dpacu INPUT... -o LIBRARY.so -shared [options]",
    .about = "Compiles CUDA C++ for dpakit's emulated GPU. It needs neither CUDA nor a GPU.\n"
             "INPUT: a CUDA source (.cu), a source in C or C++, an object or a library.",
    .notes = "Options begin with one dash or two; values follow '=' or are the next word.\n"
             "Exit codes: 0 done, 1 an error in your files, 2 wrong usage, or a tool failed.",
    .command = &compile_command,
    .size = sizeof(struct config),
    .version = "dpacu: compiler driver of dpakit " DPK_VERSION " for CUDA programs\n"
               "Free software under the BSD 3-Clause License\n" COMPATIBLE_VERSION,
    .large_version = true,
    .single_dash_names = true,
    .exit_code = exit_code,
};

/* Returns the value of --cuda-path=DIR, and takes it out of the words. */
static const char *take_cuda_path(int argc, char **argv)
{
    const char *found = NULL;
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        const bool is_it = argv[i][0] == '-' && strncmp(name, "cuda-path", 9) == 0;
        if (is_it && name[9] == '=')
            found = name + 10;
        else if (is_it && !name[9] && i + 1 < argc)
            found = argv[++i];
        else
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    return found;
}

/* Executes NVIDIA's compiler with the same words. Returns an exit code if it fails. */
static int hand_over(const char *cuda, char **argv)
{
    struct dpk_error err = {0};
    char path[PATH_MAX];
    if (!*cuda || snprintf(path, sizeof path, "%s/bin/nvcc", cuda) >= PATH_MAX)
        dpk_fail(&err, DPK_ERR_USAGE, "option --cuda-path: not a folder: %s", cuda);
    else
        execv(path, argv);
    if (err.status == DPK_OK)
        dpk_fail_errno(&err, "%s", path);
    dpk_tool_fail(&err);
    return 2;
}

int main(int argc, char **argv)
{
    struct dpk_error err = {0};
    struct words words = {0};
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    if (slash && strcmp(slash, "/dpacu-link") == 0)
        return dpacu_link_execute(argc, argv);
    const char *cuda = take_cuda_path(argc, argv);
    if (cuda)
        return hand_over(cuda, argv);
    int code = 2;
    if (dpacu_line_make(argc, argv, &words, &err) == DPK_OK)
        code = dpk_tool_main(&tool, (int)words.count, words.at);
    else
        dpk_tool_fail(&err);
    dpk_words_free(&words);
    return code;
}
