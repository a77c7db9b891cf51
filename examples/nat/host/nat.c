/*
 * The host side: waits until the DPA has handled so many packets.
 *
 *     nat mlx5_0 2
 */
#include "../nat_com.h"

#include "../../common/packets.h"

#include <stdio.h>
#include <stdlib.h>

extern flexio_func_t translate;

int main(int argc, char **argv)
{
    static struct packets_device device;
    const unsigned long long packets = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    if (packets == 0) {
        fprintf(stderr, "usage: nat DEVICE PACKETS\n");
        return 2;
    }
    packets_open(&device, argv[1], "nat_app", &translate, 1, sizeof(struct nat));
    packets_steer(&device);
    packets_await(&device, packets);
    printf("%llu packets handled\n", packets);
    packets_close(&device);
    return 0;
}
