/* Interrupts: a thread waits for vectors that the DPU raises, and writes to the program's
 * eventfds. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/vfio/vfio.h"

/* Guards the interrupts of all functions while they are set or ended. */
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

struct vfio_interrupts {
    pthread_mutex_t lock;
    pthread_t thread;
    pid_t process; /* the process that has the thread */
    atomic_bool stop;
    struct dpk_pci *pci;
    unsigned count;
    int fds[]; /* copies of the program's; -1: not set; with the lock */
};

/* Signals raised vectors. A vector without an eventfd stays pending. */
static void deliver(struct vfio_interrupts *t)
{
    const uint64_t one = 1;
    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < t->count; i++)
        if (t->fds[i] >= 0 && dpk_pci_take_interrupt(t->pci, i))
            while (write(t->fds[i], &one, sizeof one) < 0 && errno == EINTR)
                ;
    pthread_mutex_unlock(&t->lock);
}

static void *run(void *arg)
{
    struct vfio_interrupts *t = arg;
    uint32_t seen = 0;
    while (!atomic_load(&t->stop)) {
        dpk_pci_wait(t->pci, &seen);
        deliver(t);
    }
    return NULL;
}

static struct vfio_interrupts *begin(struct dpk_pci *pci)
{
    const unsigned count = dpk_pci_config_of(pci)->vectors;
    struct vfio_interrupts *t = calloc(1, sizeof *t + count * sizeof t->fds[0]);
    if (!t)
        return NULL;
    t->pci = pci;
    t->process = getpid();
    t->count = count;
    pthread_mutex_init(&t->lock, NULL);
    for (unsigned i = 0; i < count; i++)
        t->fds[i] = -1;
    if (dpk_pthread_start(&t->thread, run, t) == 0)
        return t;
    pthread_mutex_destroy(&t->lock);
    free(t);
    return NULL;
}

static void set(struct vfio_interrupts *t, unsigned vector, int fd)
{
    if (t->fds[vector] >= 0)
        close(t->fds[vector]);
    t->fds[vector] = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static bool set_all(struct vfio_interrupts *t, unsigned start, unsigned count, const int *fds)
{
    bool good = true;
    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < count; i++) {
        set(t, start + i, fds[i]);
        good = good && (fds[i] < 0 || t->fds[start + i] >= 0);
    }
    pthread_mutex_unlock(&t->lock);
    deliver(t); /* vectors that were pending */
    return good;
}

bool vfio_set_interrupts(struct vfio_function *f, unsigned start, unsigned count, const int *fds)
{
    int error = 0;
    pthread_mutex_lock(&changing);
    if (!f->interrupts)
        f->interrupts = begin(f->pci);
    if (!f->interrupts)
        error = ENOMEM;
    else if (f->interrupts->process != getpid())
        error = EBUSY;
    else if (!set_all(f->interrupts, start, count, fds))
        error = EBADF;
    pthread_mutex_unlock(&changing);
    if (error)
        errno = error;
    return error == 0;
}

static void end(struct vfio_interrupts *t)
{
    if (t->process == getpid()) {
        atomic_store(&t->stop, true);
        dpk_pci_wake(t->pci);
        pthread_join(t->thread, NULL);
    }
    for (unsigned i = 0; i < t->count; i++)
        set(t, i, -1);
    free(t);
}

void vfio_end_interrupts(struct vfio_function *f)
{
    pthread_mutex_lock(&changing);
    if (f->interrupts)
        end(f->interrupts);
    f->interrupts = NULL;
    pthread_mutex_unlock(&changing);
}

void vfio_interrupts_lock(void)
{
    pthread_mutex_lock(&changing);
}

void vfio_interrupts_unlock(void)
{
    pthread_mutex_unlock(&changing);
}
