/* Encodes and decodes the table (signing(7)). */
#include "table.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = "HASHLIST";

#define FIXED_SIZE     0xA0 /* size without the hashes of segments and sections */
#define COUNT_RESERVED 0xFFFFFF00u
#define RESERVED_BYTES 16 /* 0xFF */

size_t dpk_hashlist_encoded_size(const struct dpk_hashlist *h)
{
    return FIXED_SIZE + HASH_SIZE * ((size_t)h->segment_count + h->section_count);
}

static void put_hash(struct dpk_buf *out, const struct hash *h)
{
    dpk_put(out, h->bytes, HASH_SIZE);
}

void dpk_hashlist_encode(const struct dpk_hashlist *h, struct dpk_buf *out)
{
    dpk_put(out, magic, sizeof magic);
    dpk_put_be32(out, COUNT_RESERVED | h->segment_count);
    dpk_put_be32(out, COUNT_RESERVED | h->section_count);
    dpk_put_fill(out, 0xFF, RESERVED_BYTES);
    put_hash(out, &h->whole);
    put_hash(out, &h->elf_header);
    put_hash(out, &h->program_headers);
    for (unsigned i = 0; i < h->segment_count; i++)
        put_hash(out, &h->segments[i]);
    put_hash(out, &h->section_headers);
    for (unsigned i = 0; i < h->section_count; i++)
        put_hash(out, &h->sections[i]);
}

static void read_hash(struct dpk_reader *r, struct hash *out)
{
    const uint8_t *bytes = dpk_read_bytes(r, HASH_SIZE);
    if (bytes)
        memcpy(out->bytes, bytes, HASH_SIZE);
}

static bool all(const uint8_t *bytes, size_t size, uint8_t value)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static bool is_zero(const struct hash *h)
{
    return all(h->bytes, HASH_SIZE, 0);
}

/* Reads magic, counts and the reserved bytes before the hashes. */
static enum dpk_status decode_head(struct dpk_reader *r, struct dpk_hashlist *t,
                                   struct dpk_error *err)
{
    const uint8_t *m = dpk_read_bytes(r, sizeof magic);
    uint32_t segments = dpk_read_be32(r), sections = dpk_read_be32(r);
    const uint8_t *reserved = dpk_read_bytes(r, RESERVED_BYTES);
    if (!m || !reserved)
        return dpk_fail(err, DPK_ERR_FORMAT, "hash list: truncated");
    if (memcmp(m, magic, sizeof magic) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "hash list: no HASHLIST magic");
    if ((segments & COUNT_RESERVED) != COUNT_RESERVED ||
        (sections & COUNT_RESERVED) != COUNT_RESERVED || !all(reserved, RESERVED_BYTES, 0xFF))
        return dpk_fail(err, DPK_ERR_FORMAT, "hash list: reserved bytes are not 0xFF");
    t->segment_count = segments & 0xFF;
    t->section_count = sections & 0xFF;
    return DPK_OK;
}

enum dpk_status dpk_hashlist_decode(struct dpk_reader *r, struct dpk_hashlist **out,
                                    struct dpk_error *err)
{
    *out = NULL;
    struct dpk_hashlist *t = calloc(1, sizeof *t);
    if (!t)
        return dpk_fail_nomem(err);
    enum dpk_status status = decode_head(r, t, err);
    if (status != DPK_OK)
        goto out;
    read_hash(r, &t->whole);
    read_hash(r, &t->elf_header);
    read_hash(r, &t->program_headers);
    for (unsigned i = 0; i < t->segment_count; i++)
        read_hash(r, &t->segments[i]);
    read_hash(r, &t->section_headers);
    for (unsigned i = 0; i < t->section_count; i++)
        read_hash(r, &t->sections[i]);
    if (r->failed) {
        status = dpk_fail(err, DPK_ERR_FORMAT,
                          "hash list: truncated, %u segments and %u sections announced",
                          t->segment_count, t->section_count);
        goto out;
    }
    if (is_zero(&t->elf_header) && is_zero(&t->program_headers) && is_zero(&t->section_headers)) {
        t->profile = DPK_PROFILE_COMPACT;
        if (t->segment_count != COMPACT_EXTENSIONS || t->section_count != 0) {
            status = dpk_fail(err, DPK_ERR_FORMAT,
                              "hash list: compact profile with counts %u and %u, not %d and 0",
                              t->segment_count, t->section_count, COMPACT_EXTENSIONS);
            goto out;
        }
    }
    *out = t;
    t = NULL;
out:
    dpk_hashlist_free(t);
    return status;
}

const uint8_t *dpk_hashlist_whole(const struct dpk_hashlist *h)
{
    return h->whole.bytes;
}
