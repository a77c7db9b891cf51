/* Memory of the program that functions access: the container's mappings, as in VFIO type 1. Each
 * mapping is exported once (exports.h), and mapped in each function of the container. */
#include <errno.h>
#include <linux/vfio.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/vfio/vfio.h"

#define FLAGS (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)

_Static_assert(VFIO_DMA_MAP_FLAG_READ == DPK_PCI_DMA_READ, "flags are rights");
_Static_assert(VFIO_DMA_MAP_FLAG_WRITE == DPK_PCI_DMA_WRITE, "flags are rights");

/* Only the process that made a container may change it. A child of fork() may not. */
struct vfio_container {
    pid_t process;
    unsigned users;
    bool has_iommu;
    struct vfio_function *functions;
    struct dpk_pci_mapping *mappings;
    size_t count, room;
};

/* Guards all containers. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t last_key;
static struct {
    struct dpk_uuid number;
    pid_t of;
} identity; /* of the process */

static int answer(int error)
{
    if (!error)
        return 0;
    errno = error;
    return -1;
}

/* ---- With the lock ---- */

static void remove_mapping(struct vfio_container *c, size_t i)
{
    const uint32_t key = c->mappings[i].what.key;
    for (struct vfio_function *f = c->functions; f; f = f->next)
        dpk_pci_unmap(f->pci, key);
    dpk_export_remove(key); /* waits for peers that copy */
    c->mappings[i] = c->mappings[--c->count];
}

static void free_unused(struct vfio_container *c)
{
    if (c->functions)
        return;
    while (c->count > 0 && c->process == getpid())
        remove_mapping(c, c->count - 1);
    c->has_iommu = false;
    if (c->users > 0)
        return;
    free(c->mappings);
    free(c);
}

static int map_all(const struct vfio_container *c, struct vfio_function *f)
{
    for (size_t i = 0; i < c->count; i++)
        if (!dpk_pci_map(f->pci, &c->mappings[i]))
            return ENOSPC;
    return 0;
}

static int attach(struct vfio_container *c, struct vfio_function *f)
{
    const int error = f->container || c->process != getpid() ? EINVAL : map_all(c, f);
    if (error) {
        if (error == ENOSPC)
            dpk_pci_unmap(f->pci, 0);
        return error;
    }
    f->container = c;
    f->next = c->functions;
    c->functions = f;
    return 0;
}

/* ---- Containers ---- */

struct vfio_container *vfio_container_new(void)
{
    struct vfio_container *c = calloc(1, sizeof *c);
    if (c) {
        c->process = getpid();
        c->users = 1;
    }
    return c;
}

void vfio_container_use(struct vfio_container *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&lock);
    c->users++;
    pthread_mutex_unlock(&lock);
}

void vfio_container_leave(struct vfio_container *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&lock);
    if (--c->users == 0)
        free_unused(c);
    pthread_mutex_unlock(&lock);
}

void vfio_containers_lock(void)
{
    pthread_mutex_lock(&lock);
}

void vfio_containers_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

int vfio_attach(struct vfio_container *c, struct vfio_function *f)
{
    pthread_mutex_lock(&lock);
    const int error = attach(c, f);
    pthread_mutex_unlock(&lock);
    return answer(error);
}

bool vfio_detach(struct vfio_function *f)
{
    pthread_mutex_lock(&lock);
    struct vfio_container *c = f->container;
    if (c) {
        struct vfio_function **at = &c->functions;
        while (*at != f)
            at = &(*at)->next;
        *at = f->next;
        f->container = NULL;
        if (c->process == getpid())
            dpk_pci_unmap(f->pci, 0);
        free_unused(c);
    }
    pthread_mutex_unlock(&lock);
    return c != NULL;
}

int vfio_set_iommu(struct vfio_container *c)
{
    pthread_mutex_lock(&lock);
    const bool good = c->functions && !c->has_iommu;
    if (good)
        c->has_iommu = true;
    pthread_mutex_unlock(&lock);
    return answer(good ? 0 : EINVAL);
}

bool vfio_has_container(const struct vfio_function *f)
{
    pthread_mutex_lock(&lock);
    const bool has = f->container != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

bool vfio_has_iommu(const struct vfio_function *f)
{
    pthread_mutex_lock(&lock);
    const bool has = f->container && f->container->has_iommu;
    pthread_mutex_unlock(&lock);
    return has;
}

/* ---- Mapping ---- */

static bool is_aligned(uint64_t a, uint64_t b, uint64_t c)
{
    return ((a | b | c) & ((uint64_t)sysconf(_SC_PAGESIZE) - 1)) == 0;
}

static bool is_valid(const struct vfio_iommu_type1_dma_map *m)
{
    return m->argsz >= sizeof *m && (m->flags & ~(uint32_t)FLAGS) == 0 && m->flags & FLAGS &&
           m->size > 0 && is_aligned(m->iova, m->size, m->vaddr) &&
           m->size - 1 <= UINT64_MAX - m->iova && m->size - 1 <= UINTPTR_MAX - m->vaddr;
}

static bool overlaps(const struct dpk_pci_mapping *m, uint64_t iova, uint64_t last)
{
    return m->iova <= last && iova <= m->iova + (m->what.size - 1);
}

static int check_room(struct vfio_container *c, const struct vfio_iommu_type1_dma_map *m)
{
    for (size_t i = 0; i < c->count; i++)
        if (overlaps(&c->mappings[i], m->iova, m->iova + (m->size - 1)))
            return EEXIST;
    if (c->count < c->room)
        return 0;
    if (c->count == DPK_PCI_MAPPINGS)
        return ENOSPC;
    const size_t room = c->room ? 2 * c->room : 16;
    struct dpk_pci_mapping *more = reallocarray(c->mappings, room, sizeof *more);
    if (!more)
        return ENOMEM;
    c->mappings = more;
    c->room = room;
    return 0;
}

/* Exports memory as the last mapping. Functions do not have it yet. */
static int export_one(struct vfio_container *c, const struct vfio_iommu_type1_dma_map *m)
{
    struct dpk_error err = {0};
    struct dpk_pci_mapping *mapping = &c->mappings[c->count];
    if (identity.of != getpid())
        dpk_uuid_new_time(&identity.number);
    identity.of = getpid();
    *mapping = (struct dpk_pci_mapping){
        .iova = m->iova,
        .what = {.key = ++last_key, .rights = m->flags, .address = m->vaddr, .size = m->size}};
    if (dpk_export_add(&identity.number, &mapping->what, &mapping->who, &err) != DPK_OK)
        return ENOSPC;
    c->count++;
    return 0;
}

static int map_to_functions(struct vfio_container *c)
{
    for (struct vfio_function *f = c->functions; f; f = f->next)
        if (!dpk_pci_map(f->pci, &c->mappings[c->count - 1])) {
            remove_mapping(c, c->count - 1);
            return ENOSPC;
        }
    return 0;
}

static int map_locked(struct vfio_container *c, const struct vfio_iommu_type1_dma_map *m)
{
    int error = c->has_iommu && c->process == getpid() && is_valid(m) ? 0 : EINVAL;
    if (!error)
        error = check_room(c, m);
    if (!error &&
        !dpk_is_mapped((void *)(uintptr_t)m->vaddr, m->size, m->flags & VFIO_DMA_MAP_FLAG_WRITE))
        error = EFAULT;
    if (!error)
        error = export_one(c, m);
    return error ? error : map_to_functions(c);
}

int vfio_map(struct vfio_container *c, const struct vfio_iommu_type1_dma_map *map)
{
    pthread_mutex_lock(&lock);
    const int error = map_locked(c, map);
    pthread_mutex_unlock(&lock);
    return answer(error);
}

/* ---- Unmapping ---- */

/* Returns true if the range contains only whole mappings. */
static bool cuts_none(const struct vfio_container *c, uint64_t iova, uint64_t last)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct dpk_pci_mapping *m = &c->mappings[i];
        if (overlaps(m, iova, last) && (m->iova < iova || m->iova + (m->what.size - 1) > last))
            return false;
    }
    return true;
}

static uint64_t remove_range(struct vfio_container *c, uint64_t iova, uint64_t last)
{
    uint64_t size = 0;
    for (size_t i = c->count; i-- > 0;)
        if (overlaps(&c->mappings[i], iova, last)) {
            size += c->mappings[i].what.size;
            remove_mapping(c, i);
        }
    return size;
}

static int unmap_locked(struct vfio_container *c, struct vfio_iommu_type1_dma_unmap *u)
{
    uint64_t last = UINT64_MAX;
    if (u->argsz < sizeof *u || !c->has_iommu || c->process != getpid())
        return EINVAL;
    if (u->flags == VFIO_DMA_UNMAP_FLAG_ALL) {
        if (u->iova != 0 || u->size != 0)
            return EINVAL;
    } else {
        if (u->flags != 0 || u->size == 0 || !is_aligned(u->iova, u->size, 0) ||
            u->size - 1 > UINT64_MAX - u->iova)
            return EINVAL;
        last = u->iova + (u->size - 1);
    }
    if (!cuts_none(c, u->iova, last))
        return EINVAL;
    u->size = remove_range(c, u->iova, last);
    return 0;
}

int vfio_unmap(struct vfio_container *c, struct vfio_iommu_type1_dma_unmap *unmap)
{
    pthread_mutex_lock(&lock);
    const int error = unmap_locked(c, unmap);
    pthread_mutex_unlock(&lock);
    return answer(error);
}
