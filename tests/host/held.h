/*
 * Memory that blocks each thread that accesses it until the test releases it: an access stays in flight
 * as long as the test needs. Also calls that must wait for the access.
 *
 *     struct held h = held_new(1);                  // a page
 *     ... registers h.at, lets another thread touch it ...
 *     held_hold(&h), ..., held_wait(&h);            // that thread is inside now
 *     call_begin(&c, stop, &map);                  // struct call c
 *     call_waits(&c);                               // it has not returned, and sleeps
 *     held_let_go(&h);
 *     CHECK(call_end(&c) == 0);
 *
 * held_take does all of it.
 */
#ifndef TESTS_HOST_HELD_H
#define TESTS_HOST_HELD_H

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define HELD_PAGE 4096u

struct held {
    char *at;
    size_t size; /* 0: not ours */
    int touched[2], go[2];
};

static char *held_page;
static int held_touched, held_go;

static inline void held_pipes(struct held *h)
{
    CHECK(pipe(h->touched) == 0 && pipe(h->go) == 0);
}

static inline void held_fault(int number, siginfo_t *info, void *context)
{
    char byte = 0;
    (void)context;
    if ((char *)info->si_addr < held_page || (char *)info->si_addr >= held_page + HELD_PAGE ||
        write(held_touched, &byte, 1) != 1 || read(held_go, &byte, 1) != 1)
        signal(number, SIG_DFL);
}

static inline struct held held_new(size_t pages)
{
    struct held h = {.size = pages * HELD_PAGE};
    h.at = mmap(NULL, h.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(h.at != MAP_FAILED);
    held_pipes(&h);
    return h;
}

#define HELD_SCAN ((size_t)1 << 20)

/* Returns the page that starts with `mark` between `at` and `end`, or NULL. Reads through the kernel,
 * since the memory may disappear meanwhile. */
static inline char *held_scan(int memory, uintptr_t at, uintptr_t end, uint64_t mark)
{
    static char bytes[HELD_SCAN + 1]; /* used from byte 1, so that no page of it starts with the
                                         mark */
    for (ssize_t got; at < end; at += (size_t)got) {
        const size_t size = end - at < HELD_SCAN ? end - at : HELD_SCAN;
        if ((got = pread(memory, bytes + 1, size, (off_t)at)) <= 0)
            return NULL;
        for (ssize_t i = 0; i < got; i += HELD_PAGE)
            if (memcmp(bytes + 1 + i, &mark, sizeof mark) == 0)
                return (char *)at + i;
    }
    return NULL;
}

/* Finds a page of a DPA process by the mark that the program has copied to its start. The process frees
 * the page; held_end is for other memory. */
static inline struct held held_find(uint64_t mark)
{
    struct held h = {0};
    uintptr_t begin, end;
    char access[5], line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    CHECK(maps && memory >= 0);
    while (!h.at && fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, access) == 3 &&
            strcmp(access, "rw-p") == 0 && end - begin < UINTPTR_MAX >> 31)
            h.at = held_scan(memory, begin, end, mark);
    fclose(maps);
    close(memory);
    CHECK(h.at);
    held_pipes(&h);
    return h;
}

/* From now on, each thread that accesses the first page is blocked. */
static inline void held_hold(const struct held *h)
{
    struct sigaction action = {.sa_sigaction = held_fault, .sa_flags = SA_SIGINFO};
    held_page = h->at;
    held_touched = h->touched[1];
    held_go = h->go[0];
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    CHECK(mprotect(h->at, HELD_PAGE, PROT_NONE) == 0);
}

static inline void held_wait(const struct held *h)
{
    struct pollfd fd = {.fd = h->touched[0], .events = POLLIN};
    CHECK(poll(&fd, 1, 60000) == 1);
}

static inline void held_let_go(const struct held *h)
{
    CHECK(mprotect(h->at, HELD_PAGE, PROT_READ | PROT_WRITE) == 0);
    CHECK(write(h->go[1], "", 1) == 1);
}

/* Frees the memory: a later access crashes. */
static inline void held_end(struct held *h)
{
    CHECK(h->size == 0 || munmap(h->at, h->size) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(close(h->touched[i]) == 0 && close(h->go[i]) == 0);
}

/* ---- Calls on a thread of their own ---- */

struct call {
    pthread_t thread;
    int (*function)(void *argument);
    void *argument;
    atomic_int tid; /* 0: not begun */
    atomic_bool returned;
    int result;
};

static inline void *call_run(void *argument)
{
    struct call *c = argument;
    atomic_store(&c->tid, (int)syscall(SYS_gettid));
    c->result = c->function(c->argument);
    atomic_store(&c->returned, true);
    return NULL;
}

static inline void call_begin(struct call *c, int (*function)(void *argument), void *argument)
{
    *c = (struct call){.function = function, .argument = argument};
    CHECK(pthread_create(&c->thread, NULL, call_run, c) == 0);
}

static inline bool call_sleeps(const struct call *c)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", c->tid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    if (f)
        fclose(f);
    return state == 'S';
}

/* Checks that the call waits: it sleeps repeatedly and has not returned. */
static inline void call_waits(const struct call *c)
{
    for (int asleep = 0; asleep < 10; asleep += c->tid != 0 && call_sleeps(c)) {
        usleep(1000);
        CHECK(!c->returned);
    }
}

static inline int call_end(struct call *c)
{
    CHECK(pthread_join(c->thread, NULL) == 0);
    return c->result;
}

/* Checks that access(whose) is blocked in the memory, and that take(what) waits for it; then frees the
 * memory. Returns the result of `take`, and in *ended the result of `access`. */
static inline int held_take(struct held *h, int (*access)(void *whose), void *whose,
                            int (*take)(void *what), void *what, int *ended)
{
    struct call inside, taken;
    alarm(60); /* ends a deadlock */
    held_hold(h);
    call_begin(&inside, access, whose);
    held_wait(h);
    call_begin(&taken, take, what);
    call_waits(&taken);
    held_let_go(h);
    int result = call_end(&taken);
    held_end(h);
    *ended = call_end(&inside);
    return result;
}

#endif
