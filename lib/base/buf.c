#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void dpk_buf_free(struct dpk_buf *b)
{
    free(b->data);
    *b = (struct dpk_buf){0};
}

void dpk_buf_wipe_free(struct dpk_buf *b)
{
    if (b->data)
        explicit_bzero(b->data, b->capacity);
    dpk_buf_free(b);
}

bool dpk_buf_reserve(struct dpk_buf *b, size_t more)
{
    if (b->failed)
        return false;
    if (b->data && more <= b->capacity - b->size)
        return true;
    size_t needed, capacity;
    if (__builtin_add_overflow(b->size, more, &needed) || needed > PTRDIFF_MAX)
        goto out;
    capacity = b->capacity <= PTRDIFF_MAX / 2 ? b->capacity * 2 : PTRDIFF_MAX;
    if (capacity < needed)
        capacity = needed;
    if (capacity < 64)
        capacity = 64;

    /* realloc could leave a copy of a secret in freed memory. */
    uint8_t *data = malloc(capacity);
    if (!data)
        goto out;
    if (b->data) {
        memcpy(data, b->data, b->size);
        explicit_bzero(b->data, b->size);
        free(b->data);
    }
    b->data = data;
    b->capacity = capacity;
    return true;
out:
    b->failed = true;
    return false;
}

void dpk_put(struct dpk_buf *b, const void *data, size_t size)
{
    if (size == 0 || !dpk_buf_reserve(b, size))
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void dpk_put_fill(struct dpk_buf *b, uint8_t byte, size_t count)
{
    if (count == 0 || !dpk_buf_reserve(b, count))
        return;
    memset(b->data + b->size, byte, count);
    b->size += count;
}

void dpk_put_align(struct dpk_buf *b, size_t alignment, uint8_t byte)
{
    size_t over = alignment ? b->size % alignment : 0;
    if (over)
        dpk_put_fill(b, byte, alignment - over);
}

void dpk_put_format(struct dpk_buf *b, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (length < 0) {
        b->failed = true;
        return;
    }
    if (!dpk_buf_reserve(b, (size_t)length + 1))
        return;
    va_start(values, format);
    vsnprintf((char *)b->data + b->size, (size_t)length + 1, format, values);
    va_end(values);
    b->size += (size_t)length;
}

static void store_be(uint8_t *p, uint64_t v, size_t size)
{
    for (size_t i = size; i > 0; i--, v >>= 8)
        p[i - 1] = (uint8_t)v;
}

void dpk_store_le(uint8_t *p, uint64_t v, size_t size)
{
    for (size_t i = 0; i < size; i++, v >>= 8)
        p[i] = (uint8_t)v;
}

static void put_be(struct dpk_buf *b, uint64_t v, size_t size)
{
    uint8_t bytes[8];
    store_be(bytes, v, size);
    dpk_put(b, bytes, size);
}

static void put_le(struct dpk_buf *b, uint64_t v, size_t size)
{
    uint8_t bytes[8];
    dpk_store_le(bytes, v, size);
    dpk_put(b, bytes, size);
}

void dpk_put_u8(struct dpk_buf *b, uint8_t v)
{
    dpk_put(b, &v, 1);
}

void dpk_put_be16(struct dpk_buf *b, uint16_t v)
{
    put_be(b, v, 2);
}

void dpk_put_be32(struct dpk_buf *b, uint32_t v)
{
    put_be(b, v, 4);
}

void dpk_put_be64(struct dpk_buf *b, uint64_t v)
{
    put_be(b, v, 8);
}

void dpk_put_le16(struct dpk_buf *b, uint16_t v)
{
    put_le(b, v, 2);
}

void dpk_put_le32(struct dpk_buf *b, uint32_t v)
{
    put_le(b, v, 4);
}

void dpk_put_le64(struct dpk_buf *b, uint64_t v)
{
    put_le(b, v, 8);
}

void dpk_store_be16(uint8_t *p, uint16_t v)
{
    store_be(p, v, 2);
}

void dpk_store_be32(uint8_t *p, uint32_t v)
{
    store_be(p, v, 4);
}

void dpk_store_be64(uint8_t *p, uint64_t v)
{
    store_be(p, v, 8);
}

void dpk_store_le64(uint8_t *p, uint64_t v)
{
    dpk_store_le(p, v, 8);
}
