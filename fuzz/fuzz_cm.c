/* Any bytes as a message of a peer that connects, of this machine and of another machine: one message, or no message. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rdma/cm/cm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void receive(int fd)
{
    struct dpk_cm_message m;
    if (dpk_cm_receive(fd, &m) == DPK_CM_MESSAGE &&
        (m.kind < DPK_CM_REQ || m.kind > DPK_CM_DREQ || m.queue_pair >> 24 || m.psn >> 24 ||
         m.retries > 7 || m.rnr_retries > 7))
        abort();
}

/* Connects two sockets of TCP. */
static void connect_far(int listener, int ends[2])
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (getsockname(listener, (struct sockaddr *)&at, &size) != 0 || ends[0] < 0 ||
        connect(ends[0], (struct sockaddr *)&at, size) != 0 ||
        (ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) < 0)
        abort();
}

/* Bytes of an earlier input would change the meaning of later ones, so each input has a connection of its own. It ends
 * with a reset, which leaves no port in TIME_WAIT. */
static void send_far(const uint8_t *data, size_t size)
{
    static int listener = -1;
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int ends[2];
    if (listener < 0 && ((listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0 ||
                         bind(listener, (const struct sockaddr *)&any, sizeof any) != 0 ||
                         listen(listener, 1) != 0))
        abort();
    connect_far(listener, ends);
    if (send(ends[0], data, size, MSG_NOSIGNAL) == (ssize_t)size)
        receive(ends[1]);
    (void)setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1},
                     sizeof(struct linger));
    close(ends[0]);
    close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int ends[2];
    if (!ends[1] && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        abort();
    if (size > 4096 || send(ends[0], data, size, 0) != (ssize_t)size)
        return 0;
    receive(ends[1]);
    send_far(data, size);
    return 0;
}
