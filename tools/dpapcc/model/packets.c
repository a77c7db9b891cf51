/* Packets are in one array, so that 32-bit indices identify them. Queues are linked lists of
 * packets. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum dpk_status model_sim_fail(struct sim *s, enum dpk_status status)
{
    if (s->status == DPK_OK)
        s->status = status;
    return s->status;
}

static bool grow(struct sim *s)
{
    const uint32_t capacity = s->packet_capacity ? 2 * s->packet_capacity : 4096;
    if (capacity > 1u << WHAT_SHIFT) /* limit of indices on the agenda; 16 GiB */
        return false;
    struct packet *packets = aligned_alloc(_Alignof(struct packet), capacity * sizeof *packets);
    if (!packets)
        return false;
    if (s->packets)
        memcpy(packets, s->packets, s->packet_count * sizeof *packets);
    free(s->packets);
    s->packets = packets;
    if (s->algorithm->telemetry) {
        struct cc_hop *hops = realloc(s->hops, (size_t)capacity * CC_HOPS_MAX * sizeof *hops);
        if (!hops)
            return false;
        s->hops = hops;
    }
    s->packet_capacity = capacity;
    return true;
}

uint32_t model_packet_new(struct sim *s, uint32_t flow)
{
    uint32_t p = s->packet_free;
    if (p != NONE) {
        s->packet_free = s->packets[p].next;
    } else {
        if (s->packet_count == s->packet_capacity && !grow(s)) {
            model_sim_fail(s, dpk_fail_nomem(s->err));
            return NONE;
        }
        p = s->packet_count++;
    }
    const struct flow *f = &s->flows[flow];
    s->packets[p] =
        (struct packet){.next = NONE, .in = NONE, .flow = flow, .way = f->way, .length = f->length};
    return p;
}

void model_packet_free(struct sim *s, uint32_t p)
{
    s->packets[p].kind = FREE;
    s->packets[p].next = s->packet_free;
    s->packet_free = p;
}

void model_fifo_put(struct sim *s, struct fifo *f, uint32_t p)
{
    s->packets[p].next = NONE;
    if (f->head == NONE)
        f->head = p;
    else
        s->packets[f->tail].next = p;
    f->tail = p;
}

uint32_t model_fifo_take(struct sim *s, struct fifo *f)
{
    const uint32_t p = f->head;
    f->head = s->packets[p].next;
    return p;
}
