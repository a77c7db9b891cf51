/* Descriptors: a mark, the description in network byte order, and a checksum of both. */
#include "api/doca/core/core.h"
#include "rdma/pairs/pairs.h"

#define MARK     0x44504b45u /* "DPKE" */
#define VERSION  2u
#define SIZE     64
#define KEY_MARK 0x44504b4du /* "DPKM": only a key, an address and a size */
#define KEY_SIZE 24

static uint32_t checksum(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    uint32_t hash = 2166136261u; /* FNV-1a: detects accidental changes, not deliberate ones */
    while (size--)
        hash = (hash ^ *p++) * 16777619u;
    return hash;
}

void core_descriptor_write(const struct descriptor *d, struct dpk_buf *out)
{
    size_t begin = out->size;
    dpk_put_be32(out, MARK);
    dpk_put_be16(out, VERSION);
    dpk_put_be16(out, (uint16_t)d->kind);
    dpk_put_be32(out, d->permissions);
    dpk_put_be32(out, d->process);
    dpk_put(out, d->owner.bytes, sizeof d->owner.bytes);
    dpk_put_be64(out, d->key);
    dpk_put_be64(out, d->address);
    dpk_put_be64(out, d->size);
    dpk_put_be32(out, d->file);
    if (!out->failed)
        dpk_put_be32(out, checksum(out->data + begin, out->size - begin));
}

/* Reads a key: it describes memory of any peer, with the permissions of the key. */
static void read_key(struct dpk_reader *r, struct descriptor *out)
{
    *out = (struct descriptor){.kind = DESCRIPTOR_MMAP_RDMA,
                               .permissions = DOCA_ACCESS_FLAG_RDMA_READ |
                                              DOCA_ACCESS_FLAG_RDMA_WRITE |
                                              DOCA_ACCESS_FLAG_RDMA_ATOMIC};
    out->key = dpk_read_be32(r);
    out->address = dpk_read_be64(r);
    out->size = dpk_read_be64(r);
}

doca_error_t core_descriptor_read(const void *bytes, size_t size, struct descriptor *out)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    const uint32_t mark = bytes ? dpk_read_be32(&r) : 0;
    if (mark == KEY_MARK && size == KEY_SIZE) {
        read_key(&r, out);
        return DOCA_SUCCESS;
    }
    if (mark != MARK || size != SIZE)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the exported bytes are NULL or not an export of dpakit: %zu "
                                "bytes, and an export has %d",
                                size, SIZE);
    if (dpk_read_be16(&r) != VERSION)
        return dpk_doca_because(DOCA_ERROR_UNSUPPORTED_VERSION,
                                "the exported bytes are of another version of dpakit");
    out->kind = dpk_read_be16(&r);
    out->permissions = dpk_read_be32(&r);
    out->process = dpk_read_be32(&r);
    memcpy(out->owner.bytes, dpk_read_bytes(&r, sizeof out->owner.bytes), sizeof out->owner.bytes);
    out->key = dpk_read_be64(&r);
    out->address = dpk_read_be64(&r);
    out->size = dpk_read_be64(&r);
    out->file = dpk_read_be32(&r);
    if (dpk_read_be32(&r) != checksum(bytes, SIZE - 4))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the exported bytes were changed: their checksum is wrong");
    return DOCA_SUCCESS;
}

const struct dpk_uuid *dpk_process_identity(void)
{
    return dpk_rc_identity();
}
