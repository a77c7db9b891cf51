/* Descriptors of emulated functions as host programs may use them: by several threads, copied, in
 * children of fork(), with bad pointers. One behaviour each; main runs the function that argv[1]
 * names. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "devemu_world.h"

static struct world w;
static struct host h;

static void come(void)
{
    make(&w);
    plug(&w);
    h = open_host(&w);
}

static void go(void)
{
    close_host(&h);
    unplug(&w);
}

static int end_irqs(int device)
{
    struct vfio_irq_set off = {.argsz = sizeof off,
                               .flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
                               .index = VFIO_PCI_MSIX_IRQ_INDEX};
    return ioctl(device, VFIO_DEVICE_SET_IRQS, &off);
}

static bool is_device(int fd)
{
    struct vfio_device_info info = {.argsz = sizeof info};
    return ioctl(fd, VFIO_DEVICE_GET_INFO, &info) == 0 && (info.flags & VFIO_DEVICE_FLAGS_PCI);
}

/* ---- Threads ---- */

static void *set_and_end(void *context)
{
    const int event = eventfd(0, EFD_CLOEXEC), fds[4] = {event, event, event, event};
    (void)context;
    for (unsigned i = 0; i < 300; i++) {
        CHECK(set_irqs(h.device, fds, 4) == 0);
        CHECK(end_irqs(h.device) == 0);
    }
    close(event);
    return NULL;
}

static void threads_set_and_end_interrupts(void)
{
    pthread_t threads[3];
    come();
    for (unsigned i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, set_and_end, NULL) == 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    go();
}

static _Atomic bool closed;

/* Whatever it meets, it is an answer. */
static void *use(void *context)
{
    const int event = eventfd(0, EFD_CLOEXEC), fds[4] = {event, event, event, event};
    struct vfio_region_info bar = {.argsz = sizeof bar};
    (void)context;
    while (!closed) {
        (void)set_irqs(h.device, fds, 4);
        (void)ioctl(h.device, VFIO_DEVICE_GET_REGION_INFO, &bar);
        (void)end_irqs(h.device);
    }
    close(event);
    return NULL;
}

static void descriptors_are_closed_while_others_use_them(void)
{
    pthread_t threads[2];
    make(&w);
    plug(&w);
    for (unsigned i = 0; i < 20; i++) {
        h = open_host(&w);
        closed = false;
        for (unsigned t = 0; t < 2; t++)
            CHECK(pthread_create(&threads[t], NULL, use, NULL) == 0);
        usleep(i * 100);
        close_host(&h);
        closed = true;
        for (unsigned t = 0; t < 2; t++)
            CHECK(pthread_join(threads[t], NULL) == 0);
    }
    unplug(&w);
}

/* ---- Copies ---- */

static void copies_are_the_same_descriptor(void)
{
    come();
    const int copies[] = {dup(h.device), dup2(h.device, 200), dup3(h.device, 201, O_CLOEXEC),
                          fcntl(h.device, F_DUPFD, 300), fcntl(h.device, F_DUPFD_CLOEXEC, 300)};
    CHECK(copies[1] == 200 && copies[2] == 201 && copies[3] == 300 && copies[4] == 301);
    for (unsigned i = 0; i < 5; i++)
        CHECK(is_device(copies[i]));
    CHECK(ioctl(h.group, VFIO_GROUP_UNSET_CONTAINER) == -1 && errno == EBUSY);
    CHECK(close(h.device) == 0 && close(copies[0]) == 0);
    CHECK(is_device(200));
    /* What lies over one ends it. */
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(dup2(null, 200) == 200 && !is_device(200) && is_device(201));
    CHECK(dup2(201, 200) == 200 && is_device(200));
    CHECK(dup2(201, 201) == 201 && is_device(201));
    CHECK(dup2(-1, 201) == -1 && errno == EBADF && is_device(201));
    CHECK(dup(-1) == -1 && fcntl(201, F_GETFD) == FD_CLOEXEC);
    CHECK(close_range(200, 400, 0) == 0 && close(null) == 0);
    CHECK(ioctl(h.group, VFIO_GROUP_UNSET_CONTAINER) == 0);
    CHECK(ioctl(h.group, VFIO_GROUP_SET_CONTAINER, &h.container) == 0);
    CHECK(ioctl(h.container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == 0);
    CHECK((h.device = ioctl(h.group, VFIO_GROUP_GET_DEVICE_FD, w.address)) >= 0);
    close_host(&h);
    h = open_host(&w); /* nothing of it was left */
    closefrom(h.container < h.group ? h.container : h.group);
    CHECK(open("/dev/null", O_RDWR | O_CLOEXEC) >= 0 && !is_device(h.device));
    _exit(0); /* whatever else was open is closed */
}

/* ---- Children ---- */

static void *open_and_close(void *context)
{
    (void)context;
    while (!closed) {
        const int fd = open("/dev/vfio/vfio", O_RDWR);
        CHECK(fd >= 0 && close(fd) == 0);
    }
    return NULL;
}

static int end_of(pid_t child)
{
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void children_close_what_is_their_parents(void)
{
    const int event = eventfd(0, EFD_CLOEXEC), fds[4] = {event, event, event, event};
    pthread_t thread;
    come();
    CHECK(set_irqs(h.device, fds, 4) == 0);
    CHECK(pthread_create(&thread, NULL, open_and_close, NULL) == 0);
    for (unsigned i = 0; i < 50; i++) {
        const pid_t child = fork();
        if (child == 0) {
            const bool same =
                is_device(h.device) && set_irqs(h.device, fds, 4) == -1 && errno == EBUSY;
            close(h.device);
            close(h.group);
            close(h.container);
            _exit(same && !is_device(h.device) ? 0 : 1);
        }
        CHECK(end_of(child) == 0);
    }
    closed = true;
    CHECK(pthread_join(thread, NULL) == 0);
    const pid_t child = vfork(); /* it has this memory */
    if (child == 0) {
        close(h.device);
        _exit(0);
    }
    CHECK(end_of(child) == 0);
    CHECK(is_device(h.device) && end_irqs(h.device) == 0);
    close(event);
    go();
}

/* ---- Pointers ---- */

static void bad_pointers_are_answered(void)
{
    static const unsigned long of_device[] = {VFIO_DEVICE_GET_INFO, VFIO_DEVICE_GET_REGION_INFO,
                                              VFIO_DEVICE_GET_IRQ_INFO, VFIO_DEVICE_SET_IRQS},
                               of_group[] = {VFIO_GROUP_GET_STATUS, VFIO_GROUP_SET_CONTAINER,
                                             VFIO_GROUP_GET_DEVICE_FD},
                               of_container[] = {VFIO_IOMMU_GET_INFO, VFIO_IOMMU_MAP_DMA,
                                                 VFIO_IOMMU_UNMAP_DMA};
    char *const page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && mprotect(page + 4096, 4096, PROT_NONE) == 0);
    int (*volatile open_any)(const char *, int, ...) = open; /* its declaration takes no NULL */
    void *const bad[] = {NULL, (void *)1, page + 4096, page + 4096 - 3};
    come();
    memset(page, 'x', 4096);
    for (unsigned b = 0; b < 4; b++) {
        for (unsigned i = 0; i < 4; i++)
            CHECK(ioctl(h.device, of_device[i], bad[b]) == -1 && errno == EFAULT);
        for (unsigned i = 0; i < 3; i++)
            CHECK(ioctl(h.group, of_group[i], bad[b]) == -1 && errno == EFAULT);
        for (unsigned i = 0; i < 3; i++)
            CHECK(ioctl(h.container, of_container[i], bad[b]) == -1 && errno == EFAULT);
        CHECK(open_any(bad[b], O_RDWR) == -1 && errno == EFAULT);
    }
    /* The request's head announces descriptors after the end of memory. */
    struct vfio_irq_set *set = (void *)(page + 4096 - sizeof *set);
    *set = (struct vfio_irq_set){.argsz = sizeof *set + 16,
                                 .flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
                                 .index = VFIO_PCI_MSIX_IRQ_INDEX,
                                 .count = 4};
    CHECK(ioctl(h.device, VFIO_DEVICE_SET_IRQS, set) == -1 && errno == EFAULT);
    struct vfio_region_info space = {.argsz = sizeof space, .index = VFIO_PCI_CONFIG_REGION_INDEX};
    CHECK(ioctl(h.device, VFIO_DEVICE_GET_REGION_INFO, &space) == 0);
    CHECK(pwrite(h.device, page + 4096, 2, (off_t)space.offset + 4) == -1 && errno == EFAULT);
    /* Groups and containers have neither contents nor configuration space. */
    const int numbers[] = {h.group, h.container};
    for (unsigned i = 0; i < 2; i++) {
        char bytes[4] = "abc";
        CHECK(read(numbers[i], bytes, sizeof bytes) == -1 && errno == EINVAL);
        CHECK(pread(numbers[i], bytes, sizeof bytes, 0) == -1);
        CHECK(write(numbers[i], bytes, sizeof bytes) == -1 && errno == EINVAL);
        CHECK(pwrite(numbers[i], bytes, sizeof bytes, 0) == -1 && errno == EINVAL);
        CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, numbers[i], 0) == MAP_FAILED);
        CHECK(errno == ENODEV);
    }
    uint16_t before = 0, after = 0;
    CHECK(pread(h.device, &before, 2, (off_t)space.offset + 4) == 2);
    const uint16_t other = before ^ 4;
    CHECK(pwrite(h.group, &other, 2, (off_t)space.offset + 4) == -1 && errno == EINVAL);
    CHECK(pwrite(h.container, &other, 2, 0) == -1 && errno == EINVAL);
    CHECK(pread(h.device, &after, 2, (off_t)space.offset + 4) == 2 && after == before);
    const int none[4] = {h.device, -1, -1, -1};
    CHECK(set_irqs(h.device, none, 4) == -1 && errno == EINVAL); /* no eventfd */
    go();
}

static const struct test_case cases[] = {
    CASE(threads_set_and_end_interrupts), CASE(descriptors_are_closed_while_others_use_them),
    CASE(copies_are_the_same_descriptor), CASE(children_close_what_is_their_parents),
    CASE(bad_pointers_are_answered),
};

int main(int argc, char **argv)
{
    return run_on_card(cases, sizeof cases / sizeof *cases, argc, argv);
}
