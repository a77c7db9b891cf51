/* The file of an emulated PCI function, written by a hostile peer: a valid file with some changed
 * bytes. If the file opens, it is used as host and device use it. */
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus/pci/file.h"

/* An input is a list of changes: an offset of 16 bits in the header and the mappings, and a
 * byte. */
struct change {
    uint8_t low, high, byte;
};

enum { HEAD = sizeof(struct pci_file), MAPPINGS = 3 * sizeof(struct pci_mapping) };

static char folder[] = "/tmp/fuzz-pci-XXXXXX";
static uint8_t good[HEAD + MAPPINGS];
static uint8_t memory[3 * 4096]; /* memory of the host */
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

static void map_memory(void)
{
    struct dpk_pci *f;
    struct dpk_error err = {0};
    struct dpk_pci_mapping m = {.what = {.rights = DPK_PCI_DMA_READ | DPK_PCI_DMA_WRITE}};
    const struct dpk_uuid identity = {{1, 2, 3}};
    if (dpk_pci_open(folder, 1, &f, &err) != DPK_OK)
        abort();
    for (unsigned i = 0; i < 3; i++) {
        m.what.key = i + 1;
        m.what.address = (uintptr_t)memory + i * 4096u;
        m.what.size = 4096;
        m.iova = 0x10000 + i * 4096u;
        if (dpk_export_add(&identity, &m.what, &m.who, &err) != DPK_OK || !dpk_pci_map(f, &m))
            abort();
    }
    dpk_pci_close(f);
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
    map_memory();
    if (file < 0 || pread(file, good, HEAD, 0) != HEAD ||
        pread(file, good + HEAD, MAPPINGS, MAPPINGS_OFFSET) != MAPPINGS)
        abort();
}

/* Accesses the memory that the host's driver would have mapped, at the addresses in the file. */
static void copy_memory(struct dpk_pci *f, const uint8_t *now)
{
    static uint8_t bytes[sizeof memory];
    dpk_pci_space(f)[PCI_COMMAND] = PCI_COMMAND_MASTER;
    dpk_pci_set_state(f, dpk_pci_state_of(f), DPK_PCI_ON);
    if (dpk_pci_vectors(f) > dpk_pci_config_of(f)->vectors)
        abort();
    for (unsigned i = 0; i < 3; i++) {
        struct pci_mapping m;
        memcpy(&m, now + HEAD + i * sizeof m, sizeof m);
        (void)dpk_pci_dma_read(f, m.iova, bytes, i * 3000 + 8);
        (void)dpk_pci_dma_write(f, m.iova + 4090, bytes, i * 3000 + 8);
    }
}

/* Reads everything that the function claims to have, within its bounds. */
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
    if (pwrite(file, now, HEAD, 0) != HEAD ||
        pwrite(file, now + HEAD, MAPPINGS, MAPPINGS_OFFSET) != MAPPINGS)
        abort();
    if (dpk_pci_open(folder, 1, &f, &err) == DPK_OK) {
        use(f);
        copy_memory(f, now);
        dpk_pci_close(f);
    }
    return 0;
}
