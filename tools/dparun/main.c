/* dparun: loads a DPA program as a device would and runs one of its functions. */
#include "dparun.h"

static const struct dpk_tool tool = {
    .name = "dparun",
    .usage = "dparun [-d DEV] PROGRAM [--app NAME] --rpc FUNC [ARGS...]\n"
             "       dparun [-d DEV] PROGRAM [--app NAME] --kernel FUNC [--threads N] [ARGS...]\n"
             "       dparun [-d DEV] PROGRAM [--app NAME] --verify-only [--json]\n"
             "       dparun --replay RECORDING [--process N] [--gdb [PORT]] [--stats]\n"
             "       dparun PROGRAM [--app NAME]",
    .about =
        "Loads a DPA program, verified by the emulated device, and runs or lists its functions.\n"
        "PROGRAM: a host executable, library, object or archive, or a device ELF.\n"
        "ARGS: one integer for each 8 bytes of arguments: decimal, 0x..., or negative.",
    .notes = "Exit status: 0 done, 1 failed, 2 wrong usage, 3 the program faulted or overran its\n"
             "run-time limit, 11 to 20 the device refused it (mlxdpa(1), EXIT STATUS).",
    .command = &dparun_run_command,
    .size = sizeof(struct options),
    .negative_numbers = true,
    .exit_code = dpk_tool_exit_run,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
