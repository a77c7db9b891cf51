/* Plays the kernel's /dev/cuse, for a machine without it. A process that opens /dev/cuse gets one end of a pair of
 * sockets; a child plays the kernel at the other end, and makes the socket $CUSE_DEVICES/NAME for the device. In other
 * programs with this library, /dev/NAME is that device: open connects to the socket, and ioctl sends the messages
 * that the kernel would send, with the memory that the device asks for. '/' in NAME is '!' in the socket's name. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/fuse.h>

#define MESSAGE_MAX (160 * 1024)
#define CLIENTS_MAX 64
#define FILES_MAX   1024

/* A message: a header, a body, and bytes after it. Returns the size of the answer. */
static size_t exchange(int fd, uint32_t opcode, const void *body, size_t body_size,
                       const void *more, size_t more_size, uint8_t *answer)
{
    static uint8_t message[MESSAGE_MAX];
    static uint64_t unique;
    struct fuse_in_header header = {.len = (uint32_t)(sizeof header + body_size + more_size),
                                    .opcode = opcode,
                                    .unique = unique += 2,
                                    .uid = geteuid(),
                                    .gid = getegid(),
                                    .pid = (uint32_t)getpid()};
    memcpy(message, &header, sizeof header);
    memcpy(message + sizeof header, body, body_size);
    if (more_size)
        memcpy(message + sizeof header + body_size, more, more_size);
    if (send(fd, message, header.len, MSG_NOSIGNAL) != (ssize_t)header.len)
        return 0;
    const ssize_t size = recv(fd, answer, MESSAGE_MAX, 0);
    return size < 0 ? 0 : (size_t)size;
}

static int socket_of(const char *name, struct sockaddr_un *at)
{
    const char *folder = getenv("CUSE_DEVICES");
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!folder || snprintf(at->sun_path, sizeof at->sun_path, "%s/%s", folder, name) >=
                       (int)sizeof at->sun_path)
        return -1;
    for (char *c = at->sun_path + strlen(folder) + 1; *c; c++)
        if (*c == '/')
            *c = '!';
    return 0;
}

/* ---- The kernel ---- */

static void release(int server, uint64_t fh, uint8_t *answer)
{
    const struct fuse_release_in in = {.fh = fh};
    exchange(server, FUSE_RELEASE, &in, sizeof in, NULL, 0, answer);
}

/* Carries a message of a program to the device, and its answer back. */
static int relay(int server, int client, uint8_t *bytes, uint64_t *fh)
{
    struct fuse_in_header in;
    struct fuse_out_header out;
    struct fuse_open_out opened;
    ssize_t size = recv(client, bytes, MESSAGE_MAX, 0);
    if (size < (ssize_t)sizeof in)
        return -1;
    memcpy(&in, bytes, sizeof in);
    if (send(server, bytes, (size_t)size, MSG_NOSIGNAL) != size ||
        (size = recv(server, bytes, MESSAGE_MAX, 0)) < 16)
        return -1;
    memcpy(&out, bytes, sizeof out);
    if (in.opcode == FUSE_OPEN && out.error == 0) {
        memcpy(&opened, bytes + sizeof out, sizeof opened);
        *fh = opened.fh;
    }
    return send(client, bytes, (size_t)size, MSG_NOSIGNAL) == size ? 0 : -1;
}

static void serve(int server, int listener)
{
    static uint8_t bytes[MESSAGE_MAX];
    struct pollfd fds[CLIENTS_MAX + 2] = {{.fd = server, .events = POLLIN},
                                          {.fd = listener, .events = POLLIN}};
    uint64_t fh[CLIENTS_MAX + 2];
    nfds_t count = 2;
    while (poll(fds, count, -1) > 0 && !fds[0].revents) {
        for (nfds_t i = count - 1; i >= 2; i--) {
            if (!fds[i].revents || relay(server, fds[i].fd, bytes, &fh[i]) == 0)
                continue;
            if (fh[i] != UINT64_MAX)
                release(server, fh[i], bytes);
            close(fds[i].fd);
            fds[i] = fds[--count];
            fh[i] = fh[count];
        }
        if (fds[1].revents && count < CLIENTS_MAX + 2) {
            fds[count] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
            fh[count++] = UINT64_MAX;
        }
    }
}

static void play_kernel(int server)
{
    static uint8_t answer[MESSAGE_MAX];
    static const char key[] = "DEVNAME=";
    const struct cuse_init_in init = {
        .major = FUSE_KERNEL_VERSION, .minor = 31, .flags = CUSE_UNRESTRICTED_IOCTL};
    struct sockaddr_un at;
    const size_t name = sizeof(struct fuse_out_header) + sizeof(struct cuse_init_out);
    const size_t size = exchange(server, CUSE_INIT, &init, sizeof init, NULL, 0, answer);
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (size < name + sizeof key || answer[size - 1] != 0 ||
        memcmp(answer + name, key, sizeof key - 1) != 0 ||
        socket_of((char *)answer + name + sizeof key - 1, &at) != 0)
        return;
    if (bind(listener, (struct sockaddr *)&at, sizeof at) == 0 &&
        listen(listener, CLIENTS_MAX) == 0)
        serve(server, listener);
    unlink(at.sun_path);
}

static int open_cuse(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        play_kernel(pair[1]);
        _exit(0);
    }
    close(pair[1]);
    return pair[0];
}

/* ---- Programs ---- */

static struct {
    int used;
    uint64_t fh;
} files[FILES_MAX];

static int is_device(const char *path, struct sockaddr_un *at)
{
    static const char dev[] = "/dev/";
    int (*real)(const char *, int) = dlsym(RTLD_NEXT, "access");
    return path && strncmp(path, dev, sizeof dev - 1) == 0 &&
           socket_of(path + sizeof dev - 1, at) == 0 && real(at->sun_path, F_OK) == 0;
}

static int open_device(const struct sockaddr_un *at)
{
    static uint8_t answer[MESSAGE_MAX];
    const struct fuse_open_in in = {.flags = O_RDWR};
    struct fuse_out_header out;
    struct fuse_open_out opened;
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || fd >= FILES_MAX || connect(fd, (const struct sockaddr *)at, sizeof *at) != 0)
        return -1;
    const size_t size = exchange(fd, FUSE_OPEN, &in, sizeof in, NULL, 0, answer);
    memcpy(&out, answer, sizeof out);
    memcpy(&opened, answer + sizeof out, sizeof opened);
    if (size < sizeof out || out.error) {
        close(fd);
        errno = size < sizeof out ? EIO : -out.error;
        return -1;
    }
    files[fd].used = 1;
    files[fd].fh = opened.fh;
    return fd;
}

static int open_path(const char *path, int flags, mode_t mode, const char *function)
{
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, function);
    struct sockaddr_un at;
    if (path && strcmp(path, "/dev/cuse") == 0)
        return open_cuse();
    return is_device(path, &at) ? open_device(&at) : real(path, flags, mode);
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_path(path, flags, mode, "open");
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_path(path, flags, mode, "open64");
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open_path(path, flags, 0, "open");
}

int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
    return open_path(path, flags, 0, "open64");
}

int access(const char *path, int mode)
{
    int (*real)(const char *, int) = dlsym(RTLD_NEXT, "access");
    struct sockaddr_un at;
    return is_device(path, &at) ? 0 : real(path, mode);
}

int close(int fd)
{
    int (*real)(int) = dlsym(RTLD_NEXT, "close");
    if (fd >= 0 && fd < FILES_MAX)
        files[fd].used = 0;
    return real(fd);
}

/* Copies between spans of memory of this process and `bytes`. Returns how many bytes they have. */
static size_t copy_spans(const struct fuse_ioctl_iovec *spans, size_t count, uint8_t *bytes, int in)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t *at = (uint8_t *)(uintptr_t)spans[i].base;
        if (sum + spans[i].len > MESSAGE_MAX - 1024)
            abort();
        if (bytes && in)
            memcpy(bytes + sum, at, spans[i].len);
        else if (bytes)
            memcpy(at, bytes + sum, spans[i].len);
        sum += spans[i].len;
    }
    return sum;
}

static int call_device(int fd, unsigned long request, void *pointer)
{
    static uint8_t answer[MESSAGE_MAX], more[MESSAGE_MAX];
    struct fuse_ioctl_iovec spans[FUSE_IOCTL_MAX_IOV];
    struct fuse_out_header header;
    struct fuse_ioctl_out out = {0};
    struct fuse_ioctl_in in = {.fh = files[fd].fh,
                               .flags = FUSE_IOCTL_UNRESTRICTED,
                               .cmd = (uint32_t)request,
                               .arg = (uintptr_t)pointer};
    size_t ins = 0, outs = 0;
    for (;;) {
        const size_t size = exchange(fd, FUSE_IOCTL, &in, sizeof in, more, in.in_size, answer);
        memcpy(&header, answer, sizeof header);
        if (size < sizeof header || header.error) {
            errno = size < sizeof header ? EIO : -header.error;
            return -1;
        }
        memcpy(&out, answer + sizeof header, sizeof out);
        const uint8_t *rest = answer + sizeof header + sizeof out;
        if (!(out.flags & FUSE_IOCTL_RETRY)) {
            copy_spans(spans + ins, outs, answer + (rest - answer), 0);
            return out.result;
        }
        ins = out.in_iovs;
        outs = out.out_iovs;
        memcpy(spans, rest, (ins + outs) * sizeof *spans);
        in.in_size = (uint32_t)copy_spans(spans, ins, more, 1);
        in.out_size = (uint32_t)copy_spans(spans + ins, outs, NULL, 0);
    }
}

int ioctl(int fd, unsigned long request, ...)
{
    int (*real)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
    va_list list;
    va_start(list, request);
    void *pointer = va_arg(list, void *);
    va_end(list);
    return fd >= 0 && fd < FILES_MAX && files[fd].used ? call_device(fd, request, pointer)
                                                       : real(fd, request, pointer);
}
