/* Messages of the kernel for a character device, and their answers. */
#include "bus/cuse/cuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/fuse.h>

/* Versions of the protocol: CUSE came with 7.12, and no later version has changed its messages. */
#define MINOR_FIRST 12
#define MINOR_KNOWN 31

#define HEADER sizeof(struct fuse_out_header)

struct dpk_cuse {
    int fd;
    char name[DPK_CUSE_NAME_MAX];
    const struct dpk_cuse_ops *ops;
    void *context;
    bool told, too_old;
    struct {
        bool open;
        void *file;
    } files[DPK_CUSE_FILES_MAX]; /* their indexes are the kernel's numbers of files */
    uint8_t message[DPK_CUSE_MESSAGE_MAX], answer[DPK_CUSE_MESSAGE_MAX];
};

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789.:_/-";
    return *name && strspn(name, letters) == strlen(name) && strlen(name) < DPK_CUSE_NAME_MAX;
}

enum dpk_status dpk_cuse_new(const struct dpk_cuse_device *device, struct dpk_cuse **out,
                             struct dpk_error *err)
{
    if (!is_name(device->name))
        return dpk_fail(err, DPK_ERR_USAGE, "'%.80s' is not a name of a device", device->name);
    struct dpk_cuse *cuse = calloc(1, sizeof *cuse);
    if (!cuse)
        return dpk_fail_nomem(err);
    cuse->fd = device->fd;
    cuse->ops = device->ops;
    cuse->context = device->context;
    snprintf(cuse->name, sizeof cuse->name, "%s", device->name);
    *out = cuse;
    return DPK_OK;
}

static void close_file(struct dpk_cuse *cuse, size_t index)
{
    if (!cuse->files[index].open)
        return;
    cuse->files[index].open = false;
    cuse->ops->close(cuse->context, cuse->files[index].file);
}

void dpk_cuse_free(struct dpk_cuse *cuse)
{
    for (size_t i = 0; cuse && i < DPK_CUSE_FILES_MAX; i++)
        close_file(cuse, i);
    free(cuse);
}

bool dpk_cuse_is_told(const struct dpk_cuse *cuse)
{
    return cuse->told;
}

/* ---- Messages ---- Each function gets a message without its header, and appends to an answer, whose header
 * follows later. It returns 0 or an errno. */

struct request {
    struct dpk_cuse *cuse;
    struct dpk_cuse_caller caller;
    struct dpk_reader body;
    uint8_t *answer;
    size_t used; /* bytes of the answer */
};

/* Takes a structure of the protocol, which is in the byte order of the machine. */
static bool take(struct request *r, void *out, size_t size)
{
    const uint8_t *bytes = dpk_read_bytes(&r->body, size);
    if (bytes)
        memcpy(out, bytes, size);
    return bytes;
}

static void put(struct request *r, const void *bytes, size_t size)
{
    memcpy(r->answer + r->used, bytes, size);
    r->used += size;
}

static int begin(struct request *r)
{
    static const char key[] = "DEVNAME=";
    struct cuse_init_in in;
    struct cuse_init_out out = {.major = FUSE_KERNEL_VERSION,
                                .flags = CUSE_UNRESTRICTED_IOCTL,
                                .max_read = DPK_CUSE_DATA_MAX,
                                .max_write = DPK_CUSE_DATA_MAX};
    if (!take(r, &in, sizeof in) || r->cuse->told)
        return EIO;
    r->cuse->too_old = in.major != FUSE_KERNEL_VERSION || in.minor < MINOR_FIRST ||
                       !(in.flags & CUSE_UNRESTRICTED_IOCTL);
    if (r->cuse->too_old)
        return EPROTO;
    out.minor = in.minor < MINOR_KNOWN ? in.minor : MINOR_KNOWN;
    put(r, &out, sizeof out);
    put(r, key, sizeof key - 1);
    put(r, r->cuse->name, strlen(r->cuse->name) + 1);
    r->cuse->told = true;
    return 0;
}

static int open_file(struct request *r)
{
    struct fuse_open_in in;
    struct fuse_open_out out = {0};
    struct dpk_cuse *cuse = r->cuse;
    size_t i = 0;
    if (!take(r, &in, sizeof in))
        return EIO;
    while (i < DPK_CUSE_FILES_MAX && cuse->files[i].open)
        i++;
    if (i == DPK_CUSE_FILES_MAX)
        return ENFILE;
    const int error = cuse->ops->open(cuse->context, &r->caller, &cuse->files[i].file);
    if (error)
        return error;
    cuse->files[i].open = true;
    out.fh = i;
    put(r, &out, sizeof out);
    return 0;
}

static bool is_open(const struct dpk_cuse *cuse, uint64_t number)
{
    return number < DPK_CUSE_FILES_MAX && cuse->files[number].open;
}

static int release_file(struct request *r)
{
    struct fuse_release_in in;
    if (!take(r, &in, sizeof in) || !is_open(r->cuse, in.fh))
        return EBADF;
    close_file(r->cuse, in.fh);
    return 0;
}

/* Adds spans to an answer that asks for memory. Returns false if they have too many bytes. */
static bool put_spans(struct request *r, const struct dpk_cuse_span *spans, unsigned count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct fuse_ioctl_iovec span = {.base = spans[i].address, .len = spans[i].size};
        if (span.len > DPK_CUSE_DATA_MAX - sum)
            return false;
        sum += span.len;
        put(r, &span, sizeof span);
    }
    return true;
}

static int ask_for_memory(struct request *r, const struct dpk_cuse_ioctl *call)
{
    const struct fuse_ioctl_out out = {
        .flags = FUSE_IOCTL_RETRY, .in_iovs = call->read_count, .out_iovs = call->write_count};
    put(r, &out, sizeof out);
    return put_spans(r, call->reads, call->read_count) &&
                   put_spans(r, call->writes, call->write_count)
               ? 0
               : EMSGSIZE;
}

static int call_ioctl(struct request *r)
{
    struct fuse_ioctl_in in;
    struct fuse_ioctl_out out = {0};
    if (!take(r, &in, sizeof in))
        return EIO;
    if (!is_open(r->cuse, in.fh))
        return EBADF;
    if (in.flags & FUSE_IOCTL_DIR || !(in.flags & FUSE_IOCTL_UNRESTRICTED))
        return ENOTTY;
    if (in.in_size != dpk_reader_left(&r->body) || in.out_size > DPK_CUSE_DATA_MAX)
        return EIO;
    struct dpk_cuse_ioctl call = {.command = in.cmd,
                                  .argument = in.arg,
                                  .in = r->body.pos,
                                  .in_size = in.in_size,
                                  .out = r->answer + r->used + sizeof out,
                                  .out_size = in.out_size};
    memset(call.out, 0, call.out_size);
    const int error =
        r->cuse->ops->ioctl(r->cuse->context, r->cuse->files[in.fh].file, &r->caller, &call);
    if (error || call.read_count > DPK_CUSE_SPANS || call.write_count > DPK_CUSE_SPANS)
        return error ? error : EIO;
    if (call.read_count + call.write_count > 0)
        return ask_for_memory(r, &call);
    out.result = call.result;
    put(r, &out, sizeof out);
    r->used += call.out_size;
    return 0;
}

static int carry_out(struct request *r, unsigned opcode)
{
    if (opcode == CUSE_INIT)
        return begin(r);
    if (!r->cuse->told)
        return EIO;
    switch (opcode) {
    case FUSE_OPEN:
        return open_file(r);
    case FUSE_RELEASE:
        return release_file(r);
    case FUSE_IOCTL:
        return call_ioctl(r);
    case FUSE_READ:
    case FUSE_WRITE:
        return EINVAL;
    default:
        return ENOSYS;
    }
}

/* A message is answered before the next one is read. So one that interrupts another comes too late. */
static bool has_answer(unsigned opcode)
{
    return opcode != FUSE_INTERRUPT && opcode != FUSE_FORGET && opcode != FUSE_BATCH_FORGET;
}

size_t dpk_cuse_answer(struct dpk_cuse *cuse, const uint8_t *message, size_t size,
                       uint8_t answer[DPK_CUSE_MESSAGE_MAX])
{
    struct fuse_in_header in;
    struct request r = {
        .cuse = cuse, .body = dpk_reader(message, size), .answer = answer, .used = HEADER};
    if (!take(&r, &in, sizeof in) || !has_answer(in.opcode))
        return 0;
    r.caller = (struct dpk_cuse_caller){
        .uid = in.uid, .gid = in.gid, .pid = in.pid <= INT32_MAX ? (pid_t)in.pid : 0};
    const int error = in.len == size ? carry_out(&r, in.opcode) : EIO;
    if (error)
        r.used = HEADER;
    const struct fuse_out_header out = {
        .len = (uint32_t)r.used, .error = -error, .unique = in.unique};
    memcpy(answer, &out, sizeof out);
    return r.used;
}

/* ---- The descriptor ---- */

static enum dpk_status failed(const struct dpk_cuse *cuse, struct dpk_error *err)
{
    if (errno == ENODEV)
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "/dev/%s: the kernel has removed the device, or its name is taken",
                        cuse->name);
    return dpk_fail_errno(err, "/dev/cuse");
}

enum dpk_status dpk_cuse_serve(struct dpk_cuse *cuse, struct dpk_error *err)
{
    const ssize_t length = read(cuse->fd, cuse->message, sizeof cuse->message);
    if (length == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "/dev/%s: the kernel has closed it", cuse->name);
    /* ENOENT: the caller has gone, and with it the message. */
    if (length < 0)
        return errno == EINTR || errno == EAGAIN || errno == ENOENT ? DPK_OK : failed(cuse, err);
    const size_t size = dpk_cuse_answer(cuse, cuse->message, (size_t)length, cuse->answer);
    if (size > 0 && write(cuse->fd, cuse->answer, size) != (ssize_t)size && errno != ENOENT &&
        errno != EINTR)
        return failed(cuse, err);
    return cuse->too_old ? dpk_fail(err, DPK_ERR_UNSUPPORTED,
                                    "/dev/cuse: the kernel's protocol is too old, or has no "
                                    "unrestricted ioctls")
                         : DPK_OK;
}
