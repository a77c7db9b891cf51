/*
 * The host side: a list of three nodes, the last of which points nowhere, for a DPA program that
 * follows it. What is left is what one wants after a crash: a status, a text, a core file.
 *
 *     crash mlx5_0           crashes, writes list.PID.crash and list.PID.core
 *     crash mlx5_0 wait      before that: prints a token for dpa-gdbserver, and waits for a line
 */
#include <libflexio/flexio.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern struct flexio_app *DEV_APP_NAME;
extern flexio_func_t sum_list;

struct node {
    uint64_t value, next;
};
enum { NODES = 3, NOWHERE = 0x40 };

static struct ibv_context *open_device(const char *name)
{
    int count = 0;
    struct ibv_context *context = NULL;
    struct ibv_device **list = ibv_get_device_list(&count);
    for (int i = 0; list && i < count && !context; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            context = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    return context;
}

static flexio_status make_list(struct flexio_process *process, flexio_uintptr_t *head)
{
    struct node nodes[NODES];
    flexio_status status = flexio_buf_dev_alloc(process, sizeof nodes, head);
    if (status != FLEXIO_STATUS_SUCCESS)
        return status;
    for (uint64_t i = 0; i < NODES; i++) {
        nodes[i].value = 10 * (i + 1);
        nodes[i].next = i + 1 < NODES ? *head + (i + 1) * sizeof *nodes : NOWHERE;
    }
    return flexio_host2dev_memcpy(process, nodes, sizeof nodes, *head);
}

static void wait_for_debugger(struct flexio_process *process)
{
    printf("Use token >>> 0x%" PRIx64 " <<< for debug, then press Enter\n",
           flexio_process_udbg_token_get(process));
    fflush(stdout);
    while (getchar() != '\n' && !feof(stdin))
        ;
}

/* True if it failed as it should and left what it should. */
static int crash(struct flexio_process *process)
{
    flexio_uintptr_t head = 0;
    uint64_t sum = 0;
    if (make_list(process, &head) != FLEXIO_STATUS_SUCCESS)
        return 0;
    if (flexio_process_call(process, &sum_list, &sum, (uint64_t)head) == FLEXIO_STATUS_SUCCESS) {
        printf("Sum: %" PRIu64 "\n", sum);
        return 0;
    }
    if (flexio_err_status_get(process) != FLEXIO_DEV_FATAL_ERROR)
        return 0;
    printf("The DPA process has failed\n");
    return flexio_crash_data(process, "list") == FLEXIO_STATUS_SUCCESS &&
           flexio_coredump_create(process, "list") == FLEXIO_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    struct flexio_process *process = NULL;
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "wait") != 0)) {
        fprintf(stderr, "Usage: %s DEVICE [wait]\n", argv[0]);
        return 2;
    }
    struct ibv_context *context = open_device(argv[1]);
    if (!context) {
        fprintf(stderr, "No device %s\n", argv[1]);
        return 1;
    }
    int ok = flexio_process_create(context, DEV_APP_NAME, NULL, &process) == FLEXIO_STATUS_SUCCESS;
    if (ok && argc == 3)
        wait_for_debugger(process);
    ok = ok && crash(process);
    flexio_process_destroy(process);
    ibv_close_device(context);
    return ok ? 0 : 1;
}
