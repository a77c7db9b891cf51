/* A frame on its way through flow tables, and what rules do to it. Private to port. */
#ifndef DPK_NET_QUEUES_PACKET_H
#define DPK_NET_QUEUES_PACKET_H

#include "model.h"
#include "net/frame/frame.h"
#include "rules.h"

struct packet {
    const uint8_t *bytes;
    size_t size;
    uint8_t *own;         /* its bytes, after the first change; NULL: they are another's */
    uint16_t source_port; /* the vport that it comes from */
    struct words headers; /* what rules are compared with */
    struct frame_facts facts;
};

/* A frame that was not changed yet; its registers are 0. */
struct packet packet_of(const uint8_t *bytes, size_t size, uint16_t source_port);
/* The same frame, which does not own its bytes. */
struct packet packet_branch(const struct packet *p);
void packet_end(struct packet *p);

/* At AT_REGISTER_...; `headers` keeps them. */
uint32_t packet_register(const struct packet *p, size_t at);
void packet_set_register(struct packet *p, size_t at, uint32_t value);
/* Fills `headers` again, but registers. */
void packet_parse(struct packet *p);
/* Replaces `out` bytes at an offset by as many as `in`, which has none: all 0. DPK_COUNTERS: done.
 * Else the reason why the frame is dropped. NULL of `in_bytes` with sizes of 0 makes bytes its own. */
enum dpk_counter packet_splice(struct packet *p, size_t at, size_t out, const uint8_t *in_bytes,
                               size_t in);

/* ---- change.c ---- */
/* Carries out a change. DPK_COUNTERS: done. Else the reason why the frame is dropped. */
enum dpk_counter packet_change(struct packet *p, const struct dpk_flow_change *change);

/* ---- modify.c ---- */
enum dpk_counter packet_modify(struct packet *p, const struct dpk_flow_modification *list,
                               size_t count);

#endif
