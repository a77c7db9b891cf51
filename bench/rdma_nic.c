/*
 * rdma_nic WHAT: RDMA between two processes, as the NIC does it, next to other ways.
 *
 *     write | read       GB/s of 1 MiB messages, 16 at a time, in 16 places
 *     send               microseconds of a send of 64 bytes there and one back, by threads that wait as
 *                        ibv_get_cq_event does
 *     asleep             the same, when both sides sleep
 *     woken              the same, when a thread of the engine wakes them
 *     socketpair | memcpy  GB/s of the same messages written to a socket, or copied
 *     hot-write | hot-read | hot-socketpair  the same, all from one place to one place
 *     polled             the same, when both sides poll
 *     pipe               microseconds of 64 bytes by two pipes there and back
 *     busy               nothing, as long as it may: what runs beside
 *     bounce | futex     microseconds of 64 bytes by socket there and back, or by shared memory, where
 *                        whoever waits sleeps on a word
 */
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rdma/pairs/pairs.h"

#define MESSAGE  ((size_t)1 << 20)
#define MESSAGES 1000u
#define AT_ONCE  16u
#define SMALL    64u
#define TRIPS    5000u

static uint8_t memory[AT_ONCE * MESSAGE];
static sem_t done, received;
static int pipes[2][2];
static int signal_fd; /* of a completion that the thread has not found itself */
static _Thread_local bool looks;

/* ---- An end whose memory is `memory`, from address 0 ---- */

static struct dpk_memory_domain domain;
static struct dpk_rc *nic;
static uint32_t key;

static bool complete(void *context, const struct dpk_rc_completion *c)
{
    (void)context;
    if (c->event == DPK_RC_DONE)
        sem_post(&done);
    else if (c->event == DPK_RC_RECEIVED)
        sem_post(&received);
    if (!looks && signal_fd)
        eventfd_write(signal_fd, 1);
    return true;
}

static const struct dpk_rc_ops ops = {.complete = complete};

/* ---- Two processes ---- */

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void put_from(int fd, size_t from, size_t size)
{
    for (size_t at = from; at < from + size;) {
        ssize_t n = write(fd, memory + at, from + size - at);
        must(n > 0, "write");
        at += (size_t)n;
    }
}

static void put(int fd, size_t size)
{
    put_from(fd, 0, size);
}

static void get_to(int fd, size_t to, size_t size)
{
    for (size_t at = to; at < to + size;) {
        ssize_t n = read(fd, memory + at, to + size - at);
        must(n > 0, "read");
        at += (size_t)n;
    }
}

static void get(int fd, size_t size)
{
    get_to(fd, 0, size);
}

/* Connected to the process at the other side of `fd`. */
static struct dpk_rc_qp *join(int fd, struct dpk_rc_end **end)
{
    static const struct dpk_rc_end_options options = {
        .ops = &ops, .domain = &domain, .permissions = ~0u, .sends = AT_ONCE, .receives = AT_ONCE};
    struct dpk_rc_qp *qp;
    struct dpk_uuid identity;
    struct dpk_error err = {0};
    struct dpk_buf address = {0};
    uint8_t theirs[DPK_RC_ADDRESS_SIZE];
    dpk_uuid_new_time(&identity);
    must(dpk_rc_open(&identity, &nic, &err) == DPK_OK &&
             dpk_rc_end_create(nic, &options, end, &err) == DPK_OK &&
             dpk_rc_qp_create(*end, 0, &qp, &err) == DPK_OK &&
             dpk_rc_qp_address(qp, &address, &err) == DPK_OK &&
             write(fd, address.data, address.size) == (ssize_t)address.size &&
             read(fd, theirs, sizeof theirs) == sizeof theirs &&
             dpk_rc_qp_connect(qp, theirs, sizeof theirs, &err) == DPK_OK,
         err.message);
    return qp;
}

static void post(struct dpk_rc_qp *qp, enum dpk_rc_opcode opcode, uint64_t at, uint64_t size)
{
    const struct dpk_rc_work w = {.opcode = opcode,
                                  .local = {.key = key, .address = at, .size = size},
                                  .key = key, /* the peer is a copy of this process */
                                  .address = at};
    must(dpk_rc_post(qp, &w), "post");
}

/* ---- What is measured ---- */

static unsigned places = AT_ONCE; /* of messages in memory, which take turns */

static size_t place_of(unsigned message)
{
    return message % places * MESSAGE;
}

static void one_sided(int fd, bool serves, enum dpk_rc_opcode opcode)
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp = join(fd, &end);
    if (serves)
        return put(fd, 1);
    get(fd, 1);
    double begin = now();
    for (unsigned i = 0; i < MESSAGES; i++) {
        if (i >= AT_ONCE)
            sem_wait(&done);
        post(qp, opcode, place_of(i), MESSAGE);
    }
    for (unsigned i = 0; i < AT_ONCE; i++)
        sem_wait(&done);
    printf("%.3f\n", (double)(MESSAGES * MESSAGE) / (now() - begin) / 1e9);
}

/* How a thread waits for a completion. */
enum way {
    POLLS,  /* it looks again and again */
    SLEEPS, /* it sleeps until a peer wakes it, as programs do that wait for descriptors */
    WAITS,  /* as ibv_get_cq_event does: it sleeps, but for what comes at once */
    WOKEN   /* the thread of the engine wakes it, as it wakes a thread of the DPA */
};

static bool is_there(void *what)
{
    int value = 0;
    sem_getvalue(what, &value);
    return value > 0;
}

/* Sleeps until a peer has something, or the thread of the engine has found it. */
static void rest(sem_t *what)
{
    struct pollfd p[2] = {{.fd = dpk_rc_rest(nic, &nic), .events = POLLIN},
                          {.fd = signal_fd, .events = POLLIN}};
    eventfd_t count;
    if (!is_there(what) && poll(p, 2, -1) > 0 && p[1].revents)
        eventfd_read(signal_fd, &count);
}

/* As ibv_get_cq_event, which reads a descriptor for each event. */
static void wait_for(sem_t *what)
{
    static struct dpk_rc_waiter waiter;
    eventfd_t count;
    waiter.fd = signal_fd;
    waiter.ready = is_there;
    waiter.of = what;
    looks = true;
    must(dpk_rc_await(nic, &waiter), "dpk_rc_await");
    looks = false;
    eventfd_read(signal_fd, &count);
}

static void await(sem_t *what, enum way way)
{
    if (way == WOKEN)
        sem_wait(what);
    while (way != WOKEN && sem_trywait(what) != 0) {
        if (way == WAITS) {
            wait_for(what);
            continue;
        }
        if (way == SLEEPS)
            rest(what);
        looks = true;
        dpk_rc_poll(nic);
        looks = false;
    }
}

static void sends(int fd, bool serves, enum way way)
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp = join(fd, &end);
    signal_fd = way == SLEEPS || way == WAITS ? eventfd(0, EFD_NONBLOCK) : 0;
    const struct dpk_rc_receive buffer = {.buffer = {.key = key, .address = SMALL, .size = SMALL}};
    dpk_rc_post_receive(end, &buffer);
    double begin = now();
    for (unsigned i = 0; i < TRIPS; i++) {
        if (serves)
            await(&received, way);
        dpk_rc_post_receive(end, &buffer);
        post(qp, DPK_RC_SEND, 0, SMALL);
        await(&done, way);
        if (!serves)
            await(&received, way);
    }
    if (!serves)
        printf("%.2f\n", (now() - begin) / TRIPS * 1e6);
}

/* The same messages, from and to the same memory. */
static void socket_stream(int fd, bool serves)
{
    double begin = now();
    for (unsigned i = 0; i < MESSAGES; i++)
        serves ? get_to(fd, place_of(i), MESSAGE) : put_from(fd, place_of(i), MESSAGE);
    serves ? put(fd, 1) : get(fd, 1);
    if (!serves)
        printf("%.3f\n", (double)(MESSAGES * MESSAGE) / (now() - begin) / 1e9);
}

static void socket_bounce(int fd, bool serves)
{
    double begin = now();
    for (unsigned i = 0; i < TRIPS; i++) {
        serves ? get(fd, SMALL) : put(fd, SMALL);
        serves ? put(fd, SMALL) : get(fd, SMALL);
    }
    if (!serves)
        printf("%.2f\n", (now() - begin) / TRIPS * 1e6);
}

/* Two pipes; the messages are those of socket_bounce. */
static void pipe_bounce(bool serves)
{
    const int from = pipes[serves ? 0 : 1][0], to = pipes[serves ? 1 : 0][1];
    double begin = now();
    for (unsigned i = 0; i < TRIPS; i++) {
        serves ? get(from, SMALL) : put(to, SMALL);
        serves ? put(to, SMALL) : get(from, SMALL);
    }
    if (!serves)
        printf("%.2f\n", (now() - begin) / TRIPS * 1e6);
}

/* ---- Shared memory ---- */

struct shared {
    _Atomic uint32_t words[2];
    uint8_t message[2][SMALL];
};
static struct shared *shared; /* of both processes */

static void tell(unsigned side, uint32_t count)
{
    memcpy(shared->message[side], memory, SMALL);
    shared->words[side] = count;
    syscall(SYS_futex, &shared->words[side], FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void hear(unsigned side, uint32_t count)
{
    while (shared->words[side] != count)
        syscall(SYS_futex, &shared->words[side], FUTEX_WAIT, count - 1, NULL, NULL, 0);
    memcpy(memory, shared->message[side], SMALL);
}

static void futex_bounce(bool serves)
{
    double begin = now();
    for (uint32_t i = 1; i <= TRIPS; i++) {
        serves ? hear(0, i) : tell(0, i);
        serves ? tell(1, i) : hear(1, i);
    }
    if (!serves)
        printf("%.2f\n", (now() - begin) / TRIPS * 1e6);
}

static void copies(void)
{
    double begin = now();
    for (unsigned i = 0; i < MESSAGES; i++) {
        memcpy(memory + (i * 2 % AT_ONCE) * MESSAGE, memory + ((i * 2 + 1) % AT_ONCE) * MESSAGE,
               MESSAGE);
        __asm__ volatile("" ::: "memory");
    }
    printf("%.3f\n", (double)(MESSAGES * MESSAGE) / (now() - begin) / 1e9);
}

static void measure(const char *what, int fd, bool serves)
{
    if (strncmp(what, "hot-", 4) == 0) {
        places = 1;
        what += 4;
    }
    if (strcmp(what, "write") == 0)
        one_sided(fd, serves, DPK_RC_WRITE);
    else if (strcmp(what, "read") == 0)
        one_sided(fd, serves, DPK_RC_READ);
    else if (strcmp(what, "send") == 0)
        sends(fd, serves, WAITS);
    else if (strcmp(what, "asleep") == 0)
        sends(fd, serves, SLEEPS);
    else if (strcmp(what, "woken") == 0)
        sends(fd, serves, WOKEN);
    else if (strcmp(what, "polled") == 0)
        sends(fd, serves, POLLS);
    else if (strcmp(what, "futex") == 0)
        futex_bounce(serves);
    else if (strcmp(what, "socketpair") == 0)
        socket_stream(fd, serves);
    else if (strcmp(what, "pipe") == 0)
        pipe_bounce(serves);
    else if (strcmp(what, "bounce") == 0)
        socket_bounce(fd, serves);
    else if (strcmp(what, "memcpy") == 0 && !serves)
        copies();
}

int main(int argc, char **argv)
{
    int fds[2];
    if (argc != 2)
        return 2;
    while (strcmp(argv[1], "busy") == 0)
        __asm__ volatile("" ::: "memory");
    memset(memory, 1, sizeof memory);
    must(dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                             .rights = ~0u,
                                             .size = sizeof memory,
                                             .host = memory,
                                             .domains = {&domain}},
                        &key, NULL) == DPK_OK,
         "dpk_memory_add");
    must(sem_init(&done, 0, 0) + sem_init(&received, 0, 0) == 0, "sem_init");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED, "mmap");
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0, "socketpair");
    must(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0, "pipe");
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        measure(argv[1], fds[1], true);
        for (;;)
            pause(); /* what it serves goes on */
    }
    measure(argv[1], fds[0], false);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}
