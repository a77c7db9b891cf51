/* bad_cable A B DELAY_US LOST_OF_10000 [PULLED_AFTER PULLED_MS]: joins two interfaces, like a long, bad cable.
 *
 * Each frame arrives DELAY_US microseconds after it was sent, in order. Of 10,000 frames, LOST_OF_10000 get lost: always
 * the same ones. After PULLED_AFTER frames the cable is pulled for PULLED_MS milliseconds, once: all frames get
 * lost, and the text "pulled" is printed. The helper runs until it is killed. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"

enum { FRAME_MAX = 70000, WAITING_MAX = 8192 };

struct frame {
    uint64_t due; /* in ns */
    size_t size;
    uint8_t *bytes; /* with a virtio_net_hdr in front */
};

/* One direction. Frames wait in a ring. */
struct way {
    int from, to;
    struct frame waiting[WAITING_MAX];
    unsigned first, count;
};

static struct way ways[2];
static uint64_t delay_ns, lost_of_10000, pulled_after = UINT64_MAX, pulled_ns, frames, plugged_at;
static uint32_t random_state = 1;

static int end_with(const char *what)
{
    fprintf(stderr, "bad_cable: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_end(const char *interface)
{
    const int on = 1;
    const struct sockaddr_ll at = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(ETH_P_ALL),
                                   .sll_ifindex = (int)if_nametoindex(interface)};
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* Frames of TCP are larger than the interface's MTU: the header says how to cut them. */
    if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0 ||
        bind(fd, (const struct sockaddr *)&at, sizeof at) != 0)
        end_with(interface);
    return fd;
}

static bool gets_lost(uint64_t now)
{
    if (frames++ == pulled_after) {
        plugged_at = now + pulled_ns;
        puts("pulled");
        fflush(stdout);
    }
    random_state = random_state * 1664525u + 1013904223u;
    return now < plugged_at || (random_state >> 8) % 10000 < lost_of_10000;
}

static void take(struct way *w)
{
    static uint8_t bytes[FRAME_MAX];
    ssize_t n;
    while ((n = recv(w->from, bytes, sizeof bytes, 0)) > 0) {
        const uint64_t now = dpk_now_ns();
        if (gets_lost(now) || w->count == WAITING_MAX)
            continue;
        struct frame *f = &w->waiting[(w->first + w->count++) % WAITING_MAX];
        *f = (struct frame){.due = now + delay_ns, .size = (size_t)n, .bytes = malloc((size_t)n)};
        if (!f->bytes)
            end_with("a frame");
        memcpy(f->bytes, bytes, (size_t)n);
    }
}

/* Sends what is due. Returns the time until the next frame is due in ms, -1: no frame waits. */
static int give(struct way *w)
{
    for (; w->count > 0; w->first = (w->first + 1) % WAITING_MAX, w->count--) {
        struct frame *f = &w->waiting[w->first];
        const uint64_t now = dpk_now_ns();
        if (f->due > now)
            return (int)((f->due - now) / 1000000) + 1;
        (void)!send(w->to, f->bytes, f->size, 0); /* a full queue loses a frame */
        free(f->bytes);
    }
    return -1;
}

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 7) {
        fputs("usage: bad_cable A B DELAY_US LOST_OF_10000 [PULLED_AFTER PULLED_MS]\n", stderr);
        return 2;
    }
    delay_ns = strtoull(argv[3], NULL, 10) * 1000;
    lost_of_10000 = strtoull(argv[4], NULL, 10);
    if (argc == 7) {
        pulled_after = strtoull(argv[5], NULL, 10);
        pulled_ns = strtoull(argv[6], NULL, 10) * 1000000;
    }
    const int a = open_end(argv[1]), b = open_end(argv[2]);
    ways[0] = (struct way){.from = a, .to = b};
    ways[1] = (struct way){.from = b, .to = a};
    for (;;) {
        const int first = give(&ways[0]), second = give(&ways[1]);
        const int wait = first < 0 ? second : second < 0 ? first : first < second ? first : second;
        struct pollfd p[2] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};
        poll(p, 2, wait);
        take(&ways[0]);
        take(&ways[1]);
    }
}
