/* Files that somebody makes shorter while they are mapped. To touch what is no more is SIGBUS; here zeros
 * take the place of the whole mapping, so the function is off, and goes on as damaged. Signals that come
 * from elsewhere go to whoever had them before. */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pci/file.h"

#define GUARDS_MAX 256u

/* Ranges, which the handler reads. */
static struct {
    _Atomic uintptr_t start, end; /* start 0: none */
    atomic_bool damaged;
} guards[GUARDS_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool installed; /* with the lock */
static struct sigaction before;

/* ---- The handler ---- */

static bool replace(uintptr_t at)
{
    for (unsigned i = 0; i < GUARDS_MAX; i++) {
        const uintptr_t start = atomic_load(&guards[i].start), end = atomic_load(&guards[i].end);
        if (start == 0 || at < start || at >= end)
            continue;
        atomic_store(&guards[i].damaged, true);
        /* By number: a sanitizer's mmap takes locks, and is a write to all of it. */
        return syscall(SYS_mmap, start, end - start, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L) != -1;
    }
    return false;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    const bool sent = info->si_code <= 0; /* by a process */
    if (before.sa_handler == SIG_IGN && sent)
        return;
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        signal(number, SIG_DFL); /* the instruction comes again */
        if (sent)
            raise(number);
    } else if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else {
        before.sa_handler(number);
    }
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    if (info->si_code <= 0 || !replace((uintptr_t)info->si_addr))
        pass_on(number, info, context);
    errno = error;
}

/* ---- Files ---- */

void pci_guard(struct dpk_pci *f)
{
    unsigned i = 0;
    pthread_mutex_lock(&lock);
    if (!installed) {
        const struct sigaction action = {.sa_sigaction = on_bus_error,
                                         .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        installed = sigaction(SIGBUS, &action, &before) == 0;
    }
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
