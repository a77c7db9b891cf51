/* dpacc: compiles C for the DPA and puts it into a library for the host. */
#include "build.h"

static void print_version(void)
{
    printf("dpacc: compiler driver of dpakit for DPA programs\n"
           "Free software under the BSD 3-Clause License\n"
           "dpacc version %s\n",
           dpk_version);
}

int main(int argc, char **argv)
{
    struct config config = {0};
    struct dpk_error err = {0};
    int code = 0;
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
