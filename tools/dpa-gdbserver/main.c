/* dpa-gdbserver: lets GDB attach to a DPA process that another program of this user runs. */
#include "attach.h"

static const struct dpk_tool tool = {
    .name = "dpa-gdbserver",
    .usage = "dpa-gdbserver DEV -T TOKEN [-s PORT]",
    .about = "Lets GDB debug a process on the DPA of DEV: the process that printed TOKEN, which\n"
             "flexio_process_udbg_token_get returned. With -s ./gdb.socket, in GDB: target remote "
             "./gdb.socket.\n"
             "Ends when GDB disconnects.",
    .command = &gdbserver_attach_command,
    .size = sizeof(struct attach_options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
