/* The DPA side: each thread sends the packets of its queue back to where they came from. */
#include "../../common/packets_dev.h"

flexio_dev_event_handler_t reflect;

static void send_back(struct packets *q, uint8_t *packet, uint32_t size)
{
    packets_swap(packet);
    packets_send(q, packet, size);
}

__dpa_global__ void reflect(uint64_t q)
{
    packets_handle((struct packets *)q, send_back);
}
