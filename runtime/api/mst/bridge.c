/* The bridge above the function. Tools reset a card by the link that this bridge has to it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/mst/mst.h"

#include <linux/pci_regs.h>

/* The PCI Express root port of QEMU (its docs/specs/pci-ids). It can be hot-plugged, so tools leave
 * the configuration space of the function to the system after a reset. */
#define VENDOR  0x1b36
#define DEVICE  0x000c
#define EXPRESS 0x60
#define CONTROL (EXPRESS + PCI_EXP_LNKCTL)
#define STATUS  (EXPRESS + PCI_EXP_LNKSTA)
#define LINK    (4 | 16 << 4) /* its speed, 16 GT/s, and its width */

static void put_link(uint8_t *space, bool disabled)
{
    mst_put16(space, CONTROL, disabled ? PCI_EXP_LNKCTL_LD : 0);
    mst_put16(space, STATUS, disabled ? 0 : LINK | PCI_EXP_LNKSTA_DLLLA);
}

void mst_bridge_make(unsigned bus, bool disabled, uint8_t space[MST_SPACE_SIZE])
{
    memset(space, 0, MST_SPACE_SIZE);
    mst_put16(space, PCI_VENDOR_ID, VENDOR);
    mst_put16(space, PCI_DEVICE_ID, DEVICE);
    mst_put16(space, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    mst_put16(space, PCI_STATUS, PCI_STATUS_CAP_LIST);
    mst_put16(space, PCI_CLASS_DEVICE, MST_BRIDGE_CLASS >> 8);
    space[PCI_HEADER_TYPE] = PCI_HEADER_TYPE_BRIDGE;
    space[PCI_SECONDARY_BUS] = bus & 0xff;
    space[PCI_SUBORDINATE_BUS] = bus & 0xff;
    space[PCI_CAPABILITY_LIST] = EXPRESS;
    space[EXPRESS] = PCI_CAP_ID_EXP;
    mst_put16(space, EXPRESS + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ROOT_PORT << 4 | PCI_EXP_FLAGS_SLOT);
    mst_put16(space, EXPRESS + PCI_EXP_LNKCAP, LINK);
    mst_put16(space, EXPRESS + PCI_EXP_LNKCAP + 2, PCI_EXP_LNKCAP_DLLLARC >> 16);
    mst_put16(space, EXPRESS + PCI_EXP_SLTCAP, PCI_EXP_SLTCAP_HPC);
    mst_put16(space, EXPRESS + PCI_EXP_SLTCTL, PCI_EXP_SLTCTL_HPIE);
    put_link(space, disabled);
}

static bool is_disabled(int fd)
{
    uint8_t control;
    return pread(fd, &control, 1, CONTROL) == 1 && (control & PCI_EXP_LNKCTL_LD);
}

const uint8_t *mst_bridge_map(const char *config)
{
    const int fd = open(config, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    void *space = fd >= 0 ? mmap(NULL, MST_SPACE_SIZE, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return space == MAP_FAILED ? NULL : space;
}

bool mst_bridge_shows_disabled(const uint8_t *space)
{
    return __atomic_load_n(&space[CONTROL], __ATOMIC_RELAXED) & PCI_EXP_LNKCTL_LD;
}

bool mst_bridge_link_is_disabled(const char *config)
{
    const int fd = open(config, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool disabled = fd >= 0 && is_disabled(fd);
    if (fd >= 0)
        close(fd);
    return disabled;
}

bool mst_bridge_write(const char *config, const uint8_t *bytes, size_t size, uint64_t offset)
{
    uint8_t space[MST_SPACE_SIZE] = {0};
    if (offset > CONTROL || CONTROL - offset >= size)
        return false;
    const bool disable = bytes[CONTROL - offset] & PCI_EXP_LNKCTL_LD;
    const int fd = open(config, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    const bool before = is_disabled(fd);
    put_link(space, disable);
    const size_t length = STATUS + 2 - CONTROL;
    const bool written = pwrite(fd, space + CONTROL, length, CONTROL) == (ssize_t)length;
    close(fd);
    return written && before && !disable;
}
