/*
 * The host side: waits until the DPA has counted so many packets, and lets it print the flows.
 *
 *     flow_monitor mlx5_0 100000
 */
#include "../flows.h"

#include "../../common/packets.h"

#include <stdio.h>
#include <stdlib.h>

extern flexio_func_t monitor, print_flows;

int main(int argc, char **argv)
{
    static struct packets_device device;
    const unsigned long long packets = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t flows;
    if (packets == 0) {
        fprintf(stderr, "usage: flow_monitor DEVICE PACKETS\n");
        return 2;
    }
    packets_open(&device, argv[1], "flow_monitor_app", &monitor, 1, sizeof(struct flows));
    packets_steer(&device);
    packets_await(&device, packets);
    packets_must("print_flows",
                 flexio_process_call(device.process, &print_flows, &flows, device.user));
    flexio_msg_stream_flush(device.stream);
    printf("%llu packets of %llu flows\n", packets, (unsigned long long)flows);
    packets_close(&device);
    return 0;
}
