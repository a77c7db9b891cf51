/* Serves a client of GDB's remote protocol over descriptors. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/debug/gdb.h"

/* Writes without SIGPIPE, which a closed connection must not raise in the host program. */
static bool send_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n < 0 && errno == ENOTSOCK)
            n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool flush(struct gdb *g, int out)
{
    bool done = !g->out.failed && !g->body.failed && send_all(out, g->out.data, g->out.size);
    g->out.size = 0;
    return done;
}

/* Takes the bytes that have arrived. Returns false at the end. */
static bool receive(struct gdb *g, int in)
{
    uint8_t bytes[4096];
    ssize_t n = read(in, bytes, sizeof bytes);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    debug_gdb_feed(g, bytes, (size_t)n);
    return n > 0;
}

enum dpk_status dpk_gdb_serve(int in, int out, int wake, const struct dpk_debug_ops *ops,
                              void *target, struct dpk_error *err)
{
    struct gdb *g = malloc(sizeof *g);
    bool lost = false;
    if (g == NULL)
        return dpk_fail_nomem(err);
    debug_gdb_begin(g, ops, target);
    while (!g->over && !lost) {
        struct pollfd fds[2] = {{.fd = in, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
        uint64_t count;
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        if (fds[1].revents & POLLIN && read(wake, &count, sizeof count) > 0)
            debug_gdb_tell_stop(g);
        if (fds[0].revents && !receive(g, in))
            lost = true;
        lost |= !flush(g, out);
    }
    if (!g->over) {
        if (ops->attached)
            ops->detach(target);
        else
            ops->kill(target);
    }
    enum dpk_status status = DPK_OK;
    if (g->stranger)
        status = dpk_fail(err, DPK_ERR_REFUSED, "a client that does not speak GDB's protocol");
    debug_gdb_end(g);
    free(g);
    return status;
}
