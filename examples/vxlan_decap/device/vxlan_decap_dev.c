/* The DPA side: takes packets out of VXLAN (RFC 7348) over IPv4 or IPv6, with or without tags of VLANs
 * outside, and sends what was in them. All others are dropped. Nothing is copied: a packet is sent from the middle of the memory that it was received
 * into. */
#include "../../common/packets_dev.h"

#define ETHERNET     14u
#define PROTOCOL_UDP 17
#define UDP          8u
#define VXLAN        8u
#define VXLAN_PORT   4789
#define VXLAN_HAS_ID 0x08

flexio_dev_event_handler_t decapsulate;

/* Where the header behind the addresses and up to two tags begins; *type: what it is. */
static uint32_t network(const uint8_t *packet, uint32_t size, uint16_t *type)
{
    uint32_t at = ETHERNET;
    *type = get16(packet + 12);
    for (int tags = 0; tags < 2 && (*type == 0x8100 || *type == 0x88a8) && size >= at + 4; tags++) {
        *type = get16(packet + at + 2);
        at += 4;
    }
    return at;
}

/* The bytes of the header of IP, behind which comes UDP. 0: there is none, or it is a fragment, or has
 * extensions (IPv6). */
static uint32_t before_udp(const uint8_t *ip, uint32_t size, uint16_t type)
{
    if (type == 0x86dd && size >= 40 && ip[0] >> 4 == 6 && ip[6] == PROTOCOL_UDP)
        return 40;
    if (type != 0x0800 || size < 20 || ip[0] >> 4 != 4 || ip[9] != PROTOCOL_UDP ||
        (get16(ip + 6) & 0x3fff) != 0 || (ip[0] & 15) < 5)
        return 0;
    return (ip[0] & 15) * 4u;
}

/* Where the inner packet begins. 0: it is no VXLAN. */
static uint32_t inner(const uint8_t *packet, uint32_t size)
{
    uint16_t type;
    const uint32_t at = network(packet, size, &type);
    const uint32_t header = before_udp(packet + at, size - at, type);
    const uint32_t begin = at + header + UDP + VXLAN;
    const uint8_t *udp = packet + at + header;
    if (header == 0 || size < begin + ETHERNET || get16(udp + 2) != VXLAN_PORT ||
        !(udp[UDP] & VXLAN_HAS_ID))
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
