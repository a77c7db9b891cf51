/* Servers: sockets in the folder of a card. A socket with a path is visible from other network
 * namespaces. A connection shows whether a server lives. A process that changes these files locks
 * the folder. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "comch.h"

#define FILE_NAME_MAX 48
#define BACKLOG       64

struct dpk_comch_server {
    pid_t owner; /* a child of fork() leaves the file alone */
    int folder, listener;
    char file[FILE_NAME_MAX];
    struct stat what; /* identity of that file */
};

/* The name of a server may have any bytes, and may be too long for a file name. */
static bool name_file(const char *name, char out[FILE_NAME_MAX])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(name, strlen(name), digest, &size, EVP_sha256(), NULL) != 1)
        return false;
    int at = snprintf(out, FILE_NAME_MAX, "comch-");
    for (unsigned i = 0; i < 16; i++)
        at += snprintf(out + at, FILE_NAME_MAX - (size_t)at, "%02x", digest[i]);
    return true;
}

/* Uses the folder's descriptor, because the folder's path may be too long for a socket address. */
static void name_socket(int folder, const char *file, struct sockaddr_un *at)
{
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(at->sun_path, sizeof at->sun_path, "/proc/self/fd/%d/%s", folder, file);
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static void close_if(int fd)
{
    if (fd >= 0)
        close(fd);
}

static bool connect_to(int fd, int folder, const char *file)
{
    struct sockaddr_un at;
    name_socket(folder, file, &at);
    return connect(fd, (const struct sockaddr *)&at, sizeof at) == 0;
}

/* Removes a file on which no process listens. Returns false if a process listens, or if this is
 * unknown. Call this with the lock of the folder. */
static bool remove_dead(int folder, const char *file)
{
    const int fd = new_socket();
    const bool lives =
        fd < 0 || connect_to(fd, folder, file) || (errno != ECONNREFUSED && errno != ENOENT);
    close_if(fd);
    return !lives && (unlinkat(folder, file, 0) == 0 || errno == ENOENT);
}

/* ---- Servers ---- */

static enum dpk_status listen_in(struct dpk_comch_server *s, const char *folder, const char *name,
                                 struct dpk_error *err)
{
    struct sockaddr_un at;
    s->folder = open_folder(folder);
    if (s->folder < 0)
        return dpk_fail_errno(err, "%s", folder);
    s->listener = new_socket();
    if (s->listener < 0 || flock(s->folder, LOCK_EX) != 0)
        return dpk_fail_errno(err, "%s", folder);
    name_socket(s->folder, s->file, &at);
    enum dpk_status status = DPK_OK;
    if (!remove_dead(s->folder, s->file))
        status = dpk_fail(err, DPK_ERR_EXISTS, "there is a server \"%s\" already", name);
    else if (bind(s->listener, (const struct sockaddr *)&at, sizeof at) != 0 ||
             listen(s->listener, BACKLOG) != 0 ||
             fstatat(s->folder, s->file, &s->what, AT_SYMLINK_NOFOLLOW) != 0)
        status = dpk_fail_errno(err, "%s/%s", folder, s->file);
    flock(s->folder, LOCK_UN);
    return status;
}

enum dpk_status dpk_comch_listen(const char *folder, const char *name,
                                 struct dpk_comch_server **out, struct dpk_error *err)
{
    struct dpk_comch_server *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return dpk_fail_nomem(err);
    *s = (struct dpk_comch_server){.owner = getpid(), .folder = -1, .listener = -1};
    enum dpk_status status =
        name_file(name, s->file) ? listen_in(s, folder, name, err) : dpk_fail_nomem(err);
    if (status == DPK_OK) {
        *out = s;
        return DPK_OK;
    }
    close_if(s->listener);
    close_if(s->folder);
    free(s);
    return status;
}

/* Removes the server's file. Another program may have removed it, and another server may have its
 * name. */
static void remove_own(const struct dpk_comch_server *s)
{
    struct stat now;
    if (flock(s->folder, LOCK_EX) != 0)
        return;
    if (fstatat(s->folder, s->file, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
        now.st_ino == s->what.st_ino && now.st_dev == s->what.st_dev)
        unlinkat(s->folder, s->file, 0);
    flock(s->folder, LOCK_UN);
}

void dpk_comch_close(struct dpk_comch_server *s)
{
    if (!s)
        return;
    if (s->owner == getpid())
        remove_own(s);
    close(s->listener);
    close(s->folder);
    free(s);
}

int dpk_comch_server_fd(const struct dpk_comch_server *s)
{
    return s->listener;
}

int dpk_comch_accept(struct dpk_comch_server *s)
{
    const int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && rings_peer_is_ours(fd))
        return fd;
    close_if(fd);
    return -1;
}

/* ---- Clients ---- */

static enum dpk_status call_in(int folder, const char *file, int *fd, const char *name,
                               struct dpk_error *err)
{
    *fd = new_socket();
    if (*fd < 0)
        return dpk_fail_errno(err, "a socket");
    if (!connect_to(*fd, folder, file))
        return errno == ENOENT || errno == ECONNREFUSED
                   ? dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no server \"%s\"", name)
                   : dpk_fail_errno(err, "server \"%s\"", name);
    if (!rings_peer_is_ours(*fd))
        return dpk_fail(err, DPK_ERR_IO, "the server \"%s\" is of another user", name);
    return DPK_OK;
}

enum dpk_status dpk_comch_call(const char *path, const char *name, int *fd, struct dpk_error *err)
{
    char file[FILE_NAME_MAX];
    *fd = -1;
    if (!name_file(name, file))
        return dpk_fail_nomem(err);
    const int folder = open_folder(path);
    if (folder < 0)
        return dpk_fail_errno(err, "%s", path);
    enum dpk_status status = call_in(folder, file, fd, name, err);
    close(folder);
    if (status == DPK_OK)
        return DPK_OK;
    close_if(*fd);
    *fd = -1;
    if (status == DPK_ERR_NOT_FOUND)
        dpk_comch_tidy(path, name);
    return status;
}

void dpk_comch_tidy(const char *path, const char *name)
{
    char file[FILE_NAME_MAX];
    const int folder = open_folder(path);
    if (folder >= 0 && name_file(name, file) && faccessat(folder, file, F_OK, 0) == 0 &&
        flock(folder, LOCK_EX) == 0)
        remove_dead(folder, file); /* closing releases the lock */
    close_if(folder);
}
