/* The bytes of an exported memory handle: a name, the exporter, the memory. */
#include "handle.h"

#include <string.h>

/* The last byte is the version of the format. */
static const uint8_t name[8] = {'d', 'p', 'k', 'm', 'e', 'm', 'h', 1};

void memh_handle_write(const struct memh_handle *h, struct dpk_buf *out)
{
    dpk_put(out, name, sizeof name);
    dpk_put(out, h->who.identity.bytes, sizeof h->who.identity.bytes);
    dpk_put_le32(out, h->who.process);
    dpk_put_le32(out, h->who.file);
    dpk_put_le32(out, h->what.key);
    dpk_put_le32(out, h->what.rights);
    dpk_put_le64(out, h->what.address);
    dpk_put_le64(out, h->what.size);
    dpk_put_le32(out, 0); /* reserved */
}

bool memh_handle_read(struct dpk_reader *r, struct memh_handle *out)
{
    const uint8_t *begin = dpk_read_bytes(r, sizeof name);
    if (!begin || memcmp(begin, name, sizeof name) != 0)
        return false;
    const uint8_t *identity = dpk_read_bytes(r, sizeof out->who.identity.bytes);
    *out = (struct memh_handle){0};
    if (identity)
        memcpy(out->who.identity.bytes, identity, sizeof out->who.identity.bytes);
    out->who.process = dpk_read_le32(r);
    out->who.file = dpk_read_le32(r);
    out->what.key = dpk_read_le32(r);
    out->what.rights = dpk_read_le32(r);
    out->what.address = dpk_read_le64(r);
    out->what.size = dpk_read_le64(r);
    const bool known = dpk_read_le32(r) == 0;
    return !r->failed && known && out->what.key != 0 && out->what.size > 0 &&
           out->what.address <= UINT64_MAX - out->what.size;
}
