/* Handles mapped files that become shorter. Accesses beyond the new end raise SIGBUS. The handler
 * replaces the whole mapping with zeros, so the function is off, and is reported as damaged. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bus/pci/file.h"

#define GUARDS_MAX 256u

/* Ranges, which the signal handler reads. */
static struct {
    _Atomic uintptr_t start, end; /* start 0 if unused */
    atomic_bool damaged;
} guards[GUARDS_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool replace(uintptr_t at)
{
    for (unsigned i = 0; i < GUARDS_MAX; i++) {
        const uintptr_t start = atomic_load(&guards[i].start), end = atomic_load(&guards[i].end);
        if (start == 0 || at < start || at >= end)
            continue;
        atomic_store(&guards[i].damaged, true);
        /* Calls mmap by number: the sanitizer's mmap takes locks, and counts as a write to the
         * whole range. */
        return syscall(SYS_mmap, start, end - start, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L) != -1;
    }
    return false;
}

void pci_guard(struct dpk_pci *f)
{
    unsigned i = 0;
    dpk_take_bus_errors(replace);
    pthread_mutex_lock(&lock);
    while (i < GUARDS_MAX && atomic_load(&guards[i].start) != 0)
        i++;
    if (i < GUARDS_MAX) {
        atomic_store(&guards[i].damaged, false);
        atomic_store(&guards[i].end, (uintptr_t)f->file + f->size);
        atomic_store(&guards[i].start, (uintptr_t)f->file);
    }
    f->guard = i;
    pthread_mutex_unlock(&lock);
}

void pci_unguard(struct dpk_pci *f)
{
    pthread_mutex_lock(&lock);
    if (f->guard < GUARDS_MAX)
        atomic_store(&guards[f->guard].start, 0);
    pthread_mutex_unlock(&lock);
}

bool dpk_pci_is_damaged(const struct dpk_pci *f)
{
    struct stat st;
    return (f->guard < GUARDS_MAX && atomic_load(&guards[f->guard].damaged)) ||
           fstat(f->fd, &st) != 0 || (uint64_t)st.st_size != f->size;
}
