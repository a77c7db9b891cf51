/* ether_peer INTERFACE COUNT <FRAME >ANSWER: sends a frame from an interface until it is answered,
 * then COUNT more times, and writes the last answer. An answer is an arriving frame of the same
 * EtherType. Fails if one of the COUNT frames is not answered. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_MAX 9234
#define WINDOW    16  /* frames in flight; programs may have short queues */
#define TRY_MS    100 /* wait for the first answer */
#define LIMIT     100 /* seconds */

struct peer {
    int fd;
    unsigned char frame[FRAME_MAX], answer[FRAME_MAX];
    size_t size, answer_size;
};

static bool open_peer(struct peer *p, const char *interface)
{
    const int on = 1;
    struct sockaddr_ll at = {.sll_family = AF_PACKET,
                             .sll_ifindex = (int)if_nametoindex(interface)};
    memcpy(&at.sll_protocol, p->frame + 12, 2);
    p->fd = socket(AF_PACKET, SOCK_RAW, 0);
    return p->fd >= 0 && at.sll_ifindex != 0 &&
           setsockopt(p->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0 &&
           bind(p->fd, (const struct sockaddr *)&at, sizeof at) == 0;
}

static bool sends(struct peer *p)
{
    return send(p->fd, p->frame, p->size, 0) == (ssize_t)p->size;
}

static bool is_answered(struct peer *p, unsigned milliseconds)
{
    const struct timeval limit = {milliseconds / 1000, (milliseconds % 1000) * 1000};
    ssize_t n = -1;
    if (setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0)
        n = recv(p->fd, p->answer, sizeof p->answer, 0);
    p->answer_size = n > 0 ? (size_t)n : 0;
    return n > 0;
}

int main(int argc, char **argv)
{
    static struct peer p;
    const unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    const time_t end = time(NULL) + LIMIT;
    unsigned long sent = 0, answered = 0;
    p.size = fread(p.frame, 1, sizeof p.frame, stdin);
    if (count == 0 || p.size < 14 || !open_peer(&p, argv[1])) {
        perror("ether_peer INTERFACE COUNT <FRAME");
        return 2;
    }
    do {
        (void)sends(&p);
    } while (!is_answered(&p, TRY_MS) && time(NULL) < end);
    while (is_answered(&p, TRY_MS)) /* answers to earlier frames */
        continue;
    while (answered < count) {
        while (sent < count && sent - answered < WINDOW && sends(&p))
            sent++;
        if (!is_answered(&p, 20000))
            break;
        answered++;
    }
    fprintf(stderr, "%lu of %lu answered\n", answered, count);
    fwrite(p.answer, 1, p.answer_size, stdout);
    return answered == count && fflush(stdout) == 0 ? 0 : 1;
}
