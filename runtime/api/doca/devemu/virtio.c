/* The virtio part of emulated functions, of which none is a virtio device (vfs.c). */
#include <doca_devemu_virtio.h>

#include "private.h"

doca_error_t doca_devemu_virtio_dev_set_num_queues(struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t num_queues)
{
    (void)virtio_dev, (void)num_queues;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_virtio_dev_get_num_queues(const struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t *num_queues)
{
    (void)virtio_dev, (void)num_queues;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_virtio_dev_set_queue_size(struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t queue_size)
{
    (void)virtio_dev, (void)queue_size;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_virtio_dev_get_queue_size(const struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t *queue_size)
{
    (void)virtio_dev, (void)queue_size;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_virtio_dev_set_num_required_running_virtio_io_ctxs(
    struct doca_devemu_virtio_dev *virtio_dev, uint32_t num)
{
    (void)virtio_dev, (void)num;
    return dpk_doca_no_object(__func__);
}

doca_error_t
doca_devemu_virtio_dev_event_reset_register(struct doca_devemu_virtio_dev *virtio_dev,
                                            doca_devemu_virtio_dev_event_reset_handler_cb_t handler,
                                            union doca_data user_data)
{
    (void)virtio_dev, (void)handler, (void)user_data;
    return dpk_doca_no_object(__func__);
}
