/* The bytes of a frame, and its headers that rules match. */
#include "packet.h"

#include <stdlib.h>
#include <string.h>

#include "headers.h"

struct packet queues_packet_of(const uint8_t *bytes, size_t size, uint16_t source_port)
{
    struct packet p = {.bytes = bytes, .size = size, .source_port = source_port};
    queues_packet_parse(&p);
    return p;
}

struct packet queues_packet_branch(const struct packet *p)
{
    struct packet branch = *p;
    branch.own = NULL;
    return branch;
}

void queues_packet_end(struct packet *p)
{
    free(p->own);
    p->own = NULL;
}

uint32_t queues_packet_register(const struct packet *p, size_t at)
{
    struct dpk_reader r = dpk_reader((const uint8_t *)&p->headers + at, 4);
    return dpk_read_be32(&r);
}

void queues_packet_set_register(struct packet *p, size_t at, uint32_t value)
{
    dpk_store_be32((uint8_t *)&p->headers + at, value);
}

void queues_packet_parse(struct packet *p)
{
    uint8_t headers[PARSED_BYTES];
    queues_headers_match(p->bytes, p->size, headers);
    dpk_store_be16(headers + DPK_MATCH_SOURCE_PORT, p->source_port);
    memcpy(&p->headers, headers, sizeof headers);
}

enum dpk_counter queues_packet_splice(struct packet *p, size_t at, size_t out,
                                      const uint8_t *in_bytes, size_t in)
{
    const size_t size = p->size - out + in;
    if (size > DPK_FRAME_MAX)
        return DPK_DROP_TOO_LONG;
    if (size < DPK_FRAME_MIN)
        return DPK_DROP_TOO_SHORT;
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return DPK_DROP_OUT_OF_BUFFER;
    memcpy(bytes, p->bytes, at);
    if (in > 0)
        memcpy(bytes + at, in_bytes, in);
    memcpy(bytes + at + in, p->bytes + at + out, p->size - at - out);
    free(p->own);
    p->bytes = p->own = bytes;
    p->size = size;
    return DPK_COUNTERS;
}
