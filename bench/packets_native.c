/* packets_native send INTERFACE SECONDS: sends frames of 64 bytes as fast as one thread can.
 * packets_native count INTERFACE SECONDS: receives them from a ring of a packet socket (packet(7)), and prints
 * how many came in a second. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

enum { FRAME = 64, BATCH = 64, SLOT = 2048, SLOTS = 2048, BLOCK = 65536, ETHER = 0x88b5 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int socket_of(const char *interface)
{
    const int s = socket(AF_PACKET, SOCK_RAW, 0);
    const struct sockaddr_ll at = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(ETH_P_ALL),
                                   .sll_ifindex = (int)if_nametoindex(interface)};
    if (s < 0 || at.sll_ifindex == 0 || bind(s, (const struct sockaddr *)&at, sizeof at) != 0) {
        perror(interface);
        exit(1);
    }
    return s;
}

static void send_frames(int s, double end)
{
    static uint8_t frame[FRAME] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, ETHER >> 8, ETHER & 255};
    struct iovec piece = {frame, sizeof frame};
    struct mmsghdr all[BATCH];
    memset(all, 0, sizeof all);
    for (int i = 0; i < BATCH; i++) {
        all[i].msg_hdr.msg_iov = &piece;
        all[i].msg_hdr.msg_iovlen = 1;
    }
    while (now() < end)
        sendmmsg(s, all, BATCH, 0);
}

static unsigned long count_frames(int s, double end)
{
    const int version = TPACKET_V2;
    const struct tpacket_req shape = {BLOCK, SLOTS * SLOT / BLOCK, SLOT, SLOTS};
    if (setsockopt(s, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0 ||
        setsockopt(s, SOL_PACKET, PACKET_RX_RING, &shape, sizeof shape) != 0) {
        perror("ring");
        exit(1);
    }
    uint8_t *ring = mmap(NULL, (size_t)SLOTS * SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, s, 0);
    if (ring == MAP_FAILED)
        exit(1);
    unsigned long count = 0;
    for (unsigned slot = 0, looks = 0;; looks++) {
        struct tpacket2_hdr *h = (struct tpacket2_hdr *)(void *)(ring + (size_t)slot * SLOT);
        if (looks % 1024 == 0 && now() >= end)
            return count;
        if (!(__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
            continue;
        const uint8_t *frame = (const uint8_t *)h + h->tp_mac;
        count += frame[12] == ETHER >> 8 && frame[13] == (ETHER & 255);
        __atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        slot = (slot + 1) % SLOTS;
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const double seconds = atof(argv[3]);
    const int s = socket_of(argv[2]);
    if (strcmp(argv[1], "send") == 0)
        send_frames(s, now() + seconds);
    else
        printf("%.0f\n", (double)count_frames(s, now() + seconds) / seconds);
    return 0;
}
