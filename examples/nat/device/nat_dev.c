/* The DPA side: hosts of 10.0.0.0/8 share one address. What they send gets it, and a port of its own
 * for each address and port; what comes back to such a port gets the address and port that it stands
 * for. All other packets are dropped. */
#include "../nat_com.h"

#include "../../common/packets_dev.h"

#define INSIDE       0x0a000000u /* and the next 24 bits */
#define OUTSIDE      0xcb007101u /* 203.0.113.1 */
#define FIRST_PORT   20000u
#define ETHERNET     14u
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17

flexio_dev_event_handler_t translate;

/* The index of a mapping, which is made if it is not there. MAPPINGS: there is no room. */
static uint32_t mapping(struct nat *n, uint32_t address, uint16_t port, uint8_t protocol)
{
    uint32_t place = (address * 31 + port) * 31 + protocol;
    for (;; place++) {
        uint16_t *at = &n->places[place % PLACES];
        const uint32_t i = *at - 1u;
        if (*at != 0 && n->mappings[i].address == address && n->mappings[i].port == port &&
            n->mappings[i].protocol == protocol)
            return i;
        if (*at != 0)
            continue;
        if (n->count == MAPPINGS)
            return MAPPINGS;
        n->mappings[n->count].address = address;
        n->mappings[n->count].port = port;
        n->mappings[n->count].protocol = protocol;
        *at = (uint16_t)++n->count;
        return n->count - 1;
    }
}

/* Corrects a checksum when 16 bits of what it is of change (RFC 1624). */
static void correct(uint8_t *checksum, uint16_t before, uint16_t after)
{
    uint32_t sum = (uint16_t)~get16(checksum) + (uint32_t)(uint16_t)~before + after;
    sum = (sum & 0xffff) + (sum >> 16);
    put16(checksum, (uint16_t) ~(sum + (sum >> 16)));
}

/* Changes an address and the port that belongs to it. UDP may be without a checksum: 0. */
static void change(uint8_t *ip, uint8_t *address, uint8_t *port, uint32_t to, uint16_t to_port)
{
    const int is_tcp = ip[9] == PROTOCOL_TCP;
    uint8_t *checksum = ip + (ip[0] & 15) * 4 + (is_tcp ? 16 : 6);
    const int has_checksum = is_tcp || get16(checksum) != 0;
    const uint16_t after[] = {(uint16_t)(to >> 16), (uint16_t)to, to_port};
    uint8_t *const at[] = {address, address + 2, port};
    for (int i = 0; i < 3; i++) {
        if (i < 2)
            correct(ip + 10, get16(at[i]), after[i]);
        if (has_checksum)
            correct(checksum, get16(at[i]), after[i]);
        put16(at[i], after[i]);
    }
    if (!is_tcp && has_checksum && get16(checksum) == 0)
        put16(checksum, 0xffff);
}

/* Whether it is TCP or UDP over IPv4, no fragment, and as long as its headers. */
static int has_ports(const uint8_t *packet, uint32_t size)
{
    const uint8_t *ip = packet + ETHERNET;
    if (size < ETHERNET + 20 || get16(packet + 12) != 0x0800 || ip[0] >> 4 != 4 ||
        (get16(ip + 6) & 0x3fff) != 0)
        return 0;
    const uint32_t header = (ip[0] & 15) * 4u;
    const uint32_t needed = ip[9] == PROTOCOL_TCP ? 20 : 8;
    return (ip[9] == PROTOCOL_TCP || ip[9] == PROTOCOL_UDP) && header >= 20 &&
           size >= ETHERNET + header + needed;
}

static void translate_one(struct packets *q, uint8_t *packet, uint32_t size)
{
    struct nat *n = (struct nat *)q->user;
    uint8_t *ip = packet + ETHERNET;
    if (!has_ports(packet, size))
        return;
    uint8_t *ports = ip + (ip[0] & 15) * 4;
    const uint32_t source = get32(ip + 12), back = get16(ports + 2) - FIRST_PORT;
    if ((source & 0xff000000u) == INSIDE) {
        const uint32_t i = mapping(n, source, get16(ports), ip[9]);
        if (i == MAPPINGS)
            return;
        change(ip, ip + 12, ports, OUTSIDE, (uint16_t)(FIRST_PORT + i));
    } else if (get32(ip + 16) == OUTSIDE && back < n->count &&
               n->mappings[back].protocol == ip[9]) {
        change(ip, ip + 16, ports + 2, n->mappings[back].address, n->mappings[back].port);
    } else {
        return;
    }
    packets_swap(packet);
    packets_send(q, packet, size);
}

__dpa_global__ void translate(uint64_t q)
{
    packets_handle((struct packets *)q, translate_one);
}
