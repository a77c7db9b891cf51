/*
 * nic: the port of an opened device, which is plugged into its wire; queues of FlexIO and of DOCA share
 * it.
 *
 *     struct dpk_queues *nic = dpk_nic_queues(context);      // NULL: the log says why
 *     struct dpk_queue_options o = {.kind = DPK_CQ, .ring.memory = &mine, .user = &listener, ...};
 *     dpk_queue_create(nic, &o, &cq, &err);
 *
 * The creator of a queue sets the access to its rings, and the receiver of completions: `memory` of a
 * struct dpk_queue_place is a struct dpk_nic_memory, `user` of a CQ a struct dpk_nic_listener. Both are
 * called with the lock of the port held.
 */
#ifndef DPK_API_NIC_NIC_H
#define DPK_API_NIC_NIC_H

#include "engine/proc/proc.h"
#include "net/queues/queues.h"

struct ibv_context;

/* The first member of a memory object for a ring or a doorbell record; functions as in struct
 * dpk_queue_ops. */
struct dpk_nic_memory {
    bool (*load)(const struct dpk_nic_memory *memory, uint64_t address, void *to, size_t size);
    bool (*store)(const struct dpk_nic_memory *memory, uint64_t address, const void *from,
                  size_t size);
};

/* The first member of the owner of a completion queue; functions as in struct dpk_queue_ops. */
struct dpk_nic_listener {
    /* Returns the trigger to fire, or NULL. The triggers of all queues of a turn are fired together. */
    struct dpk_trigger *(*completed)(struct dpk_nic_listener *listener, unsigned count, bool event);
    bool (*listens)(const struct dpk_nic_listener *listener);
};

/* The queues of an opened device. The first call plugs its port in, if that is possible; it stays
 * plugged in until the device is closed. Returns NULL if the port does not work; the log has the
 * reason. */
struct dpk_queues *dpk_nic_queues(struct ibv_context *context);
/* Queues of frames need the wire: plugs the port in, if that was not possible before. Returns false if
 * it is still not possible; the log has the reason. */
bool dpk_nic_wired(struct ibv_context *context);

#endif
