/*
 * Message streams. Every stream has a thread that prints what is in its buffer; the modes differ in
 * when it is woken and in whether the sender waits for it.
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

#define DATA_BSIZE_MIN   2048u
#define BROADCAST_STREAM 0xffu /* FlexIO's number for "all streams" */

struct flexio_msg_stream {
    struct flexio_process *process;
    int id;
    FILE *out;
    flexio_log_dev_sync_mode mode;
    size_t capacity; /* bytes; a message that is larger goes alone */
    _Atomic(unsigned) level;
    pthread_t printer;
    pid_t owner;            /* whose the printer is: a child of fork() has none */
    pthread_mutex_t lock;   /* for what follows */
    pthread_cond_t work;    /* wake or stop was set */
    pthread_cond_t out_now; /* printed has grown */
    struct dpk_buf pending;
    struct dpk_buf sizes;   /* asynchronous: of each message that is pending, 4 bytes */
    uint64_t lost;          /* messages that others were written over */
    uint64_t sent, printed; /* bytes, ever */
    bool wake, stop;
};

/* ---- Printing -------------------------------------------------------------------------------- */

/* The buffer of an asynchronous stream wraps around: what does not fit into it any more is lost. */
static void forget_oldest(struct flexio_msg_stream *s)
{
    struct dpk_reader sizes = dpk_reader(s->sizes.data, s->sizes.size);
    size_t gone = 0, messages = 0;
    while (s->pending.size - gone > s->capacity && dpk_reader_left(&sizes) > 4) {
        gone += dpk_read_le32(&sizes);
        messages++;
    }
    if (messages == 0)
        return;
    s->lost += messages;
    s->pending.size -= gone;
    memmove(s->pending.data, s->pending.data + gone, s->pending.size);
    s->sizes.size -= 4 * messages;
    memmove(s->sizes.data, s->sizes.data + 4 * messages, s->sizes.size);
}

static void *printer_main(void *context)
{
    struct flexio_msg_stream *s = context;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->wake && !s->stop)
            pthread_cond_wait(&s->work, &s->lock);
        bool last = s->stop;
        forget_oldest(s);
        s->sizes.size = 0;
        uint64_t lost = s->lost;
        s->lost = 0;
        struct dpk_buf text = s->pending;
        s->pending = (struct dpk_buf){0};
        s->wake = false;
        uint64_t sent = s->sent;
        pthread_mutex_unlock(&s->lock);
        if (text.size > 0) {
            fwrite(text.data, 1, text.size, s->out);
            fflush(s->out);
        }
        if (lost)
            dpk_host_log(FLEXIO_LOG_LVL_WARN,
                         "stream %d: %llu messages did not fit into its buffer until the flush",
                         s->id, (unsigned long long)lost);
        dpk_buf_free(&text);
        pthread_mutex_lock(&s->lock);
        s->printed = sent;
        pthread_cond_broadcast(&s->out_now);
        if (last)
            break;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void print_soon(struct flexio_msg_stream *s)
{
    s->wake = true;
    pthread_cond_signal(&s->work);
}

/* With the lock held: returns when everything sent before is out. */
static void print_now(struct flexio_msg_stream *s)
{
    for (uint64_t sent = s->sent; s->printed < sent;) {
        print_soon(s);
        pthread_cond_wait(&s->out_now, &s->lock);
    }
}

static bool wants(struct flexio_msg_stream *s, unsigned level)
{
    unsigned mine = atomic_load(&s->level);
    return mine != FLEXIO_MSG_DEV_NO_PRINT && level != FLEXIO_MSG_DEV_NO_PRINT && level <= mine;
}

/* The sender does not wait. Room is made only now and then: it means to move what stays. */
static void keep(struct flexio_msg_stream *s, size_t before)
{
    dpk_put_le32(&s->sizes, (uint32_t)(s->pending.size - before));
    if (s->sizes.failed) { /* out of memory: lost */
        s->sizes.failed = false;
        s->pending.size = before;
    }
    if (s->pending.size > 2 * s->capacity)
        forget_oldest(s);
}

static void deliver(struct flexio_msg_stream *s, unsigned level, unsigned thread_id,
                    const char *text, size_t size)
{
    bool async = s->mode == FLEXIO_LOG_DEV_SYNC_MODE_ASYNC;
    if (!wants(s, level))
        return;
    pthread_mutex_lock(&s->lock);
    if (!async && s->pending.size > 0 && s->pending.size + size > s->capacity)
        print_now(s);
    size_t before = s->pending.size;
    dpk_put_format(&s->pending, "/%2u/", thread_id);
    dpk_put(&s->pending, text, size);
    if (s->pending.failed) /* out of memory: lost, what was before it is not */
        s->pending.failed = false;
    s->sent += s->pending.size - before;
    if (async)
        keep(s, before);
    else if (s->mode == FLEXIO_LOG_DEV_SYNC_MODE_SYNC)
        print_now(s);
    else if (s->pending.size >= s->capacity)
        print_soon(s);
    pthread_mutex_unlock(&s->lock);
}

void process_message(void *context, unsigned stream, unsigned level, unsigned thread_id,
                     const char *text, size_t size)
{
    struct flexio_process *p = context;
    pthread_mutex_lock(&p->streams_lock);
    for (unsigned i = 0; i < FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT; i++)
        if (p->streams[i] && (stream == i || stream == BROADCAST_STREAM))
            deliver(p->streams[i], level, thread_id, text, size);
    pthread_mutex_unlock(&p->streams_lock);
}

/* ---- Streams --------------------------------------------------------------------------------- */

static const char *complaint(const struct flexio_process *process,
                             const flexio_msg_stream_attr_t *attr, const FILE *out)
{
    if (!process || !attr || !out)
        return "no process, attributes or file";
    if (attr->data_bsize < DATA_BSIZE_MIN || (attr->data_bsize & (attr->data_bsize - 1)) != 0)
        return "data_bsize must be a power of two, at least 2048";
    struct dpk_affinity affinity;
    if (!affinity_of(&attr->mgmt_affinity, &affinity) || !dpk_eu_exists(&affinity))
        return "mgmt_affinity names no execution unit or group";
    if ((unsigned)attr->level > FLEXIO_MSG_DEV_DEBUG)
        return "no such level";
    if (attr->tracer_mode || attr->sync_mode == FLEXIO_LOG_DEV_SYNC_MODE_TRACER)
        return "tracer mode is not supported";
    if ((unsigned)attr->sync_mode > FLEXIO_LOG_DEV_SYNC_MODE_TRACER)
        return "no such mode";
    if (attr->stream_name && strnlen(attr->stream_name, FLEXIO_MAX_NAME_LEN) == FLEXIO_MAX_NAME_LEN)
        return "the name is too long";
    return NULL;
}

static void stream_free(struct flexio_msg_stream *s)
{
    dpk_buf_free(&s->sizes);
    dpk_buf_free(&s->pending);
    pthread_cond_destroy(&s->out_now);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void stop_printer(struct flexio_msg_stream *s)
{
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->printer, NULL);
}

/* Gives the stream the smallest free number, and messages from then on. */
static bool publish(struct flexio_msg_stream *s)
{
    struct flexio_process *p = s->process;
    pthread_mutex_lock(&p->streams_lock);
    int id = 0;
    while (id < FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT && p->streams[id])
        id++;
    bool room = id < FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT;
    if (room) {
        s->id = id;
        p->streams[id] = s;
    }
    pthread_mutex_unlock(&p->streams_lock);
    return room;
}

flexio_status flexio_msg_stream_create(struct flexio_process *process,
                                       flexio_msg_stream_attr_t *stream_attr, FILE *out,
                                       pthread_t *ppthread, struct flexio_msg_stream **stream)
{
    if (!stream)
        return failed_because("flexio_msg_stream_create: nowhere to put the stream");
    *stream = NULL;
    const char *wrong = complaint(process, stream_attr, out);
    if (wrong)
        return failed_because("flexio_msg_stream_create: %s", wrong);
    struct flexio_msg_stream *s = calloc(1, sizeof *s);
    if (!s)
        return failed_because("flexio_msg_stream_create: out of memory");
    s->process = process;
    s->owner = getpid();
    s->out = out;
    s->mode = stream_attr->sync_mode;
    s->capacity = stream_attr->data_bsize;
    atomic_init(&s->level, (unsigned)stream_attr->level);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->out_now, NULL);
    int error = dpk_pthread_start(&s->printer, printer_main, s);
    if (error != 0) {
        stream_free(s);
        return failed_because("flexio_msg_stream_create: no thread: %s", strerror(error));
    }
    if (!publish(s)) {
        stop_printer(s);
        stream_free(s);
        return failed_because("flexio_msg_stream_create: the process has %d streams already",
                              FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT);
    }
    if (ppthread)
        *ppthread = s->printer;
    *stream = s;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_msg_stream_destroy(struct flexio_msg_stream *stream)
{
    if (!stream || stream->owner != getpid())
        return FLEXIO_STATUS_SUCCESS;
    struct flexio_process *p = stream->process;
    pthread_mutex_lock(&p->streams_lock);
    p->streams[stream->id] = NULL;
    pthread_mutex_unlock(&p->streams_lock);
    stop_printer(stream);
    stream_free(stream);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_msg_stream_flush(struct flexio_msg_stream *stream)
{
    if (!stream)
        return failed_because("flexio_msg_stream_flush: no stream");
    if (stream->owner != getpid())
        return failed_because("flexio_msg_stream_flush: the DPA belongs to the process that forked "
                              "this one");
    pthread_mutex_lock(&stream->lock);
    print_now(stream);
    pthread_mutex_unlock(&stream->lock);
    return FLEXIO_STATUS_SUCCESS;
}

int flexio_msg_stream_get_id(struct flexio_msg_stream *stream)
{
    return stream ? stream->id : -1;
}

flexio_status flexio_msg_stream_level_set(struct flexio_msg_stream *stream, uint8_t level)
{
    if (!stream || level > FLEXIO_MSG_DEV_DEBUG)
        return failed_because("flexio_msg_stream_level_set: no stream, or no such level");
    atomic_store(&stream->level, level);
    return FLEXIO_STATUS_SUCCESS;
}

/* ---- Older names ----------------------------------------------------------------------------- */

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
    pthread_mutex_lock(&process->streams_lock);
    struct flexio_msg_stream *stream = process->streams[FLEXIO_MSG_DEV_DEFAULT_STREAM_ID];
    pthread_mutex_unlock(&process->streams_lock);
    return stream;
}

flexio_status flexio_log_dev_flush(struct flexio_process *process)
{
    return flexio_msg_stream_flush(first_stream(process));
}

flexio_status flexio_log_dev_destroy(struct flexio_process *process)
{
    struct flexio_msg_stream *stream = first_stream(process);
    return stream ? flexio_msg_stream_destroy(stream)
                  : failed_because("flexio_log_dev_destroy: the process has no stream 0");
}
