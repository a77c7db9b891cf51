/* What the programs of rdmacm_*.c share: their channel, and the events that they wait for. */
#ifndef RDMACM_WORLD_H
#define RDMACM_WORLD_H

#include <stdio.h>

#include <rdma/rdma_cma.h>

#include "check.h"

static struct rdma_event_channel *channel;

/* The next event of the channel, which must be of this type. */
static struct rdma_cm_event *expect(enum rdma_cm_event_type type)
{
    struct rdma_cm_event *e;
    CHECK(rdma_get_cm_event(channel, &e) == 0);
    if (e->event != type)
        fprintf(stderr, "%s, status %d\n", rdma_event_str(e->event), e->status);
    CHECK(e->event == type);
    return e;
}

static void pass(enum rdma_cm_event_type type)
{
    CHECK(rdma_ack_cm_event(expect(type)) == 0);
}

#endif
