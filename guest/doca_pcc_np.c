/* Notification points: answers to probe packets. */
#include "guest/abi/doca_pcc.h"

#include <doca_pcc_np_dev.h>

/* If it is missing, dpa.ld reports this. */
#pragma weak doca_pcc_dev_np_user_packet_handler

#define ADDRESS(f) (uint64_t)(uintptr_t)(f)
__attribute__((used, retain)) const struct dpa_pcc_program _dpa_pcc_np = {
    .version = DPA_PCC_VERSION,
    .call = ADDRESS(_dpa_pcc_call),
    .state = ADDRESS(&_dpa_pcc_state),
    .port_changed = ADDRESS(doca_pcc_dev_user_port_info_changed),
    .mailbox = ADDRESS(doca_pcc_dev_user_mailbox_handle),
    .packet = ADDRESS(doca_pcc_dev_np_user_packet_handler),
};

_Static_assert(sizeof(struct doca_pcc_np_dev_response_packet) == 3 * sizeof(uint64_t),
               "it is the beginning of a struct dpa_pcc_answer");

size_t doca_pcc_np_dev_get_max_response_size(struct doca_pcc_np_dev_response_packet *out)
{
    (void)out;
    return DPA_PCC_RESPONSE;
}

void doca_pcc_np_dev_set_response_prio(struct doca_pcc_np_dev_response_packet *out, uint32_t prio)
{
    ((struct dpa_pcc_answer *)(void *)out)->priority = prio;
}
