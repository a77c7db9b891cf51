/* The DPA side: counts packets and bytes of each flow of IPv4, and keeps the packets. */
#include "../flows.h"

#include "../../common/packets_dev.h"

#define ETHERNET     14u
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17

flexio_dev_event_handler_t monitor;

static int is_same(const struct flow *a, const struct flow *b)
{
    return a->source == b->source && a->destination == b->destination &&
           a->source_port == b->source_port && a->destination_port == b->destination_port &&
           a->protocol == b->protocol;
}

/* False: it is no packet of IPv4. Only what is no fragment has ports. */
static int flow_of(const uint8_t *packet, uint32_t size, struct flow *out)
{
    const uint8_t *ip = packet + ETHERNET;
    if (size < ETHERNET + 20 || get16(packet + 12) != 0x0800 || ip[0] >> 4 != 4)
        return 0;
    const uint32_t header = (ip[0] & 15) * 4u;
    *out = (struct flow){
        .source = get32(ip + 12), .destination = get32(ip + 16), .protocol = ip[9], .used = 1};
    if ((ip[9] == PROTOCOL_TCP || ip[9] == PROTOCOL_UDP) && (get16(ip + 6) & 0x3fff) == 0 &&
        size >= ETHERNET + header + 4) {
        out->source_port = get16(ip + header);
        out->destination_port = get16(ip + header + 2);
    }
    return 1;
}

static void count(struct packets *q, uint8_t *packet, uint32_t size)
{
    struct flows *t = (struct flows *)q->user;
    struct flow f;
    if (!flow_of(packet, size, &f)) {
        t->others++;
        return;
    }
    uint32_t place = (f.source * 31 + f.destination) * 31 + f.source_port * 31u +
                     f.destination_port + f.protocol;
    struct flow *at = &t->flows[place % FLOWS];
    while (at->used && !is_same(at, &f))
        at = &t->flows[++place % FLOWS];
    if (!at->used && t->count == FLOWS - 1) { /* one place stays empty, so that a search ends */
        t->others++;
        return;
    }
    if (!at->used) {
        *at = f;
        t->count++;
    }
    at->packets++;
    at->bytes += size;
}

__dpa_global__ void monitor(uint64_t q)
{
    packets_handle((struct packets *)q, count);
}

/* Prints what was counted. Returns how many flows there are. */
__dpa_rpc__ uint64_t print_flows(uint64_t table)
{
    const struct flows *t = (const struct flows *)table;
    for (uint32_t i = 0; i < FLOWS; i++) {
        const struct flow *f = &t->flows[i];
        const uint32_t s = f->source, d = f->destination;
        if (f->used)
            flexio_dev_print(
                "%u.%u.%u.%u:%u > %u.%u.%u.%u:%u, protocol %u: %lu packets, %lu bytes\n", s >> 24,
                s >> 16 & 255, s >> 8 & 255, s & 255, f->source_port, d >> 24, d >> 16 & 255,
                d >> 8 & 255, d & 255, f->destination_port, f->protocol, f->packets, f->bytes);
    }
    return t->count;
}
