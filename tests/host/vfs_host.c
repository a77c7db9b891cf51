/* A driver of an emulated virtio-fs device, on the host's side by VFIO: vfs_host ADDRESS WHAT... It resets
 * the device, reads its tag, and then does each WHAT: init, read, indirect, many, flush, loop, lose, flr,
 * reset. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>
#include <linux/virtio_ring.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { SIZE = 16, MEMORY = 0x4000, IOVA = 0x80000, QUEUE = 1 };
enum { DESC = 0, AVAIL = 0x400, USED = 0x800, TABLE = 0xc00, IN = 0x1000, OUT = 0x2000 };

static int container, group, device, event;
static uint8_t *memory, *bells;
static uint32_t bells_step;
static struct window {
    off_t at;
    uint32_t size;
    bool maps;
} windows[6], space;
static struct {
    unsigned bar;
    uint32_t at, size;
} caps[6];
static unsigned offered, answered; /* chains of the queue */

/* ---- VFIO ---- */

static struct window region(unsigned index)
{
    struct vfio_region_info info = {.argsz = sizeof info, .index = index};
    CHECK(ioctl(device, VFIO_DEVICE_GET_REGION_INFO, &info) == 0);
    return (struct window){(off_t)info.offset, (uint32_t)info.size,
                           info.flags & VFIO_REGION_INFO_FLAG_MMAP};
}

static uint32_t in_space(unsigned at, unsigned size)
{
    uint32_t value = 0;
    CHECK(pread(device, &value, size, space.at + at) == (ssize_t)size);
    return value;
}

static void find_capabilities(void)
{
    unsigned at = in_space(PCI_CAPABILITY_LIST, 1), seen = 0;
    CHECK(in_space(PCI_STATUS, 2) & PCI_STATUS_CAP_LIST);
    for (; at; at = in_space(at + PCI_CAP_LIST_NEXT, 1)) {
        CHECK(++seen < 20);
        if (in_space(at, 1) != PCI_CAP_ID_VNDR)
            continue;
        const unsigned type = in_space(at + VIRTIO_PCI_CAP_CFG_TYPE, 1);
        CHECK(type > 0 && type < 6);
        caps[type].bar = in_space(at + VIRTIO_PCI_CAP_BAR, 1);
        caps[type].at = in_space(at + VIRTIO_PCI_CAP_OFFSET, 4);
        caps[type].size = in_space(at + VIRTIO_PCI_CAP_LENGTH, 4);
        if (type == VIRTIO_PCI_CAP_NOTIFY_CFG)
            bells_step = in_space(at + VIRTIO_PCI_NOTIFY_CAP_MULT, 4);
    }
    for (unsigned type = 1; type <= 4; type++)
        CHECK(caps[type].size > 0 && caps[type].bar < 6);
}

static void open_device(const char *address)
{
    char link[256] = "", path[300], *number;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/iommu_group", address);
    CHECK(readlink(path, link, sizeof link - 1) > 0 && (number = strrchr(link, '/')));
    snprintf(path, sizeof path, "/dev/vfio%.200s", number);
    CHECK((container = open("/dev/vfio/vfio", O_RDWR)) >= 0 && (group = open(path, O_RDWR)) >= 0);
    CHECK(ioctl(group, VFIO_GROUP_SET_CONTAINER, &container) == 0);
    CHECK(ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == 0);
    CHECK((device = ioctl(group, VFIO_GROUP_GET_DEVICE_FD, address)) >= 0);
    space = region(VFIO_PCI_CONFIG_REGION_INDEX);
    for (unsigned i = 0; i < 6; i++)
        windows[i] = region(i);
    CHECK(in_space(0, 4) == 0x105a1af4);
    find_capabilities();
    const uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    CHECK(pwrite(device, &command, sizeof command, space.at + PCI_COMMAND) == sizeof command);
}

static void map_all(void)
{
    const struct window w = windows[caps[VIRTIO_PCI_CAP_NOTIFY_CFG].bar];
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && w.maps);
    struct vfio_iommu_type1_dma_map m = {.argsz = sizeof m,
                                         .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
                                         .vaddr = (uintptr_t)memory,
                                         .iova = IOVA,
                                         .size = MEMORY};
    CHECK(ioctl(container, VFIO_IOMMU_MAP_DMA, &m) == 0);
    bells = mmap(NULL, w.size, PROT_READ | PROT_WRITE, MAP_SHARED, device, w.at);
    CHECK(bells != MAP_FAILED);
    struct {
        struct vfio_irq_set head;
        int fds[2];
    } set = {.head = {.argsz = sizeof set,
                      .flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
                      .index = VFIO_PCI_MSIX_IRQ_INDEX,
                      .count = 2}};
    const int fds[2] = {event = eventfd(0, 0), event};
    memcpy(set.head.data, fds, sizeof fds);
    CHECK(ioctl(device, VFIO_DEVICE_SET_IRQS, &set) == 0);
}

/* ---- Registers ---- */

static off_t place(unsigned type, unsigned at)
{
    return windows[caps[type].bar].at + caps[type].at + at;
}

static uint64_t get(unsigned at, unsigned size)
{
    uint64_t value = 0;
    CHECK(pread(device, &value, size, place(VIRTIO_PCI_CAP_COMMON_CFG, at)) == (ssize_t)size);
    return value;
}

static void put(unsigned at, uint64_t value, unsigned size)
{
    CHECK(pwrite(device, &value, size, place(VIRTIO_PCI_CAP_COMMON_CFG, at)) == (ssize_t)size);
}

static void reset(void)
{
    put(VIRTIO_PCI_COMMON_STATUS, 0, 1);
    while (get(VIRTIO_PCI_COMMON_STATUS, 1) != 0)
        sched_yield();
}

/* A feature that the device does not have is not accepted. */
static void negotiate(void)
{
    const uint64_t own = 1ull << VIRTIO_F_VERSION_1 | 1ull << VIRTIO_RING_F_INDIRECT_DESC;
    uint64_t features = 0;
    for (unsigned i = 0; i < 2; i++) {
        put(VIRTIO_PCI_COMMON_DFSELECT, i, 4);
        features |= get(VIRTIO_PCI_COMMON_DF, 4) << 32 * i;
    }
    CHECK(features == own);
    put(VIRTIO_PCI_COMMON_STATUS, 3, 1);
    for (unsigned extra = 1; extra < 2; extra--) {
        for (unsigned i = 0; i < 2; i++) {
            put(VIRTIO_PCI_COMMON_GFSELECT, i, 4);
            put(VIRTIO_PCI_COMMON_GF, (uint32_t)((own | extra) >> 32 * i), 4);
        }
        put(VIRTIO_PCI_COMMON_STATUS, 3 | VIRTIO_CONFIG_S_FEATURES_OK, 1);
        CHECK(get(VIRTIO_PCI_COMMON_STATUS, 1) == (extra ? 3 : 3 | VIRTIO_CONFIG_S_FEATURES_OK));
    }
}

static void set_up(void)
{
    negotiate();
    CHECK(get(VIRTIO_PCI_COMMON_NUMQ, 2) == 3);
    put(VIRTIO_PCI_COMMON_Q_SELECT, 3, 2);
    CHECK(get(VIRTIO_PCI_COMMON_Q_SIZE, 2) == 0);
    put(VIRTIO_PCI_COMMON_Q_SELECT, QUEUE, 2);
    CHECK(get(VIRTIO_PCI_COMMON_Q_SIZE, 2) == SIZE && get(VIRTIO_PCI_COMMON_Q_ENABLE, 2) == 0);
    CHECK(get(VIRTIO_PCI_COMMON_Q_NOFF, 2) == QUEUE);
    put(VIRTIO_PCI_COMMON_Q_DESCLO, IOVA + DESC, 8);
    put(VIRTIO_PCI_COMMON_Q_AVAILLO, IOVA + AVAIL, 4); /* in halves, too */
    put(VIRTIO_PCI_COMMON_Q_AVAILHI, 0, 4);
    put(VIRTIO_PCI_COMMON_Q_USEDLO, IOVA + USED, 8);
    put(VIRTIO_PCI_COMMON_MSIX, 0, 2);
    put(VIRTIO_PCI_COMMON_Q_MSIX, 99, 2); /* no such vector */
    CHECK(get(VIRTIO_PCI_COMMON_Q_MSIX, 2) == VIRTIO_MSI_NO_VECTOR);
    put(VIRTIO_PCI_COMMON_Q_MSIX, 1, 2);
    CHECK(get(VIRTIO_PCI_COMMON_Q_MSIX, 2) == 1);
    put(VIRTIO_PCI_COMMON_Q_ENABLE, 1, 2);
    memset(memory, 0, MEMORY);
    offered = answered = 0;
    put(VIRTIO_PCI_COMMON_STATUS, 3 | VIRTIO_CONFIG_S_FEATURES_OK | VIRTIO_CONFIG_S_DRIVER_OK, 1);
}

static void print_config(void)
{
    char tag[37] = "";
    uint32_t queues = 0;
    CHECK(pread(device, tag, 36, place(VIRTIO_PCI_CAP_DEVICE_CFG, 0)) == 36);
    CHECK(pread(device, &queues, 4, place(VIRTIO_PCI_CAP_DEVICE_CFG, 36)) == 4);
    printf("%s %u\n", tag, queues);
}

/* ---- The queue ---- */

static void describe(unsigned table, unsigned i, uint64_t at, uint32_t size, unsigned flags,
                     unsigned next)
{
    const struct vring_desc d = {
        .addr = at, .len = size, .flags = (uint16_t)flags, .next = (uint16_t)next};
    memcpy(memory + table + i * sizeof d, &d, sizeof d);
}

static uint16_t word(unsigned at)
{
    return __atomic_load_n((uint16_t *)(void *)(memory + at), __ATOMIC_SEQ_CST);
}

static void offer(uint8_t head)
{
    memset(memory + AVAIL + 4 + 2 * (offered % SIZE), 0, 2);
    memory[AVAIL + 4 + 2 * (offered % SIZE)] = head;
    __atomic_store_n((uint16_t *)(void *)(memory + AVAIL + 2), (uint16_t)++offered,
                     __ATOMIC_SEQ_CST);
    *(volatile uint16_t *)(void *)(bells + caps[VIRTIO_PCI_CAP_NOTIFY_CFG].at +
                                   QUEUE * bells_step) = QUEUE;
}

static void await_event(void)
{
    uint64_t count;
    CHECK(read(event, &count, sizeof count) == sizeof count);
}

/* Sends what is at IN, and returns the answer's header and size. */
static struct fuse_out_header call(size_t size, bool indirect, uint32_t *written)
{
    struct fuse_out_header out;
    const unsigned table = indirect ? TABLE : DESC;
    if (indirect)
        describe(DESC, 0, IOVA + TABLE, 3 * 16, VRING_DESC_F_INDIRECT, 0);
    describe(table, 0, IOVA + IN, sizeof(struct fuse_in_header), VRING_DESC_F_NEXT, 1);
    describe(table, 1, IOVA + IN + sizeof(struct fuse_in_header),
             (uint32_t)(size - sizeof(struct fuse_in_header)), VRING_DESC_F_NEXT, 2);
    describe(table, 2, IOVA + OUT, 0x1000, VRING_DESC_F_WRITE, 0);
    offer(0);
    answered++;
    while (word(USED + 2) != (uint16_t)answered)
        await_event();
    memcpy(written, memory + USED + 4 + 8 * ((answered - 1) % SIZE) + 4, 4);
    memcpy(&out, memory + OUT, sizeof out);
    return out;
}

static void init(void)
{
    uint32_t written;
    const struct fuse_in_header head = {
        .len = sizeof head + sizeof(struct fuse_init_in), .opcode = FUSE_INIT, .unique = 5};
    const struct fuse_init_in in = {.major = FUSE_KERNEL_VERSION, .minor = 31};
    struct fuse_init_out answer;
    memcpy(memory + IN, &head, sizeof head);
    memcpy(memory + IN + sizeof head, &in, sizeof in);
    const struct fuse_out_header out = call(sizeof head + sizeof in, false, &written);
    memcpy(&answer, memory + OUT + sizeof out, sizeof answer);
    CHECK(out.unique == 5 && out.error == 0 && written == out.len);
    printf("FUSE %u.%u\n", answer.major, answer.minor);
}

static void read_file(bool indirect)
{
    uint32_t written;
    const struct fuse_read_in in = {.fh = 1, .offset = 0, .size = 3000};
    const struct fuse_in_header head = {
        .len = sizeof head + sizeof in, .opcode = FUSE_READ, .unique = 6};
    memcpy(memory + IN, &head, sizeof head);
    memcpy(memory + IN + sizeof head, &in, sizeof in);
    const struct fuse_out_header out = call(sizeof head + sizeof in, indirect, &written);
    CHECK(out.unique == 6 && out.error == 0 && written == out.len && written > sizeof out);
    fwrite(memory + OUT + sizeof out, 1, written - sizeof out, stdout);
}

/* Sends a request that the DPU keeps. */
static void flush(void)
{
    const struct fuse_in_header head = {.len = sizeof head, .opcode = FUSE_FLUSH, .unique = 7};
    memcpy(memory + IN + 0x800, &head, sizeof head);
    describe(DESC, 8, IOVA + IN + 0x800, sizeof head, 0, 0);
    offer(8);
}

/* Reads eight times at once, and again. */
static void many(void)
{
    enum { EACH = 8, STEP = 0x200, ROUNDS = 50 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < EACH; i++) {
            const struct fuse_read_in in = {.offset = i, .size = 8};
            const struct fuse_in_header head = {
                .len = sizeof head + sizeof in, .opcode = FUSE_READ, .unique = round * EACH + i};
            memcpy(memory + IN + i * STEP, &head, sizeof head);
            memcpy(memory + IN + i * STEP + sizeof head, &in, sizeof in);
            describe(DESC, 2 * i, IOVA + IN + i * STEP, sizeof head + sizeof in, VRING_DESC_F_NEXT,
                     2 * i + 1);
            describe(DESC, 2 * i + 1, IOVA + OUT + i * STEP, STEP, VRING_DESC_F_WRITE, 0);
            offer((uint8_t)(2 * i));
        }
        answered += EACH;
        while (word(USED + 2) != (uint16_t)answered)
            await_event();
        for (unsigned i = 0; i < EACH; i++) {
            struct fuse_out_header out;
            memcpy(&out, memory + OUT + i * STEP, sizeof out);
            CHECK(out.unique == round * EACH + i && out.error == 0 && out.len == sizeof out + 8);
        }
    }
    printf("%u answers\n", EACH * ROUNDS);
}

static void loop(void)
{
    describe(DESC, 0, IOVA + IN, 8, VRING_DESC_F_NEXT, 1);
    describe(DESC, 1, IOVA + IN, 8, VRING_DESC_F_NEXT, 0);
    offer(0);
    while (!(get(VIRTIO_PCI_COMMON_STATUS, 1) & VIRTIO_CONFIG_S_NEEDS_RESET))
        await_event(); /* of the vector of the configuration */
    CHECK(word(USED + 2) == (uint16_t)answered);
    printf("needs a reset\n");
}

/* Unmaps the memory of the rings. */
static void lose_memory(void)
{
    struct vfio_iommu_type1_dma_unmap u = {.argsz = sizeof u, .iova = IOVA, .size = MEMORY};
    CHECK(ioctl(container, VFIO_IOMMU_UNMAP_DMA, &u) == 0);
    offer(0);
    while (!(get(VIRTIO_PCI_COMMON_STATUS, 1) & VIRTIO_CONFIG_S_NEEDS_RESET))
        await_event();
    printf("needs a reset\n");
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    open_device(argv[1]);
    map_all();
    CHECK(!windows[caps[VIRTIO_PCI_CAP_COMMON_CFG].bar].maps);
    reset();
    print_config();
    set_up();
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "init") == 0)
            init();
        else if (strcmp(argv[i], "read") == 0 || strcmp(argv[i], "indirect") == 0)
            read_file(argv[i][0] == 'i');
        else if (strcmp(argv[i], "many") == 0)
            many();
        else if (strcmp(argv[i], "flush") == 0)
            flush();
        else if (strcmp(argv[i], "loop") == 0)
            loop();
        else if (strcmp(argv[i], "lose") == 0)
            lose_memory();
        else if (strcmp(argv[i], "flr") == 0)
            CHECK(ioctl(device, VFIO_DEVICE_RESET) == 0);
        else if (strcmp(argv[i], "reset") == 0) {
            reset();
            set_up();
        } else
            CHECK(!"a known word");
    }
    return 0;
}
