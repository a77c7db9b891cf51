/* Maps the file, connects to the socket in a device's folder, and reads statistics. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "private.h"

/* ---- The file ---- */

enum dpk_status pacing_rates_map(const char *directory, bool makes, struct file **out,
                                 struct dpk_error *err)
{
    static const struct dpk_share what = {"rates", MAGIC, sizeof **out};
    void *at;
    enum dpk_status status = dpk_file_share(directory, &what, makes, &at, err);
    *out = at;
    return status;
}

void pacing_rates_unmap(struct file *f)
{
    if (f)
        munmap(f, sizeof *f);
}

/* ---- The socket ---- */

/* Uses the folder's descriptor, because the folder's path may be too long for a socket address. */
int pacing_rates_connect(const char *directory, uint32_t *process)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct ucred who = {0};
    socklen_t size = sizeof who;
    int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" SOCKET, folder);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool good = fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
                      rings_peer_is_ours(fd) &&
                      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    const int why = errno;
    close(folder);
    *process = (uint32_t)who.pid;
    if (good)
        return fd;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

/* ---- Statistics ---- */

static void read_row(struct row *row, struct dpk_rates_seen *out)
{
    const struct dpk_rates_row r = {
        .process = atomic_load(&row->process),
        .qp = atomic_load(&row->qp),
        .rate = atomic_load(&row->rate),
        .rtt_ns = atomic_load(&row->rtt_ns),
        .events = atomic_load(&row->events),
    };
    if (r.process != 0)
        out->rows[out->count++] = r;
}

enum dpk_status dpk_rates_read(const char *directory, struct dpk_rates_seen *out,
                               struct dpk_error *err)
{
    struct file *f = NULL;
    *out = (struct dpk_rates_seen){0};
    enum dpk_status status = pacing_rates_map(directory, false, &f, err);
    if (status != DPK_OK)
        return status;
    int fd = pacing_rates_connect(directory, &out->process);
    if (fd >= 0) {
        out->lost = atomic_load(&f->lost);
        out->bad = atomic_load(&f->bad);
        out->changes = atomic_load(&f->changes);
        out->programs = atomic_load(&f->programs);
        out->flows = atomic_load(&f->flows);
        for (size_t i = 0; i < DPK_RATES_TYPES; i++)
            out->events[i] = atomic_load(&f->events[i]);
        for (size_t i = 0; i < DPK_RATES_SEEN; i++)
            read_row(&f->rows[i], out);
        close(fd);
    } else {
        out->process = 0;
    }
    pacing_rates_unmap(f);
    return DPK_OK;
}
