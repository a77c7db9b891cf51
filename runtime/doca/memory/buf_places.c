/* Lists of buffers, as elements of work of a device name them. */
#include "buf.h"
#include "memory.h"

static uint64_t room_of(const struct dpk_doca_buf *b)
{
    return b->len - (b->data - b->head) - b->data_len;
}

static doca_error_t place(const struct dpk_doca_buf *b, bool room,
                          const struct dpk_memory_domain *domain, struct dpk_memory_access *out)
{
    const doca_error_t result = dpk_buf_memory(b, room, domain, out);
    out->address = room ? b->data + b->data_len : b->data;
    out->size = room ? room_of(b) : b->data_len;
    if (result != DOCA_SUCCESS)
        return result;
    /* An element of work has no more than a key: what another process exported is reached otherwise. */
    const unsigned plain = room ? DPK_MEMORY_WRITE : DPK_MEMORY_READ;
    return out->rights == plain && out->domain == domain ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t dpk_buf_list_places(const struct doca_buf *list, bool room,
                                 const struct dpk_memory_domain *domain,
                                 struct dpk_memory_access *out, unsigned most, unsigned *count)
{
    doca_error_t result = DOCA_SUCCESS;
    unsigned length = 0;
    *count = 0;
    struct dpk_doca_buf *first = dpk_buf_begin(list);
    for (struct dpk_doca_buf *b = first; b && result == DOCA_SUCCESS; b = b->next) {
        if (length++ == most)
            result = DOCA_ERROR_INVALID_VALUE;
        else if ((result = place(b, room, domain, &out[*count])) == DOCA_SUCCESS)
            *count += out[*count].size > 0;
    }
    return dpk_buf_end(first, result);
}

void dpk_buf_list_grow(struct doca_buf *list, uint64_t size)
{
    struct dpk_doca_buf *first = dpk_buf_begin(list);
    for (struct dpk_doca_buf *b = first; b && size > 0; b = b->next) {
        const uint64_t more = size < room_of(b) ? size : room_of(b);
        b->data_len += more;
        size -= more;
    }
    dpk_buf_end(first, DOCA_SUCCESS);
}
