/* Passes memory of rings to another process over a socket. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "ring.h"

/* The ancillary data of a message: one descriptor. */
union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool rings_peer_is_ours(int socket)
{
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
        return false;
    if (dpk_user_is_mine_or_root(who.uid))
        return true;
    errno = EPERM;
    return false;
}

bool rings_pass(int socket, int memory, const void *bytes, size_t size)
{
    union control control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    struct iovec piece = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.head), &memory, sizeof memory);
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

ssize_t rings_hear(int socket, void *to, size_t room, int *memory)
{
    union control control;
    struct iovec piece = {to, room};
    /* Alignment leaves space for a second descriptor in the union. CMSG_LEN leaves none, so that
     * the kernel drops it. */
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_LEN(sizeof(int))};
    ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    *memory = -1;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof *memory))
        memcpy(memory, CMSG_DATA(head), sizeof *memory);
    return n > 0 && message.msg_flags & MSG_TRUNC ? n + 1 : n;
}
