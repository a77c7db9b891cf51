/* Listeners for doorbells: a store of the host wakes no thread, so a thread polls the started
 * doorbells. It sleeps longer if the host does not ring. */
#include <time.h>

#include "private.h"

#define SHORT_NANOSECONDS 20000
#define LONG_NANOSECONDS  500000
#define PATIENCE          2000u /* polls without a ring before longer sleeps */

static struct doorbell *find_doorbell(const struct pci_dev *d, unsigned region, uint32_t id)
{
    struct doorbell *b = d->listener.first;
    while (b && (b->region != region || b->id != id))
        b = b->next;
    return b;
}

static void ring(struct doorbell *b, uint32_t value)
{
    b->value = value;
    devemu_doorbell_rung(b);
}

/* Polls all places of a region whose doorbells are numbered by data. Returns true if any was
 * rung. */
static bool look_at_messages(const struct pci_dev *d, unsigned region)
{
    const struct dpk_pci_region *r = &dpk_pci_config_of(d->f)->regions[region];
    bool any = false;
    for (unsigned place = 0; place < r->size >> r->log_stride; place++) {
        uint32_t value;
        if (!dpk_pci_take_ring(d->f, region, place, &value))
            continue;
        struct doorbell *b = find_doorbell(d, region, dpk_pci_id(r, value));
        any = true;
        if (b)
            ring(b, value);
    }
    return any;
}

/* Returns true if any doorbell was rung. */
static bool look(struct pci_dev *d)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    bool any = false, by_data[DPK_PCI_REGIONS] = {0};
    pthread_mutex_lock(&d->listener.lock);
    for (struct doorbell *b = d->listener.first; b; b = b->next) {
        uint32_t value;
        if (c->regions[b->region].use == DPK_PCI_MESSAGES) {
            by_data[b->region] = true;
        } else if (dpk_pci_take_ring(d->f, b->region, b->id, &value)) {
            ring(b, value);
            any = true;
        }
    }
    for (unsigned i = 0; i < c->region_count; i++)
        any = (by_data[i] && look_at_messages(d, i)) || any;
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
    if (find_doorbell(d, b->region, b->id))
        return DOCA_ERROR_ALREADY_EXIST;
    if (!d->listener.runs && !start_thread(d))
        return DOCA_ERROR_OPERATING_SYSTEM;
    b->next = d->listener.first;
    d->listener.first = b;
    b->started = b->asked = true;
    return DOCA_SUCCESS;
}

doca_error_t devemu_listener_add(struct pci_dev *d, struct doorbell *b)
{
    pthread_mutex_lock(&d->listener.lock);
    const doca_error_t result = b->started ? DOCA_ERROR_BAD_STATE : add(d, b);
    pthread_mutex_unlock(&d->listener.lock);
    return result;
}

bool devemu_listener_remove(struct pci_dev *d, struct doorbell *b)
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

void devemu_listener_stop(struct pci_dev *d)
{
    if (!d->listener.runs)
        return;
    atomic_store(&d->listener.stop, true);
    pthread_join(d->listener.thread, NULL);
    d->listener.runs = false;
}
