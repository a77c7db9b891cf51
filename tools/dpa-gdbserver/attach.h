/* The only command of dpa-gdbserver. */
#ifndef DPK_DPA_GDBSERVER_ATTACH_H
#define DPK_DPA_GDBSERVER_ATTACH_H

#include "cli/cli.h"

struct attach_options {
    const char *token, *port;
    unsigned unit;
};
extern const struct dpk_command gdbserver_attach_command;

#endif
