/* kills WAY COUNT: COUNT pairs of processes talk, and one process of each pair is killed: at each
 * step in turn, or a little later. The other process must end well, by itself. Prints the number of
 * pairs, and of their steps. */
#define _GNU_SOURCE
#include "kills.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S   30 /* longest wait for a report */
#define NEVER        UINT_MAX
#define DELAY_MAX_US 400u /* of a kill that comes after its step */

static const struct way {
    const char *name;
    void (*talk)(struct talker *t);
} ways[] = {{"details", talk_by_details}, {"engine", talk_by_engine}, {"fabric", talk_by_fabric},
            {"manager", talk_by_manager}, {"verbs", talk_by_verbs},   {"channel", talk_by_channel},
            {"copies", talk_by_copies},   {"queues", talk_by_queues}};

/* ---- For talkers ---- */

static void die_in(unsigned us)
{
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    const struct itimerspec when = {.it_value = {.tv_nsec = (long)us * 1000}};
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
    CHECK(timer_settime(timer, 0, &when, NULL) == 0);
}

void step(struct talker *t)
{
    if (++t->steps != t->end)
        return;
    if (t->delay == 0)
        raise(SIGKILL);
    die_in(t->delay);
}

bool trade(const struct talker *t, const void *mine, size_t size, void *its, size_t *got)
{
    if (send(t->fd, mine, size, MSG_NOSIGNAL) != (ssize_t)size)
        return false;
    const ssize_t n = recv(t->fd, its, WORD_MAX, 0);
    *got = n > 0 ? (size_t)n : 0;
    return n > 0;
}

bool is_alone(const struct talker *t)
{
    struct pollfd p = {.fd = t->fd};
    return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

void wait_a_bit(const struct talker *t)
{
    static time_t since;
    struct timespec now;
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!is_alone(t))
        since = 0;
    else if (since == 0)
        since = now.tv_sec;
    CHECK(since == 0 || now.tv_sec - since < PATIENCE_S);
}

/* ---- Pairs ---- */

/* Starts the program again: a child process cannot use its parent's devices. */
static pid_t start(const char *program, const char *way, int fd, bool first, unsigned end,
                   unsigned delay)
{
    char at[4][12];
    const unsigned values[] = {(unsigned)fd, first, end, delay};
    for (int i = 0; i < 4; i++)
        snprintf(at[i], sizeof at[i], "%u", values[i]);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(program, program, way, at[0], at[1], at[2], at[3], (char *)NULL);
    _exit(127);
}

static int end_of(pid_t child)
{
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs a pair; 0: nobody is killed. */
static void pair(const char *program, const char *way, bool kills_first, unsigned at,
                 unsigned delay)
{
    int fds[2];
    pid_t talkers[2];
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0);
    for (int i = 0; i < 2; i++) {
        const bool dies = kills_first == (i == 0);
        CHECK(fcntl(fds[1 - i], F_SETFD, FD_CLOEXEC) == 0 && fcntl(fds[i], F_SETFD, 0) == 0);
        talkers[i] = start(program, way, fds[i], i == 0, dies || at == 0 ? at : NEVER, delay);
    }
    close(fds[0]);
    close(fds[1]);
    const int first = end_of(talkers[0]), second = end_of(talkers[1]);
    const int killed = kills_first ? first : second, other = kills_first ? second : first;
    if (other == 0 && (killed == 128 + SIGKILL || (killed == 0 && (at == 0 || delay > 0))))
        return;
    fprintf(stderr, "%s: the %s killed %u us after step %u ended with %d, the other one with %d\n",
            way, kills_first ? "first" : "second", delay, at, killed, other);
    exit(1);
}

/* How many steps there are: as many as can be killed at. */
static unsigned count_steps(const char *program, const char *way)
{
    int fds[2];
    unsigned steps = 0;
    CHECK(pipe(fds) == 0 && dup2(fds[1], STDOUT_FILENO) >= 0);
    pair(program, way, true, 0, 0);
    char text[16] = "";
    CHECK(read(fds[0], text, sizeof text - 1) > 0 && sscanf(text, "%u", &steps) == 1 && steps > 0);
    return steps;
}

static int run_pairs(const char *program, const char *way, unsigned count)
{
    const int out = dup(STDOUT_FILENO);
    const unsigned steps = count_steps(program, way);
    CHECK(dup2(out, STDOUT_FILENO) >= 0);
    for (unsigned i = 0; i < count; i++) {
        /* Fewer pairs than steps: steps far from each other. */
        const unsigned at = count < 2 * steps ? i / 2 * 2 * steps / count : i / 2 % steps;
        const unsigned delay = i / 2 % 2 ? i * 37u % DELAY_MAX_US : 0;
        pair(program, way, i % 2, at + 1, delay);
    }
    printf("%u pairs, %u steps\n", count, steps);
    return 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 2 && i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(argv[1], ways[i].name) != 0)
            continue;
        if (argc == 3)
            return run_pairs("/proc/self/exe", argv[1], (unsigned)atoi(argv[2]));
        struct talker t = {.fd = atoi(argv[2]), .first = atoi(argv[3]) != 0};
        t.end = (unsigned)strtoul(argv[4], NULL, 10);
        t.delay = (unsigned)atoi(argv[5]);
        ways[i].talk(&t);
        if (t.first && !t.end)
            printf("%u\n", t.steps);
        return 0;
    }
    return 98;
}
