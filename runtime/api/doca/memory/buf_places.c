/* Lists of buffers for the WQEs of a device. */
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
    /* A WQE has only a key, which does not reach memory that another process exported. */
    const unsigned plain = room ? DPK_MEMORY_WRITE : DPK_MEMORY_READ;
    return out->rights == plain && out->domain == domain
               ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "a buffer of memory that was exported: only DMA reaches it");
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

static doca_error_t find_remote(const struct dpk_doca_buf *b, struct dpk_buf_remote *out)
{
    struct dpk_memory m;
    pthread_mutex_lock(&b->mmap->object.lock);
    const uint32_t key = b->mmap->key; /* 0: a thread-safe map was stopped */
    pthread_mutex_unlock(&b->mmap->object.lock);
    if (!dpk_memory_describe(key, &m))
        return dpk_doca_because(DOCA_ERROR_IO_FAILED, "the map of the remote buffer was stopped");
    const bool imported = m.kind == DPK_MEMORY_REMOTE;
    *out =
        (struct dpk_buf_remote){.owner = imported ? m.exporter.identity : *dpk_process_identity(),
                                .key = imported ? m.exported_key : key,
                                .address = b->data,
                                .data_len = b->data_len,
                                .room = room_of(b)};
    return DOCA_SUCCESS;
}

doca_error_t dpk_buf_find_remote(const struct doca_buf *buf, struct dpk_buf_remote *out)
{
    struct dpk_doca_buf *b = dpk_buf_begin(buf);
    return dpk_buf_end(b, b ? find_remote(b, out) : DOCA_ERROR_INVALID_VALUE);
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
