/* dpacc: compiles C for the DPA and puts it into a library for the host. */
#include "build.h"
#include "clang.h"
#include "cli/cli.h"
#include "steps.h"

/* Build scripts cut everything through "version " and compare the rest with the required release of
 * NVIDIA's dpacc. This is the release with the same options and outputs as ours (DOCA 3.2). */
#define COMPATIBLE_VERSION "2.0.1"

static enum dpk_status compile(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct config *config = options;
    enum dpk_status status = dpacc_config_check(config, args, err);
    if (status != DPK_OK)
        return status;
    int code = dpacc_build(config); /* prints errors */
    if (code != 0)
        return code == 1 ? DPK_ERR_FORMAT : DPK_ERR_TOOL;
    return dpk_tool_flush(err) == DPK_OK ? DPK_OK : dpk_fail(err, DPK_ERR_TOOL, "%s", err->message);
}

static int exit_code(enum dpk_status status)
{
    if (status == DPK_ERR_USAGE || status == DPK_ERR_NOMEM || status == DPK_ERR_TOOL)
        return 2;
    return status == DPK_OK ? 0 : 1;
}

static const struct dpk_command compile_command = {
    .words = "[INPUT...]",
    .options = dpacc_config_options,
    .run = compile,
    .release = dpacc_config_free,
};
static const struct dpk_tool tool = {
    .name = "dpacc",
    .usage = "dpacc INPUT... -o PROGRAM.a [options]\n"
             "       dpacc INPUT... -o LIBRARY.so -shared [options]\n"
             "       dpacc SOURCE.c... -c [-o OBJECT.dpa.o] [options]\n"
             "       dpacc INPUT... -o LIBRARY -gen-libs [options]",
    .about = "Compiles C for the DPA and puts it into a library for the host.\n"
             "INPUT: a C source (.c), a device library (.a), or a DPA object that -c made.",
    .notes = "Options begin with one dash or two; values follow '=' or are the next word.\n"
             "Exit codes: 0 done, 1 an error in your files, 2 wrong usage, or a tool failed.",
    .command = &compile_command,
    .size = sizeof(struct config),
    .version = "dpacc: compiler driver of dpakit " DPK_VERSION " for DPA programs\n"
               "Free software under the BSD 3-Clause License\n"
               "dpacc version " COMPATIBLE_VERSION,
    .large_version = true,
    .single_dash_names = true,
    .unknown = dpacc_config_unknown,
    .exit_code = exit_code,
};

int main(int argc, char **argv)
{
    struct words arguments = {0};
    struct dpk_error err = {0};
    if (argc > 0 && dpacc_clang_is_asked_for(argv[0]))
        return dpacc_clang_run(argc, argv);
    if (dpacc_step_is((size_t)argc, argv))
        return dpacc_step_run((size_t)argc, argv, false);
    enum dpk_status status = dpacc_config_arguments(&arguments, argc, argv, &err);
    int code = exit_code(status);
    if (status == DPK_OK)
        code = dpk_tool_main(&tool, (int)arguments.count, arguments.at);
    else
        dpk_tool_fail(&err);
    dpk_words_free(&arguments);
    return code;
}
