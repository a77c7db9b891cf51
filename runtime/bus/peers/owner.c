/* Asks the kernel which user the other end of a connection belongs to. For a TCP connection within
 * the machine sock_diag(7) answers this. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/peers/peers.h"

struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 request;
};

/* Makes a question about the socket whose own end is `peer` and whose other end is `here`. */
static struct question question_of(const struct sockaddr_in *peer, const struct sockaddr_in *here)
{
    struct question q = {
        .head = {.nlmsg_len = sizeof q,
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST},
        .request = {.sdiag_family = AF_INET,
                    .sdiag_protocol = IPPROTO_TCP,
                    .idiag_states = UINT32_MAX,
                    .id = {.idiag_sport = peer->sin_port,
                           .idiag_dport = here->sin_port,
                           .idiag_src = {peer->sin_addr.s_addr},
                           .idiag_dst = {here->sin_addr.s_addr},
                           .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    return q;
}

/* Receives the answer, and checks that it comes from the kernel. */
static bool receive_answer(int netlink, struct inet_diag_msg *out)
{
    struct sockaddr_nl from = {0};
    socklen_t from_size = sizeof from;
    uint8_t bytes[4096];
    struct nlmsghdr head;
    ssize_t n = recvfrom(netlink, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &from_size);
    if (n < (ssize_t)(NLMSG_HDRLEN + sizeof *out) || from_size != sizeof from || from.nl_pid != 0)
        return false;
    memcpy(&head, bytes, sizeof head);
    if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len < NLMSG_HDRLEN + sizeof *out)
        return false;
    memcpy(out, bytes + NLMSG_HDRLEN, sizeof *out);
    return true;
}

/* Gets the owner of a connected socket. Returns false if the socket is closed already. The kernel
 * would report root as its owner. */
static bool tcp_owner(const struct sockaddr_in *peer, const struct sockaddr_in *here, uid_t *uid)
{
    const struct timeval patience = {.tv_sec = 5};
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    const struct question q = question_of(peer, here);
    struct inet_diag_msg answer;
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0)
        return false;
    setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool good = sendto(netlink, &q, sizeof q, 0, (const struct sockaddr *)&kernel, sizeof kernel) ==
                    (ssize_t)sizeof q &&
                receive_answer(netlink, &answer) && answer.idiag_state == TCP_ESTABLISHED &&
                answer.idiag_inode != 0 && answer.id.idiag_sport == peer->sin_port &&
                answer.id.idiag_dport == here->sin_port;
    if (good)
        *uid = answer.idiag_uid;
    close(netlink);
    return good;
}

/* Gets an IPv4 address of a connection: of the other end (getpeername) or ours (getsockname). */
static bool address_of(int fd, int (*ask)(int, struct sockaddr *, socklen_t *),
                       struct sockaddr_in *out)
{
    socklen_t size = sizeof *out;
    *out = (struct sockaddr_in){0};
    return ask(fd, (struct sockaddr *)out, &size) == 0 && size == sizeof *out &&
           out->sin_family == AF_INET;
}

static enum dpk_status find_owner(int fd, uid_t *uid, struct dpk_error *err)
{
    struct ucred who;
    struct sockaddr_in peer, here;
    char text[INET_ADDRSTRLEN] = "?";
    socklen_t size = sizeof who;
    int family = 0;
    socklen_t family_size = sizeof family;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &family_size) == 0 && family == AF_UNIX) {
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
            return dpk_fail(err, DPK_ERR_REFUSED, "a client whose user is not known");
        *uid = who.uid;
        return DPK_OK;
    }
    if (!address_of(fd, getpeername, &peer) || !address_of(fd, getsockname, &here))
        return dpk_fail(err, DPK_ERR_REFUSED, "a client that was gone at once");
    if (ntohl(peer.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
        return dpk_fail(err, DPK_ERR_REFUSED, "a client at %s, not at the loopback address",
                        inet_ntop(AF_INET, &peer.sin_addr, text, sizeof text));
    if (!tcp_owner(&peer, &here, uid))
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "a TCP client that was gone at once, or whose user the kernel does not "
                        "report: use a Unix socket");
    return DPK_OK;
}

enum dpk_status dpk_peer_check(int fd, struct dpk_error *err)
{
    uid_t uid = 0;
    enum dpk_status status = find_owner(fd, &uid, err);
    if (status == DPK_OK && !dpk_user_is_known(uid))
        status = dpk_fail(err, DPK_ERR_REFUSED,
                          "a client whose user has no number in this user namespace");
    if (status == DPK_OK && !dpk_user_is_mine_or_root(uid))
        status = dpk_fail(err, DPK_ERR_REFUSED, "a client of user %lu, not of this user",
                          (unsigned long)uid);
    return status;
}
