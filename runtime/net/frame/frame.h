/*
 * frame: the headers of an Ethernet frame, and their checksums.
 *
 *     struct layers l;
 *     frame_layers_find(frame, size, &l);
 *     if (l.protocol == PROTOCOL_UDP && l.end <= size && frame_sum_l4(frame, &l) == 0xffff) ...
 *
 * A frame may have any bytes: no byte after `size` is read.
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
    unsigned version; /* of the complete IP header: 4 or 6; 0: no IP header */
    bool options;     /* IPv4 options, or extension headers of IPv6 */
    bool fragment;    /* of an IP packet */
    size_t l3, l4;    /* offsets of the headers of IP, and of TCP or UDP */
    size_t end;       /* end of the IP packet by its length field; may be after the end of the
                         frame */
    uint8_t protocol; /* TCP or UDP with a complete header; 0: another protocol, or a fragment */
    size_t l4_size;   /* bytes of the header of TCP or UDP */
};

/* Finds the headers of a frame, after all VLAN tags. */
void frame_layers_find(const uint8_t *frame, size_t size, struct layers *out);
/* Finds the headers in front of `data` bytes of data. This number determines the length of the IP
 * packet, not the length field. */
void frame_layers_find_before(const uint8_t *headers, size_t size, size_t data, struct layers *out);

/* Returns the 16-bit one's complement sum of bytes (RFC 1071). */
uint16_t frame_sum_of(const uint8_t *bytes, size_t size);
/* Returns the sum of the IPv4 header. 0xffff means that the checksum is right. */
uint16_t frame_sum_l3(const uint8_t *frame, const struct layers *l);
/* Returns the sum of the pseudo header, the header and the data of TCP or UDP. The IP packet must be
 * complete. 0xffff means that the checksum is right. */
uint16_t frame_sum_l4(const uint8_t *frame, const struct layers *l);
/* Returns the offset of the checksum of TCP or UDP. */
size_t frame_l4_checksum_at(const struct layers *l);
/* Write the checksum of the IPv4 header, and of TCP or UDP. For TCP and UDP the IP packet must be
 * complete. */
void frame_checksum_l3(uint8_t *frame, const struct layers *l);
void frame_checksum_l4(uint8_t *frame, const struct layers *l);
/* Finishes a checksum of all bytes from `start`. The checksum is `offset` bytes after `start`, and
 * holds the sum of the pseudo header before. Does nothing if its place is not in the frame. */
void frame_checksum_finish(uint8_t *frame, size_t size, size_t start, size_t offset);

/* TCP data is cut into segments of `mss` bytes, each with the same headers. Data after headers without
 * IP is also cut. */
struct segments {
    const uint8_t *headers;
    uint32_t headers_size;
    uint32_t mss;
    uint64_t data;        /* bytes after the headers */
    struct layers layers; /* of the headers */
};
/* Returns false if `headers` have IP, but are not exactly the headers of a TCP segment. The length
 * field is ignored. The headers must outlive `out`. */
bool frame_segments_of(const uint8_t *headers, uint32_t size, uint64_t data, uint32_t mss,
                       struct segments *out);
/* As frame_segments_of, for a frame of any length with its data, for frame_segments_make. Also returns false if a
 * segment would be a frame of more than `most` bytes, or the frame does not have the complete IP
 * packet. */
bool frame_segments_of_joined(const uint8_t *frame, size_t size, uint32_t mss, size_t most,
                              struct segments *out);
/* Returns the number of segments: at least 1. */
uint64_t frame_segments_count(const struct segments *s);
/* Makes the headers of segment number `index` with `data` bytes. The checksums are not set. */
void frame_segments_header(const struct segments *s, uint64_t index, uint32_t data, uint8_t *out);
/* Makes the complete segment number `index`, with checksums. Returns its size. */
size_t frame_segments_make(const struct segments *s, uint64_t index, uint8_t *out);

#endif
