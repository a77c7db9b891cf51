/* Counters of the port, for other processes. */
#include "model.h"

void tally_publish(struct dpk_queues *nic)
{
    const struct dpk_port_counters *now = &nic->counters, *then = &nic->published;
    const struct {
        enum dpk_counter counter;
        uint64_t more;
    } news[] = {
        {DPK_SENT, now->sent - then->sent},
        {DPK_SENT_BYTES, now->sent_bytes - then->sent_bytes},
        {DPK_RECEIVED, now->received - then->received},
        {DPK_RECEIVED_BYTES, now->received_bytes - then->received_bytes},
        {DPK_WIRE_OUT, now->left - then->left},
        {DPK_WIRE_OUT_BYTES, now->left_bytes - then->left_bytes},
        {DPK_WIRE_IN, now->arrived - then->arrived},
        {DPK_WIRE_IN_BYTES, now->arrived_bytes - then->arrived_bytes},
        {DPK_COPIED, now->copied - then->copied},
        {DPK_DROP_NO_RULE, now->unwanted - then->unwanted},
        {DPK_DROP_OUT_OF_BUFFER, now->no_room - then->no_room},
    };
    for (size_t i = 0; nic->shared && i < sizeof news / sizeof *news; i++)
        if (news[i].more > 0)
            dpk_count(dpk_counters_port(nic->shared), news[i].counter, news[i].more);
    nic->published = nic->counters;
}
