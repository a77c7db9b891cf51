/* Writes of a program to the server of rates, or of a server to a sender: the lowest bit of the
 * first byte selects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "rdma/pacing/programs.h"

enum { IS_SERVER = 1, SHOWS_COUNTER = 2, BAD_HELLO = 4, HANGS_UP = 8, WAKES = 16 };

/* Checks the values that a PCC program would see. */
static bool decide(void *context, unsigned worker, struct dpk_rates_state *state,
                   const struct dpk_rates_event *e, struct dpk_rates_order *order)
{
    (void)context, (void)worker;
    if (e->flow >= DPK_RATES_FLOWS || e->life == 0 || e->type < DPK_RATES_FIRST ||
        e->type >= DPK_RATES_FIRST + DPK_RATES_TYPES)
        abort();
    state->bytes[e->serial % sizeof state->bytes]++;
    order->rate = e->bytes;
    order->probe = e->count & 1;
    return e->qp != 0xdead;
}

/* Copies the bytes to a ring, perhaps with a wrong counter. */
static void fill(struct ring *out, uint8_t flags, struct dpk_reader *r)
{
    const uint32_t shown = flags & SHOWS_COUNTER ? dpk_read_be32(r) : 0;
    const size_t size = dpk_reader_left(r) < RATES_RING ? dpk_reader_left(r) : RATES_RING;
    if (size > 0)
        memcpy(ring_here(out), dpk_read_bytes(r, size), size);
    ring_wrote(out, flags & SHOWS_COUNTER ? shown : (uint32_t)size);
}

static void run_server(uint8_t flags, struct dpk_reader *r)
{
    static struct file file;
    const struct dpk_rates_options options = {.workers = 1, .event = decide};
    struct programs of = {.options = &options, .file = &file, .epoll = -1};
    struct rings theirs = {0};
    const uint64_t hello = flags & BAD_HELLO ? dpk_read_be64(r) : MAGIC;
    int fds[2], memory = rings_new(&theirs, RATES_RING);
    if (memory < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        abort();
    pacing_statistics_clear(&file);
    TAILQ_INIT(&of.list);
    struct program *p = pacing_program_new(fds[0]);
    TAILQ_INSERT_TAIL(&of.list, p, link);
    rings_pass(fds[1], memory, &hello, sizeof hello);
    if (!pacing_program_hear(&of, p)) {
        pacing_program_free(&of, p);
    } else {
        fill(&theirs.out, flags, r);
        if (flags & WAKES)
            send(fds[1], "wake", 4, MSG_NOSIGNAL);
        if (flags & HANGS_UP)
            shutdown(fds[1], SHUT_RDWR);
        for (int i = 0; i < 40 && pacing_programs_serve(&of) > 0; i++)
            if (!TAILQ_EMPTY(&of.list) && !pacing_program_hear(&of, TAILQ_FIRST(&of.list)))
                pacing_program_end(&of, TAILQ_FIRST(&of.list));
    }
    pacing_programs_free(&of);
    if (atomic_load(&file.flows) != 0 || atomic_load(&file.programs) != 0)
        abort(); /* ended flows and programs must not be counted */
    close(fds[1]);
    close(memory);
    rings_free(&theirs);
}

/* Makes a folder with a server's socket. */
static int listen_in(char *folder, struct file **file)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(folder, 40, "/dev/shm/fuzz-rates.XXXXXX");
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (!mkdtemp(folder) || pacing_rates_map(folder, true, file, NULL) != DPK_OK)
        abort();
    snprintf(at.sun_path, sizeof at.sun_path, "%s/" SOCKET, folder);
    if (bind(fd, (const struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1) != 0)
        abort();
    return fd;
}

static void remove_files(const char *folder)
{
    char path[80];
    snprintf(path, sizeof path, "%s/" SOCKET, folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/rates", folder);
    unlink(path);
    rmdir(folder);
}

static void run_sender(uint8_t flags, struct dpk_reader *r)
{
    char folder[40];
    struct file *file;
    struct dpk_rates *rates;
    struct rings theirs = {0};
    uint64_t hello;
    int memory;
    const int listener = listen_in(folder, &file);
    if (dpk_rates_open(folder, &rates, NULL) != DPK_OK)
        abort();
    atomic_fetch_add(&file->generation, 1);
    if (!dpk_rates_look(rates) || !dpk_rates_join(rates))
        abort();
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (rings_hear(fd, &hello, sizeof hello, &memory) != sizeof hello ||
        !rings_open(&theirs, memory, RATES_RING))
        abort();
    const uint32_t flow = dpk_rates_claim(rates), gone = dpk_rates_claim(rates);
    dpk_rates_release(rates, gone);
    fill(&theirs.out, flags, r);
    if (flags & WAKES)
        ring_read(&theirs.in, dpk_read_be32(r)); /* reads bytes that may never have been written */
    if (flags & HANGS_UP)
        shutdown(fd, SHUT_RDWR);
    for (int i = 0; i < 3; i++) {
        dpk_rates_take(rates);
        const struct dpk_rates_flow *f = dpk_rates_flow(rates, flow);
        if (f->rate < 1 || f->rate > DPK_RATES_MAX)
            abort();
        dpk_rates_tell(rates, &(struct dpk_rates_event){.type = DPK_RATES_TX, .flow = flow});
    }
    if (dpk_rates_alive(rates) == ((flags & HANGS_UP) != 0))
        abort();
    dpk_rates_close(rates);
    close(fd);
    close(memory);
    close(listener);
    rings_free(&theirs);
    pacing_rates_unmap(file);
    remove_files(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    const uint8_t flags = dpk_read_u8(&r);
    if (flags & IS_SERVER)
        run_server(flags, &r);
    else
        run_sender(flags, &r);
    return 0;
}
