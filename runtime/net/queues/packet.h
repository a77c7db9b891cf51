/* A frame on its way through flow tables, and the changes that rules make. Private to this room. */
#ifndef DPK_NET_QUEUES_PACKET_H
#define DPK_NET_QUEUES_PACKET_H

#include "model.h"
#include "net/frame/frame.h"
#include "rules.h"

struct packet {
    const uint8_t *bytes;
    size_t size;
    uint8_t *own;         /* the packet's own bytes after the first change; NULL: the bytes are
                             borrowed */
    uint16_t source_port; /* the vport of its origin */
    struct words headers; /* the headers that rules match */
    struct frame_facts facts;
};

/* Returns the packet of an unchanged frame. Its registers are 0. */
struct packet queues_packet_of(const uint8_t *bytes, size_t size, uint16_t source_port);
/* Returns a copy of the packet that borrows the bytes. */
struct packet queues_packet_branch(const struct packet *p);
void queues_packet_end(struct packet *p);

/* Returns the register at DPK_MATCH_REGISTER_... of `headers`. */
uint32_t queues_packet_register(const struct packet *p, size_t at);
void queues_packet_set_register(struct packet *p, size_t at, uint32_t value);
/* Fills `headers` again, except the registers. */
void queues_packet_parse(struct packet *p);
/* Replaces `out` bytes at an offset by `in` bytes, which are 0 if `in_bytes` is NULL. With both sizes
 * 0, the packet only gets its own bytes. Returns DPK_COUNTERS, or the counter of the reason why the
 * frame is dropped. */
enum dpk_counter queues_packet_splice(struct packet *p, size_t at, size_t out,
                                      const uint8_t *in_bytes, size_t in);

/* ---- change.c ---- */
/* Makes a change. Returns DPK_COUNTERS, or the counter of the reason why the frame is dropped. */
enum dpk_counter queues_packet_change(struct packet *p, const struct dpk_flow_change *change);

/* ---- modify.c ---- */
enum dpk_counter queues_packet_modify(struct packet *p, const struct dpk_flow_modification *list,
                                      size_t count);

#endif
