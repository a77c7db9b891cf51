/* dpacc: compiles C for the DPA and puts it into a library for the host. */
#include "build.h"
#include "cli/cli.h"
#include "clang.h"
#include "steps.h"

/* Build scripts cut everything through "version " and compare the rest with the release of NVIDIA's
 * dpacc that they need. This is the one whose options and outputs ours has (DOCA 3.2). */
#define COMPATIBLE_VERSION "2.0.1"

static void print_version(void)
{
    printf("dpacc: compiler driver of dpakit %s for DPA programs\n"
           "Free software under the BSD 3-Clause License\n"
           "dpacc version " COMPATIBLE_VERSION "\n",
           dpk_version);
}

int main(int argc, char **argv)
{
    struct config config = {0};
    struct dpk_error err = {0};
    int code = 0;
    if (argc > 0 && clang_is_asked_for(argv[0]))
        return clang_run(argc, argv);
    if (step_is((size_t)argc, argv))
        return step_run((size_t)argc, argv, false);
    if (config_parse(&config, argc, argv, &err) != DPK_OK) {
        dpk_tool_fail(&err);
        code = err.status == DPK_ERR_NOMEM ? 2 : 1;
    } else if (config.help) {
        config_help(stdout);
    } else if (config.version) {
        print_version();
    } else {
        code = build(&config);
    }
    if (code == 0 && dpk_tool_flush(&err) != DPK_OK) {
        dpk_tool_fail(&err);
        code = 2;
    }
    config_free(&config);
    return code;
}
