/* Finds processes that use the DPA by sockets in a directory that only their user may enter. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "bus/peers/peers.h"

#define UNFINISHED_SECONDS 60 /* no process takes longer from bind to listen */

/* Connects to a process. Returns -1 and removes the socket if no process listens. */
static int peer_connect(const char *path)
{
    const struct timeval patience = {.tv_sec = 5};
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof at.sun_path)
        return -1;
    memcpy(at.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    if (errno == ECONNREFUSED)
        unlink(path);
    close(fd);
    return -1;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    unsigned long x = strtoul((*a)->d_name, NULL, 10), y = strtoul((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

static bool is_named(const struct dirent *entry, const char *end)
{
    const char *name = entry->d_name;
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && strcmp(name + digits, end) == 0;
}

static int is_socket_name(const struct dirent *entry)
{
    return is_named(entry, ".dpa");
}

static int is_new_name(const struct dirent *entry)
{
    return is_named(entry, ".dpa.new");
}

/* Removes sockets of processes that were killed before they listened. Young sockets may still be
 * used. */
static void remove_unfinished(const char *directory)
{
    char path[PATH_MAX + NAME_MAX + 2];
    struct dirent **names = NULL;
    struct stat s;
    const int count = scandir(directory, &names, is_new_name, by_number);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]->d_name);
        if (lstat(path, &s) == 0 && time(NULL) - s.st_mtime > UNFINISHED_SECONDS) {
            const int fd = peer_connect(path);
            if (fd >= 0)
                close(fd);
        }
        free(names[i]);
    }
    free(names);
}

enum dpk_status dpk_peers_each(bool (*visit)(void *context, int fd), void *context,
                               struct dpk_error *err)
{
    char directory[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
    struct dirent **names = NULL;
    enum dpk_status status = dpk_runtime_directory(directory, sizeof directory, err);
    if (status != DPK_OK)
        return status;
    remove_unfinished(directory);
    int count = scandir(directory, &names, is_socket_name, by_number);
    if (count < 0)
        return dpk_fail_errno(err, "%s", directory);
    bool more = true;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]->d_name);
        int fd = more ? peer_connect(path) : -1;
        if (fd >= 0)
            more = visit(context, fd);
        free(names[i]);
    }
    free(names);
    return DPK_OK;
}

bool dpk_peer_say(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, text, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

/* Reads byte by byte, because another function reads the bytes after the line. */
bool dpk_peer_line(int fd, char *line, size_t size)
{
    size_t got = 0;
    while (got + 1 < size) {
        ssize_t n = recv(fd, line + got, 1, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        if (line[got] == '\n') {
            line[got] = '\0';
            return true;
        }
        got++;
    }
    return false;
}
