/*
 * The host side: waits until the DPA has handled so many packets, and says how many were VXLAN.
 *
 *     vxlan_decap mlx5_0 3
 */
#include "../../common/packets.h"

#include <stdio.h>
#include <stdlib.h>

extern flexio_func_t decapsulate, decapsulated;

int main(int argc, char **argv)
{
    static struct packets_device device;
    const unsigned long long packets = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t count;
    if (packets == 0) {
        fprintf(stderr, "usage: vxlan_decap DEVICE PACKETS\n");
        return 2;
    }
    packets_open(&device, argv[1], "vxlan_decap_app", &decapsulate, 1, sizeof count);
    packets_steer(&device);
    packets_await(&device, packets);
    packets_must("decapsulated",
                 flexio_process_call(device.process, &decapsulated, &count, device.user));
    printf("%llu of %llu packets were VXLAN\n", (unsigned long long)count, packets);
    packets_close(&device);
    return 0;
}
