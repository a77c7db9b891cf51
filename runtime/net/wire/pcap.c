/* pcap:IN,OUT: packet captures of Ethernet. Frames arrive from IN and leave into OUT. In a path, a
 * backslash precedes a comma or a backslash. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinds.h"

#define PCAP_MICROSECONDS 0xa1b2c3d4u
#define PCAP_NANOSECONDS  0xa1b23c4du
#define PCAP_ETHERNET     1u
#define PCAP_HEADER       24u
#define OFFER_AGAIN_MS    1 /* when the port had no room */

typedef uint32_t read_u32(struct dpk_reader *r);

struct pcap {
    struct dpk_buf in; /* all of the capture */
    struct dpk_reader next;
    read_u32 *read;
    int out; /* -1 without a file */
    bool out_failed;
    uint64_t out_size; /* bytes of whole records */
    uint32_t count;
};

/* ---- The argument ---- */

/* Takes the path up to a comma or the end. Returns false if it does not fit. */
static bool take_path(const char **at, char out[PATH_MAX])
{
    size_t n = 0;
    for (; **at && **at != ','; (*at)++) {
        if (**at == '\\' && ((*at)[1] == ',' || (*at)[1] == '\\'))
            (*at)++;
        if (n == PATH_MAX - 1)
            return false;
        out[n++] = **at;
    }
    out[n] = 0;
    return true;
}

static enum dpk_status parse(const char *argument, char in[PATH_MAX], char out[PATH_MAX],
                             struct dpk_error *err)
{
    const char *at = argument;
    bool fits = take_path(&at, in);
    out[0] = 0;
    if (fits && *at == ',') {
        at++;
        fits = take_path(&at, out);
    }
    if (!fits)
        return dpk_fail(err, DPK_ERR_RANGE, "pcap: a path is longer than %d bytes", PATH_MAX - 1);
    if (*at || (!in[0] && !out[0]))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "'%.200s' is not pcap:IN,OUT, of which one may be absent", argument);
    return DPK_OK;
}

void wire_put_path(struct dpk_buf *b, const char *path)
{
    for (; *path; path++) {
        if (*path == ',' || *path == '\\')
            dpk_put_u8(b, '\\');
        dpk_put_u8(b, (uint8_t)*path);
    }
}

static enum dpk_status put_path(struct dpk_buf *b, const char *path, struct dpk_error *err)
{
    char whole[PATH_MAX], folder[PATH_MAX] = "";
    if (path[0] && path[0] != '/' && !getcwd(folder, sizeof folder))
        return dpk_fail_errno(err, "the current directory");
    const int n = snprintf(whole, sizeof whole, "%s%s%s", folder, folder[0] ? "/" : "", path);
    if (n < 0 || (size_t)n >= sizeof whole)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", path);
    wire_put_path(b, whole);
    return DPK_OK;
}

static enum dpk_status pcap_check(const char *argument, struct dpk_buf *b, struct dpk_error *err)
{
    char in[PATH_MAX], out[PATH_MAX];
    enum dpk_status status = parse(argument, in, out, err);
    if (status == DPK_OK)
        status = put_path(b, in, err);
    if (status == DPK_OK && out[0]) {
        dpk_put_u8(b, ',');
        status = put_path(b, out, err);
    }
    return status;
}

/* ---- Frames that arrive ---- */

/* Finds the byte order of a capture from its first word. Returns NULL if the file is not a
 * capture. */
static read_u32 *byte_order(const struct dpk_buf *in)
{
    read_u32 *const orders[] = {dpk_read_le32, dpk_read_be32};
    for (size_t i = 0; i < 2; i++) {
        struct dpk_reader r = dpk_reader(in->data, in->size);
        uint32_t magic = orders[i](&r);
        if (magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS)
            return orders[i];
    }
    return NULL;
}

static struct dpk_frame next_frame(struct pcap *p)
{
    dpk_read_skip(&p->next, 8);
    const size_t captured = p->read(&p->next), size = p->read(&p->next);
    if (captured != size)
        p->next.failed = true;
    return (struct dpk_frame){dpk_read_bytes(&p->next, captured), size};
}

/* Refuses a file that is not a capture of whole frames. */
static enum dpk_status check_frames(struct pcap *p, const char *path, struct dpk_error *err)
{
    if (p->in.size == 0) /* a tool has not captured anything yet */
        return DPK_OK;
    p->read = byte_order(&p->in);
    p->next = dpk_reader(p->in.data, p->in.size);
    dpk_read_skip(&p->next, 20);
    if (!p->read || (p->read(&p->next) & 0xffff) != PCAP_ETHERNET || p->next.failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "%.300s: not a packet capture (pcap) of Ethernet",
                        path);
    for (unsigned n = 1; dpk_reader_left(&p->next) > 0; n++) {
        const struct dpk_frame f = next_frame(p);
        if (p->next.failed)
            return dpk_fail(err, DPK_ERR_FORMAT, "%.300s: packet %u is cut off", path, n);
        if (f.size < DPK_FRAME_MIN || f.size > DPK_FRAME_MAX)
            return dpk_fail(err, DPK_ERR_RANGE, "%.300s: packet %u: %zu bytes, not %u to %u", path,
                            n, f.size, DPK_FRAME_MIN, DPK_FRAME_MAX);
    }
    p->next = dpk_reader(p->in.data, p->in.size);
    dpk_read_skip(&p->next, PCAP_HEADER);
    return DPK_OK;
}

static enum dpk_status read_in(struct pcap *p, const char *path, struct dpk_error *err)
{
    const enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &p->in, err);
    return status == DPK_OK ? check_frames(p, path, err) : status;
}

/* Offers frames until none or no room is left. Returns whether frames are left. */
static bool offer(struct dpk_wire *wire)
{
    struct pcap *p = wire->kind;
    while (p->in.size > 0 && dpk_reader_left(&p->next) > 0) {
        struct dpk_frame frames[WIRE_BATCH];
        const uint8_t *after[WIRE_BATCH + 1] = {p->next.pos};
        size_t count = 0;
        while (count < WIRE_BATCH && dpk_reader_left(&p->next) > 0) {
            frames[count++] = next_frame(p);
            after[count] = p->next.pos;
        }
        const size_t taken = wire_arrive(wire, frames, count, true);
        p->next.pos = after[taken];
        if (taken < count)
            return true;
    }
    return false;
}

static bool pcap_receive(struct dpk_wire *wire)
{
    return wire_wait(wire, -1, OFFER_AGAIN_MS) != WIRE_ENDS && offer(wire);
}

/* ---- Frames that leave ---- */

/* Writes each record at once, so that frames that were sent before a crash are in the file. Returns
 * false and sets errno on failure. A regular file contains no part of the record then. */
static bool append(struct pcap *p, const struct dpk_buf *b)
{
    if (!b->failed && dpk_write_all(p->out, b->data, b->size) == 0) {
        p->out_size += b->size;
        return true;
    }
    const int error = b->failed ? ENOMEM : errno;
    (void)!ftruncate(p->out, (off_t)p->out_size);
    errno = error;
    return false;
}

static enum dpk_status open_out(struct pcap *p, const char *path, struct dpk_error *err)
{
    struct dpk_buf b = {0};
    p->out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    dpk_put_le32(&b, PCAP_MICROSECONDS);
    dpk_put_le16(&b, 2); /* version 2.4 */
    dpk_put_le16(&b, 4);
    dpk_put_fill(&b, 0, 8);
    dpk_put_le32(&b, DPK_FRAME_MAX);
    dpk_put_le32(&b, PCAP_ETHERNET);
    enum dpk_status status = DPK_OK;
    if (p->out < 0 || !append(p, &b))
        status = dpk_fail_errno(err, "%s", path);
    dpk_buf_free(&b);
    return status;
}

/* The time of a packet is its number, so that each run writes the same file. */
static bool pcap_send(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    struct pcap *p = wire->kind;
    struct dpk_buf b = {0};
    if (p->out < 0) {
        wire_sent(wire, 1, size);
        return true;
    }
    dpk_put_le32(&b, 0);
    dpk_put_le32(&b, p->count++);
    dpk_put_le32(&b, (uint32_t)size);
    dpk_put_le32(&b, (uint32_t)size);
    dpk_put(&b, frame, size);
    if (!p->out_failed && !append(p, &b)) {
        p->out_failed = true;
        wire_warn(wire, WIRE_FAILS, "cannot write: %s; frames sent from now on are lost",
                  strerror(errno));
    }
    if (p->out_failed)
        wire_drop_sent(wire, DPK_WIRE_BROKEN, 1);
    else
        wire_sent(wire, 1, size);
    dpk_buf_free(&b);
    return true;
}

/* ---- Life ---- */

/* Trying would empty the capture that frames leave into, so only the other capture is tried. */
static enum dpk_status pcap_try(const char *argument, struct dpk_error *err)
{
    char in[PATH_MAX], out[PATH_MAX];
    struct pcap p = {.out = -1};
    enum dpk_status status = parse(argument, in, out, err);
    if (status == DPK_OK && in[0])
        status = read_in(&p, in, err);
    dpk_buf_free(&p.in);
    return status;
}

static enum dpk_status pcap_open(struct dpk_wire *wire, const char *argument, struct dpk_error *err)
{
    char in[PATH_MAX], out[PATH_MAX];
    enum dpk_status status = parse(argument, in, out, err);
    struct pcap *p = wire->kind = calloc(1, sizeof *p);
    if (!p)
        return dpk_fail_nomem(err);
    p->out = -1;
    if (status == DPK_OK && in[0])
        status = read_in(p, in, err);
    if (status == DPK_OK && out[0])
        status = open_out(p, out, err);
    return status;
}

static void pcap_close(struct dpk_wire *wire)
{
    struct pcap *p = wire->kind;
    if (!p)
        return;
    if (p->out >= 0)
        close(p->out);
    dpk_buf_free(&p->in);
    free(p);
}

const struct wire_ops wire_pcap = {.name = "pcap",
                                   .usage = "pcap:IN,OUT",
                                   .check = pcap_check,
                                   .try = pcap_try,
                                   .open = pcap_open,
                                   .start = offer,
                                   .receive = pcap_receive,
                                   .send = pcap_send,
                                   .close = pcap_close};
