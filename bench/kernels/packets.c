/* Headers of frames: Ethernet, VLAN, IPv4, IPv6, TCP, UDP, parsed from bytes into a flow, with the
 * checksum of IPv4. */
#include "kernel.h"

enum { ROUNDS = 76000, FRAMES = 512, FRAME_SIZE = 128, FLOWS = 256 };
enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100 };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

struct flow {
    uint64_t source, destination;
    uint16_t source_port, destination_port;
    uint8_t protocol;
};
struct counts {
    uint64_t frames, bytes;
};

static uint8_t frames[FRAMES][FRAME_SIZE];
static struct counts counts[FLOWS];
static uint64_t refused;

static uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static unsigned header_checksum(const uint8_t *at, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i += 2)
        sum += get16(at + i);
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum + (sum >> 16)) & 0xffff;
}

/* Returns the header of the transport; NULL: the frame is none of these. */
static const uint8_t *parse_ipv4(const uint8_t *at, const uint8_t *end, struct flow *flow)
{
    if (end - at < 20 || at[0] >> 4 != 4)
        return NULL;
    size_t size = (at[0] & 15u) * 4;
    if (size < 20 || (size_t)(end - at) < size || header_checksum(at, size) != 0xffff)
        return NULL;
    if ((get16(at + 6) & 0x1fff) != 0) /* a later fragment */
        return NULL;
    flow->protocol = at[9];
    flow->source = get32(at + 12);
    flow->destination = get32(at + 16);
    return at + size;
}

static const uint8_t *parse_ipv6(const uint8_t *at, const uint8_t *end, struct flow *flow)
{
    if (end - at < 40 || at[0] >> 4 != 6)
        return NULL;
    flow->protocol = at[6];
    flow->source = (uint64_t)get32(at + 16) << 32 | get32(at + 20);
    flow->destination = (uint64_t)get32(at + 32) << 32 | get32(at + 36);
    return at + 40;
}

static __attribute__((noinline)) bool parse(const uint8_t *at, const uint8_t *end,
                                            struct flow *flow)
{
    unsigned type = get16(at + 12);
    at += 14;
    while (type == TYPE_VLAN && end - at >= 4) {
        type = get16(at + 2);
        at += 4;
    }
    if (type == TYPE_IPV4)
        at = parse_ipv4(at, end, flow);
    else if (type == TYPE_IPV6)
        at = parse_ipv6(at, end, flow);
    else
        at = NULL;
    if (at == NULL || end - at < 8)
        return false;
    if (flow->protocol != PROTOCOL_TCP && flow->protocol != PROTOCOL_UDP)
        return false;
    flow->source_port = get16(at);
    flow->destination_port = get16(at + 2);
    return true;
}

static void count(const struct flow *flow, size_t size)
{
    uint64_t key = flow->source * 31 + flow->destination;
    key = (key ^ (uint64_t)flow->source_port << 16 ^ flow->destination_port ^ flow->protocol) *
          UINT64_C(0x9e3779b97f4a7c15);
    struct counts *c = &counts[key >> 56];
    c->frames++;
    c->bytes += size;
}

static void make_frame(uint8_t *frame, uint64_t *seed)
{
    uint64_t kind = next_number(seed) >> 32;
    uint8_t *at = frame + 12;
    for (int i = 0; i < FRAME_SIZE; i++)
        frame[i] = (uint8_t)(next_number(seed) >> 56);
    if (kind % 4 == 0) {
        put16(at, TYPE_VLAN);
        at += 4;
    }
    put16(at, kind % 16 == 5 ? 0x0806 : kind % 3 == 0 ? TYPE_IPV6 : TYPE_IPV4);
    at += 2;
    uint8_t protocol = kind % 32 == 7 ? 1 : kind % 2 ? PROTOCOL_TCP : PROTOCOL_UDP;
    if (kind % 3 == 0) {
        at[0] = 0x60;
        at[6] = protocol;
        return;
    }
    at[0] = kind % 8 == 3 ? 0x46 : 0x45;
    put16(at + 6, 0);
    at[9] = protocol;
    put16(at + 10, 0);
    put16(at + 10, kind % 32 == 9 ? 0 : ~header_checksum(at, (at[0] & 15u) * 4));
}

uint64_t kernel(void)
{
    uint64_t seed = 5, sum = 0;
    for (size_t i = 0; i < FRAMES; i++)
        make_frame(frames[i], &seed);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < FRAMES; i++) {
            size_t size = 64 + (i * 7 + round) % 65;
            struct flow flow;
            if (parse(frames[i], frames[i] + size, &flow))
                count(&flow, size);
            else
                refused++;
        }
    for (size_t i = 0; i < FLOWS; i++)
        sum = add_to_checksum(add_to_checksum(sum, counts[i].frames), counts[i].bytes);
    return add_to_checksum(sum, refused);
}
