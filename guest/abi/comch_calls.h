/* Calls of the device library for message queues, of family DPA_SYS_FAMILY_DOCA (dpa_abi.h), next to
 * those of verbs_calls.h; and what the host writes for it into memory of the DPA. */
#ifndef DPK_GUEST_ABI_COMCH_CALLS_H
#define DPK_GUEST_ABI_COMCH_CALLS_H

#include <stdint.h>

#define DPA_COMCH_RECEIVE  0x40 /* (consumer, how many) */
#define DPA_COMCH_IS_EMPTY 0x41 /* (producer, consumer's number) -> 1: it has no receive */
#define DPA_COMCH_SEND     0x42 /* (producer, address of a struct dpa_comch_send) -> 0: not now */

#define DPA_COMCH_IMM_MAX 32u

#define DPA_COMCH_REPORT         0
#define DPA_COMCH_REPORT_IF_ROOM 1 /* success is reported if the completion queue has room */
#define DPA_COMCH_SILENT         2 /* success is not reported */
struct dpa_comch_send {
    uint32_t consumer, report, imm_size;
    uint32_t to, from, reserved; /* memory maps of a copy that comes before it */
    uint64_t to_address, from_address, length;
    uint8_t imm[DPA_COMCH_IMM_MAX];
};

/* A message that came. */
struct dpa_comch_message {
    uint8_t imm[DPA_COMCH_IMM_MAX];
    uint32_t imm_size, producer, user_data, reserved;
};

/* A consumer completion is a completion queue whose elements tell by their wqe_counter which of these
 * messages came. */
struct dpa_comch_completion {
    uint64_t queue;
    uint64_t reserved;
    struct dpa_comch_message messages[];
};

#endif
