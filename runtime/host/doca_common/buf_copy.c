/* Copies between lists of buffers. */
#include "buf.h"
#include "rdma.h"

/* The number of the memory of a buffer, if it may be read, or written. */
static doca_error_t find_key(const struct dpk_doca_buf *b, bool write, uint32_t *key)
{
    struct dpk_memory m = b->mmap->memory;
    void *owner = NULL;
    uint32_t needs = write ? DOCA_ACCESS_FLAG_LOCAL_READ_WRITE : 0;
    if (m.place == DPK_MEMORY_REMOTE) {
        uint32_t pci =
            DOCA_ACCESS_FLAG_PCI_READ_WRITE | (write ? 0 : DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        if (memcmp(&m.owner, dpk_process_identity(), sizeof m.owner) != 0)
            return DOCA_ERROR_NOT_SUPPORTED;
        if (!dpk_memory_of_key(m.key, &m, &owner)) /* what its owner permits, not what it says */
            return DOCA_ERROR_IO_FAILED;
        dpk_memory_release(owner);
        if ((m.permissions & pci) == 0)
            return DOCA_ERROR_NOT_PERMITTED;
    }
    *key = m.key;
    return (m.permissions & needs) == needs ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED;
}

static uint64_t room_of(const struct dpk_doca_buf *b)
{
    return b->len - (b->data - b->head) - b->data_len;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Where a copy is: `done` bytes of a buffer's data, or of its room. */
struct cursor {
    struct dpk_doca_buf *at;
    uint64_t done;
};

static uint64_t left_to_read(struct cursor *c)
{
    while (c->at && c->done == c->at->data_len)
        *c = (struct cursor){.at = c->at->next};
    return c->at ? c->at->data_len - c->done : 0;
}

static uint64_t left_to_write(struct cursor *c)
{
    while (c->at && c->done == room_of(c->at))
        *c = (struct cursor){.at = c->at->next};
    return c->at ? room_of(c->at) - c->done : 0;
}

typedef doca_error_t (*step)(const struct dpk_nic_range *from, const struct dpk_nic_range *to);

/* Takes a step for each stretch that is whole in a buffer on both sides. */
static doca_error_t walk(struct dpk_doca_buf *from, struct dpk_doca_buf *to, step take)
{
    struct cursor f = {.at = from}, t = {.at = to};
    doca_error_t result = DOCA_SUCCESS;
    for (uint64_t n; result == DOCA_SUCCESS && (n = left_to_read(&f)) > 0;) {
        struct dpk_nic_range source = {0}, target = {0};
        if (left_to_write(&t) == 0)
            return DOCA_ERROR_INVALID_VALUE; /* it does not fit */
        source.size = target.size = smaller(n, left_to_write(&t));
        source.address = f.at->data + f.done;
        target.address = t.at->data + t.at->data_len + t.done;
        result = find_key(f.at, false, &source.key);
        DOCA_ERROR_PROPAGATE(result, find_key(t.at, true, &target.key));
        DOCA_ERROR_PROPAGATE(result, take(&source, &target));
        f.done += source.size;
        t.done += target.size;
    }
    return result;
}

static doca_error_t check_step(const struct dpk_nic_range *from, const struct dpk_nic_range *to)
{
    bool apart = from->key != to->key || from->address - to->address >= to->size;
    apart = apart && (from->key != to->key || to->address - from->address >= from->size);
    return apart ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t copy_step(const struct dpk_nic_range *from, const struct dpk_nic_range *to)
{
    return dpk_rdma_copy(to, from) ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

/* The data of the destination grows. */
static void grow(const struct dpk_doca_buf *from, struct dpk_doca_buf *to)
{
    uint64_t total = 0;
    for (; from; from = from->next)
        total += from->data_len;
    for (; total > 0; to = to->next) {
        uint64_t n = smaller(total, room_of(to));
        to->data_len += n;
        total -= n;
    }
}

doca_error_t dpk_buf_list_copy(const struct doca_buf *from, struct doca_buf *to)
{
    struct dpk_doca_buf *f = dpk_object_pin(from, &dpk_buf_kind);
    struct dpk_doca_buf *t = dpk_object_pin(to, &dpk_buf_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (f && t) {
        pthread_mutex_lock(&dpk_bufs_lock);
        result = walk(f, t, check_step);
        if (result == DOCA_SUCCESS)
            result = walk(f, t, copy_step);
        if (result == DOCA_SUCCESS)
            grow(f, t);
        pthread_mutex_unlock(&dpk_bufs_lock);
    }
    dpk_object_drop(t);
    dpk_object_drop(f);
    return result;
}

bool dpk_is_buf(const struct doca_buf *buf)
{
    struct dpk_doca_buf *b = dpk_object_pin(buf, &dpk_buf_kind);
    dpk_object_drop(b);
    return b != NULL;
}
