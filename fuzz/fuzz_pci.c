/* The file of an emulated PCI function, as a hostile peer would write it: a good one, some of whose bytes
 * are others. What opens is used as both sides use it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pci/file.h"

/* An input: places of the header, 16 bits each, with a byte for each; an odd last byte is the side. */
struct change {
    uint8_t low, high, byte;
};

static char folder[] = "/tmp/fuzz-pci-XXXXXX";
static uint8_t good[sizeof(struct pci_file)];
static int file;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void clean(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/pci/1", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/pci", folder);
    rmdir(path);
    rmdir(folder);
}

static void make(void)
{
    const struct dpk_pci_config config = {
        .name = "fuzz",
        .vectors = 70,
        .bars = {{.log_size = 14, .type = 2}, {0}, {.log_size = 12}},
        .region_count = 4,
        .regions = {{.use = DPK_PCI_RINGS, .size = 0x1000, .log_stride = 2},
                    {.use = DPK_PCI_TABLE, .start = 0x1000, .size = 0x1000},
                    {.use = DPK_PCI_PENDING, .start = 0x2000, .size = 0x1000},
                    {.use = DPK_PCI_STATEFUL, .bar = 2, .start = 8, .size = 64}}};
    unsigned number;
    char path[64];
    struct dpk_error err = {0};
    if (!mkdtemp(folder) ||
        dpk_pci_make(&(struct dpk_pci_place){folder, 3}, &config, &number, &err) != DPK_OK)
        abort();
    atexit(clean);
    snprintf(path, sizeof path, "%s/pci/%u", folder, number);
    file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || pread(file, good, sizeof good, 0) != sizeof good)
        abort();
}

/* Looks at all that it may have, within its bounds. */
static void use(struct dpk_pci *f)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(f);
    char address[13];
    uint64_t bytes;
    uint32_t value, sum = 0;
    dpk_pci_address(f, address);
    for (unsigned i = 0; i < DPK_PCI_BARS; i++) {
        const uint8_t *bar = dpk_pci_bar(f, i, &bytes);
        if (bar)
            sum += bar[0] + bar[bytes - 1];
    }
    for (unsigned i = 0; i < c->region_count; i++) {
        const struct dpk_pci_region *r = &c->regions[i];
        if (r->use == DPK_PCI_RINGS)
            dpk_pci_take_ring(f, i, (unsigned)((r->size >> r->log_stride) - 1), &value);
    }
    for (unsigned i = 0; i < c->vectors + 3u; i++) {
        dpk_pci_raise(f, i);
        if (dpk_pci_take_interrupt(f, i) != (i < c->vectors))
            abort();
    }
    dpk_pci_set_state(f, dpk_pci_state_of(f), DPK_PCI_ON);
    if (dpk_pci_claim(f, DPK_PCI_DPU) && sum == UINT32_MAX)
        return;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_pci *f;
    struct dpk_error err = {0};
    uint8_t now[sizeof good];
    if (file == 0)
        make();
    memcpy(now, good, sizeof now);
    for (; size >= sizeof(struct change); size -= 3, data += 3)
        now[(data[0] | data[1] << 8) % sizeof now] = data[2];
    if (pwrite(file, now, sizeof now, 0) != sizeof now)
        abort();
    if (dpk_pci_open(folder, 1, &f, &err) == DPK_OK) {
        use(f);
        dpk_pci_close(f);
    }
    return 0;
}
