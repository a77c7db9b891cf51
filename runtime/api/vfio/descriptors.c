/* The process's descriptors of containers, groups and devices. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "api/vfio/vfio.h"
#include "device/state/state.h"

#define DESCRIPTORS_MAX 1024

/* `entered` can be read without the lock. Most descriptors are not entered, and close() is also
 * called in signal handlers and in children of vfork(). */
static struct {
    pthread_mutex_t lock;
    _Atomic pid_t process; /* the process that has these descriptors */
    struct {
        atomic_bool entered;
        struct vfio_held is;
    } of[DESCRIPTORS_MAX];
} descriptors = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Finding functions ---- */

/* The function of a bus and a number, in whichever card has it. */
static struct dpk_pci *find_function(unsigned bus, unsigned number)
{
    char folder[PATH_MAX];
    struct dpk_error err = {0};
    struct dpk_names names = {0};
    struct dpk_pci *f = NULL;
    if (dpk_device_list(&names, &err) != DPK_OK)
        return NULL;
    for (size_t i = 0; !f && i < names.count; i++) {
        if (dpk_device_card_directory_by_name(names.names[i], folder, &err) != DPK_OK ||
            dpk_pci_open(folder, number, &f, &err) != DPK_OK)
            continue;
        if (dpk_pci_bus(f) != bus) {
            dpk_pci_close(f);
            f = NULL;
        }
    }
    dpk_names_free(&names);
    return f;
}

int vfio_find_group(const char *address)
{
    unsigned domain, number;
    char own[13], end;
    if (strlen(address) != 12 || sscanf(address, "%4x:%2x:00.%c", &domain, &number, &end) != 3 ||
        domain < DPK_PCI_ADDRESS_DOMAIN(0) || domain > DPK_PCI_ADDRESS_DOMAIN(0xff))
        return -1;
    struct dpk_pci *f = find_function(domain & 0xff, number);
    int group = -1;
    if (f) {
        dpk_pci_address(f, own);
        if (strcmp(own, address) == 0 && dpk_pci_state_of(f) == DPK_PCI_ON)
            group = (int)dpk_pci_group(f);
    }
    dpk_pci_close(f);
    return group;
}

/* ---- The table ---- */

static bool is_entered(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS_MAX && atomic_load(&descriptors.of[fd].entered) &&
           atomic_load(&descriptors.process) == getpid();
}

static void function_free(struct vfio_function *f)
{
    vfio_detach(f);
    vfio_end_interrupts(f);
    dpk_pci_close(f->pci);
    free(f);
}

/* Call this with the lock. */
static void use(const struct vfio_held *held)
{
    if (held->function)
        held->function->users++;
    vfio_container_use(held->container);
}

void vfio_release(const struct vfio_held *held)
{
    pthread_mutex_lock(&descriptors.lock);
    const bool last = held->function && --held->function->users == 0;
    pthread_mutex_unlock(&descriptors.lock);
    vfio_container_leave(held->container);
    if (last)
        function_free(held->function);
}

bool vfio_hold(int fd, struct vfio_held *out)
{
    *out = (struct vfio_held){0};
    if (!is_entered(fd))
        return false;
    pthread_mutex_lock(&descriptors.lock);
    *out = descriptors.of[fd].is;
    use(out);
    pthread_mutex_unlock(&descriptors.lock);
    return out->kind != VFIO_NONE;
}

/* Enters a descriptor. If it returns false, with errno, the descriptor is closed. Call this with
 * the lock. */
static bool enter(int fd, const struct vfio_held *is)
{
    if (fd >= DESCRIPTORS_MAX) {
        close(fd);
        errno = EMFILE;
        return false;
    }
    if (fd < 0)
        return false;
    descriptors.of[fd].is = *is;
    use(is);
    if (is->kind == VFIO_DEVICE)
        is->function->devices++;
    atomic_store(&descriptors.process, getpid());
    atomic_store(&descriptors.of[fd].entered, true);
    return true;
}

/* Removes a descriptor. Call this with the lock; release the returned value without it. */
static struct vfio_held take_out(int fd)
{
    const struct vfio_held was = descriptors.of[fd].is;
    descriptors.of[fd].is = (struct vfio_held){0};
    atomic_store(&descriptors.of[fd].entered, false);
    if (was.kind == VFIO_DEVICE)
        was.function->devices--;
    return was;
}

void vfio_forget(int fd)
{
    if (!is_entered(fd))
        return;
    pthread_mutex_lock(&descriptors.lock);
    const struct vfio_held was = take_out(fd);
    pthread_mutex_unlock(&descriptors.lock);
    vfio_release(&was);
}

/* ---- Copies and ranges ---- */

bool vfio_has(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < DESCRIPTORS_MAX; fd++)
        if (is_entered((int)fd))
            return true;
    return false;
}

void vfio_change_begin(void)
{
    pthread_mutex_lock(&descriptors.lock);
}

int vfio_change_copied(int from, int made)
{
    struct vfio_held was = {0};
    const int error = errno;
    if (made >= 0 && made != from) {
        if (is_entered(made))
            was = take_out(made);
        if (is_entered(from) && !enter(made, &descriptors.of[from].is))
            made = -1;
    }
    const int now = made < 0 ? errno : error;
    pthread_mutex_unlock(&descriptors.lock);
    vfio_release(&was);
    errno = now;
    return made;
}

void vfio_change_closed(unsigned first, unsigned last, bool done)
{
    struct vfio_held was[DESCRIPTORS_MAX];
    size_t count = 0;
    const int error = errno;
    for (unsigned fd = first; done && fd <= last && fd < DESCRIPTORS_MAX; fd++)
        if (is_entered((int)fd))
            was[count++] = take_out((int)fd);
    pthread_mutex_unlock(&descriptors.lock);
    for (size_t i = 0; i < count; i++)
        vfio_release(&was[i]);
    errno = error;
}

/* ---- fork() ---- */

/* The order of the locks. */
static void before_fork(void)
{
    vfio_interrupts_lock();
    pthread_mutex_lock(&descriptors.lock);
    vfio_containers_lock();
}

static void after_fork(void)
{
    vfio_containers_unlock();
    pthread_mutex_unlock(&descriptors.lock);
    vfio_interrupts_unlock();
}

/* A child has the descriptors, too, and may close them. */
static void in_child(void)
{
    atomic_store(&descriptors.process, getpid());
    after_fork();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- Opening ---- */

static int fail_with(int error)
{
    errno = error;
    return -1;
}

/* Returns a descriptor that can only be used by ioctl: the kernel refuses to read (EINVAL, ESPIPE), to
 * write and to map (ENODEV) an epoll instance, as it refuses groups and containers of VFIO. */
static int new_number(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

/* A group has one program at a time. Pending interrupts and mappings of the previous program are
 * dropped. */
static int open_group(struct dpk_pci *pci)
{
    if (dpk_pci_state_of(pci) != DPK_PCI_ON)
        return fail_with(ENODEV);
    if (!dpk_pci_claim(pci, DPK_PCI_HOST))
        return fail_with(EBUSY);
    if (dpk_pci_state_of(pci) != DPK_PCI_ON) /* unplugged meanwhile */
        return fail_with(ENODEV);
    struct vfio_function *function = calloc(1, sizeof *function);
    if (!function)
        return fail_with(ENOMEM);
    function->pci = pci;
    dpk_pci_unmap(pci, 0);
    for (unsigned i = 0; i < dpk_pci_config_of(pci)->vectors; i++)
        dpk_pci_take_interrupt(pci, i);
    pthread_mutex_lock(&descriptors.lock);
    const int fd = new_number();
    const bool entered = enter(fd, &(struct vfio_held){VFIO_GROUP, function, NULL});
    pthread_mutex_unlock(&descriptors.lock);
    if (entered)
        return fd;
    free(function);
    return -1;
}

static int open_container(void)
{
    struct vfio_container *container = vfio_container_new();
    if (!container)
        return fail_with(ENOMEM);
    pthread_mutex_lock(&descriptors.lock);
    const int fd = new_number();
    const bool entered = enter(fd, &(struct vfio_held){VFIO_CONTAINER, NULL, container});
    pthread_mutex_unlock(&descriptors.lock);
    vfio_container_leave(container); /* only the descriptor uses it */
    return entered ? fd : -1;
}

int vfio_open(const char *path, int flags)
{
    unsigned group;
    int used = 0;
    (void)flags;
    if (strcmp(path, "/dev/vfio/vfio") == 0)
        return open_container();
    if (sscanf(path, "/dev/vfio/%u%n", &group, &used) != 1 || path[used] != '\0')
        return fail_with(ENXIO);
    struct dpk_pci *pci = find_function(group / 64, group % 64);
    if (!pci)
        return fail_with(ENXIO);
    const int fd = open_group(pci);
    if (fd < 0) {
        const int error = errno;
        dpk_pci_close(pci);
        errno = error;
    }
    return fd;
}

int vfio_open_device(struct vfio_function *function)
{
    pthread_mutex_lock(&descriptors.lock);
    const bool may = vfio_has_iommu(function);
    const int fd = may ? fcntl(dpk_pci_file(function->pci), F_DUPFD_CLOEXEC, 0) : fail_with(EINVAL);
    const bool entered = enter(fd, &(struct vfio_held){VFIO_DEVICE, function, NULL});
    pthread_mutex_unlock(&descriptors.lock);
    return entered ? fd : -1;
}

int vfio_unset_container(struct vfio_function *function)
{
    pthread_mutex_lock(&descriptors.lock);
    const int error = function->devices > 0 ? EBUSY : vfio_detach(function) ? 0 : EINVAL;
    pthread_mutex_unlock(&descriptors.lock);
    return error ? fail_with(error) : 0;
}
