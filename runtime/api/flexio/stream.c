/* Message streams: FlexIO's names for those of the room host. */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "private.h"
#include "trace/trace.h"

#include "guest/abi/flexio_abi.h"

#define DATA_BSIZE_MIN 2048u

_Static_assert((int)FLEXIO_MSG_DEV_SYNC_MODE_SYNC == DPK_HOST_STREAM_SYNC &&
                   (int)FLEXIO_MSG_DEV_SYNC_MODE_ASYNC == DPK_HOST_STREAM_ASYNC &&
                   (int)FLEXIO_MSG_DEV_SYNC_MODE_BATCH == DPK_HOST_STREAM_BATCH,
               "FlexIO's modes are the streams'");
_Static_assert(FLEXIO_MSG_DEV_NO_PRINT == DPK_HOST_STREAM_NOTHING &&
                   FLEXIO_MSG_DEV_INFO == DPK_HOST_STREAM_INFO &&
                   FLEXIO_MSG_DEV_DEBUG == DPK_HOST_STREAM_DEBUG &&
                   FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT == DPK_HOST_STREAMS_MAX,
               "FlexIO's numbers are the streams'");
_Static_assert(DPA_FLEXIO_TRACE_MAX == DPK_TRACE_VALUES, "FlexIO's numbers are the streams'");

/* Programs hold a pointer to the stream itself. */
static struct dpk_host_stream *stream_of(struct flexio_msg_stream *stream)
{
    return (struct dpk_host_stream *)(void *)stream;
}

static const char *complaint(const struct flexio_process *process,
                             const flexio_msg_stream_attr_t *attr, const FILE *out)
{
    if (!process || !attr || !out)
        return "no process, attributes or file";
    if (attr->data_bsize < DATA_BSIZE_MIN || (attr->data_bsize & (attr->data_bsize - 1)) != 0)
        return "data_bsize must be a power of two, at least 2048";
    struct dpk_affinity affinity;
    if (!libflexio_affinity_of(&attr->mgmt_affinity, &affinity) ||
        !dpk_eu_exists(process->host->dpa, &affinity))
        return "mgmt_affinity names no execution unit or group";
    if ((unsigned)attr->level > FLEXIO_MSG_DEV_DEBUG)
        return "no such level";
    if (attr->sync_mode == FLEXIO_MSG_DEV_SYNC_MODE_TRACER && !attr->tracer_msg_formats)
        return "mode TRACER needs tracer_msg_formats";
    if ((unsigned)attr->sync_mode > FLEXIO_MSG_DEV_SYNC_MODE_TRACER)
        return "no such mode";
    if (attr->stream_name && strnlen(attr->stream_name, FLEXIO_MAX_NAME_LEN) == FLEXIO_MAX_NAME_LEN)
        return "the name is too long";
    return NULL;
}

enum { TRANSPORT_MAX = 2 }; /* RC, UC, UD */

/* Warns about set attributes that are not used. They are not errors: programs that leave them
 * uninitialised run on cards. */
static void warn_of_unused(const flexio_msg_stream_attr_t *attr)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    const bool tracer = attr->sync_mode == FLEXIO_MSG_DEV_SYNC_MODE_TRACER;
    const bool formats = !tracer && (attr->tracer_mode || attr->tracer_msg_formats);
    if ((formats || attr->transport_mode > TRANSPORT_MAX) && !atomic_flag_test_and_set(&warned))
        dpk_host_log(DPK_HOST_LOG_WARNING,
                     "flexio_msg_stream_create: transport or tracer attributes that are not used "
                     "are set, or not initialised: begin with flexio_msg_stream_attr_t attr = {0}");
}

flexio_status flexio_msg_stream_create(struct flexio_process *process,
                                       flexio_msg_stream_attr_t *stream_attr, FILE *out,
                                       pthread_t *ppthread, struct flexio_msg_stream **stream)
{
    struct dpk_error err = {0};
    struct dpk_host_stream *s;
    if (!stream)
        return libflexio_failed_because("flexio_msg_stream_create: nowhere to put the stream");
    *stream = NULL;
    const char *wrong = complaint(process, stream_attr, out);
    if (wrong)
        return libflexio_failed_because("flexio_msg_stream_create: %s", wrong);
    warn_of_unused(stream_attr);
    const bool tracer = stream_attr->sync_mode == FLEXIO_MSG_DEV_SYNC_MODE_TRACER;
    const struct dpk_host_stream_options options = {
        .out = out,
        .mode = tracer ? DPK_HOST_STREAM_BATCH : (enum dpk_host_stream_mode)stream_attr->sync_mode,
        .capacity = stream_attr->data_bsize,
        .level = (unsigned)stream_attr->level,
        .formats = tracer ? stream_attr->tracer_msg_formats : NULL};
    if (dpk_host_stream_create(process->host, &options, &s, &err) != DPK_OK)
        return libflexio_failed_because("flexio_msg_stream_create: %s", err.message);
    /* The first stream of a process prints at level INFO in this case (guide 000, "Message Stream
     * Functionality"). */
    if (s->id == 0 && stream_attr->level == FLEXIO_MSG_DEV_NO_PRINT)
        atomic_store(&s->level, FLEXIO_MSG_DEV_INFO);
    if (ppthread)
        *ppthread = s->printer;
    *stream = (struct flexio_msg_stream *)(void *)s;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_msg_stream_destroy(struct flexio_msg_stream *stream)
{
    dpk_host_stream_destroy(stream_of(stream));
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_msg_stream_flush(struct flexio_msg_stream *stream)
{
    if (!stream)
        return libflexio_failed_because("flexio_msg_stream_flush: no stream");
    if (stream_of(stream)->owner != getpid())
        return libflexio_failed_because(
            "flexio_msg_stream_flush: the DPA belongs to the process that forked "
            "this one");
    dpk_host_stream_flush(stream_of(stream));
    return FLEXIO_STATUS_SUCCESS;
}

int flexio_msg_stream_get_id(struct flexio_msg_stream *stream)
{
    return stream ? stream_of(stream)->id : -1;
}

flexio_status flexio_msg_stream_level_set(struct flexio_msg_stream *stream, uint8_t level)
{
    if (!stream || level > FLEXIO_MSG_DEV_DEBUG)
        return libflexio_failed_because("flexio_msg_stream_level_set: no stream, or no such level");
    atomic_store(&stream_of(stream)->level, level);
    return FLEXIO_STATUS_SUCCESS;
}

bool libflexio_trace_call(struct flexio_process *p, struct dpk_caller *caller, unsigned call,
                          const uint64_t *args, char *reason, size_t size)
{
    uint64_t values[DPA_FLEXIO_TRACE_MAX] = {0};
    struct dpk_error err = {0};
    if (call == DPA_FLEXIO_TRACE_FLUSH) {
        dpk_host_stream_flush_number(p->host, args[0] & 0xff);
        return true;
    }
    if (args[3] > DPA_FLEXIO_TRACE_MAX) {
        snprintf(reason, size, "a trace message of %" PRIu64 " numbers", args[3]);
        return false;
    }
    if (args[3] > 0 &&
        dpk_copy_out(p->dpa, values, args[2], args[3] * sizeof values[0], &err) != DPK_OK) {
        snprintf(reason, size, "a trace message: %s", err.message);
        return false;
    }
    dpk_host_stream_trace(p->host, args[0] & 0xff, args[0] >> 8 & 0xff, caller->thread_id,
                          (uint32_t)args[1], values, (unsigned)args[3]);
    return true;
}

/* ---- Older names ---- */

flexio_status flexio_log_dev_init(struct flexio_process *process,
                                  flexio_msg_stream_attr_t *stream_attr, FILE *out,
                                  pthread_t *ppthread)
{
    struct flexio_msg_stream *stream;
    return flexio_msg_stream_create(process, stream_attr, out, ppthread, &stream);
}

static struct flexio_msg_stream *first_stream(struct flexio_process *process)
{
    if (!process)
        return NULL;
    pthread_mutex_lock(&process->host->streams_lock);
    struct dpk_host_stream *stream = process->host->streams[FLEXIO_MSG_DEV_DEFAULT_STREAM_ID];
    pthread_mutex_unlock(&process->host->streams_lock);
    return (struct flexio_msg_stream *)(void *)stream;
}

flexio_status flexio_log_dev_flush(struct flexio_process *process)
{
    return flexio_msg_stream_flush(first_stream(process));
}

flexio_status flexio_log_dev_destroy(struct flexio_process *process)
{
    struct flexio_msg_stream *stream = first_stream(process);
    return stream ? flexio_msg_stream_destroy(stream)
                  : libflexio_failed_because("flexio_log_dev_destroy: the process has no stream 0");
}
