/* Who listens for doorbells: a store of the host wakes nobody, so a thread looks at those that are
 * started. It sleeps longer when nobody rings. */
#include <time.h>

#include "private.h"

#define SHORT_NANOSECONDS 20000
#define LONG_NANOSECONDS  500000
#define PATIENCE          2000u /* looks, until it sleeps longer */

/* Whether any was rung. */
static bool look(struct pci_dev *d)
{
    bool any = false;
    pthread_mutex_lock(&d->listener.lock);
    for (struct doorbell *b = d->listener.first; b; b = b->next) {
        uint32_t value;
        if (!dpk_pci_take_ring(d->f, b->region, b->id, &value))
            continue;
        b->value = value;
        doorbell_rung(b);
        any = true;
    }
    pthread_mutex_unlock(&d->listener.lock);
    return any;
}

static void *listen(void *arg)
{
    struct pci_dev *d = arg;
    unsigned idle = 0;
    while (!atomic_load(&d->listener.stop)) {
        idle = look(d) ? 0 : idle + (idle < PATIENCE);
        const long n = idle < PATIENCE ? SHORT_NANOSECONDS : LONG_NANOSECONDS;
        nanosleep(&(struct timespec){.tv_nsec = n}, NULL);
    }
    return NULL;
}

static bool start_thread(struct pci_dev *d)
{
    atomic_store(&d->listener.stop, false);
    d->listener.runs = dpk_pthread_start(&d->listener.thread, listen, d) == 0;
    return d->listener.runs;
}

static doca_error_t add(struct pci_dev *d, struct doorbell *b)
{
    for (const struct doorbell *other = d->listener.first; other; other = other->next)
        if (other->region == b->region && other->id == b->id)
            return DOCA_ERROR_ALREADY_EXIST;
    if (!d->listener.runs && !start_thread(d))
        return DOCA_ERROR_OPERATING_SYSTEM;
    b->next = d->listener.first;
    d->listener.first = b;
    b->started = b->asked = true;
    return DOCA_SUCCESS;
}

doca_error_t listener_add(struct pci_dev *d, struct doorbell *b)
{
    pthread_mutex_lock(&d->listener.lock);
    const doca_error_t result = b->started ? DOCA_ERROR_BAD_STATE : add(d, b);
    pthread_mutex_unlock(&d->listener.lock);
    return result;
}

bool listener_remove(struct pci_dev *d, struct doorbell *b)
{
    pthread_mutex_lock(&d->listener.lock);
    const bool started = b->started;
    struct doorbell **at = &d->listener.first;
    while (*at && *at != b)
        at = &(*at)->next;
    if (*at)
        *at = b->next;
    b->started = false;
    pthread_mutex_unlock(&d->listener.lock);
    return started;
}

void listener_stop(struct pci_dev *d)
{
    if (!d->listener.runs)
        return;
    atomic_store(&d->listener.stop, true);
    pthread_join(d->listener.thread, NULL);
    d->listener.runs = false;
}
