#include "base/base.h"

/* An empty reader points here, because arithmetic on NULL is undefined, even + 0. */
static const uint8_t nothing[1];

struct dpk_reader dpk_reader(const void *data, size_t size)
{
    const uint8_t *begin = data;
    if (!begin)
        return (struct dpk_reader){nothing, nothing, nothing, size > 0};
    return (struct dpk_reader){begin, begin, begin + size, false};
}

size_t dpk_reader_offset(const struct dpk_reader *r)
{
    return (size_t)(r->pos - r->begin);
}

struct dpk_reader dpk_reader_slice(const struct dpk_reader *r, uint64_t offset, uint64_t size)
{
    uint64_t total = (uint64_t)(r->end - r->begin);
    if (r->failed || offset > total || size > total - offset)
        return (struct dpk_reader){nothing, nothing, nothing, true};
    return dpk_reader(r->begin + offset, (size_t)size);
}

static uint64_t read_be(struct dpk_reader *r, size_t size)
{
    const uint8_t *bytes = dpk_read_bytes(r, size);
    uint64_t v = 0;
    for (size_t i = 0; bytes && i < size; i++)
        v = v << 8 | bytes[i];
    return v;
}

static uint64_t read_le(struct dpk_reader *r, size_t size)
{
    const uint8_t *bytes = dpk_read_bytes(r, size);
    uint64_t v = 0;
    for (size_t i = size; bytes && i > 0; i--)
        v = v << 8 | bytes[i - 1];
    return v;
}

uint64_t dpk_read_be64(struct dpk_reader *r)
{
    return read_be(r, 8);
}

uint16_t dpk_read_le16(struct dpk_reader *r)
{
    return (uint16_t)read_le(r, 2);
}

uint32_t dpk_read_le32(struct dpk_reader *r)
{
    return (uint32_t)read_le(r, 4);
}

uint64_t dpk_read_le64(struct dpk_reader *r)
{
    return read_le(r, 8);
}

static uint64_t read_leb(struct dpk_reader *r, bool is_signed)
{
    uint64_t value = 0;
    uint8_t byte;
    unsigned shift = 0;
    do {
        byte = dpk_read_u8(r);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !r->failed);
    if (is_signed && shift < 64 && byte & 0x40)
        value |= ~UINT64_C(0) << shift;
    return value;
}

uint64_t dpk_read_uleb(struct dpk_reader *r)
{
    return read_leb(r, false);
}

int64_t dpk_read_sleb(struct dpk_reader *r)
{
    return (int64_t)read_leb(r, true);
}
