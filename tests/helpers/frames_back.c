/* frames_back INTERFACE COUNT SIZE FLOWS: sends COUNT frames of 60 to SIZE bytes from an interface,
 * UDP over IPv4 of FLOWS flows in turn. Each frame must come back once, with its MAC addresses
 * swapped and all other bytes unchanged. Other frames are ignored. A frame that has not come back
 * after LIMIT seconds is lost. Prints the number of frames that came back; fails at the first wrong
 * byte. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADERS = 42, NUMBER = HEADERS, DATA = NUMBER + 4, LEAST = 60, MOST = 9234 };
#define WINDOW 32 /* frames in flight; programs may have short queues */
#define LIMIT  30 /* seconds */

static const unsigned char to[6] = {2, 0, 0, 0, 1, 0}, from[6] = {2, 0, 0, 0, 2, 0};

static void put16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

static unsigned header_sum(const unsigned char *ip)
{
    unsigned sum = 0;
    for (int i = 0; i < 20; i += 2)
        sum += (unsigned)(ip[i] << 8 | ip[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

/* Makes the frame with this number. Returns its size. */
static size_t frame_of(unsigned number, unsigned most, unsigned flows, unsigned char *out)
{
    const unsigned size = LEAST + number * 7919u % (most - LEAST + 1), flow = number % flows;
    unsigned mix = number * 2654435761u + 1;
    memset(out, 0, HEADERS);
    memcpy(out, to, 6);
    memcpy(out + 6, from, 6);
    put16(out + 12, 0x0800);
    unsigned char *ip = out + 14;
    ip[0] = 0x45, ip[8] = 64, ip[9] = 17;
    put16(ip + 2, size - 14);
    memcpy(ip + 12, "\306\022\0\0\306\023\0\1", 8); /* 198.18.0.0 to 198.19.0.1 (RFC 2544) */
    put16(ip + 14, flow);
    put16(ip + 10, header_sum(ip));
    put16(ip + 20, 1024 + flow);
    put16(ip + 22, 9);
    put16(ip + 24, size - 34);
    memcpy(out + NUMBER, &number, sizeof number);
    for (unsigned i = DATA; i < size; i++)
        out[i] = (unsigned char)((mix = mix * 1103515245u + 12345u) >> 16);
    return size;
}

struct peer {
    int fd;
    unsigned count, most, flows, sent, back;
    bool *seen;
};

static bool open_peer(struct peer *p, const char *interface)
{
    const int on = 1, room = 8 << 20;
    const struct timeval limit = {LIMIT, 0};
    struct sockaddr_ll at = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(0x0800),
                             .sll_ifindex = (int)if_nametoindex(interface)};
    p->fd = socket(AF_PACKET, SOCK_RAW, 0);
    return p->fd >= 0 && at.sll_ifindex != 0 &&
           setsockopt(p->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0 &&
           setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
           setsockopt(p->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) == 0 &&
           bind(p->fd, (const struct sockaddr *)&at, sizeof at) == 0;
}

static bool send_next(struct peer *p)
{
    unsigned char frame[MOST];
    const size_t size = frame_of(p->sent, p->most, p->flows, frame);
    if (send(p->fd, frame, size, 0) != (ssize_t)size)
        return false;
    p->sent++;
    return true;
}

/* Returns false and prints the reason if the frame is wrong. */
static bool check(struct peer *p, const unsigned char *got, size_t size)
{
    unsigned char want[MOST];
    unsigned number;
    memcpy(&number, got + NUMBER, sizeof number);
    if (size < LEAST || number >= p->sent || p->seen[number])
        return fprintf(stderr, "%zu bytes of no frame, or of one twice: %u\n", size, number), false;
    const size_t wanted = frame_of(number, p->most, p->flows, want);
    memcpy(want, from, 6);
    memcpy(want + 6, to, 6);
    for (size_t i = 0; i < size && i < wanted; i++)
        if (got[i] != want[i])
            return fprintf(stderr, "frame %u: byte %zu is 0x%02x, not 0x%02x\n", number, i, got[i],
                           want[i]),
                   false;
    if (size != wanted)
        return fprintf(stderr, "frame %u: %zu bytes, not %zu\n", number, size, wanted), false;
    p->seen[number] = true;
    p->back++;
    return true;
}

/* Takes the next frame for this peer. Returns false if no frame comes, or if the frame is wrong. */
static bool take(struct peer *p)
{
    unsigned char got[MOST];
    ssize_t n;
    do
        n = recv(p->fd, got, sizeof got, 0);
    while (n >= 12 && memcmp(got, from, 6) != 0);
    return n >= DATA && check(p, got, (size_t)n);
}

int main(int argc, char **argv)
{
    struct peer p = {.fd = -1};
    if (argc == 5) {
        p.count = (unsigned)strtoul(argv[2], NULL, 10);
        p.most = (unsigned)strtoul(argv[3], NULL, 10);
        p.flows = (unsigned)strtoul(argv[4], NULL, 10);
        p.seen = calloc(p.count + 1, sizeof *p.seen);
    }
    if (p.most < LEAST || p.most > MOST || p.flows < 1 || p.flows > 4096 || !p.seen ||
        !open_peer(&p, argv[1])) {
        perror("frames_back INTERFACE COUNT SIZE FLOWS");
        return 2;
    }
    while (p.back < p.count) {
        while (p.sent < p.count && p.sent - p.back < WINDOW && send_next(&p))
            continue;
        if (!take(&p))
            break;
    }
    printf("%u of %u came back\n", p.back, p.count);
    free(p.seen);
    return p.back == p.count ? 0 : 1;
}
