/* Which descriptors of the process are whose. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card/card.h"
#include "vfio/vfio.h"

#define DESCRIPTORS_MAX 1024

/* Kinds are atomic so that other descriptors, which are most, need no lock: close() is called in signal
 * handlers and in children of fork(), too. */
static struct {
    pthread_mutex_t lock;
    struct {
        _Atomic enum vfio_kind kind;
        struct vfio_function *function;
        struct vfio_container *container;
    } of[DESCRIPTORS_MAX];
} descriptors = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Finding functions ---- */

/* The function of a bus and a number, in whichever card has it. */
static struct dpk_pci *find(unsigned bus, unsigned number)
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
    struct dpk_pci *f = find(domain & 0xff, number);
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
    return fd >= 0 && fd < DESCRIPTORS_MAX && descriptors.of[fd].kind != VFIO_NONE;
}

/* With the lock. False: errno says why, and the descriptor is closed. */
static bool enter(int fd, enum vfio_kind kind, struct vfio_function *function)
{
    if (fd >= DESCRIPTORS_MAX) {
        close(fd);
        errno = EMFILE;
        return false;
    }
    if (fd < 0)
        return false;
    descriptors.of[fd].kind = kind;
    descriptors.of[fd].function = function;
    descriptors.of[fd].container = NULL;
    if (function)
        function->descriptors++;
    return true;
}

static int fail_with(int error)
{
    errno = error;
    return -1;
}

/* A group is one program's; what was pending for the one before is gone. */
static int open_group(struct dpk_pci *pci)
{
    if (dpk_pci_state_of(pci) != DPK_PCI_ON)
        return fail_with(ENODEV);
    if (!dpk_pci_claim(pci, DPK_PCI_HOST))
        return fail_with(EBUSY);
    if (dpk_pci_state_of(pci) != DPK_PCI_ON) /* it was unplugged meanwhile */
        return fail_with(ENODEV);
    struct vfio_function *function = calloc(1, sizeof *function);
    if (!function)
        return fail_with(ENOMEM);
    function->pci = pci;
    dpk_pci_unmap(pci, 0);
    for (unsigned i = 0; i < dpk_pci_config_of(pci)->vectors; i++)
        dpk_pci_take_interrupt(pci, i);
    pthread_mutex_lock(&descriptors.lock);
    const int fd = fcntl(dpk_pci_file(pci), F_DUPFD_CLOEXEC, 0);
    const bool entered = enter(fd, VFIO_GROUP, function);
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
    const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    const bool entered = enter(fd, VFIO_CONTAINER, NULL);
    if (entered)
        descriptors.of[fd].container = container;
    pthread_mutex_unlock(&descriptors.lock);
    if (entered)
        return fd;
    vfio_container_close(container);
    return -1;
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
    struct dpk_pci *pci = find(group / 64, group % 64);
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
    const int fd = fcntl(dpk_pci_file(function->pci), F_DUPFD_CLOEXEC, 0);
    const bool entered = enter(fd, VFIO_DEVICE, function);
    pthread_mutex_unlock(&descriptors.lock);
    return entered ? fd : -1;
}

enum vfio_kind vfio_kind_of(int fd, struct vfio_function **function)
{
    enum vfio_kind kind = VFIO_NONE;
    *function = NULL;
    if (!is_entered(fd))
        return kind;
    pthread_mutex_lock(&descriptors.lock);
    kind = descriptors.of[fd].kind;
    *function = descriptors.of[fd].function;
    pthread_mutex_unlock(&descriptors.lock);
    return kind;
}

struct vfio_container *vfio_container_of(int fd)
{
    if (!is_entered(fd))
        return NULL;
    pthread_mutex_lock(&descriptors.lock);
    struct vfio_container *container = descriptors.of[fd].container;
    pthread_mutex_unlock(&descriptors.lock);
    return container;
}

void vfio_forget(int fd)
{
    if (!is_entered(fd))
        return;
    pthread_mutex_lock(&descriptors.lock);
    struct vfio_function *function = descriptors.of[fd].function;
    struct vfio_container *container = descriptors.of[fd].container;
    descriptors.of[fd].kind = VFIO_NONE;
    descriptors.of[fd].function = NULL;
    descriptors.of[fd].container = NULL;
    if (function && --function->descriptors > 0)
        function = NULL;
    pthread_mutex_unlock(&descriptors.lock);
    vfio_container_close(container);
    if (!function)
        return;
    vfio_detach(function);
    vfio_end_interrupts(function);
    dpk_pci_close(function->pci);
    free(function);
}
