/* Message streams. Each stream has a thread that prints its buffer. The modes determine when the
 * thread is woken, and whether the sender waits for it. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "private.h"
#include "trace/trace.h"

#define BROADCAST_STREAM 0xffu /* FlexIO's number for "all streams" */

struct stream {
    struct dpk_host_stream shown;
    struct dpk_host_process *process;
    FILE *out;
    enum dpk_host_stream_mode mode;
    char **formats; /* of trace messages */
    size_t format_count;
    size_t capacity;        /* bytes; a larger message is printed alone */
    pthread_mutex_t lock;   /* guards the following members */
    pthread_cond_t work;    /* wake or stop was set */
    pthread_cond_t out_now; /* `printed` has increased */
    struct dpk_buf pending;
    struct dpk_buf sizes;   /* asynchronous: 4 bytes for the size of each pending message */
    uint64_t lost;          /* messages dropped for newer messages */
    uint64_t sent, printed; /* total bytes */
    bool wake, stop;
};

/* ---- Printing ---- */

/* Drops the oldest messages of an asynchronous stream that exceed its buffer. */
static void forget_oldest(struct stream *s)
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
    struct stream *s = context;
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
            dpk_host_log(DPK_HOST_LOG_WARNING,
                         "stream %d: %llu messages did not fit into its buffer until the flush",
                         s->shown.id, (unsigned long long)lost);
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

static void print_soon(struct stream *s)
{
    s->wake = true;
    pthread_cond_signal(&s->work);
}

/* Returns after everything sent before is printed. Call this with the lock held. */
static void print_now(struct stream *s)
{
    for (uint64_t sent = s->sent; s->printed < sent;) {
        print_soon(s);
        pthread_cond_wait(&s->out_now, &s->lock);
    }
}

static bool wants(struct stream *s, unsigned level)
{
    unsigned mine = atomic_load(&s->shown.level);
    return mine != DPK_HOST_STREAM_NOTHING && level != DPK_HOST_STREAM_NOTHING && level <= mine;
}

/* Keeps a message of an asynchronous stream, whose sender does not wait. Old messages are dropped
 * rarely, because this moves the others. */
static void keep(struct stream *s, size_t before)
{
    dpk_put_le32(&s->sizes, (uint32_t)(s->pending.size - before));
    if (s->sizes.failed) { /* no memory: the message is lost */
        s->sizes.failed = false;
        s->pending.size = before;
    }
    if (s->pending.size > 2 * s->capacity)
        forget_oldest(s);
}

static void deliver(struct stream *s, unsigned level, unsigned thread_id, const char *text,
                    size_t size)
{
    bool async = s->mode == DPK_HOST_STREAM_ASYNC;
    if (!wants(s, level))
        return;
    pthread_mutex_lock(&s->lock);
    if (!async && s->pending.size > 0 && s->pending.size + size > s->capacity)
        print_now(s);
    size_t before = s->pending.size;
    dpk_put_format(&s->pending, "/%2u/", thread_id);
    dpk_put(&s->pending, text, size);
    if (s->pending.failed) /* no memory: only this message is lost */
        s->pending.failed = false;
    s->sent += s->pending.size - before;
    if (async)
        keep(s, before);
    else if (s->mode == DPK_HOST_STREAM_SYNC)
        print_now(s);
    else if (s->pending.size >= s->capacity)
        print_soon(s);
    pthread_mutex_unlock(&s->lock);
}

/* Warns once in a program, because a program may intend to print nothing. */
static void warn_of_no_stream(unsigned stream)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    char number[16] = "0";
    if (atomic_flag_test_and_set(&warned))
        return;
    if (stream != BROADCAST_STREAM)
        snprintf(number, sizeof number, "%u", stream);
    dpk_host_log(DPK_HOST_LOG_WARNING,
                 "device code prints to message stream %s, which is not there: its text is lost; "
                 "flexio_msg_stream_create makes streams",
                 number);
}

void host_streams_message(void *context, unsigned stream, unsigned level, unsigned thread_id,
                          const char *text, size_t size)
{
    struct dpk_host_process *p = context;
    bool any = false;
    pthread_mutex_lock(&p->streams_lock);
    for (unsigned i = 0; i < DPK_HOST_STREAMS_MAX; i++)
        if (p->streams[i] && (stream == i || stream == BROADCAST_STREAM)) {
            any = true;
            deliver((struct stream *)p->streams[i], level, thread_id, text, size);
        }
    pthread_mutex_unlock(&p->streams_lock);
    if (!any)
        warn_of_no_stream(stream);
}

/* ---- Trace messages ---- */

static enum dpk_status copy_formats(struct stream *s, char *const *formats, struct dpk_error *err)
{
    size_t count = 0;
    while (formats && formats[count])
        if (!dpk_trace_is_format(formats[count++], DPK_TRACE_VALUES))
            return dpk_fail(err, DPK_ERR_USAGE,
                            "format %zu takes more than %d numbers, or a value that is not an "
                            "integer",
                            count - 1, DPK_TRACE_VALUES);
    if (count == 0)
        return DPK_OK;
    s->formats = calloc(count, sizeof *s->formats);
    if (!s->formats)
        return dpk_fail_nomem(err);
    for (; s->format_count < count; s->format_count++)
        if (!(s->formats[s->format_count] = strdup(formats[s->format_count])))
            return dpk_fail_nomem(err);
    return DPK_OK;
}

void dpk_host_stream_trace(struct dpk_host_process *p, unsigned stream, unsigned level,
                           unsigned thread_id, uint32_t format, const uint64_t *values,
                           unsigned count)
{
    char line[DPK_TRACE_LINE];
    pthread_mutex_lock(&p->streams_lock);
    struct stream *s = stream < DPK_HOST_STREAMS_MAX ? (struct stream *)p->streams[stream] : NULL;
    if (s) {
        const size_t size = format < s->format_count
                                ? dpk_trace_line(s->formats[format], values, count, line)
                                : dpk_trace_unknown((int)format, values, count, line);
        deliver(s, level, thread_id, line, size);
    }
    pthread_mutex_unlock(&p->streams_lock);
    if (!s)
        warn_of_no_stream(stream);
}

void dpk_host_stream_flush_number(struct dpk_host_process *p, unsigned stream)
{
    pthread_mutex_lock(&p->streams_lock);
    if (stream < DPK_HOST_STREAMS_MAX && p->streams[stream])
        dpk_host_stream_flush(p->streams[stream]);
    pthread_mutex_unlock(&p->streams_lock);
}

/* ---- Streams ---- */

static void stream_free(struct stream *s)
{
    for (size_t i = 0; i < s->format_count; i++)
        free(s->formats[i]);
    free(s->formats);
    dpk_buf_free(&s->sizes);
    dpk_buf_free(&s->pending);
    pthread_cond_destroy(&s->out_now);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void stop_printer(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->shown.printer, NULL);
}

/* Gives the stream the smallest free number. From then on it gets messages. */
static bool publish(struct stream *s)
{
    struct dpk_host_process *p = s->process;
    pthread_mutex_lock(&p->streams_lock);
    int id = 0;
    while (id < DPK_HOST_STREAMS_MAX && p->streams[id])
        id++;
    bool room = id < DPK_HOST_STREAMS_MAX;
    if (room) {
        s->shown.id = id;
        p->streams[id] = &s->shown;
    }
    pthread_mutex_unlock(&p->streams_lock);
    return room;
}

enum dpk_status dpk_host_stream_create(struct dpk_host_process *p,
                                       const struct dpk_host_stream_options *options,
                                       struct dpk_host_stream **out, struct dpk_error *err)
{
    *out = NULL;
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return dpk_fail_nomem(err);
    s->process = p;
    s->out = options->out;
    s->mode = options->mode;
    s->capacity = options->capacity;
    s->shown.owner = getpid();
    atomic_init(&s->shown.level, options->level);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->out_now, NULL);
    const enum dpk_status status = copy_formats(s, options->formats, err);
    if (status != DPK_OK) {
        stream_free(s);
        return status;
    }
    int error = dpk_pthread_start(&s->shown.printer, printer_main, s);
    if (error != 0) {
        stream_free(s);
        return dpk_fail(err, DPK_ERR_IO, "no thread: %s", strerror(error));
    }
    if (!publish(s)) {
        stop_printer(s);
        stream_free(s);
        return dpk_fail(err, DPK_ERR_RANGE, "the process has %d streams already",
                        DPK_HOST_STREAMS_MAX);
    }
    *out = &s->shown;
    return DPK_OK;
}

void dpk_host_stream_destroy(struct dpk_host_stream *stream)
{
    struct stream *s = (struct stream *)stream;
    if (!s || s->shown.owner != getpid())
        return;
    struct dpk_host_process *p = s->process;
    pthread_mutex_lock(&p->streams_lock);
    p->streams[s->shown.id] = NULL;
    pthread_mutex_unlock(&p->streams_lock);
    stop_printer(s);
    stream_free(s);
}

void dpk_host_stream_flush(struct dpk_host_stream *stream)
{
    struct stream *s = (struct stream *)stream;
    pthread_mutex_lock(&s->lock);
    print_now(s);
    pthread_mutex_unlock(&s->lock);
}
