/* The host of args_dev.c over libflexio: every argument must arrive on the emulated DPA. */
#include "args_values.h"

#include <libflexio/flexio.h>
#include <stdio.h>

extern struct flexio_app *args_app;
extern flexio_func_t rpc_integers, rpc_structures, rpc_wide, rpc_bits;

static int check(const char *name, flexio_status status, uint64_t *result)
{
    printf("%s: status %d, result %lu\n", name, (int)status, (unsigned long)*result);
    int bad = status != FLEXIO_STATUS_SUCCESS || *result != 0;
    *result = 99;
    return bad;
}

int main(void)
{
    ARGS_VALUES;
    struct flexio_process *process = NULL;
    uint64_t result = 99;
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;
    if (!context ||
        flexio_process_create(context, args_app, NULL, &process) != FLEXIO_STATUS_SUCCESS)
        return 1;
    int bad = check("integers", flexio_process_call(process, &rpc_integers, &result, ARGS_INTEGERS),
                    &result);
    bad |= check("structures",
                 flexio_process_call(process, rpc_structures, &result, ARGS_STRUCTURES), &result);
    bad |= check("wide", flexio_process_call(process, rpc_wide, &result, ARGS_WIDE), &result);
    bad |= check("bits", flexio_process_call(process, rpc_bits, &result, ARGS_BITS), &result);
    flexio_process_destroy(process);
    ibv_close_device(context);
    ibv_free_device_list(list);
    return bad;
}
