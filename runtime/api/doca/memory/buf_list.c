/* Lists of buffers. */
#include "buf.h"

/* `tail`: the last buffer of list1, or NULL to look it up. */
static doca_error_t chain(struct doca_buf *list1, const struct dpk_doca_buf *tail,
                          struct doca_buf *list2)
{
    struct dpk_doca_buf *second = dpk_object_pin(list2, &dpk_buf_kind);
    struct dpk_doca_buf *first = dpk_buf_begin(list1);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_doca_buf *last = first;
    while (last && last->next)
        last = last->next;
    if (first && second && first != second && !first->chained && !second->chained &&
        second->holders != 0 && (!tail || tail == last)) {
        last->next = second;
        second->chained = true;
        result = DOCA_SUCCESS;
    } else if (first && second) {
        dpk_doca_because(result, "%s",
                         first == second        ? "both lists are the same"
                         : tail && tail != last ? "the tail is not the last buffer of the list"
                         : second->holders == 0 ? "the second list was freed"
                         : first->chained       ? "the first buffer is not the first of its list"
                                                : "the second buffer is in a list already");
    }
    result = dpk_buf_end(first, result);
    dpk_object_drop(second);
    return result;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
    return dpk_doca_end(list1, __func__, chain(list1, NULL, list2));
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1, struct doca_buf *list1_tail,
                                      struct doca_buf *list2)
{
    struct dpk_doca_buf *tail = dpk_object_pin(list1_tail, &dpk_buf_kind);
    doca_error_t result = tail ? chain(list1, tail, list2) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(tail);
    return dpk_doca_end(list1, __func__, result);
}

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next)
{
    struct dpk_doca_buf *b = next ? dpk_buf_begin(buf) : NULL;
    if (b)
        *next = b->next ? b->next->object.handle : NULL;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
    struct dpk_doca_buf *b = num_elements ? dpk_buf_begin(buf) : NULL;
    if (b) {
        *num_elements = 0;
        for (const struct dpk_doca_buf *each = b; each; each = each->next)
            ++*num_elements;
    }
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

bool dpk_buf_list_fits(const struct doca_buf *list, uint32_t count, uint64_t size)
{
    struct dpk_doca_buf *b = dpk_buf_begin(list);
    bool fits = b != NULL;
    for (const struct dpk_doca_buf *each = b; fits && each; each = each->next) {
        fits = count > 0 && each->data_len <= size;
        if (fits) {
            count--;
            size -= each->data_len;
        }
    }
    (void)dpk_buf_end(b, DOCA_SUCCESS);
    return fits;
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
    struct dpk_doca_buf *second = dpk_object_pin(list2, &dpk_buf_kind);
    struct dpk_doca_buf *first = dpk_buf_begin(list1);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_doca_buf *before = first && second && !first->chained ? first : NULL;
    while (before && before->next != second)
        before = before->next;
    if (before) {
        before->next = NULL;
        second->chained = false;
        result = DOCA_SUCCESS;
    } else if (first && second) {
        dpk_doca_because(result, "%s",
                         first->chained ? "the first buffer is not the first of its list"
                                        : "the second buffer is not in the list of the first");
    }
    result = dpk_buf_end(first, result);
    dpk_object_drop(second);
    return dpk_doca_end(list1, __func__, result);
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last)
{
    struct dpk_doca_buf *b = last ? dpk_buf_begin(buf) : NULL;
    if (b) {
        const struct dpk_doca_buf *each = b;
        while (each->next)
            each = each->next;
        *last = each->object.handle;
    }
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
    struct dpk_doca_buf *b = is_last ? dpk_buf_begin(buf) : NULL;
    if (b)
        *is_last = !b->next;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
    struct dpk_doca_buf *b = is_first ? dpk_buf_begin(buf) : NULL;
    if (b)
        *is_first = !b->chained;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
    struct dpk_doca_buf *b = is_in_list ? dpk_buf_begin(buf) : NULL;
    if (b)
        *is_in_list = b->chained || b->next;
    return dpk_doca_end(buf, __func__, dpk_buf_end(b, DOCA_SUCCESS));
}
