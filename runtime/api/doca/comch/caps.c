/* Capabilities of devices: only cards with two sides have comch. */
#include "private.h"

/* Gets `value`; if it is 0, the device's maximum size of a DMA task. */
static doca_error_t answer(const struct doca_devinfo *devinfo, uint32_t value, uint32_t *out)
{
    struct dpk_device_info card = {0};
    const doca_error_t result = out ? dpk_devinfo_ask(devinfo, &card) : DOCA_ERROR_INVALID_VALUE;
    if (result != DOCA_SUCCESS)
        return result;
    *out = !card.pair ? 0 : value ? value : card.dma_max;
    return card.pair ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

#define CAP(name, value)                                                                           \
    doca_error_t name(const struct doca_devinfo *devinfo, uint32_t *out)                           \
    {                                                                                              \
        return dpk_doca_end(devinfo, __func__, answer(devinfo, (value), out));                     \
    }

CAP(doca_comch_cap_get_max_name_len, DPK_COMCH_NAME_MAX + 1)
CAP(doca_comch_cap_get_max_msg_size, DPK_COMCH_MESSAGE_MAX)
CAP(doca_comch_cap_get_max_recv_queue_size, RECV_QUEUE_MAX)
CAP(doca_comch_cap_get_max_send_tasks, SEND_TASKS_MAX)
CAP(doca_comch_cap_get_max_clients, CLIENTS_MAX)
CAP(doca_comch_producer_cap_get_max_producers, CONSUMERS_MAX)
CAP(doca_comch_producer_cap_get_max_num_tasks, DPK_PIPE_POSTS_MAX)
CAP(doca_comch_producer_cap_get_max_buf_size, 0)
CAP(doca_comch_producer_cap_get_max_buf_list_len, BUF_LIST_LEN_MAX)
CAP(doca_comch_consumer_cap_get_max_consumers, CONSUMERS_MAX)
CAP(doca_comch_consumer_cap_get_max_num_tasks, DPK_PIPE_POSTS_MAX)
CAP(doca_comch_consumer_cap_get_max_buf_size, 0)
CAP(doca_comch_consumer_cap_get_max_buf_list_len, BUF_LIST_LEN_MAX)
CAP(doca_comch_consumer_cap_get_max_imm_data_len, DPK_PIPE_IMM_MAX)

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, answer(devinfo, 0, &(uint32_t){0}));
}

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, answer(devinfo, 0, &(uint32_t){0}));
}
