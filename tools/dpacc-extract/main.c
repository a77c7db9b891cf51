/* dpacc-extract: extracts device executable and crypto data from a host file. */
#include "extract.h"

static const struct dpk_tool tool = {
    .name = "dpacc-extract",
    .usage = "dpacc-extract INPUT -o OUT.elf [options]\n"
             "       dpacc-extract INPUT --list [--json]",
    .about = "Extracts the device executable from a host executable, library, object, archive or "
             "core file, or\nthe archive for a target from a device library.",
    .notes = "Options begin with one dash or two.\n"
             "Exit codes: 0 done, 1 failed, 2 wrong usage.",
    .command = &extract_command,
    .size = sizeof(struct extract_options),
    .large_version = true,
    .single_dash_names = true,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
