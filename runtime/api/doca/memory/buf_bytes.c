/* Reads and writes data of lists of buffers as bytes. */
#include "buf.h"

/* Reads or writes a stretch of memory. */
typedef bool (*stretch_fn)(const struct dpk_memory_access *a, void *bytes);

static bool load(const struct dpk_memory_access *a, void *bytes)
{
    return dpk_memory_read(a, bytes);
}

static bool store(const struct dpk_memory_access *a, void *bytes)
{
    return dpk_memory_write(a, bytes);
}

/* Finds the memory of a buffer. Memory that peers may write can be written too, as over PCIe. */
static doca_error_t find_memory(const struct dpk_doca_buf *b, bool write,
                                const struct dpk_memory_domain *domain, struct dpk_memory_access *a)
{
    struct dpk_memory m;
    doca_error_t result = dpk_buf_memory(b, write, domain, a);
    if (result == DOCA_ERROR_NOT_PERMITTED && write && dpk_memory_describe(a->key, &m) &&
        m.kind != DPK_MEMORY_REMOTE && dpk_memory_is_in(&m, domain) &&
        m.rights & DPK_MEMORY_EXPORT_WRITE) {
        a->rights = DPK_MEMORY_EXPORT_WRITE;
        result = DOCA_SUCCESS;
    }
    return result;
}

static doca_error_t each_stretch(struct dpk_doca_buf *b, bool write, uint64_t address, size_t size,
                                 uint8_t *bytes, const struct dpk_memory_domain *domain)
{
    const stretch_fn carry_out = write ? store : load;
    struct dpk_memory_access a = {.address = address, .size = size};
    doca_error_t result = find_memory(b, write, domain, &a);
    if (result != DOCA_SUCCESS || carry_out(&a, bytes))
        return result;
    char why[DPK_MEMORY_REASON_MAX];
    return dpk_doca_because(DOCA_ERROR_IO_FAILED, "%zu bytes at 0x%llx: %s", size,
                            (unsigned long long)address, dpk_memory_explain(&a, why));
}

doca_error_t dpk_buf_list_size(const struct doca_buf *list, uint64_t *size, uint32_t *count)
{
    struct dpk_doca_buf *first = dpk_buf_begin(list);
    *size = *count = 0;
    if (!first)
        return DOCA_ERROR_INVALID_VALUE;
    for (const struct dpk_doca_buf *b = first; b; b = b->next) {
        *size += b->data_len;
        ++*count;
    }
    return dpk_buf_end(first, DOCA_SUCCESS);
}

doca_error_t dpk_buf_list_read(const struct doca_buf *list, uint64_t offset, void *to, size_t size,
                               const struct dpk_memory_domain *domain)
{
    struct dpk_doca_buf *first = dpk_buf_begin(list);
    uint8_t *at = to;
    doca_error_t result = DOCA_SUCCESS;
    if (!first)
        return DOCA_ERROR_INVALID_VALUE;
    for (struct dpk_doca_buf *b = first; b && size > 0 && result == DOCA_SUCCESS; b = b->next) {
        if (offset >= b->data_len) {
            offset -= b->data_len;
            continue;
        }
        const uint64_t left = b->data_len - offset;
        const size_t n = left < size ? (size_t)left : size;
        result = each_stretch(b, false, b->data + offset, n, at, domain);
        at += n;
        size -= n;
        offset = 0;
    }
    if (result == DOCA_SUCCESS && size > 0)
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the buffers lack %zu bytes of data", size);
    return dpk_buf_end(first, result);
}

static uint64_t room_of(const struct dpk_doca_buf *b)
{
    return b->len - (b->data - b->head) - b->data_len;
}

doca_error_t dpk_buf_list_append(struct doca_buf *list, const void *from, size_t size,
                                 const struct dpk_memory_domain *domain, uint64_t *appended)
{
    struct dpk_doca_buf *first = dpk_buf_begin(list);
    uint8_t *at = (uint8_t *)from;
    doca_error_t result = DOCA_SUCCESS;
    if (!first)
        return DOCA_ERROR_INVALID_VALUE;
    for (struct dpk_doca_buf *b = first; b && size > 0 && result == DOCA_SUCCESS; b = b->next) {
        const size_t n = room_of(b) < size ? (size_t)room_of(b) : size;
        if (n == 0)
            continue;
        result = each_stretch(b, true, b->data + b->data_len, n, at, domain);
        if (result == DOCA_SUCCESS) {
            b->data_len += n;
            *appended += n;
        }
        at += n;
        size -= n;
    }
    if (result == DOCA_SUCCESS && size > 0)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the buffers lack %zu bytes of room after their data", size);
    return dpk_buf_end(first, result);
}

void dpk_buf_list_shrink(struct doca_buf *list, uint64_t by)
{
    struct dpk_doca_buf *first = dpk_buf_begin(list);
    uint64_t keep = 0;
    if (!first)
        return;
    for (const struct dpk_doca_buf *b = first; b; b = b->next)
        keep += b->data_len;
    keep -= by < keep ? by : keep;
    for (struct dpk_doca_buf *b = first; b; b = b->next) {
        b->data_len = b->data_len < keep ? b->data_len : keep;
        keep -= b->data_len;
    }
    dpk_buf_end(first, DOCA_SUCCESS);
}
