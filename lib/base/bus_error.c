/* Bus errors (SIGBUS): a mapped file became shorter. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "base/base.h"

#define TAKERS_MAX 4u

static dpk_bus_error_taker *_Atomic takers[TAKERS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool installed; /* protected by the lock */
static struct sigaction before;

static void pass_on(int number, siginfo_t *info, void *context)
{
    const bool sent = info->si_code <= 0; /* sent by a process */
    if (before.sa_handler == SIG_IGN && sent)
        return;
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        signal(number, SIG_DFL); /* the repeated instruction then ends the process */
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
    bool taken = false;
    /* A taker may leave by longjmp, and ThreadSanitizer blocks all signals in handlers. */
    pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
    for (unsigned i = 0; i < TAKERS_MAX && info->si_code > 0 && !taken; i++) {
        dpk_bus_error_taker *take = atomic_load(&takers[i]);
        taken = take && take((uintptr_t)info->si_addr);
    }
    if (!taken)
        pass_on(number, info, context);
    errno = error;
}

void dpk_take_bus_errors(dpk_bus_error_taker *take)
{
    unsigned i = 0;
    pthread_mutex_lock(&lock);
    while (i < TAKERS_MAX && atomic_load(&takers[i]) && atomic_load(&takers[i]) != take)
        i++;
    if (i < TAKERS_MAX)
        atomic_store(&takers[i], take);
    if (!installed) {
        const struct sigaction action = {.sa_sigaction = on_bus_error,
                                         .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        installed = sigaction(SIGBUS, &action, &before) == 0;
    }
    pthread_mutex_unlock(&lock);
}

/* Restores the handler when the library is unloaded. */
__attribute__((destructor)) static void end(void)
{
    struct sigaction now;
    if (installed && sigaction(SIGBUS, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
        now.sa_sigaction == on_bus_error)
        sigaction(SIGBUS, &before, NULL);
}
