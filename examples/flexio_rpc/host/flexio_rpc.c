/*
 * The host side: opens a device, loads the DPA program into a process, calls its function with two
 * numbers and prints the result.
 *
 *     flexio_rpc mlx5_0 44 55
 */
#include <libflexio/flexio.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The DPA program and its function, as dpacc made them: -DDEV_APP_NAME is dpacc's --app-name. */
extern struct flexio_app *DEV_APP_NAME;
extern flexio_func_t rpc_calculate;

#define MESSAGES_BSIZE 8192 /* bytes of device messages under way */

static int parse_number(const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

static struct ibv_context *open_device(const char *name)
{
    int count = 0;
    struct ibv_context *context = NULL;
    struct ibv_device **list = ibv_get_device_list(&count);
    if (!list) {
        fprintf(stderr, "Cannot list the devices: %s\n", strerror(errno));
        return NULL;
    }
    int i = 0;
    while (i < count && strcmp(ibv_get_device_name(list[i]), name) != 0)
        i++;
    if (i == count)
        fprintf(stderr, "No device %s\n", name);
    else if (!(context = ibv_open_device(list[i])))
        fprintf(stderr, "Cannot open device %s: %s\n", name, strerror(errno));
    ibv_free_device_list(list);
    return context;
}

/* Calls the function; false if anything went wrong (FlexIO has said what). */
static int calculate(struct flexio_process *process, uint64_t a, uint64_t b, uint64_t *result)
{
    struct flexio_msg_stream *messages = NULL;
    flexio_msg_stream_attr_t attr = {
        .data_bsize = MESSAGES_BSIZE,
        .sync_mode = FLEXIO_LOG_DEV_SYNC_MODE_SYNC,
        .level = FLEXIO_MSG_DEV_INFO,
    };
    int ok = flexio_msg_stream_create(process, &attr, stdout, NULL, &messages) ==
                 FLEXIO_STATUS_SUCCESS &&
             flexio_process_call(process, &rpc_calculate, result, a, b) == FLEXIO_STATUS_SUCCESS;
    return flexio_msg_stream_destroy(messages) == FLEXIO_STATUS_SUCCESS && ok;
}

int main(int argc, char **argv)
{
    uint64_t a, b, result = 0;
    struct flexio_process *process = NULL;
    if (argc != 4 || !parse_number(argv[2], &a) || !parse_number(argv[3], &b)) {
        fprintf(stderr, "Usage: %s DEVICE NUMBER NUMBER\n", argv[0]);
        return 2;
    }
    printf("Welcome to 'Flex IO RPC' sample\n");
    struct ibv_context *context = open_device(argv[1]);
    if (!context)
        return 1;
    printf("Registered on device %s\n", argv[1]);

    int ok =
        flexio_process_create(context, DEV_APP_NAME, NULL, &process) == FLEXIO_STATUS_SUCCESS &&
        calculate(process, a, b, &result);
    if (ok)
        printf("Result: %" PRIu64 "\n", result);
    ok &= flexio_process_destroy(process) == FLEXIO_STATUS_SUCCESS;
    ok &= ibv_close_device(context) == 0;
    if (!ok)
        return 1;
    printf("Flex IO RPC sample is done\n");
    return 0;
}
