/* A port is connected to itself or to packet captures (pcap): one that frames are read from, and
 * one that they are written to. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "queue.h"

#define PCAP_MICROSECONDS 0xa1b2c3d4u
#define PCAP_NANOSECONDS  0xa1b23c4du
#define PCAP_ETHERNET     1u

struct packets {
    struct dpk_buf in; /* all of DPAKIT_PACKETS */
    int out;           /* -1: none */
    bool out_failed;
    uint32_t count;
};

typedef uint32_t read_u32(struct dpk_reader *r);

/* Finds the byte order of a capture from its first word. NULL: it is no capture. */
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

enum dpk_status packets_arrive(struct packets *p, struct dpk_queues *nic, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (p->in.size == 0)
        return DPK_OK;
    struct dpk_reader r = dpk_reader(p->in.data, p->in.size);
    read_u32 *read = byte_order(&p->in);
    dpk_read_skip(&r, 20);
    if (!read || (read(&r) & 0xffff) != PCAP_ETHERNET || r.failed)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "DPAKIT_PACKETS: no packet capture (pcap) of Ethernet");
    for (unsigned n = 1; status == DPK_OK && dpk_reader_left(&r) > 0; n++) {
        dpk_read_skip(&r, 8);
        uint32_t size = read(&r), wire = read(&r);
        const uint8_t *frame = dpk_read_bytes(&r, size);
        if (r.failed || size != wire)
            status = dpk_fail(err, DPK_ERR_FORMAT, "packet %u is cut off", n);
        else if ((status = dpk_frame_arrives(nic, frame, size, err)) != DPK_OK)
            dpk_error_prefix(err, "packet %u", n);
    }
    if (status != DPK_OK)
        dpk_error_prefix(err, "DPAKIT_PACKETS");
    return status;
}

/* Each record is written at once, so that frames that were sent before a crash are in the file. */
static bool append(struct packets *p, const struct dpk_buf *b)
{
    return !b->failed && write(p->out, b->data, b->size) == (ssize_t)b->size;
}

static enum dpk_status open_out(struct packets *p, const char *path, struct dpk_error *err)
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
        status = dpk_fail_errno(err, "DPAKIT_PACKETS_SENT: %s", path);
    dpk_buf_free(&b);
    return status;
}

enum dpk_status packets_open(struct packets **out, struct dpk_error *err)
{
    const char *in = getenv("DPAKIT_PACKETS"), *sent = getenv("DPAKIT_PACKETS_SENT");
    enum dpk_status status = DPK_OK;
    *out = NULL;
    if (!in && !sent)
        return DPK_OK;
    struct packets *p = calloc(1, sizeof *p);
    if (!p)
        return dpk_fail_nomem(err);
    p->out = -1;
    if (in && (status = dpk_file_read(in, DPK_FILE_MAX, &p->in, err)) != DPK_OK)
        dpk_error_prefix(err, "DPAKIT_PACKETS");
    if (status == DPK_OK && sent)
        status = open_out(p, sent, err);
    if (status == DPK_OK)
        *out = p;
    else
        packets_close(p);
    return status;
}

/* The time of a packet is its number, so that each run writes the same file. */
void packets_send(struct packets *p, const uint8_t *frame, size_t size)
{
    struct dpk_buf b = {0};
    if (p->out < 0 || p->out_failed)
        return;
    dpk_put_le32(&b, 0);
    dpk_put_le32(&b, p->count++);
    dpk_put_le32(&b, (uint32_t)size);
    dpk_put_le32(&b, (uint32_t)size);
    dpk_put(&b, frame, size);
    if (!append(p, &b)) {
        p->out_failed = true;
        dpk_host_log(DPK_HOST_LOG_ERROR, "DPAKIT_PACKETS_SENT: cannot write: %s", strerror(errno));
    }
    dpk_buf_free(&b);
}

void packets_close(struct packets *p)
{
    if (!p)
        return;
    if (p->out >= 0)
        close(p->out);
    dpk_buf_free(&p->in);
    free(p);
}
