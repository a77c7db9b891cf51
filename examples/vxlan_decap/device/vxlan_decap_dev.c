/* The DPA side: takes packets out of VXLAN (RFC 7348) and sends what was in them. All others are
 * dropped. Nothing is copied: a packet is sent from the middle of the memory that it was received
 * into. */
#include "../../common/packets_dev.h"

#define ETHERNET     14u
#define PROTOCOL_UDP 17
#define UDP          8u
#define VXLAN        8u
#define VXLAN_PORT   4789
#define VXLAN_HAS_ID 0x08

flexio_dev_event_handler_t decapsulate;

/* Where the inner packet begins. 0: it is no VXLAN. */
static uint32_t inner(const uint8_t *packet, uint32_t size)
{
    const uint8_t *ip = packet + ETHERNET;
    if (size < ETHERNET + 20 || get16(packet + 12) != 0x0800 || ip[0] >> 4 != 4 ||
        ip[9] != PROTOCOL_UDP || (get16(ip + 6) & 0x3fff) != 0)
        return 0;
    const uint32_t header = (ip[0] & 15) * 4u;
    const uint32_t begin = ETHERNET + header + UDP + VXLAN;
    if (header < 20 || size < begin + ETHERNET || get16(ip + header + 2) != VXLAN_PORT ||
        !(ip[header + UDP] & VXLAN_HAS_ID))
        return 0;
    return begin;
}

static void send_inner(struct packets *q, uint8_t *packet, uint32_t size)
{
    const uint32_t begin = inner(packet, size);
    if (begin == 0)
        return;
    (*(uint64_t *)q->user)++;
    packets_send(q, packet + begin, size - begin);
}

__dpa_global__ void decapsulate(uint64_t q)
{
    packets_handle((struct packets *)q, send_inner);
}

/* How many packets were taken out. */
__dpa_rpc__ uint64_t decapsulated(uint64_t count)
{
    return *(const uint64_t *)count;
}
