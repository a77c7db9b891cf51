/* Traces in the JSON of Chrome's trace viewer ("Trace Event Format"), which Perfetto opens. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/debug/debug.h"

enum { FLUSH_SIZE = 64 << 10, TRACKS = 2048 };

/* Most bytes of the buffer when it is written: it is flushed after the event that has filled it,
 * which may contain texts. */
enum { UNWRITTEN_MAX = FLUSH_SIZE + 8192 };

struct dpk_trace {
    pthread_mutex_t lock;
    int fd, directory; /* of the file; kept open, as programs may change their directory */
    uint64_t max;      /* bytes of the file */
    char name[NAME_MAX + 1];
    uint64_t at;        /* offset of the next events in the file */
    uint64_t begin;     /* nanoseconds */
    struct dpk_buf buf; /* events that are not in the file yet */
    bool failed;        /* no more is written to the file */
    bool any;           /* there is an event, so the next event needs a comma */
    bool named[TRACKS]; /* the name of the track was written */
};

static const char document_end[] = "\n]}\n";

/* Reports why the trace ends, and makes the file a complete document again. */
static void give_up(struct dpk_trace *t, int error)
{
    t->failed = true;
    if (t->at > 0 && dpk_pwrite_all(t->fd, document_end, sizeof document_end - 1, t->at) == 0)
        (void)!ftruncate(t->fd, (off_t)(t->at + sizeof document_end - 1));
    fprintf(stderr, "-W- trace %s: cannot be written: %s; what happens from now on is not in it\n",
            t->name, strerror(error));
}

/* Writes the events and the end of the document, which the next flush overwrites. So the file is
 * always a complete document. Returns false and sets errno on failure. */
static bool flush(struct dpk_trace *t)
{
    const size_t size = t->buf.size;
    dpk_put(&t->buf, document_end, sizeof document_end - 1);
    if (t->buf.failed)
        errno = ENOMEM;
    const bool good = !t->buf.failed && dpk_pwrite_all(t->fd, t->buf.data, t->buf.size, t->at) == 0;
    if (good)
        t->at += size;
    dpk_buf_free(&t->buf);
    return good;
}

/* Starts an empty document. */
static bool begin(struct dpk_trace *t)
{
    t->at = 0;
    t->any = false;
    memset(t->named, 0, sizeof t->named);
    dpk_put_format(&t->buf, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return flush(t);
}

static int create(const struct dpk_trace *t)
{
    return openat(t->directory, t->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* Renames a full file, which replaces the previous file, and starts a new file. If that fails, the
 * file grows beyond the limit. */
static void rotate(struct dpk_trace *t)
{
    char old[sizeof t->name + 2];
    snprintf(old, sizeof old, "%s.1", t->name);
    struct stat s;
    if (fstat(t->fd, &s) != 0 || !S_ISREG(s.st_mode) ||
        renameat(t->directory, t->name, t->directory, old) != 0) {
        t->max = UINT64_MAX;
        return;
    }
    int fd = create(t);
    if (fd < 0) {
        t->max = UINT64_MAX;
        (void)!renameat(t->directory, old, t->directory, t->name);
        return;
    }
    close(t->fd);
    t->fd = fd;
    if (!begin(t))
        give_up(t, errno);
}

static void flush_and_rotate(struct dpk_trace *t)
{
    if (!flush(t))
        give_up(t, errno);
    else if (t->max < t->at + UNWRITTEN_MAX)
        rotate(t);
}

/* Opens the directory of the path and gets the file's name in it. */
static bool take_path(struct dpk_trace *t, const char *path)
{
    char directory[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strlen(path) >= sizeof directory || strlen(name) >= sizeof t->name) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (slash)
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - path + 1), path);
    snprintf(t->name, sizeof t->name, "%s", name);
    t->directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return t->directory >= 0;
}

enum dpk_status dpk_trace_open(const char *path, uint64_t max, struct dpk_trace **out,
                               struct dpk_error *err)
{
    struct dpk_trace *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return dpk_fail_nomem(err);
    t->directory = -1;
    t->fd = -1;
    if (!take_path(t, path) || (t->fd = create(t)) < 0 || !begin(t)) {
        enum dpk_status status = dpk_fail_errno(err, "trace: cannot write %s", path);
        if (t->fd >= 0)
            close(t->fd);
        if (t->directory >= 0)
            close(t->directory);
        free(t);
        return status;
    }
    pthread_mutex_init(&t->lock, NULL);
    t->max = max;
    t->begin = dpk_now_ns();
    *out = t;
    return DPK_OK;
}

void dpk_trace_close(struct dpk_trace *t)
{
    if (!t)
        return;
    dpk_trace_flush(t);
    close(t->fd);
    close(t->directory);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void dpk_trace_flush(struct dpk_trace *t)
{
    pthread_mutex_lock(&t->lock);
    if (t->buf.size > 0)
        flush_and_rotate(t);
    pthread_mutex_unlock(&t->lock);
}

static void put_text(struct dpk_buf *b, const char *text)
{
    char clean[1000];
    snprintf(clean, sizeof clean, "%.*s", (int)sizeof clean - 1, text ? text : "?");
    dpk_text_clean(clean);
    dpk_put_u8(b, '"');
    for (const char *c = clean; *c; c++) {
        if (*c == '"' || *c == '\\')
            dpk_put_u8(b, '\\');
        dpk_put_u8(b, (uint8_t)*c);
    }
    dpk_put_u8(b, '"');
}

static void put_name(struct dpk_trace *t, unsigned track)
{
    if (track >= TRACKS || t->named[track])
        return;
    t->named[track] = true;
    dpk_put_format(&t->buf,
                   "%s\n{\"ph\":\"M\",\"pid\":%ld,\"tid\":%u,\"name\":\"thread_name\",\"args\":"
                   "{\"name\":\"",
                   t->any ? "," : "", (long)getpid(), track);
    if (track < DPK_TRACK_CALL)
        dpk_put_format(&t->buf, "EU %u", track);
    else if (track == DPK_TRACK_HOST)
        dpk_put_format(&t->buf, "host");
    else
        dpk_put_format(&t->buf, "RPC thread %u", track - DPK_TRACK_CALL);
    dpk_put_format(&t->buf, "\"}}");
    t->any = true;
}

static void put_time(struct dpk_buf *b, const char *name, uint64_t ns)
{
    dpk_put_format(b, ",\"%s\":%" PRIu64 ".%03" PRIu64, name, ns / 1000, ns % 1000);
}

void dpk_trace_put(struct dpk_trace *t, const struct dpk_trace_event *e)
{
    pthread_mutex_lock(&t->lock);
    if (t->failed) {
        pthread_mutex_unlock(&t->lock);
        return;
    }
    uint64_t end = dpk_now_ns(), begin = e->begin ? e->begin : end;
    put_name(t, e->track);
    dpk_put_format(&t->buf, "%s\n{\"ph\":\"%c\",\"pid\":%ld,\"tid\":%u,\"cat\":\"%s\",\"name\":",
                   t->any ? "," : "", e->phase, (long)getpid(), e->track, e->category);
    t->any = true;
    put_text(&t->buf, e->name);
    put_time(&t->buf, "ts", begin > t->begin ? begin - t->begin : 0);
    if (e->phase == 'X')
        put_time(&t->buf, "dur", end - begin);
    if (e->phase == 'i')
        dpk_put_format(&t->buf, ",\"s\":\"t\"");
    if (e->phase == 'b' || e->phase == 'e')
        dpk_put_format(&t->buf, ",\"id\":%" PRIu64, e->id);
    if (e->argument || e->text) {
        dpk_put_format(&t->buf, ",\"args\":{\"%s\":", e->argument ? e->argument : "text");
        if (e->text)
            put_text(&t->buf, e->text);
        else
            dpk_put_format(&t->buf, "%" PRIu64, e->value);
        dpk_put_u8(&t->buf, '}');
    }
    dpk_put_u8(&t->buf, '}');
    if (t->buf.size >= FLUSH_SIZE)
        flush_and_rotate(t);
    pthread_mutex_unlock(&t->lock);
}
