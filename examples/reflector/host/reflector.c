/*
 * The host side: QUEUES threads of the DPA send packets back, until there were so many.
 *
 *     reflector mlx5_0 128 1000000
 */
#include "../../common/packets.h"

#include <stdio.h>
#include <stdlib.h>

extern flexio_func_t reflect;

int main(int argc, char **argv)
{
    static struct packets_device device;
    const unsigned long queues = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    const unsigned long long packets = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    if (queues < 1 || queues > QUEUES_MAX || packets == 0) {
        fprintf(stderr, "usage: reflector DEVICE QUEUES PACKETS (queues: 1 to %u)\n", QUEUES_MAX);
        return 2;
    }
    packets_open(&device, argv[1], "reflector_app", &reflect, (unsigned)queues, 0);
    packets_steer(&device);
    printf("%lu threads wait for packets\n", queues);
    fflush(stdout);
    packets_await(&device, packets);
    printf("%llu packets sent back by %lu threads\n", packets, queues);
    packets_close(&device);
    return 0;
}
