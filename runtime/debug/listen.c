/* Where debuggers knock. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "debug/debug.h"

static enum dpk_status listen_path(const char *path, int *fd, struct dpk_error *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof at.sun_path)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: too long for a socket", path);
    memcpy(at.sun_path, path, strlen(path));
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* Nobody else may connect before the mode is set. */
    bool good = *fd >= 0 && fchmod(*fd, 0600) == 0 &&
                bind(*fd, (const struct sockaddr *)&at, sizeof at) == 0 && chmod(path, 0600) == 0 &&
                listen(*fd, 16) == 0;
    return good ? DPK_OK : dpk_fail_errno(err, "cannot listen on %s", path);
}

static enum dpk_status listen_port(const char *text, int *fd, unsigned *port, struct dpk_error *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int one = 1;
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || n > UINT16_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "'%s' is no TCP port", text);
    at.sin_port = htons((uint16_t)n);
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = *fd >= 0 && setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
                bind(*fd, (const struct sockaddr *)&at, sizeof at) == 0 && listen(*fd, 1) == 0 &&
                getsockname(*fd, (struct sockaddr *)&at, &size) == 0;
    *port = ntohs(at.sin_port);
    return good ? DPK_OK : dpk_fail_errno(err, "cannot listen on TCP port %s", text);
}

enum dpk_status dpk_listen(const char *where, int *fd, unsigned *port, struct dpk_error *err)
{
    *fd = -1;
    *port = 0;
    enum dpk_status status =
        strchr(where, '/') ? listen_path(where, fd, err) : listen_port(where, fd, port, err);
    if (status != DPK_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

int dpk_accept(int fd)
{
    const struct timeval patience = {.tv_sec = 10};
    const int one = 1;
    int client;
    do
        client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    while (client < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (client < 0)
        return -1;
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* not for Unix sockets */
    return client;
}
