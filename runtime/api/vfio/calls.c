/* Answers of descriptors to ioctl (linux/vfio.h). */
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "api/vfio/vfio.h"
#include "bus/virtio/virtio.h"

#define TELLS_SIZES (offsetof(struct vfio_iommu_type1_info, iova_pgsizes) + sizeof(uint64_t))
#define TELLS_IRQS  (offsetof(struct vfio_device_info, num_irqs) + sizeof(uint32_t))

static int answer(int error)
{
    if (!error)
        return 0;
    errno = error;
    return -1;
}

/* ---- Arguments ---- */

/* Minimum bytes that a request reads from its argument, and whether it writes there. The kernel
 * checks this memory first. Other requests have no argument, or a text. */
static const struct given {
    unsigned long request;
    size_t size;
    bool written;
} given[] = {
    {VFIO_IOMMU_GET_INFO, TELLS_SIZES, true},
    {VFIO_IOMMU_MAP_DMA, sizeof(struct vfio_iommu_type1_dma_map), false},
    {VFIO_IOMMU_UNMAP_DMA, sizeof(struct vfio_iommu_type1_dma_unmap), true},
    {VFIO_GROUP_GET_STATUS, sizeof(struct vfio_group_status), true},
    {VFIO_GROUP_SET_CONTAINER, sizeof(int), false},
    {VFIO_DEVICE_GET_INFO, TELLS_IRQS, true},
    {VFIO_DEVICE_GET_REGION_INFO, sizeof(struct vfio_region_info), true},
    {VFIO_DEVICE_GET_IRQ_INFO, sizeof(struct vfio_irq_info), true},
    {VFIO_DEVICE_SET_IRQS, sizeof(struct vfio_irq_set), false},
};

static bool is_there(unsigned long request, const void *argument)
{
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].request == request)
            return dpk_is_mapped(argument, given[i].size, given[i].written);
    return true;
}

bool vfio_copy_text(char *to, size_t room, const char *from)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i + 1 < room; i++) {
        if ((i == 0 || ((uintptr_t)from + i) % page == 0) && !dpk_is_mapped(from + i, 1, false))
            return false;
        if ((to[i] = from[i]) == '\0')
            return true;
    }
    to[room - 1] = '\0';
    return true;
}

/* ---- Containers and groups ---- */

static int tell_iommu(struct vfio_iommu_type1_info *info)
{
    if (info->argsz < TELLS_SIZES)
        return answer(EINVAL);
    info->flags = VFIO_IOMMU_INFO_PGSIZES;
    info->iova_pgsizes = (uint64_t)sysconf(_SC_PAGESIZE);
    return 0;
}

static bool is_type1(uintptr_t number)
{
    return number == VFIO_TYPE1_IOMMU || number == VFIO_TYPE1v2_IOMMU;
}

static int call_container(struct vfio_container *c, unsigned long request, void *argument)
{
    const uintptr_t number = (uintptr_t)argument;
    switch (request) {
    case VFIO_GET_API_VERSION:
        return VFIO_API_VERSION;
    case VFIO_CHECK_EXTENSION:
        return is_type1(number) || number == VFIO_UNMAP_ALL;
    case VFIO_SET_IOMMU:
        return is_type1(number) ? vfio_set_iommu(c) : answer(EINVAL);
    case VFIO_IOMMU_GET_INFO:
        return tell_iommu(argument);
    case VFIO_IOMMU_MAP_DMA:
        return vfio_map(c, argument);
    case VFIO_IOMMU_UNMAP_DMA:
        return vfio_unmap(c, argument);
    default:
        return answer(ENOTTY);
    }
}

static int tell_group(const struct vfio_function *f, struct vfio_group_status *status)
{
    if (status->argsz < sizeof *status)
        return answer(EINVAL);
    status->flags = VFIO_GROUP_FLAGS_VIABLE;
    if (vfio_has_container(f))
        status->flags |= VFIO_GROUP_FLAGS_CONTAINER_SET;
    return 0;
}

static int set_container(struct vfio_function *f, const int *fd)
{
    struct vfio_held other;
    if (!vfio_hold(*fd, &other))
        return answer(EINVAL);
    const int result = other.container ? vfio_attach(other.container, f) : answer(EINVAL);
    const int error = errno;
    vfio_release(&other);
    errno = error;
    return result;
}

static int get_device(struct vfio_function *f, const char *address)
{
    char own[13], wanted[14];
    dpk_pci_address(f->pci, own);
    if (!vfio_copy_text(wanted, sizeof wanted, address))
        return answer(EFAULT);
    if (!vfio_has_iommu(f))
        return answer(EINVAL);
    return strcmp(own, wanted) == 0 ? vfio_open_device(f) : answer(ENODEV);
}

static int call_group(struct vfio_function *f, unsigned long request, void *argument)
{
    switch (request) {
    case VFIO_GROUP_GET_STATUS:
        return tell_group(f, argument);
    case VFIO_GROUP_SET_CONTAINER:
        return set_container(f, argument);
    case VFIO_GROUP_UNSET_CONTAINER:
        return vfio_unset_container(f);
    case VFIO_GROUP_GET_DEVICE_FD:
        return get_device(f, argument);
    default:
        return answer(ENOTTY);
    }
}

/* ---- Devices ---- */

static int tell_device(struct vfio_device_info *info)
{
    if (info->argsz < TELLS_IRQS)
        return answer(EINVAL);
    info->flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
    info->num_regions = VFIO_PCI_NUM_REGIONS;
    info->num_irqs = VFIO_PCI_NUM_IRQS;
    return 0;
}

/* Returns the region of the registers that a driver writes by calls, as an emulated virtio device needs. */
static const struct dpk_pci_region *registers_of(const struct vfio_function *f)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(f->pci);
    const int i = dpk_pci_find_use(c, DPK_PCI_VIRTIO_COMMON);
    return i >= 0 ? &c->regions[i] : NULL;
}

static bool has_registers(const struct vfio_function *f, unsigned bar)
{
    const struct dpk_pci_region *r = registers_of(f);
    return r && r->bar == bar;
}

static int tell_region(struct vfio_function *f, struct vfio_region_info *info)
{
    uint64_t size = 0;
    if (info->argsz < sizeof *info || info->index >= VFIO_PCI_NUM_REGIONS)
        return answer(EINVAL);
    info->cap_offset = 0;
    info->flags = 0;
    if (info->index < DPK_PCI_BARS) {
        dpk_pci_bar(f->pci, info->index, &size);
        info->offset = dpk_pci_bar_offset(f->pci, info->index);
        if (size && !has_registers(f, info->index))
            info->flags = VFIO_REGION_INFO_FLAG_MMAP;
    } else {
        info->offset = DPK_PCI_SPACE_OFFSET;
        size = info->index == VFIO_PCI_CONFIG_REGION_INDEX ? DPK_PCI_SPACE : 0;
    }
    info->size = size;
    if (size)
        info->flags |= VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
    return 0;
}

static int tell_interrupts(struct vfio_function *f, struct vfio_irq_info *info)
{
    if (info->argsz < sizeof *info || info->index >= VFIO_PCI_NUM_IRQS)
        return answer(EINVAL);
    const bool msix = info->index == VFIO_PCI_MSIX_IRQ_INDEX;
    info->count = msix ? dpk_pci_vectors(f->pci) : 0;
    info->flags = msix ? VFIO_IRQ_INFO_EVENTFD : 0;
    return 0;
}

static int set_interrupts(struct vfio_function *f, struct vfio_irq_set *set)
{
    const unsigned vectors = dpk_pci_vectors(f->pci);
    const uint32_t off = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
                   events = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
    if (set->argsz < sizeof *set || set->index != VFIO_PCI_MSIX_IRQ_INDEX || set->start > vectors ||
        set->count > vectors - set->start)
        return answer(EINVAL);
    if (set->flags == off && set->count == 0) {
        vfio_end_interrupts(f);
        return 0;
    }
    if (set->flags != events || set->argsz - sizeof *set < set->count * sizeof(int))
        return answer(EINVAL);
    const int *fds = (const int *)(const void *)set->data;
    if (!dpk_is_mapped(fds, set->count * sizeof *fds, false))
        return answer(EFAULT);
    for (uint32_t i = 0; i < set->count; i++)
        if (fds[i] >= 0 && vfio_has((unsigned)fds[i], (unsigned)fds[i]))
            return answer(EINVAL); /* not an eventfd */
    return vfio_set_interrupts(f, set->start, set->count, fds) ? 0 : -1;
}

static int call_device(struct vfio_function *f, unsigned long request, void *argument)
{
    switch (request) {
    case VFIO_DEVICE_GET_INFO:
        return tell_device(argument);
    case VFIO_DEVICE_GET_REGION_INFO:
        return tell_region(f, argument);
    case VFIO_DEVICE_GET_IRQ_INFO:
        return tell_interrupts(f, argument);
    case VFIO_DEVICE_SET_IRQS:
        return set_interrupts(f, argument);
    case VFIO_DEVICE_RESET:
        dpk_pci_reset(f->pci);
        return 0;
    default:
        return answer(ENOTTY);
    }
}

int vfio_call(const struct vfio_held *of, unsigned long request, void *argument)
{
    if (!is_there(request, argument))
        return answer(EFAULT);
    return of->kind == VFIO_CONTAINER ? call_container(of->container, request, argument)
           : of->kind == VFIO_GROUP   ? call_group(of->function, request, argument)
                                      : call_device(of->function, request, argument);
}

/* Writes configuration space. A driver can change only the command register. */
ssize_t vfio_write_space(struct vfio_function *f, const void *bytes, size_t size, uint64_t offset)
{
    uint8_t command[2];
    if (offset < DPK_PCI_SPACE_OFFSET || size > DPK_PCI_SPACE ||
        offset - DPK_PCI_SPACE_OFFSET > DPK_PCI_SPACE - size)
        return answer(EINVAL);
    if (!dpk_is_mapped(bytes, size, false))
        return answer(EFAULT);
    const uint64_t at = offset - DPK_PCI_SPACE_OFFSET;
    uint8_t *space = dpk_pci_space(f->pci);
    if (at == PCI_COMMAND && size >= sizeof command) {
        memcpy(command, bytes, sizeof command);
        memcpy(space + PCI_COMMAND, command, sizeof command);
    }
    return (ssize_t)size;
}

bool vfio_write_registers(struct vfio_function *f, const void *bytes, size_t size, uint64_t offset,
                          ssize_t *result)
{
    struct dpk_virtio v;
    uint64_t room = 0;
    const struct dpk_pci_region *r = registers_of(f);
    if (!r || !dpk_virtio_find(f->pci, &v))
        return false;
    dpk_pci_bar(f->pci, r->bar, &room);
    const uint64_t start = dpk_pci_bar_offset(f->pci, r->bar);
    if (offset < start || offset - start >= room)
        return false;
    *result = answer(EINVAL);
    if (size > room - (offset - start))
        return true;
    *result = answer(EFAULT);
    if (!dpk_is_mapped(bytes, size, false))
        return true;
    const uint64_t at = offset - start;
    if (at >= r->start && at - r->start < r->size)
        dpk_virtio_write(&v, at - r->start, bytes, size);
    *result = (ssize_t)size;
    return true;
}
