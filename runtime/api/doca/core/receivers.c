/* The ids of receive queues: doca_eth assigns them, doca_flow looks them up. */
#include "api/doca/core/core.h"

struct dpk_receiver {
    struct dpk_receiver *next;
    uint32_t number;
    uint16_t id;
};

/* With the lock. */
static uint32_t find_receiver(const struct dpk_dev *dev, uint16_t id)
{
    const struct dpk_receiver *r = dev->receivers;
    while (r && r->id != id)
        r = r->next;
    return r ? r->number : 0;
}

doca_error_t dpk_dev_add_receiver(struct dpk_dev *dev, uint16_t id, uint32_t number)
{
    struct dpk_receiver *r = malloc(sizeof *r);
    if (!r)
        return DOCA_ERROR_NO_MEMORY;
    pthread_mutex_lock(&dev->object.lock);
    const bool taken = find_receiver(dev, id) != 0;
    if (!taken) {
        *r = (struct dpk_receiver){dev->receivers, number, id};
        dev->receivers = r;
    }
    pthread_mutex_unlock(&dev->object.lock);
    if (taken)
        free(r);
    return taken ? DOCA_ERROR_ALREADY_EXIST : DOCA_SUCCESS;
}

void dpk_dev_remove_receiver(struct dpk_dev *dev, uint32_t number)
{
    pthread_mutex_lock(&dev->object.lock);
    struct dpk_receiver **at = &dev->receivers, *gone;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if ((gone = *at))
        *at = gone->next;
    pthread_mutex_unlock(&dev->object.lock);
    free(gone);
}

uint32_t dpk_dev_receiver(struct dpk_dev *dev, uint16_t id)
{
    pthread_mutex_lock(&dev->object.lock);
    const uint32_t number = find_receiver(dev, id);
    pthread_mutex_unlock(&dev->object.lock);
    return number;
}
