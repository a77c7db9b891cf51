/* Words: messages of a socket. Each word has a head and bytes. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "comch.h"

struct head {
    uint32_t kind, value; /* in host byte order */
};
_Static_assert(sizeof(struct head) + DPK_COMCH_MESSAGE_MAX == DPK_COMCH_ROOM, "room");
_Static_assert(sizeof(struct head) % 8 == 0, "bytes of a message are aligned as the room is");

static enum dpk_comch_said said(bool good)
{
    return good ? DPK_COMCH_SAID
           : errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM ||
                   errno == ETOOMANYREFS
               ? DPK_COMCH_FULL
               : DPK_COMCH_GONE;
}

enum dpk_comch_said dpk_comch_say(int fd, enum dpk_comch_kind kind, uint32_t value,
                                  const void *bytes, size_t size)
{
    struct head h = {(uint32_t)kind, value};
    struct iovec pieces[] = {{&h, sizeof h}, {(void *)bytes, size}};
    const struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    return said(sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)(sizeof h + size));
}

enum dpk_comch_said dpk_comch_say_memory(int fd, uint32_t id, uint32_t imm_room, int memory)
{
    const uint32_t word[] = {DPK_COMCH_CONSUMER, id, imm_room};
    return said(rings_pass(fd, memory, word, sizeof word));
}

static bool is_word(const struct dpk_comch_word *w)
{
    switch (w->kind) {
    case DPK_COMCH_HELLO:
        return w->memory < 0 && w->size > 4 && w->size <= 4 + DPK_COMCH_NAME_MAX;
    case DPK_COMCH_WELCOME:
        return w->memory < 0 && w->size == 4;
    case DPK_COMCH_MESSAGE:
        return w->memory < 0;
    case DPK_COMCH_CONSUMER:
        return w->memory >= 0 && w->size == 4;
    case DPK_COMCH_EXPIRED:
        return w->memory < 0 && w->size == 0;
    default:
        return false;
    }
}

/* ECONNRESET comes before messages that were sent earlier, and an end follows it. */
enum dpk_comch_heard dpk_comch_hear(int fd, uint8_t room[DPK_COMCH_ROOM], struct dpk_comch_word *w)
{
    struct head h;
    ssize_t n = rings_hear(fd, room, DPK_COMCH_ROOM, &w->memory);
    if (n < 0 && errno == ECONNRESET)
        n = rings_hear(fd, room, DPK_COMCH_ROOM, &w->memory);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? DPK_COMCH_NOTHING : DPK_COMCH_HUNG_UP;
    if (n == 0 && w->memory < 0)
        return DPK_COMCH_HUNG_UP;
    if (n >= (ssize_t)sizeof h && n <= (ssize_t)DPK_COMCH_ROOM) {
        memcpy(&h, room, sizeof h);
        w->kind = (enum dpk_comch_kind)h.kind;
        w->value = h.value;
        w->bytes = room + sizeof h;
        w->size = (uint32_t)n - (uint32_t)sizeof h;
        if (is_word(w))
            return DPK_COMCH_HEARD;
    }
    if (w->memory >= 0)
        close(w->memory);
    w->memory = -1;
    return DPK_COMCH_BROKEN;
}

bool dpk_comch_has_hung_up(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL);
}
