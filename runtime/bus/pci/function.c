/* An open function: its sides, state, doorbells and interrupts. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bus/pci/file.h"

const struct dpk_pci_config *dpk_pci_config_of(const struct dpk_pci *f)
{
    return &f->config;
}

unsigned dpk_pci_number(const struct dpk_pci *f)
{
    return f->number;
}

unsigned dpk_pci_bus(const struct dpk_pci *f)
{
    return f->bus;
}

unsigned dpk_pci_group(const struct dpk_pci *f)
{
    return f->bus * 64 + f->number;
}

void dpk_pci_address(const struct dpk_pci *f, char out[13])
{
    snprintf(out, 13, "%04x:%02x:00.0", DPK_PCI_ADDRESS_DOMAIN(f->bus), f->number & 0xff);
}

int dpk_pci_file(const struct dpk_pci *f)
{
    return f->fd;
}

/* ---- Sides: locks of the open file, which end with its process ---- */

static struct flock lock_of(enum dpk_pci_side side, short how)
{
    return (struct flock){.l_type = how, .l_whence = SEEK_SET, .l_start = side, .l_len = 1};
}

bool dpk_pci_claim(struct dpk_pci *f, enum dpk_pci_side side)
{
    struct flock lock = lock_of(side, F_WRLCK);
    return fcntl(f->fd, F_OFD_SETLK, &lock) == 0;
}

void dpk_pci_unclaim(struct dpk_pci *f, enum dpk_pci_side side)
{
    struct flock lock = lock_of(side, F_UNLCK);
    fcntl(f->fd, F_OFD_SETLK, &lock);
}

/* Asks through another open file, because a lock does not conflict with itself. */
bool dpk_pci_is_claimed(const struct dpk_pci *f, enum dpk_pci_side side)
{
    char path[32];
    struct flock lock = lock_of(side, F_WRLCK);
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const bool claimed = fd < 0 || fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    return claimed;
}

bool dpk_pci_is_removed(const struct dpk_pci *f)
{
    struct stat st;
    return fstat(f->fd, &st) != 0 || st.st_nlink == 0 || dpk_pci_is_damaged(f);
}

/* ---- State ---- */

enum dpk_pci_state dpk_pci_state_of(const struct dpk_pci *f)
{
    const unsigned state = atomic_load(&f->file->state);
    return state <= DPK_PCI_ON ? (enum dpk_pci_state)state : DPK_PCI_OFF;
}

bool dpk_pci_set_state(struct dpk_pci *f, enum dpk_pci_state from, enum dpk_pci_state to)
{
    unsigned before = from;
    return !dpk_pci_is_damaged(f) && atomic_compare_exchange_strong(&f->file->state, &before, to);
}

uint32_t dpk_pci_resets(const struct dpk_pci *f)
{
    return atomic_load(&f->file->resets);
}

void dpk_pci_reset(struct dpk_pci *f)
{
    for (unsigned i = 0; i < DPK_PCI_VECTORS / 32; i++)
        atomic_store(&f->file->pending[i], 0);
    atomic_fetch_add(&f->file->resets, 1);
}

/* ---- Memory ---- */

uint64_t dpk_pci_bar_offset(const struct dpk_pci *f, unsigned bar)
{
    return bar < DPK_PCI_BARS ? f->offsets[bar] : 0;
}

uint8_t *dpk_pci_space(struct dpk_pci *f)
{
    return (uint8_t *)f->file + DPK_PCI_SPACE_OFFSET;
}

uint8_t *dpk_pci_bar(struct dpk_pci *f, unsigned bar, uint64_t *size)
{
    const uint64_t at = dpk_pci_bar_offset(f, bar);
    *size = at ? UINT64_C(1) << f->config.bars[bar].log_size : 0;
    return at ? (uint8_t *)f->file + at : NULL;
}

bool dpk_pci_take_ring(struct dpk_pci *f, unsigned region, unsigned place, uint32_t *value)
{
    const struct dpk_pci_region *r = &f->config.regions[region];
    uint8_t *at =
        (uint8_t *)f->file + f->offsets[r->bar] + r->start + ((uint64_t)place << r->log_stride);
    _Atomic uint32_t *word = (_Atomic uint32_t *)(void *)at;
    if (atomic_load_explicit(word, memory_order_relaxed) == DPK_PCI_SILENT)
        return false;
    *value = atomic_exchange(word, DPK_PCI_SILENT);
    return *value != DPK_PCI_SILENT;
}

/* Bytes are numbered as they lie in memory. */
uint32_t dpk_pci_id(const struct dpk_pci_region *region, uint32_t value)
{
    const int step = region->id_least <= region->id_most ? 1 : -1;
    uint8_t bytes[sizeof value];
    uint32_t id = 0;
    memcpy(bytes, &value, sizeof value);
    for (int i = region->id_most; i != region->id_least - step; i -= step)
        id = id << 8 | bytes[i];
    return id;
}

uint64_t dpk_pci_ids(const struct dpk_pci_region *region)
{
    const int apart = region->id_most - region->id_least;
    return UINT64_C(1) << 8 * ((apart < 0 ? -apart : apart) + 1);
}

/* ---- Interrupts ---- */

void dpk_pci_wake(struct dpk_pci *f)
{
    atomic_fetch_add(&f->file->raised, 1);
    syscall(SYS_futex, &f->file->raised, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void dpk_pci_raise(struct dpk_pci *f, unsigned vector)
{
    if (vector >= f->config.vectors)
        return;
    atomic_fetch_or(&f->file->pending[vector / 32], 1u << vector % 32);
    dpk_pci_wake(f);
}

bool dpk_pci_take_interrupt(struct dpk_pci *f, unsigned vector)
{
    const unsigned bit = 1u << vector % 32;
    return vector < f->config.vectors &&
           (atomic_fetch_and(&f->file->pending[vector / 32], ~bit) & bit);
}

void dpk_pci_wait(struct dpk_pci *f, uint32_t *seen)
{
    const struct timespec while_damaged = {.tv_nsec = 200000000}; /* a damaged file wakes nobody */
    if (atomic_load(&f->file->raised) == *seen)
        syscall(SYS_futex, &f->file->raised, FUTEX_WAIT, *seen, &while_damaged, NULL, 0);
    *seen = atomic_load(&f->file->raised);
}
