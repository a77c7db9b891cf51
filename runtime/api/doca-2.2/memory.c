/* Maps, buffers and pools in DOCA 2.2: functions of later DOCA by their names of that release. */
#include <doca-2.2/doca_buf.h>
#include <doca-2.2/doca_buf_inventory.h>
#include <doca-2.2/doca_bufpool.h>
#include <doca-2.2/doca_mmap.h>
#include <doca_buf_pool.h>

#include "api/doca/memory/memory.h"
#include "later.h"

/* The data of a program that may give none. */
static union doca_data data_of(const union doca_data *user_data)
{
    return user_data ? *user_data : (union doca_data){0};
}

static doca_error_t no_extensions(const char *call, uint32_t extensions)
{
    return dpk_doca_refuse_call(NULL, DOCA_ERROR_NOT_SUPPORTED, call,
                                "there are no extensions 0x%x of buffers", extensions);
}

/* ---- Maps ---- */

doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
{
    const doca_error_t result = generation_later_mmap_create(mmap);
    return result == DOCA_SUCCESS ? doca_mmap_set_user_data(*mmap, data_of(user_data)) : result;
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd,
                                           size_t dmabuf_offset, size_t len)
{
    return generation_later_mmap_set_dmabuf(mmap, dmabuf_fd, dmabuf_offset, len);
}

doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
    return doca_mmap_add_dev(mmap, dev);
}

doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
    return doca_mmap_rm_dev(mmap, dev);
}

doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len)
{
    return doca_mmap_export_pci(mmap, dev, export_desc, export_desc_len);
}

/* ---- Buffers ---- */

doca_error_t doca_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount)
{
    return doca_buf_inc_refcount(buf, refcount);
}

doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount)
{
    return doca_buf_dec_refcount(buf, refcount);
}

doca_error_t doca_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2)
{
    return doca_buf_chain_list(list1, list2);
}

doca_error_t doca_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2)
{
    return doca_buf_unchain_list(list1, list2);
}

doca_error_t doca_buf_list_next(struct doca_buf *buf, struct doca_buf **next_buf)
{
    return doca_buf_get_next_in_list(buf, next_buf);
}

doca_error_t doca_buf_list_last(struct doca_buf *buf, struct doca_buf **last_buf)
{
    return doca_buf_get_last_in_list(buf, last_buf);
}

doca_error_t doca_buf_list_is_last(const struct doca_buf *buf, bool *is_last)
{
    uint8_t yes = 0;
    const doca_error_t result = doca_buf_is_last_in_list(buf, is_last ? &yes : NULL);
    if (result == DOCA_SUCCESS)
        *is_last = yes;
    return result;
}

doca_error_t doca_buf_list_is_first(const struct doca_buf *buf, bool *is_first)
{
    uint8_t yes = 0;
    const doca_error_t result = doca_buf_is_first_in_list(buf, is_first ? &yes : NULL);
    if (result == DOCA_SUCCESS)
        *is_first = yes;
    return result;
}

doca_error_t doca_buf_list_num_elements(const struct doca_buf *buf, uint32_t *num_elements)
{
    return doca_buf_get_list_len(buf, num_elements);
}

doca_error_t doca_buf_inventory_create(const union doca_data *user_data, size_t num_elements,
                                       uint32_t extensions, struct doca_buf_inventory **inventory)
{
    if (extensions != DOCA_BUF_EXTENSION_NONE)
        return no_extensions("doca_buf_inventory_create", extensions);
    const doca_error_t result = generation_later_inventory_create(num_elements, inventory);
    return result == DOCA_SUCCESS ? doca_buf_inventory_set_user_data(*inventory, data_of(user_data))
                                  : result;
}

doca_error_t doca_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *addr, size_t len,
                                            struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_addr(inventory, mmap, addr, len, buf);
}

doca_error_t doca_buf_inventory_buf_by_data(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *data, size_t data_len,
                                            struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_data(inventory, mmap, data, data_len, buf);
}

doca_error_t doca_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *addr, size_t len,
                                            void *data, size_t data_len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, data, data_len, buf);
}

/* ---- Pools ---- */

#define POOL(bufpool) ((struct doca_buf_pool *)(uintptr_t)(bufpool))

doca_error_t doca_bufpool_create(const union doca_data *user_data, size_t num_elements,
                                 uint32_t extensions, size_t element_size, size_t element_alignment,
                                 const struct doca_mmap *mmap, struct doca_bufpool **bufpool)
{
    struct doca_buf_pool *pool = NULL;
    if (!bufpool)
        return dpk_doca_no_object(__func__);
    *bufpool = NULL;
    if (extensions != DOCA_BUF_EXTENSION_NONE)
        return no_extensions(__func__, extensions);
    doca_error_t result = doca_buf_pool_create(num_elements, element_size, mmap, &pool);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_buf_pool_set_element_alignment(pool, element_alignment);
    if (result == DOCA_SUCCESS)
        result = doca_buf_pool_set_user_data(pool, data_of(user_data));
    if (result == DOCA_SUCCESS)
        *bufpool = (struct doca_bufpool *)pool;
    else
        doca_buf_pool_destroy(pool);
    return result;
}

doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool)
{
    return doca_buf_pool_destroy(POOL(bufpool));
}

doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool)
{
    return doca_buf_pool_start(POOL(bufpool));
}

doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool)
{
    return doca_buf_pool_stop(POOL(bufpool));
}

doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool, struct doca_buf **buf)
{
    return doca_buf_pool_buf_alloc(POOL(bufpool), buf);
}

doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
                                        union doca_data *user_data)
{
    return doca_buf_pool_get_user_data(POOL(bufpool), user_data);
}

doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool,
                                           uint32_t *num_elements)
{
    return doca_buf_pool_get_num_elements(POOL(bufpool), num_elements);
}

doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
                                                uint32_t *num_free_elements)
{
    return doca_buf_pool_get_num_free_elements(POOL(bufpool), num_free_elements);
}
