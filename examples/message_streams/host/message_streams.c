/*
 * The host side: three streams of messages, each in a mode of its own, and what is seen of them.
 *
 *     message_streams mlx5_0
 */
#include <libflexio/flexio.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern struct flexio_app *message_streams_app;
extern flexio_func_t squares;

#define BUFFER 2048 /* bytes; a power of two */

static struct ibv_context *open_device(const char *name)
{
    struct ibv_context *context = NULL;
    struct ibv_device **list = ibv_get_device_list(NULL);
    for (int i = 0; list && list[i] && !context; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            context = ibv_open_device(list[i]);
    ibv_free_device_list(list);
    if (!context)
        fprintf(stderr, "Cannot open device %s\n", name);
    return context;
}

static struct flexio_msg_stream *open_stream(struct flexio_process *process, char *name,
                                             flexio_log_dev_sync_mode mode,
                                             flexio_msg_dev_level level)
{
    flexio_msg_stream_attr_t attr = {
        .data_bsize = BUFFER, .sync_mode = mode, .stream_name = name, .level = level};
    struct flexio_msg_stream *stream = NULL;
    flexio_msg_stream_create(process, &attr, stdout, NULL, &stream);
    return stream;
}

static int work(struct flexio_process *process, struct flexio_msg_stream *results,
                struct flexio_msg_stream *details, uint64_t last)
{
    uint64_t sum = 0;
    if (flexio_process_call(process, &squares, &sum, (uint64_t)flexio_msg_stream_get_id(results),
                            (uint64_t)flexio_msg_stream_get_id(details),
                            last) != FLEXIO_STATUS_SUCCESS)
        return 0;
    printf("-- the call has returned %" PRIu64 "\n", sum);
    return 1;
}

/* The same work three times, with other streams for its results and details. */
static int run(struct flexio_process *process)
{
    struct flexio_msg_stream *now =
        open_stream(process, "now", FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_INFO);
    struct flexio_msg_stream *later =
        open_stream(process, "later", FLEXIO_LOG_DEV_SYNC_MODE_ASYNC, FLEXIO_MSG_DEV_WARN);
    struct flexio_msg_stream *often =
        open_stream(process, "often", FLEXIO_LOG_DEV_SYNC_MODE_BATCH, FLEXIO_MSG_DEV_WARN);
    int ok = now && later && often;

    printf("-- results at once, of the details only warnings, and those later\n");
    ok = ok && work(process, now, later, 5) &&
         flexio_msg_stream_flush(later) == FLEXIO_STATUS_SUCCESS;

    printf("-- all of the details, at a flush\n");
    ok = ok && flexio_msg_stream_level_set(later, FLEXIO_MSG_DEV_DEBUG) == FLEXIO_STATUS_SUCCESS &&
         work(process, now, later, 2) && flexio_msg_stream_flush(later) == FLEXIO_STATUS_SUCCESS;

    printf("-- a batch is %d bytes: these are fewer, and come out at the end\n", BUFFER);
    ok = ok && flexio_msg_stream_level_set(later, FLEXIO_MSG_DEV_NO_PRINT) == 0 &&
         flexio_msg_stream_level_set(now, FLEXIO_MSG_DEV_NO_PRINT) == 0 &&
         flexio_msg_stream_level_set(often, FLEXIO_MSG_DEV_INFO) == 0 &&
         work(process, often, often, 3);

    flexio_msg_stream_destroy(often);
    flexio_msg_stream_destroy(later);
    flexio_msg_stream_destroy(now);
    return ok;
}

int main(int argc, char **argv)
{
    struct flexio_process *process = NULL;
    if (argc != 2) {
        fprintf(stderr, "Usage: %s DEVICE\n", argv[0]);
        return 2;
    }
    struct ibv_context *context = open_device(argv[1]);
    if (!context)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0); /* lines in the order in which they are written */
    int ok = flexio_process_create(context, message_streams_app, NULL, &process) ==
                 FLEXIO_STATUS_SUCCESS &&
             run(process);
    flexio_process_destroy(process);
    ibv_close_device(context);
    return ok ? 0 : 1;
}
