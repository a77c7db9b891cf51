/* Connections of host programs, and their requests. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "service.h"

#define PROGRAMS_MAX 512u

/* ---- Requests of programs ---- */

static bool say_welcome(struct service *s, struct dpk_urom_channel *c)
{
    uint8_t cpus[DPK_UROM_CPUS] = {0};
    for (unsigned i = 0; i < s->processors; i++)
        cpus[i / 8] |= (uint8_t)(1u << (i % 8));
    struct dpk_buf *b = dpk_urom_begin(c, DPK_UROM_WELCOME);
    dpk_put_le32(b, DPK_UROM_VERSION);
    dpk_put(b, cpus, sizeof cpus);
    dpk_put_le32(b, (uint32_t)s->plugin_count);
    for (size_t i = 0; i < s->plugin_count; i++) {
        dpk_put_le64(b, s->plugins[i].id);
        dpk_put_le64(b, s->plugins[i].version);
        dpk_urom_put_text(b, s->plugins[i].name, strlen(s->plugins[i].name));
    }
    return dpk_urom_end(c);
}

static bool speaks(struct dpk_urom_channel *c, uint32_t version)
{
    if (version == DPK_UROM_VERSION)
        return true;
    service_refuse(c, DOCA_ERROR_UNSUPPORTED_VERSION,
                   "the program speaks version %u, and the service version %u", version,
                   DPK_UROM_VERSION);
    return false;
}

static bool answer_query(struct service *s, struct dpk_urom_channel *c, struct dpk_reader *body)
{
    const uint64_t cookie = dpk_read_le64(body);
    const uint32_t gid = dpk_read_le32(body);
    uint32_t count = 0;
    if (body->failed)
        return false;
    for (const struct process *p = s->processes; p; p = p->next)
        count += p->has_gid && p->gid == gid;
    struct dpk_buf *b = dpk_urom_begin(c, DPK_UROM_ANSWER);
    dpk_put_le64(b, cookie);
    dpk_put_le32(b, count);
    for (const struct process *p = s->processes; p; p = p->next)
        if (p->has_gid && p->gid == gid)
            dpk_put_le64(b, p->id);
    return dpk_urom_end(c);
}

/* Returns false if the connection ends here: it is broken, or a worker has it. */
static bool handle(struct service *s, struct program *p, struct dpk_urom_message *m)
{
    struct dpk_urom_wish wish;
    switch (m->kind) {
    case DPK_UROM_HELLO:
        if (p->greeted || !speaks(&p->channel, dpk_read_le32(&m->body)))
            return false;
        p->greeted = true;
        return say_welcome(s, &p->channel);
    case DPK_UROM_QUERY:
        return p->greeted && answer_query(s, &p->channel, &m->body);
    case DPK_UROM_WORKER:
        if (p->greeted || !dpk_urom_read_wish(&m->body, &wish)) {
            service_refuse(&p->channel, DOCA_ERROR_INVALID_VALUE,
                           "the wish for a worker is damaged");
            return false;
        }
        if (speaks(&p->channel, wish.version) && service_spawn(s, &p->channel, &wish))
            p->channel.fd = -1; /* the process owns the socket now */
        return false;
    default:
        return false;
    }
}

/* Returns false if the program has gone. */
static bool serve(struct service *s, struct program *p)
{
    struct dpk_urom_message m;
    if (!dpk_urom_flush(&p->channel))
        return false;
    const enum dpk_comch_heard heard = dpk_urom_hear(&p->channel, &m);
    return heard == DPK_COMCH_NOTHING || (heard == DPK_COMCH_HEARD && handle(s, p, &m));
}

/* ---- Connections ---- */

static void add_program(struct service *s, int fd)
{
    struct program *p = s->program_count < PROGRAMS_MAX ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        close(fd);
        return;
    }
    dpk_urom_open(&p->channel, fd);
    p->next = s->programs;
    s->programs = p;
    s->program_count++;
}

static void remove_program(struct service *s, struct program *p)
{
    struct program **at = &s->programs;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    s->program_count--;
    dpk_urom_close(&p->channel);
    free(p);
}

/* ---- The loop ---- */

static int open_signals(struct dpk_error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        dpk_fail_errno(err, "signals");
    return fd;
}

/* Returns false if the service shall end. */
static bool take_signals(struct service *s, int fd)
{
    struct signalfd_siginfo info;
    bool goes_on = true;
    while (read(fd, &info, sizeof info) == sizeof info)
        goes_on = goes_on && info.ssi_signo == SIGCHLD;
    service_reap(s);
    return goes_on;
}

/* Fills the descriptors to wait for: signals, calls, programs in their order. Returns their number. */
static nfds_t list_descriptors(const struct service *s, int signals,
                               struct pollfd fds[PROGRAMS_MAX + 2])
{
    nfds_t n = 0;
    fds[n++] = (struct pollfd){.fd = signals, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = dpk_comch_server_fd(s->server), .events = POLLIN};
    for (const struct program *p = s->programs; p; p = p->next)
        fds[n++] = (struct pollfd){
            .fd = p->channel.fd,
            .events = (short)(POLLIN | (dpk_urom_waits(&p->channel) ? POLLOUT : 0))};
    return n;
}

static bool turn(struct service *s, int signals)
{
    struct pollfd fds[PROGRAMS_MAX + 2];
    const nfds_t count = list_descriptors(s, signals, fds);
    if (poll(fds, count, -1) < 0)
        return errno == EINTR;
    nfds_t n = 2;
    for (struct program *p = s->programs, *next; p; p = next) {
        next = p->next;
        if (fds[n++].revents && !serve(s, p))
            remove_program(s, p);
    }
    if (fds[1].revents)
        for (int fd; (fd = dpk_comch_accept(s->server)) >= 0;)
            add_program(s, fd);
    return !fds[0].revents || take_signals(s, signals);
}

enum dpk_status service_serve(struct service *s, struct dpk_error *err)
{
    const int signals = open_signals(err);
    if (signals < 0)
        return err->status;
    printf("serving %s, with %zu plugins and %u processors\n", s->device, s->plugin_count,
           s->processors);
    fflush(stdout);
    while (turn(s, signals))
        fflush(stdout);
    while (s->programs)
        remove_program(s, s->programs);
    for (struct process *p = s->processes; p; p = p->next)
        kill(p->pid, SIGKILL);
    close(signals);
    return DPK_OK;
}
