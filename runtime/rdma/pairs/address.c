/* Addresses of queue pairs. Each has a mark, a version, the process, the number and the secret of
 * the queue pair, and a checksum over all of these. With a fabric, it also has the place where the
 * process listens. */
#include <string.h>

#include "transport.h"

#define MARK    0x44504b51u /* "DPKQ" */
#define NUMBER  0x44504b4eu /* "DPKN": the address is only a number */
#define VERSION 5u          /* of the address and of the protocol between processes */
#define FAR     6u          /* an address with a place, and the protocol of fabrics */

static uint32_t checksum(const uint8_t *p, size_t size)
{
    uint32_t hash = 2166136261u; /* FNV-1a: it finds accidents, not attacks */
    while (size--)
        hash = (hash ^ *p++) * 16777619u;
    return hash;
}

void pairs_address_put(const struct address *a, struct dpk_buf *out)
{
    size_t begin = out->size;
    const bool far = a->place.port != 0;
    dpk_put_be32(out, MARK);
    dpk_put_be32(out, far ? FAR : VERSION);
    dpk_put(out, a->process.bytes, sizeof a->process.bytes);
    dpk_put_be32(out, a->number);
    dpk_put_be64(out, a->secret);
    if (far) {
        dpk_put(out, a->place.ip, sizeof a->place.ip);
        dpk_put_be16(out, a->place.port);
    }
    if (!out->failed)
        dpk_put_be32(out, checksum(out->data + begin, out->size - begin));
}

void pairs_address_put_near(const struct address *a, struct dpk_buf *out)
{
    struct address near = *a;
    near.place.port = 0;
    pairs_address_put(&near, out);
}

size_t dpk_rc_address_size(const void *address)
{
    struct dpk_reader r = dpk_reader(address, 2 * sizeof(uint32_t));
    return dpk_read_be32(&r) == MARK && dpk_read_be32(&r) == FAR ? DPK_RC_ADDRESS_MAX
                                                                 : DPK_RC_ADDRESS_SIZE;
}

/* Reads the place of an address. Returns false if there is none. */
static bool read_place(struct dpk_reader *r, struct dpk_fabric_place *out)
{
    const uint8_t *ip = dpk_read_bytes(r, sizeof out->ip);
    out->port = dpk_read_be16(r);
    if (!r->failed)
        memcpy(out->ip, ip, sizeof out->ip);
    return out->port != 0;
}

enum dpk_status pairs_address_parse(const void *bytes, size_t size, struct address *out,
                                    struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    uint32_t mark = dpk_read_be32(&r);
    *out = (struct address){0};
    if (mark == NUMBER && dpk_reader_left(&r) == sizeof out->number) {
        out->number = dpk_read_be32(&r);
        return DPK_OK;
    }
    if (mark != MARK)
        return dpk_fail(err, DPK_ERR_FORMAT, "not the address of a queue pair");
    const uint32_t version = dpk_read_be32(&r);
    if (version != VERSION && version != FAR && !r.failed)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "the address of a queue pair of another version");
    const uint8_t *process = dpk_read_bytes(&r, sizeof out->process.bytes);
    out->number = dpk_read_be32(&r);
    out->secret = dpk_read_be64(&r);
    const bool placed = version != FAR || read_place(&r, &out->place);
    uint32_t sum = dpk_read_be32(&r);
    if (!placed || r.failed || dpk_reader_left(&r) != 0 ||
        sum != checksum(bytes, size - sizeof sum))
        return dpk_fail(err, DPK_ERR_FORMAT, "the address of a queue pair is damaged");
    memcpy(out->process.bytes, process, sizeof out->process.bytes);
    return DPK_OK;
}

bool pairs_address_means(const struct address *a, const struct address *b)
{
    return dpk_uuid_equal(&a->process, &b->process) && a->number == b->number &&
           (a->secret == 0 || a->secret == b->secret);
}
