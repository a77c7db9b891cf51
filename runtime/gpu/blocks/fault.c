/* Faults of device code: the signal handler leaves the fiber, and its worker reports the fault. */
#include "private.h"

#include "gpu/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { CAUGHT = sizeof caught / sizeof *caught, SIGNAL_STACK = 64 << 10 };
static struct sigaction before[CAUGHT];

/* Runs on the worker's stack instead of the faulting code. */
static void leave_fiber(struct worker *w)
{
    void *nowhere;
    block_back_to_worker(w);
    dpk_fiber_switch(&nowhere, w->sp);
    abort();
}

#if defined __x86_64__
static void redirect(struct worker *w, ucontext_t *u)
{
    greg_t *r = u->uc_mcontext.gregs;
    w->fault.pc = (void *)r[REG_RIP];
    w->fault.written = (r[REG_ERR] & 2) != 0;
    r[REG_RIP] = (greg_t)(uintptr_t)leave_fiber;
    r[REG_RDI] = (greg_t)(uintptr_t)w;
    r[REG_RSP] = (greg_t)((((uintptr_t)w->sp - 1024) & ~(uintptr_t)15) - 8);
}
#else
static void redirect(struct worker *w, ucontext_t *u)
{
    w->fault.pc = (void *)u->uc_mcontext.pc;
    w->fault.written = false;
    u->uc_mcontext.pc = (uintptr_t)leave_fiber;
    u->uc_mcontext.regs[0] = (uintptr_t)w;
    u->uc_mcontext.sp = ((uintptr_t)w->sp - 1024) & ~(uintptr_t)15;
}
#endif

static void pass_on(int number, siginfo_t *info, void *context)
{
    for (unsigned i = 0; i < CAUGHT; i++) {
        if (caught[i] != number)
            continue;
        if (before[i].sa_flags & SA_SIGINFO) {
            before[i].sa_sigaction(number, info, context);
        } else if (before[i].sa_handler == SIG_DFL || before[i].sa_handler == SIG_IGN) {
            signal(number, SIG_DFL); /* the instruction faults again, and ends the process */
            if (info->si_code <= 0)
                raise(number);
        } else {
            before[i].sa_handler(number);
        }
    }
}

/* Reports that code of the CPU touches memory of the GPU. The address faults again after this. */
static void tell_hidden(const void *address)
{
    char text[160];
    const int size =
        snprintf(text, sizeof text,
                 "dpakit: GPU: the CPU reads or writes address %p: this is GPU memory, "
                 "which only kernels and copies reach\n",
                 address);
    if (size > 0 && write(STDERR_FILENO, text, (size_t)size) < 0)
        return;
}

/* A page of hidden memory gets its access when a kernel first touches it. */
static bool resolve_hidden(const struct fiber *f, int number, const siginfo_t *info)
{
    struct dpk_gpu_memory m;
    if (number != SIGSEGV || info->si_code != SEGV_ACCERR)
        return false;
    if (f)
        return dpk_gpu_memory_admit(info->si_addr);
    if (dpk_gpu_memory_find(info->si_addr, &m) && m.kind == DPK_GPU_MEMORY_HIDDEN)
        tell_hidden(info->si_addr);
    return false;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    struct fiber *f = block_here();
    if (resolve_hidden(f, number, info))
        return;
    if (!f || info->si_code <= 0 || f->block->worker->fault.signal) {
        pass_on(number, info, context);
        return;
    }
    struct worker *w = f->block->worker;
    w->fault.signal = number;
    w->fault.address = info->si_addr;
    redirect(w, context);
}

static void catch_faults(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < CAUGHT; i++)
        sigaction(caught[i], &action, &before[i]);
}

void dpk_blocks_catch_faults(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, catch_faults);
}

void block_fault_stack(void)
{
    const size_t size = SIGNAL_STACK;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t stack = {.ss_sp = at, .ss_size = size};
    if (at != MAP_FAILED)
        sigaltstack(&stack, NULL);
}
