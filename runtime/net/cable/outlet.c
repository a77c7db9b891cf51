/* Outlets: the sockets of folders. A socket with a path is visible from other network
 * namespaces. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus/ring/ring.h"
#include "private.h"

#define SOCKET "port.socket"
#define LOCK   "port.lock"

struct dpk_outlet {
    pid_t owner; /* a child of fork() leaves the files alone */
    int folder, lock, listener;
};

/* Uses the folder's descriptor, because the folder's path may be too long for a socket address. */
static socklen_t name_socket(int folder, struct sockaddr_un *at)
{
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(at->sun_path, sizeof at->sun_path, "/proc/self/fd/%d/" SOCKET, folder);
    return sizeof *at;
}

static void close_if(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* Replaces the socket that a killed process left. The lock excludes other processes. */
static enum dpk_status open_in(struct dpk_outlet *o, const char *folder, struct dpk_error *err)
{
    struct sockaddr_un at;
    o->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (o->folder < 0)
        return dpk_fail_errno(err, "%s", folder);
    o->lock = openat(o->folder, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (o->lock < 0)
        return dpk_fail_errno(err, "%s/" LOCK, folder);
    if (flock(o->lock, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK
                   ? dpk_fail(err, DPK_ERR_EXISTS, "another program has plugged it in")
                   : dpk_fail_errno(err, "%s/" LOCK, folder);
    const socklen_t size = name_socket(o->folder, &at);
    o->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (unlinkat(o->folder, SOCKET, 0) != 0 && errno != ENOENT)
        return dpk_fail_errno(err, "%s/" SOCKET, folder);
    if (o->listener < 0 || bind(o->listener, (const struct sockaddr *)&at, size) != 0 ||
        listen(o->listener, 16) != 0)
        return dpk_fail_errno(err, "%s/" SOCKET, folder);
    return DPK_OK;
}

enum dpk_status dpk_outlet_open(const char *folder, struct dpk_outlet **out, struct dpk_error *err)
{
    struct dpk_outlet *o = calloc(1, sizeof *o);
    *out = NULL;
    if (!o)
        return dpk_fail_nomem(err);
    *o = (struct dpk_outlet){getpid(), -1, -1, -1};
    enum dpk_status status = open_in(o, folder, err);
    if (status == DPK_OK) {
        *out = o;
        return DPK_OK;
    }
    close_if(o->listener);
    close_if(o->lock);
    close_if(o->folder);
    free(o);
    return status;
}

void dpk_outlet_close(struct dpk_outlet *o)
{
    if (!o)
        return;
    if (o->owner == getpid())
        unlinkat(o->folder, SOCKET, 0);
    close(o->listener);
    close(o->folder);
    close(o->lock);
    free(o);
}

int dpk_outlet_fd(const struct dpk_outlet *outlet)
{
    return outlet->listener;
}

int dpk_outlet_accept(struct dpk_outlet *outlet)
{
    int fd = accept4(outlet->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && rings_peer_is_ours(fd))
        return fd;
    close_if(fd);
    return -1;
}

int cable_outlet_connect(const char *path)
{
    struct sockaddr_un at;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    const socklen_t size = name_socket(folder, &at);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool good =
        fd >= 0 && connect(fd, (const struct sockaddr *)&at, size) == 0 && rings_peer_is_ours(fd);
    close(folder);
    if (good)
        return fd;
    close_if(fd);
    return -1;
}

bool dpk_outlet_poke(const char *folder)
{
    int fd = cable_outlet_connect(folder);
    close_if(fd);
    return fd >= 0;
}
