/*
 * frame: what is in a frame of Ethernet: where its headers lie, and its checksums.
 *
 *     struct layers l;
 *     layers_find(frame, size, &l);
 *     if (l.protocol == PROTOCOL_UDP && l.end <= size && sum_l4(frame, &l) == 0xffff) ...
 *
 * A frame may have any bytes: nothing beyond `size` is read.
 */
#ifndef DPK_NET_FRAME_FRAME_H
#define DPK_NET_FRAME_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ether_type {
    ETHER_IPV4 = 0x0800,
    ETHER_VLAN = 0x8100,
    ETHER_IPV6 = 0x86dd,
    ETHER_SERVICE_VLAN = 0x88a8,
};
enum ip_protocol { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };
#define VLAN_TAG 4u /* bytes of a tag: its type, then its TCI */

struct layers {
    unsigned version; /* of IP, whose headers are whole: 4 or 6; 0: it has no such header */
    bool options;     /* IPv4 options, or extension headers of IPv6 */
    bool fragment;    /* of an IP packet */
    size_t l3, l4;    /* offsets of the headers of IP, and of TCP or UDP */
    size_t end;       /* of the IP packet, by its length, which may be more than the frame has */
    uint8_t protocol; /* TCP or UDP, whose header is whole; 0: another, or of a fragment */
    size_t l4_size;   /* bytes of the header of TCP or UDP */
};

/* Finds the headers of a frame, behind all tags of VLANs. */
void layers_find(const uint8_t *frame, size_t size, struct layers *out);
/* The same of headers that come before as many bytes of data. The length of the IP packet is that,
 * whatever they say. */
void layers_find_before(const uint8_t *headers, size_t size, size_t data, struct layers *out);

/* The one's complement sum, of 16 bits, of bytes (RFC 1071). */
uint16_t sum_of(const uint8_t *bytes, size_t size);
/* The sum of the IPv4 header; 0xffff: its checksum is right. */
uint16_t sum_l3(const uint8_t *frame, const struct layers *l);
/* The sum of the pseudo header, the header and the data of TCP or UDP, whose IP packet is whole;
 * 0xffff: its checksum is right. */
uint16_t sum_l4(const uint8_t *frame, const struct layers *l);
/* Where the checksum of TCP or UDP is. */
size_t l4_checksum_at(const struct layers *l);
/* Write the checksums: of the header of IPv4, and of TCP or UDP, whose IP packet is whole. */
void checksum_l3(uint8_t *frame, const struct layers *l);
void checksum_l4(uint8_t *frame, const struct layers *l);
/* Finishes a checksum, `offset` bytes behind `start`, of all from `start` on; the sum of the pseudo
 * header stands there. Does nothing if that is not in the frame. */
void checksum_finish(uint8_t *frame, size_t size, size_t start, size_t offset);

/* Data of TCP is cut into segments of `mss` bytes, each behind the same headers; what is behind
 * headers without IP is cut, too. */
struct segments {
    const uint8_t *headers;
    uint32_t headers_size;
    uint32_t mss;
    uint64_t data;        /* bytes behind the headers */
    struct layers layers; /* of the headers */
};
/* False: `headers` have IP, but are not those of one TCP segment alone, whatever they say of its length. They
 * must outlive `out`. */
bool segments_of(const uint8_t *headers, uint32_t size, uint64_t data, uint32_t mss,
                 struct segments *out);
/* The same of a frame of any length, with its data behind the headers, for segments_make. False,
 * too, if a segment would be a frame of more than `most` bytes, or the frame does not have all of
 * its IP packet. */
bool segments_of_joined(const uint8_t *frame, size_t size, uint32_t mss, size_t most,
                        struct segments *out);
/* How many there are: at least 1. */
uint64_t segments_count(const struct segments *s);
/* Makes the headers of segment number `index` with `data` bytes; the checksums are not right yet. */
void segments_header(const struct segments *s, uint64_t index, uint32_t data, uint8_t *out);
/* Makes all of it, with checksums. Returns its size. */
size_t segments_make(const struct segments *s, uint64_t index, uint8_t *out);

#endif
